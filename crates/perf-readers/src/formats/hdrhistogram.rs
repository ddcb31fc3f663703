//! HdrHistogram's percentiles as text: a header, one line per percentile, and an optional footer with the mean.
//!
//! Each line contains a value, and the share of all values that are less than or equal to it. A percentile's value is
//! on the first line whose share reaches the percentile.

use crate::formats::common::names::{FAILED, of_file};
use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("hdrhistogram")
    .about("HdrHistogram's percentiles as text (.hgrm): mean, deviation, percentiles; the unit from the line above or --unit")
    .contains(&["TotalCount"])
    .looks_like(looks_like)
    .lines::<Lines>();

/// A line of at least this length in bytes is not a title.
const LONGEST_TITLE: usize = 200;

/// The text that a load test prints below a histogram if it could not send messages at the requested rate.
const NOT_ACHIEVED: &str = "Target message rate not achieved";

/// Whether a line is the header, whose first three columns may be in quotes.
fn is_header(line: &str) -> bool {
    let start = line.trim_start();
    if !(start.starts_with("Value") || start.starts_with("\"Value\"")) {
        return false;
    }
    cells(line)
        .take(3)
        .eq(["Value", "Percentile", "TotalCount"])
}

/// Recognises a header, unless it is part of another tool's output.
fn looks_like(head: &str) -> Likeness {
    let mut before: &str = "";
    for line in head.split('\n') {
        if is_header(line) && !before.ends_with("spectrum:") {
            return Likeness::Yes;
        }
        let line = line.trim_end();
        before = if line.is_empty() { before } else { line };
    }
    Likeness::No
}

/// Splits a line into cells, which are separated by whitespace or commas.
fn cells(line: &str) -> impl Iterator<Item = &str> {
    let cells = line.split(|c: char| c.is_whitespace() || c == ',');
    cells
        .map(|cell| cell.trim_matches('"'))
        .filter(|cell| !cell.is_empty())
}

#[derive(Default)]
struct Lines {
    /// A line that may describe the histogram below it.
    title: String,
    /// The suffix of metric names for the unit in the title.
    unit: Option<&'static str>,
    open: Option<Histogram>,
    done: Vec<Histogram>,
}

#[derive(Default)]
struct Histogram {
    line: u64,
    title: String,
    unit: Option<&'static str>,
    /// Whether the load test did not reach the requested rate.
    has_failed: bool,
    mean: Option<Value>,
    deviation: Option<Value>,
    least: Option<Value>,
    most: Option<Value>,
    percentiles: [Option<Value>; PERCENTILES.len()],
    /// True once a line with a share of 1 was read. More such lines may follow, because shares are rounded.
    is_whole: bool,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        if is_header(line) {
            self.close(sink);
            let (title, unit) = (std::mem::take(&mut self.title), self.unit.take());
            self.open = Some(Histogram {
                line: number,
                title,
                unit,
                ..Histogram::default()
            });
            return true;
        }
        let plain = line.trim();
        if let Some(open) = &mut self.open {
            if plain.is_empty() || open.line(plain) {
                return true;
            }
            self.close(sink);
        }
        if plain.is_empty() || plain.len() >= LONGEST_TITLE {
            return false;
        }
        if plain.contains(NOT_ACHIEVED) {
            self.done
                .iter_mut()
                .last()
                .into_iter()
                .for_each(|last| last.has_failed = true);
        }
        self.unit = unit_in(plain);
        plain
            .strip_suffix(':')
            .unwrap_or_default()
            .clone_into(&mut self.title);
        false
    }

    fn end(&mut self, sink: &mut Rows<'_>) {
        self.close(sink);
        let mut times: HashMap<&str, u64> = HashMap::new();
        for histogram in &self.done {
            let title = &histogram.title;
            let name = if title.is_empty() {
                of_file(sink.input(), "histogram")
            } else {
                title
            };
            let time = times.entry(title).or_insert(0);
            *time += 1;
            let name = if *time == 1 {
                name.to_owned()
            } else {
                format!("{name} #{time}")
            };
            histogram.give(&name, sink);
        }
    }
}

impl Lines {
    fn close(&mut self, sink: &mut Rows<'_>) {
        let Some(open) = self.open.take() else { return };
        if !open.is_whole {
            sink.skip(open.line, "", || {
                "histogram is cut off: last percentiles missing".to_owned()
            });
        }
        self.done
            .extend(Some(open).filter(|open| open.percentiles[0].is_some()));
    }
}

impl Histogram {
    /// Reads a line. Returns whether it belongs to the histogram.
    fn line(&mut self, line: &str) -> bool {
        if let Some(footer) = line.strip_prefix("#[") {
            self.footer(footer.trim_end_matches(']'));
            return true;
        }
        let mut cells = cells(line);
        let (value, percentile) = (
            cells.next().and_then(Value::parse),
            cells.next().and_then(Value::parse),
        );
        let is_count = cells
            .next()
            .is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()));
        let (Some(value), Some(percentile)) = (value, percentile.map(Value::as_f64)) else {
            return false;
        };
        let least = if self.is_whole { 1.0 } else { 0.0 };
        if !is_count || !(least..=1.0).contains(&percentile) {
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

    /// Reads a footer line, such as `Mean = 25.048, StdDeviation = 120.097`.
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

    fn give(&self, name: &str, sink: &mut Rows<'_>) {
        let unit = self.unit.unwrap_or_else(|| configured_unit(sink));
        let outcome = if self.has_failed {
            Outcome::Failed
        } else {
            outcome_of_file(sink.input())
        };
        let summary = [
            ("", self.mean),
            (".stddev", self.deviation),
            (".min", self.least),
            (".max", self.most),
        ];
        let metrics = latencies(unit, summary, self.percentiles);
        sink.measured(
            self.line,
            &Cells {
                outcome,
                ..Cells::of(name)
            },
            &metrics,
        );
    }
}

/// Returns a histogram's metrics. `unit` is the suffix of their names.
fn latencies(
    unit: &str,
    summary: [(&str, Option<Value>); 4],
    percentiles: [Option<Value>; PERCENTILES.len()],
) -> Metrics {
    let mut metrics = Metrics::default();
    metrics.add_parts(&format!("latency{unit}"), summary);
    let percentiles = PERCENTILES.iter().zip(percentiles);
    metrics.extend(percentiles.map(|((_, name), value)| (format!("latency{name}{unit}"), value)));
    metrics
}

/// The percentiles that become metrics, in hundred-thousandths, with their names.
const PERCENTILES: [(u32, &str); 8] = [
    (50_000, "P50"),
    (75_000, "P75"),
    (90_000, "P90"),
    (95_000, "P95"),
    (99_000, "P99"),
    (99_900, "P99.9"),
    (99_990, "P99.99"),
    (99_999, "P99.999"),
];

/// Units as words and as symbols in brackets, and the suffixes of metric names for them.
const UNITS: [(&str, &str, &str); 5] = [
    ("nanosecond", "ns", "Ns"),
    ("microsecond", "us", "Us"),
    ("microsecond", "µs", "Us"),
    ("millisecond", "ms", "Ms"),
    ("second", "s", "S"),
];

/// Returns the suffix of metric names for a unit's symbol.
fn unit_suffix(unit: &str) -> Option<&'static str> {
    UNITS
        .iter()
        .find(|(_, short, _)| *short == unit)
        .map(|(_, _, suffix)| *suffix)
}

/// Returns the suffix for the unit in a line such as `Histogram of latencies in microseconds.` or `Latency (us):`.
fn unit_in(line: &str) -> Option<&'static str> {
    let line = line.to_lowercase();
    let words = || line.split(|c: char| !c.is_alphanumeric());
    let is_named = |(word, short, _): &&(&str, &str, &str)| {
        let in_words = words().any(|other| other.strip_suffix('s').unwrap_or(other) == *word);
        in_words || line.contains(&format!("({short})")) || line.contains(&format!("[{short}]"))
    };
    UNITS.iter().find(is_named).map(|(_, _, suffix)| *suffix)
}

/// Returns the suffix for the config's unit, for output without a unit. If the config sets no unit either, the missing
/// unit is recorded, unless the config describes the metric itself.
fn configured_unit(sink: &mut Rows<'_>) -> &'static str {
    let unit = sink.config.unit.and_then(|unit| unit_suffix(unit.symbol()));
    if unit.is_none() && !sink.config.lists_metric("latency") {
        sink.lacks_unit();
    }
    unit.unwrap_or_default()
}

/// Returns a load test's outcome, which its file name shows.
fn outcome_of_file(input: &str) -> Outcome {
    if input.ends_with(FAILED) {
        Outcome::Failed
    } else {
        Outcome::Measured
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_is_found_in_the_line_above() {
        for (line, unit) in [
            ("Histogram of RTT latencies in microseconds.", Some("Us")),
            ("Recorded Latency (ms):", Some("Ms")),
            ("ping [ns]", Some("Ns")),
            ("after 10 seconds", Some("S")),
            ("requests:", None),
        ] {
            assert_eq!(unit_in(line), unit, "{line}");
        }
    }
}
