//! The unit of a histogram, which its numbers lack: a line above says it, or whoever reads it.

use crate::formats::common::names::FAILED;
use crate::formats::common::prelude::*;

/// Units as words and in brackets, and the ends of metric names.
const UNITS: [(&str, &str, &str); 5] = [
    ("nanosecond", "ns", "Ns"),
    ("microsecond", "us", "Us"),
    ("microsecond", "µs", "Us"),
    ("millisecond", "ms", "Ms"),
    ("second", "s", "S"),
];

/// The end of metric names for a unit.
pub(super) fn suffix(unit: &str) -> Option<&'static str> {
    UNITS
        .iter()
        .find(|(_, short, _)| *short == unit)
        .map(|(_, _, suffix)| *suffix)
}

/// The unit that a line names: `Histogram of latencies in microseconds.` or `Latency (us):`.
pub(super) fn named(line: &str) -> Option<&'static str> {
    let line = line.to_lowercase();
    let words = || line.split(|c: char| !c.is_alphanumeric());
    let is_named = |(word, short, _): &&(&str, &str, &str)| {
        let in_words = words().any(|other| other.strip_suffix('s').unwrap_or(other) == *word);
        in_words || line.contains(&format!("({short})")) || line.contains(&format!("[{short}]"))
    };
    UNITS.iter().find(is_named).map(|(_, _, suffix)| *suffix)
}

/// The unit for what names none: that of the config, which may also describe the metric itself.
pub(super) fn configured(sink: &mut RowCollector<'_>) -> &'static str {
    let unit = sink.config.unit.and_then(|unit| suffix(unit.symbol()));
    if unit.is_none() && !sink.config.lists_metric("latency") {
        sink.lacks_unit();
    }
    unit.unwrap_or_default()
}

/// Returns the outcome of a load test, by the name of its file.
pub(super) fn outcome(input: &str) -> Outcome {
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
    fn line_may_name_the_unit() {
        for (line, unit) in [
            ("Histogram of RTT latencies in microseconds.", Some("Us")),
            ("Recorded Latency (ms):", Some("Ms")),
            ("ping [ns]", Some("Ns")),
            ("after 10 seconds", Some("S")),
            ("requests:", None),
        ] {
            assert_eq!(named(line), unit, "{line}");
        }
    }
}
