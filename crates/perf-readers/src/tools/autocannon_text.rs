//! autocannon's tables on a terminal.
//!
//! ```text
//! Running 10s test @ http://localhost:3000
//! 10 connections
//! │ Stat    │ 2.5% │ 50%  │ 97.5% │ 99%  │ Avg     │ Stdev   │ Max   │
//! │ Latency │ 0 ms │ 1 ms │ 3 ms  │ 5 ms │ 0.92 ms │ 1.11 ms │ 31 ms │
//! ```

use crate::format::{Format, Kind, LineReader, Samples};
use crate::input::text::text;
use crate::rows::RowCollector;
use crate::tools::common::bars;
use crate::tools::common::names::address;
use crate::tools::common::tables::{Metrics, RATE_AND_LATENCY, Tables, lead};
use crate::tools::common::units::{grouped, quantity, shifted};
use perf_model::row::{Outcome, Value};

pub(crate) const FORMAT: Format = Format {
    name: "autocannon-text",
    about: "autocannon's tables on the terminal: latency, requests and bytes per second, errors",
    samples: Samples::Launches,
    looks_like: |head| {
        let has = |text: &str| memchr::memmem::find(head, text.as_bytes()).is_some();
        (has("│ Stat ") && has("│ Req/Sec ")).into()
    },
    kind: Kind::Lines(|| Box::<Lines>::default(), &["q/Sec"]),
};

#[derive(Default)]
struct Lines {
    tables: Tables,
    open: Option<Test>,
    columns: Vec<String>,
}

/// Reads the text of a cell.
type Convert = fn(&str) -> Option<Value>;

/// A test, to which the next lines belong until another one begins.
#[derive(Default)]
struct Test {
    line: u64,
    url: String,
    connections: String,
    metrics: Metrics,
    /// Whether it has ended.
    ended: bool,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let text = text(line);
        let text = text.trim();
        if let Some((_, url)) = text.split_once(" test @ ").filter(|_| text.starts_with("Running ")) {
            self.close(sink);
            self.open = Some(Test { line: number, url: address(url), ..Test::default() });
            return true;
        }
        let Some(open) = &mut self.open else { return false };
        if let Some(cells) = bars::cells(text) {
            match cells[..] {
                ["Stat", ref columns @ ..] => {
                    self.columns = columns.iter().map(|&cell| cell.to_owned()).collect();
                }
                [stat, ref values @ ..] => open.stat(stat, &self.columns, values),
                [] => {}
            }
            return true;
        }
        open.line(text)
    }

    fn unended(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let is_row = bars::cells(&text(line)).is_some();
        if self.open.is_some() && (!is_row || !bars::is_closed(&text(line))) {
            sink.skip_cut_off(number, line);
            return true;
        }
        self.line(number, line, sink)
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.close(sink);
        self.tables.give(false, sink);
    }
}

impl Lines {
    fn close(&mut self, sink: &mut RowCollector<'_>) {
        let Some(test) = self.open.take() else { return };
        let name = test.name();
        let Test { line, mut metrics, ended, .. } = test;
        if !ended {
            sink.skip(line, name.as_bytes(), || format!("run of `{name}` is cut off"));
        }
        // Zeros of what was not answered are no times.
        let rate = metrics.iter().find(|(metric, _)| metric == "requestsPerSecond");
        let failed = rate.is_some_and(|(_, rate)| *rate == Some(Value::Int(0)));
        let outcome = if failed { Outcome::Failed } else { Outcome::Measured };
        metrics.retain(|(metric, value)| {
            value.is_some() && (!failed || metric.to_lowercase().ends_with("errors"))
        });
        lead(&mut metrics, &RATE_AND_LATENCY);
        if failed || !metrics.is_empty() {
            self.tables.begin(line);
            self.tables.add(line, &name, outcome, metrics);
        }
    }
}

impl Test {
    fn name(&self) -> String {
        match self.connections.as_str() {
            "" => self.url.clone(),
            connections => format!("{} ({connections} connections)", self.url),
        }
    }

    /// A line behind the tables, or below the first one; whether it was one.
    fn line(&mut self, text: &str) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut add = |metric: &str, value| self.metrics.push((metric.to_owned(), value));
        match words[..] {
            [connections, "connections", ..] => connections.clone_into(&mut self.connections),
            [_, "requests", "in", ..] => self.ended = true,
            [_, "2xx", "responses,", count, "non", "2xx", "responses"] => add("httpErrors", grouped(count)),
            [count, "errors", timeouts, "timeouts)"] => {
                add("errors", thousands(count));
                add("timeoutErrors", thousands(timeouts.trim_start_matches('(')));
            }
            _ => return false,
        }
        true
    }

    /// A row of a table.
    fn stat(&mut self, stat: &str, columns: &[String], values: &[&str]) {
        let (of, unit, convert): (_, _, Convert) = match stat {
            "Latency" => ("latency", "Ms", milliseconds),
            "Req/Sec" => ("requestsPerSecond", "", thousands),
            "Bytes/Sec" => ("bytesPerSecond", "", bytes),
            _ => return,
        };
        for (column, value) in columns.iter().zip(values) {
            let metric = match (column.as_str(), column.strip_suffix('%')) {
                ("Avg", _) => format!("{of}{unit}"),
                ("Stdev", _) => format!("{of}{unit}.stddev"),
                ("Min", _) => format!("{of}{unit}.min"),
                ("Max", _) => format!("{of}{unit}.max"),
                // The lower half is of no interest, and neither are the percentiles of single seconds.
                (_, Some(percentile))
                    if stat == "Latency" && percentile.parse().is_ok_and(|at: f64| at >= 50.0) =>
                {
                    format!("{of}P{percentile}{unit}")
                }
                _ => continue,
            };
            self.metrics.push((metric, convert(value)));
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
