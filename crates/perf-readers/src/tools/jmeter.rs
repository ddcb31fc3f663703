//! JMeter's log of samples as CSV (`.jtl`), summed up for each label as JMeter's aggregate report does, in
//! milliseconds. Throughput is from the start of the first sample of a label to the end of its last one.

use indexmap::IndexMap;

use crate::format::{Format, Kind, Likeness, Samples};
use crate::input::source::Source;
use crate::rows::{Cells, RowCollector};
use crate::tools::common::csv_records::{self, Record};
use crate::tools::common::latencies::Latencies;
use perf_model::row::{Outcome, Value};

pub(crate) const FORMAT: Format = Format {
    name: "jmeter",
    about: "JMeter's .jtl as CSV: latency and its percentiles, requests per second, errors of every label",
    samples: Samples::Launches,
    looks_like,
    kind: Kind::Document(read),
};

fn looks_like(head: &[u8]) -> Likeness {
    if delimiter(head).is_some() {
        return Likeness::Yes;
    }
    let is_xml =
        crate::xml::root(head) == Some(b"testResults") && memchr::memmem::find(head, b"ample t=").is_some();
    if is_xml {
        Likeness::Near("is a log of JMeter in XML; `jmeter.save.saveservice.output_format=csv` writes CSV")
    } else {
        Likeness::No
    }
}

fn delimiter(head: &[u8]) -> Option<u8> {
    let has = |delimiter: &u8| csv_records::has_columns(head, *delimiter, &["timeStamp", "elapsed", "label"]);
    [b',', b';', b'\t', b'|'].into_iter().find(has)
}

/// The samples of a label.
#[derive(Default)]
struct Label {
    line: u64,
    latencies: Latencies,
    bytes: f64,
    has_bytes: bool,
    samples: i64,
    errors: i64,
    /// In milliseconds since 1970.
    begin: f64,
    end: f64,
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    let delimiter = delimiter(source.head()).unwrap_or(b',');
    let mut labels: IndexMap<String, Label> = IndexMap::new();
    csv_records::read(source, sink, delimiter, |record, sink| {
        let Some(record) = record else {
            return labels.drain(..).for_each(|(name, mut label)| label.give(&name, sink));
        };
        let (elapsed, begin) = (record.number(&["elapsed"]), time(&record.text(&["timeStamp"])));
        let (Some(elapsed), Some(begin)) = (elapsed, begin) else {
            return sink
                .skip(record.line, b"", || "neither `timeStamp` nor `elapsed` may be missing".to_owned());
        };
        let label = labels.entry(record.text(&["label"]).into_owned()).or_default();
        label.add(record, elapsed.as_f64(), begin);
    })
}

/// Milliseconds since 1970, which a setting turns into a date.
fn time(text: &str) -> Option<f64> {
    if let Some(number) = Value::parse(text.trim()) {
        return Some(number.as_f64());
    }
    let date = text.trim().replace('/', "-");
    let milliseconds: f64 = date.rsplit_once('.').and_then(|(_, rest)| rest.parse().ok()).unwrap_or_default();
    #[expect(clippy::cast_precision_loss, reason = "whole seconds since 1970")]
    let seconds = perf_model::date::parse(&date)? as f64;
    Some(seconds * 1000.0 + milliseconds)
}

impl Label {
    fn add(&mut self, record: &Record<'_>, elapsed: f64, begin: f64) {
        if self.samples == 0 {
            (self.line, self.begin, self.end) = (record.line, begin, begin);
        }
        self.samples += 1;
        self.errors += i64::from(record.text(&["success"]).trim().eq_ignore_ascii_case("false"));
        self.latencies.add(elapsed);
        if let Some(bytes) = record.number(&["bytes"]) {
            self.has_bytes = true;
            self.bytes += bytes.as_f64();
        }
        self.begin = self.begin.min(begin);
        self.end = self.end.max(begin + elapsed);
    }

    fn give(&mut self, name: &str, sink: &mut RowCollector<'_>) {
        #[expect(clippy::cast_precision_loss, reason = "no more than lines of a file")]
        let samples = self.samples as f64;
        let seconds = (self.end - self.begin) / 1000.0;
        let rate = |amount: f64| Value::new(amount / seconds).filter(|_| seconds > 0.0);
        let mut metrics = vec![("requestsPerSecond".to_owned(), rate(samples))];
        metrics.extend(self.latencies.metrics("latency", "Ms"));
        metrics.push(("bytesPerSecond".to_owned(), rate(self.bytes).filter(|_| self.has_bytes)));
        metrics.push(("errors".to_owned(), Some(Value::Int(self.errors))));
        let outcome = if self.errors == self.samples { Outcome::Failed } else { Outcome::Measured };
        let metrics = metrics.iter().map(|(metric, value)| (metric.as_str(), *value));
        sink.measured(self.line, &Cells { outcome, ..Cells::of(name) }, metrics);
    }
}
