//! JMeter's log of samples (`.jtl`) as CSV, summed up for each label as JMeter's aggregate report does, in
//! milliseconds. Throughput is from the start of the first sample of a label to the end of its last one.
//!
//! Source: `CSVSaveService` of JMeter 5.

use indexmap::IndexMap;

use crate::formats::common::csv_records;
use crate::formats::common::load::Requests;
use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("jmeter")
    .about("JMeter's .jtl as CSV: latency and its percentiles, requests per second, errors of every label")
    .looks_like(|head| csv_records::delimiter(head, &COLUMNS).is_some().into())
    .document(read);

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
