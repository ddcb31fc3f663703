//! autocannon's tables on a terminal.
//!
//! ```text
//! Running 10s test @ http://localhost:3000
//! 10 connections
//! │ Stat    │ 2.5% │ 50%  │ 97.5% │ 99%  │ Avg     │ Stdev   │ Max   │
//! │ Latency │ 0 ms │ 1 ms │ 3 ms  │ 5 ms │ 0.92 ms │ 1.11 ms │ 31 ms │
//! ```
//!
//! Source: `lib/printResult.js` of autocannon 8.

use crate::tools::common::names::is_upper_half;
use crate::tools::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("autocannon-text")
    .about("autocannon's tables on the terminal: latency, requests and bytes per second, errors")
    .looks_like(|head| has_all(head, &["│ Stat ", "│ Req/Sec "]).into())
    .lines::<Blocks<Test>>(&["q/Sec"]);

/// Reads the text of a cell.
type Convert = fn(&str) -> Option<Value>;

/// A test, to which the next lines belong until another one begins.
#[derive(Default)]
struct Test {
    url: String,
    connections: Option<String>,
    columns: Vec<String>,
    /// True if the test has ended.
    ended: bool,
}

impl Block for Test {
    fn begin(line: &str, _: Option<&Open<Self>>) -> Option<Self> {
        let (_, url) = line.strip_prefix("Running ")?.split_once(" test @ ")?;
        Some(Self { url: address(url), ..Self::default() })
    }

    fn is_last(&self, line: &str) -> bool {
        let is_row = bars::cells(line).is_some() && bars::is_closed(line);
        is_row || line.contains(" requests in ") && line.ends_with(" read") || line.ends_with(" timeouts)")
    }

    fn is_complete(&self) -> bool {
        self.ended
    }

    fn has_failed(&self, metrics: &Metrics) -> bool {
        metrics.get("requestsPerSecond") == Some(Value::Int(0))
    }

    fn name(&self) -> String {
        with_details(&self.url, self.connections.as_slice())
    }

    fn line(&mut self, line: &str, metrics: &mut Metrics) -> bool {
        if let Some(cells) = bars::cells(line) {
            match cells[..] {
                ["Stat", ref columns @ ..] => {
                    self.columns = columns.iter().map(|&cell| cell.to_owned()).collect();
                }
                [stat, ref values @ ..] => self.stat(stat, values, metrics),
                [] => {}
            }
            return true;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [connections, "connections", ..] => self.connections = Some(format!("{connections} connections")),
            [_, "requests", "in", ..] => self.ended = true,
            [_, "2xx", "responses,", count, "non", "2xx", "responses"] => {
                metrics.add("httpErrors", grouped(count));
            }
            [count, "errors", timeouts, "timeouts)"] => {
                metrics.add("errors", thousands(count));
                metrics.add("timeoutErrors", thousands(timeouts.trim_start_matches('(')));
            }
            _ => return false,
        }
        true
    }
}

impl Test {
    /// A row of a table.
    fn stat(&self, stat: &str, values: &[&str], metrics: &mut Metrics) {
        let (of, unit, convert): (_, _, Convert) = match stat {
            "Latency" => ("latency", "Ms", milliseconds),
            "Req/Sec" => ("requestsPerSecond", "", thousands),
            "Bytes/Sec" => ("bytesPerSecond", "", bytes),
            _ => return,
        };
        for (column, value) in self.columns.iter().zip(values) {
            let metric = match (column.as_str(), column.strip_suffix('%')) {
                ("Avg", _) => format!("{of}{unit}"),
                ("Stdev", _) => format!("{of}{unit}.stddev"),
                ("Min", _) => format!("{of}{unit}.min"),
                ("Max", _) => format!("{of}{unit}.max"),
                // The lower half is of no interest, and neither are the percentiles of single seconds.
                (_, Some(percentile)) if stat == "Latency" && is_upper_half(percentile) => {
                    format!("{of}P{percentile}{unit}")
                }
                _ => continue,
            };
            metrics.add(metric, convert(value));
        }
    }
}

fn milliseconds(text: &str) -> Option<Value> {
    let (number, unit) = text.split_once(' ')?;
    (unit == "ms").then(|| grouped(number))?
}

fn bytes(text: &str) -> Option<Value> {
    let (number, unit) = text.split_once(' ')?;
    quantity(number, unit, "B")
}

/// A count: `25,583`, `12k`.
fn thousands(text: &str) -> Option<Value> {
    match text.strip_suffix('k') {
        Some(number) => shifted(number, 3),
        None => grouped(text),
    }
}
