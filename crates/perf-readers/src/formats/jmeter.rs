//! JMeter's log of samples (`.jtl`), as CSV and as XML, summed up for each label as JMeter's aggregate report does, in
//! milliseconds. Throughput is from the start of the first sample of a label to the end of its last one.
//!
//! Source: `CSVSaveService` and `SaveService` of JMeter 5; XML is version 1.2 of `<testResults>`, of JMeter 2.1 and
//! later. Samples inside of others are parts of them, and not counted on their own, as in CSV.

use indexmap::IndexMap;

use quick_xml::events::BytesStart;

use crate::formats::common::csv_records;
use crate::formats::common::load::Requests;
use crate::formats::common::prelude::*;
use crate::xml::{self, Markup, attribute};
use perf_model::diagnostic::counted;

pub(crate) const FORMAT: Format = Format::named("jmeter")
    .about("JMeter's .jtl as CSV: latency and its percentiles, requests per second, errors of every label")
    .looks_like(|head| csv_records::delimiter(head, &COLUMNS).is_some().into())
    .document(read);

pub(crate) const XML: Format = Format::named("jmeter-xml")
    .about("JMeter's .jtl as XML: the same")
    .looks_like(|head| (xml::root(head) == Some(ROOT.as_bytes())).into())
    .document(|source, sink| xml::read(source, sink, &mut Log::default()));

const COLUMNS: [&str; 3] = ["timeStamp", "elapsed", "label"];

type Labels = IndexMap<String, Requests>;

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    let mut labels = Labels::new();
    csv_records::tables(source, sink, &COLUMNS, |record, sink| {
        let Some(record) = record else {
            return give(&mut labels, sink);
        };
        let (elapsed, begin) = (
            record.number(&["elapsed"]),
            time(&record.text(&["timeStamp"])),
        );
        let (Some(elapsed), Some(begin)) = (elapsed, begin) else {
            return sink.skip(record.line, b"", || {
                "neither `timeStamp` nor `elapsed` may be missing".to_owned()
            });
        };
        let label = labels
            .entry(record.text(&["label"]).into_owned())
            .or_default();
        let is_failed = record
            .text(&["success"])
            .trim()
            .eq_ignore_ascii_case("false");
        label.add(
            record.line,
            elapsed.as_f64(),
            begin,
            is_failed,
            record.number(&["bytes"]),
        );
    })
}

/// Milliseconds since 1970, which a setting turns into a date.
fn time(text: &str) -> Option<f64> {
    if let Some(number) = Value::parse(text.trim()) {
        return Some(number.as_f64());
    }
    let date = text.trim().replace('/', "-");
    let milliseconds: f64 = date
        .rsplit_once('.')
        .and_then(|(_, rest)| rest.parse().ok())
        .unwrap_or_default();
    #[expect(clippy::cast_precision_loss, reason = "whole seconds since 1970")]
    let seconds = perf_model::date::parse(&date)? as f64;
    Some(seconds * 1000.0 + milliseconds)
}

fn give(labels: &mut Labels, sink: &mut RowCollector<'_>) {
    for (name, requests) in labels.drain(..) {
        let seconds = requests.seconds();
        requests.give(&Cells::of(&name), seconds, sink);
    }
}

/// The log as XML.
#[derive(Default)]
struct Log {
    labels: Labels,
    /// The number of samples that are open, as samples may be nested.
    depth: usize,
    /// Samples without a time, and the line of the first one.
    untimed: Option<(u64, u64)>,
}

const ROOT: &str = "testResults";

const SAMPLES: [&str; 2] = ["httpSample", "sample"];

impl Markup for Log {
    fn start(&mut self, line: u64, tag: &BytesStart<'_>) {
        if !SAMPLES.contains(&tag.local_name().into_inner()) {
            return;
        }
        self.depth += 1;
        if self.depth > 1 {
            return;
        }
        let number = |name| Value::parse(&attribute(tag, name)?);
        let (Some(elapsed), Some(begin)) = (number("t"), number("ts")) else {
            self.untimed.get_or_insert((line, 0)).1 += 1;
            return;
        };
        let label = self
            .labels
            .entry(attribute(tag, "lb").unwrap_or_default())
            .or_default();
        let is_failed = attribute(tag, "s").is_some_and(|success| success == "false");
        label.add(
            line,
            elapsed.as_f64(),
            begin.as_f64(),
            is_failed,
            number("by"),
        );
    }

    fn end(&mut self, name: &str, sink: &mut RowCollector<'_>) {
        if SAMPLES.contains(&name) {
            self.depth = self.depth.saturating_sub(1);
        }
        if name == ROOT {
            give(&mut self.labels, sink);
        }
    }

    fn finish(&mut self, cut: Option<u64>, sink: &mut RowCollector<'_>) {
        if let Some((line, count)) = self.untimed {
            sink.skip(line, b"", || {
                format!(
                    "{} without `t` and `ts`: the log was saved without times",
                    counted(count, "sample")
                )
            });
        }
        give(&mut self.labels, sink);
        if let Some(line) = cut {
            sink.skip(line, b"", || "log is cut off here".to_owned());
        }
    }
}
