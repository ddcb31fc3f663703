//! Percentiles as text: a header, a line for each, and a footer with the mean, which may be missing.
//!
//! A line says how many values are not greater than its own. The value of a percentile is that of the first line
//! at or above it.

use std::collections::HashMap;
use std::path::Path;

use crate::format::{Format, Kind, Likeness, LineReader, Samples};
use crate::input::text::text;
use crate::rows::{Cells, RowCollector};
use perf_model::row::Value;

pub(crate) const FORMAT: Format = Format {
    name: "hdrhistogram",
    about: "HdrHistogram's percentiles as text (.hgrm): mean, deviation and percentiles, without a unit",
    samples: Samples::Launches,
    looks_like,
    kind: Kind::Lines(|| Box::new(Lines::default()), &["TotalCount"]),
};

/// The first two columns, with or without quotes.
fn is_header(line: &[u8]) -> bool {
    let start = line.trim_ascii_start();
    if !(start.starts_with(b"Value") || start.starts_with(b"\"Value\"")) {
        return false;
    }
    let text = text(line);
    cells(&text).take(3).eq(["Value", "Percentile", "TotalCount"])
}

/// A header that is not part of what another tool prints.
fn looks_like(head: &[u8]) -> Likeness {
    let mut before: &[u8] = b"";
    for line in head.split(|byte| *byte == b'\n') {
        if is_header(line) && !before.ends_with(b"spectrum:") {
            return Likeness::Yes;
        }
        let line = line.trim_ascii_end();
        before = if line.is_empty() { before } else { line };
    }
    Likeness::No
}

/// The cells of a line, in columns or between commas.
fn cells(line: &str) -> impl Iterator<Item = &str> {
    let cells = line.split(|c: char| c.is_whitespace() || c == ',');
    cells.map(|cell| cell.trim_matches('"')).filter(|cell| !cell.is_empty())
}

#[derive(Default)]
struct Lines {
    /// A line that may say what the histogram below it is of.
    title: String,
    open: Option<Histogram>,
    done: Vec<Histogram>,
}

#[derive(Default)]
struct Histogram {
    line: u64,
    title: String,
    mean: Option<Value>,
    deviation: Option<Value>,
    least: Option<Value>,
    most: Option<Value>,
    percentiles: [Option<Value>; PERCENTILES.len()],
    /// Whether the last line was there, of all values.
    is_whole: bool,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        if is_header(line) {
            self.close(sink);
            let title = std::mem::take(&mut self.title);
            self.open = Some(Histogram { line: number, title, ..Histogram::default() });
            return true;
        }
        let plain = line.trim_ascii();
        if let Some(open) = &mut self.open {
            if plain.is_empty() || open.line(&text(plain)) {
                return true;
            }
            self.close(sink);
        }
        if plain.last() == Some(&b':') && plain.len() < 200 {
            self.title = text(&plain[..plain.len() - 1]).into_owned();
        } else if !plain.is_empty() {
            self.title.clear();
        }
        false
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.close(sink);
        let mut times: HashMap<&str, u64> = HashMap::new();
        for histogram in &self.done {
            let name = if histogram.title.is_empty() { of_file(sink.input()) } else { &histogram.title };
            let time = times.entry(&histogram.title).or_insert(0);
            *time += 1;
            let name = if *time == 1 { name.to_owned() } else { format!("{name} #{time}") };
            histogram.give(&name, sink);
        }
    }
}

impl Lines {
    fn close(&mut self, sink: &mut RowCollector<'_>) {
        let Some(open) = self.open.take() else { return };
        if !open.is_whole {
            sink.skip(open.line, b"", || "histogram is cut off: last percentiles missing".to_owned());
        }
        self.done.extend(Some(open).filter(|open| open.percentiles[0].is_some()));
    }
}

impl Histogram {
    /// Looks at a line; whether it was one of the histogram.
    fn line(&mut self, line: &str) -> bool {
        if let Some(footer) = line.strip_prefix("#[") {
            self.footer(footer.trim_end_matches(']'));
            return true;
        }
        let mut cells = cells(line);
        let (value, percentile) = (cells.next().and_then(Value::parse), cells.next().and_then(Value::parse));
        let is_count = cells.next().is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()));
        let (Some(value), Some(percentile)) = (value, percentile.map(Value::as_f64)) else { return false };
        if !is_count || !(0.0..=1.0).contains(&percentile) || self.is_whole {
            return false;
        }
        self.is_whole = percentile >= 1.0;
        if percentile <= 0.0 {
            self.least = Some(value);
        }
        self.most = Some(value).filter(|_| self.is_whole);
        for ((limit, _), found) in PERCENTILES.iter().zip(&mut self.percentiles) {
            if found.is_none() && percentile >= f64::from(*limit) / 100_000.0 {
                *found = Some(value);
            }
        }
        true
    }

    /// `Mean = 25.048, StdDeviation = 120.097` and its like.
    fn footer(&mut self, pairs: &str) {
        for (key, value) in pairs.split(',').filter_map(|pair| pair.split_once('=')) {
            let value = Value::parse(value.trim());
            match key.trim() {
                "Mean" => self.mean = value,
                "StdDeviation" => self.deviation = value,
                "Max" => self.most = value,
                _ => {}
            }
        }
    }

    fn give(&self, name: &str, sink: &mut RowCollector<'_>) {
        let percentiles: Vec<_> = PERCENTILES.iter().map(|(_, name)| format!("latency{name}")).collect();
        let metrics = [
            ("latency", self.mean),
            ("latency.stddev", self.deviation),
            ("latency.min", self.least),
            ("latency.max", self.most),
        ];
        let percentiles = percentiles.iter().map(String::as_str).zip(self.percentiles);
        sink.measured(self.line, &Cells::of(name), metrics.into_iter().chain(percentiles));
    }
}

/// The percentiles that are metrics, in hundred-thousandths.
pub(crate) const PERCENTILES: [(u32, &str); 8] = [
    (50_000, "P50"),
    (75_000, "P75"),
    (90_000, "P90"),
    (95_000, "P95"),
    (99_000, "P99"),
    (99_900, "P99.9"),
    (99_990, "P99.99"),
    (99_999, "P99.999"),
];

/// What a histogram is called that has no other name.
pub(crate) fn of_file(input: &str) -> &str {
    let stem = Path::new(input).file_stem().and_then(|stem| stem.to_str());
    stem.filter(|stem| stem.starts_with(char::is_alphanumeric)).unwrap_or("histogram")
}
