//! ScalaMeter's report on the terminal: a time, or an amount of memory, for each set of parameters.
//!
//! ```text
//! ::Benchmark Range.map::
//! os-name: Linux
//! Parameters(size -> 300000): 2.06 ms
//! Parameters(size -> 600000): 4.11 ms
//! ```
//!
//! Source: `LoggingReporter.scala` of ScalaMeter 0.4 to 0.21; before version 0.7 the unit is missing, and means
//! milliseconds.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("scalameter")
    .about("ScalaMeter on the terminal: time or memory of every set of parameters")
    .contains(&["::Benchmark ", "Parameters("])
    .lines::<Lines>(&[]);

#[derive(Default)]
struct Lines {
    tables: Tables,
    benchmark: Option<String>,
    /// True if results have begun; they end at the first other line.
    has_results: bool,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let text = text(line);
        let plain = text.trim();
        // sbt puts its own word before some lines, fewer than a prefix is found by.
        let plain = plain.strip_prefix("[info] ").unwrap_or(plain).trim();
        if let Some(name) = plain
            .strip_prefix("::Benchmark ")
            .and_then(|rest| rest.strip_suffix("::"))
        {
            self.benchmark = Some(name.trim().to_owned());
            self.has_results = false;
            self.tables.begin(number);
            return true;
        }
        let Some(benchmark) = &self.benchmark else {
            return false;
        };
        let Some(rest) = plain.strip_prefix("Parameters(") else {
            // What describes the machine precedes the results.
            let is_property = !self.has_results && plain.contains(": ") && !plain.contains("://");
            if self.has_results {
                self.benchmark = None;
            }
            return is_property;
        };
        self.has_results = true;
        match rest
            .rsplit_once("): ")
            .and_then(|(parameters, value)| Some((parameters, measured(value)?)))
        {
            Some((parameters, (metric, value))) => {
                let name = name(benchmark, parameters);
                self.tables.add(
                    number,
                    &name,
                    Outcome::Measured,
                    Metrics::from([(metric, Some(value))]),
                );
            }
            None => sink.skip(number, line, || {
                "expected a time in ms, or an amount of memory".to_owned()
            }),
        }
        true
    }

    fn is_cut_off(&self, line: &[u8]) -> bool {
        self.benchmark.is_some() && !line.trim_ascii().is_empty() && !line.ends_with(b"ms")
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.tables.give(false, sink);
    }
}

/// `Range.map (size=300000)` for the parameters `size -> 300000`.
fn name(benchmark: &str, parameters: &str) -> String {
    let parameters: Vec<String> = parameters
        .split(", ")
        .filter_map(|pair| pair.split_once(" -> "))
        .filter(|(name, _)| *name != "Unit")
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    with_details(benchmark, &parameters)
}

/// The metric and the value of `2.06 ms`.
fn measured(text: &str) -> Option<(&'static str, Value)> {
    let mut words = text.split_whitespace();
    let number = words.next()?;
    match words.next() {
        // Short times have an exponent: `9.5E-4 ms`.
        None => Some(("timeNs", shifted(number, 6)?)),
        Some("B") => Some(("memoryBytes", shifted(number, 0)?)),
        Some("kB") => Some(("memoryBytes", shifted(number, 3)?)),
        Some("MB") => Some(("memoryBytes", shifted(number, 6)?)),
        Some("GB") => Some(("memoryBytes", shifted(number, 9)?)),
        Some(unit) => Some(("timeNs", shifted(number, to_nanoseconds(unit)?)?)),
    }
}
