//! JMH's table at the end of a run; kotlinx-benchmark prints the same.
//!
//! ```text
//! Benchmark      (size)   Mode  Cnt    Score    Error  Units
//! Codec.parse        16   avgt    5  104.123 ±  2.345  ns/op
//! Codec.parse        16  thrpt    5    9.604 ±  0.218  ops/us
//! ```
//!
//! JMH shortens names unless they would become equal. Lines such as `Codec.parse:p0.99` and `Codec.parse:gc.alloc.rate`
//! are metrics of `Codec.parse`.
//!
//! Source: `TextResultFormat` of JMH 1.37.

use crate::formats::common::prelude::*;
use crate::formats::jmh::{Metric, percentile_of};

pub(crate) const FORMAT: Format = Format::named("jmh-text")
    .about(
        "JMH and kotlinx-benchmark table: score of every mode with its interval, profiler results",
    )
    .contains(&["  Units"])
    .looks_like(|head| has_line(head, "  Units", |line| header(line).is_some()).into())
    .lines::<Lines>();

const MODES: [&str; 4] = ["thrpt", "avgt", "sample", "ss"];

/// A parameter's name, and the column at which its values end.
type Parameter = (String, usize);

/// The table's columns.
struct Header {
    parameters: Vec<Parameter>,
    /// The number of columns after the mode.
    behind: usize,
    /// Whether one of these columns is the error. Early versions, and tables edited by hand, have no sign before the
    /// error.
    has_error: bool,
}

/// Returns the columns if the line is the table's header.
fn header(line: &str) -> Option<Header> {
    let line = line.trim();
    let (names, rest) = line.strip_prefix("Benchmark ")?.split_once(" Mode ")?;
    let rest: Vec<&str> = rest.split_whitespace().collect();
    let has_score = ["Score", "Mean"].iter().any(|score| rest.contains(score));
    let name = |name: &str| {
        name.trim_start_matches('(')
            .trim_end_matches(')')
            .to_owned()
    };
    let parameters = names
        .split_whitespace()
        .map(|word| (name(word), end(line, word)))
        .collect();
    let is_header = has_score && rest.last() == Some(&"Units");
    // `Score error` and `Mean error` are one column.
    let errors = rest.windows(2).filter(|pair| pair[1] == "error").count();
    let has_error = errors > 0 || rest.contains(&"Error");
    is_header.then_some(Header {
        parameters,
        behind: rest.len() - errors,
        has_error,
    })
}

/// Returns the column after `word`, which must be a slice of `line`.
fn end(line: &str, word: &str) -> usize {
    let bytes = word.as_ptr() as usize - line.as_ptr() as usize + word.len();
    line.get(..bytes)
        .map_or(bytes, |before| before.chars().count())
}

#[derive(Default)]
struct Lines {
    tables: Tables,
    header: Option<Header>,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        let plain = line.trim();
        if let Some(header) = header(plain) {
            self.header = Some(header);
            self.tables.begin(number);
            return true;
        }
        let Some(header) = self.header.as_ref().filter(|_| !plain.is_empty()) else {
            return false;
        };
        if plain
            .bytes()
            .all(|byte| matches!(byte, b'=' | b'-' | b' ' | b':'))
        {
            return true;
        }
        let Some(score) = Score::of_line(plain, header) else {
            self.header = None;
            return false;
        };
        match score {
            Ok(score) => score.give(number, &mut self.tables, sink),
            Err(why) => sink.skip(number, line, || why.to_owned()),
        }
        true
    }

    fn is_cut_off(&self, line: &str) -> bool {
        let ends = ["/op", "ops/s", "ops/ms", "ops/us", "ops/ns", "ops/min"];
        self.header.is_some() && !ends.iter().any(|end| line.ends_with(end))
    }

    fn end(&mut self, sink: &mut Rows<'_>) {
        self.tables.give(sink);
    }
}

/// A table line.
struct Score {
    /// The benchmark's name. A colon and one of its metrics may follow.
    name: String,
    parameters: Vec<String>,
    mode: String,
    value: Option<Value>,
    error: Option<Value>,
    unit: String,
}

impl Score {
    /// Reads a line. Returns `None` if the line is outside the table, and an error if it is a row that cannot be used.
    fn of_line(line: &str, header: &Header) -> Option<Result<Self, &'static str>> {
        let names = &header.parameters;
        let words: Vec<&str> = line.split_whitespace().collect();
        let mode_at = words
            .iter()
            .rposition(|word| MODES.contains(word))
            .filter(|at| *at > 0)?;
        let (before, behind) = (&words[1..mode_at], &words[mode_at + 1..]);
        let sign = behind
            .iter()
            .position(|word| is_sign(word))
            .filter(|at| *at > 0);
        let (score, error, unit) = match behind {
            // JMH prints other numbers after this sign as powers of ten.
            [.., "\u{2248}", score @ "0", unit] => (score, None, unit),
            [.., "\u{2248}", _, _] => return Some(Err("the score is only an order of magnitude")),
            _ if let Some(at) = sign
                && let Some([error, unit]) = behind.get(at + 1..at + 3) =>
            {
                (&behind[at - 1], Some(*error), unit)
            }
            [.., score, error, unit] if header.has_error && behind.len() == header.behind => {
                (score, Some(*error), unit)
            }
            [.., score, unit] => (score, None, unit),
            _ => return None,
        };
        // Some tools append a label.
        let label = sign
            .and_then(|at| behind.get(at + 3..))
            .unwrap_or_default()
            .join(" ");
        let Some(values) = values(line, before, names) else {
            return Some(Err("the parameters do not match the header"));
        };
        let parameters = names
            .iter()
            .zip(values)
            .filter(|(_, value)| !["N/A", ""].contains(value));
        let parameters = parameters.map(|((name, _), value)| format!("{name}={value}"));
        Some(Ok(Self {
            name: words[0].to_owned(),
            parameters: parameters
                .chain(Some(label).filter(|label| !label.is_empty()))
                .collect(),
            mode: words[mode_at].to_owned(),
            value: number(score),
            error: error.and_then(number),
            unit: (*unit).to_owned(),
        }))
    }

    /// Returns the same name as the reader of JMH's JSON: `Codec.parse (size=16)`.
    fn scenario(&self) -> String {
        let base = self
            .name
            .split_once(':')
            .map_or(self.name.as_str(), |(base, _)| base);
        with_details(base, &self.parameters)
    }

    fn give(&self, line: u64, tables: &mut Tables, sink: &mut Rows<'_>) {
        let scenario = self.scenario();
        let metrics = self.metrics(sink);
        if !metrics.is_empty() {
            tables.extend(line, &scenario, metrics);
        } else if !self.name.contains(':') {
            // Profilers may print words instead of numbers, so only a line without a colon shows that the benchmark
            // failed.
            tables.add(line, &scenario, Outcome::Failed, metrics);
        }
    }

    fn metrics(&self, sink: &mut Rows<'_>) -> Metrics {
        let secondary = self.name.split_once(':').map(|(_, secondary)| secondary);
        let metric = match secondary.filter(|secondary| percentile(secondary).is_none()) {
            None => Metric::of_mode(&self.mode, &self.unit),
            Some(secondary) => Metric::of_secondary(&self.mode, secondary, &self.unit),
        };
        metric.declare(sink);
        let score = self
            .value
            .and_then(|score| shifted(&score.to_string(), metric.shift));
        if let Some(percentile) = secondary.and_then(percentile) {
            return Metrics::from([(percentile_of(&metric.name, &percentile), score)]);
        }
        let end = |sign: f64| {
            let end = Value::new(self.value?.as_f64() + sign * self.error?.as_f64())?;
            shifted(&end.to_string(), metric.shift)
        };
        let mut metrics = Metrics::default();
        metrics.add_parts(
            &metric.name,
            [("", score), (".lower", end(-1.0)), (".upper", end(1.0))],
        );
        metrics
    }
}

/// Returns each parameter's value. If there are fewer words than parameters, a word belongs to the parameter whose
/// column ends at the same place.
fn values<'w>(line: &str, words: &[&'w str], names: &[Parameter]) -> Option<Vec<&'w str>> {
    if words.len() == names.len() {
        return Some(words.to_vec());
    }
    let value = |(_, column): &Parameter| {
        words
            .iter()
            .find(|word| end(line, word) == *column)
            .copied()
    };
    let values: Vec<&str> = names
        .iter()
        .map(|name| value(name).unwrap_or_default())
        .collect();
    (values.iter().filter(|value| !value.is_empty()).count() == words.len()).then_some(values)
}

/// Whether a word is the `±` before an error, or the replacement that a console printed for it.
fn is_sign(word: &str) -> bool {
    ["\u{b1}", "?", "\u{fffd}", "+-", "\u{c2}\u{b1}"].contains(&word)
}

/// Parses a number, which may have a decimal comma.
fn number(text: &str) -> Option<Value> {
    Value::parse(&text.trim().replace(',', "."))
}

/// Returns the percentile in a metric's name: `99.9` for `p0.999`. Versions before 1.36 print the method's name and `·`
/// before it.
fn percentile(secondary: &str) -> Option<String> {
    let share = secondary.rsplit('\u{b7}').next()?.strip_prefix('p')?;
    shifted(share, 2).map(|percentile| percentile.to_string())
}
