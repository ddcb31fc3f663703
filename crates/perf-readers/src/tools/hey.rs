//! The summary of hey, and of ghz and oha, which print the same; and ghz's JSON. None says what was requested, so the
//! line above tells summaries of one input apart.
//!
//! ```text
//! Summary:
//!   Slowest:      0.0235 secs
//!   Fastest:      0.0001 secs
//!   Average:      0.0016 secs
//!   Requests/sec: 25034.9358
//! ```

use std::borrow::Cow;

use indexmap::IndexMap;
use serde::Deserialize;

use crate::format::{Format, Kind, Likeness, LineReader, Samples};
use crate::input::{source::Source, text::text};
use crate::json::{self, Loose, Piece};
use crate::rows::{Cells, RowCollector};
use crate::tools::common::tables::{Metrics, RATE_AND_LATENCY, Tables, lead};
use crate::tools::common::units::{grouped, shifted};
use perf_model::row::{Outcome, Value};

pub(crate) const TEXT: Format = Format {
    name: "hey",
    about: "hey, ghz and oha on the terminal: requests per second, latency and its percentiles, errors",
    samples: Samples::Launches,
    looks_like: |head| {
        let has = |text: &[u8]| memchr::memmem::find(head, text).is_some();
        (has(b"Summary:") && has(b"Requests/sec:") && has(b"Slowest:") && has(b"Fastest:")).into()
    },
    kind: Kind::Lines(|| Box::<Lines>::default(), &[]),
};

pub(crate) const GHZ: Format = Format {
    name: "ghz",
    about: "ghz --format=json: requests per second, latency and its percentiles, errors",
    samples: Samples::Launches,
    looks_like: |head| {
        let keys = ["endReason", "rps", "average", "statusCodeDistribution"];
        Likeness::from(json::has_keys(head, b"{", &keys))
    },
    kind: Kind::Document(read),
};

#[derive(Default)]
struct Lines {
    tables: Tables,
    open: Option<Summary>,
}

#[derive(Default)]
struct Summary {
    line: u64,
    name: String,
    section: String,
    metrics: Metrics,
    requests: i64,
    errors: i64,
    has_codes: bool,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let text = text(line);
        let text = text.trim();
        if text == "Summary:" {
            self.close(sink);
            self.tables.begin(number);
            self.open = Some(Summary { line: number, ..Summary::default() });
            return true;
        }
        let taken = self.open.as_mut().is_some_and(|summary| summary.take(text));
        if !taken && !text.starts_with("```") {
            self.tables.title(text);
        }
        taken
    }

    fn unended(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        if self.open.is_some() && line.last().is_some_and(u8::is_ascii_digit) {
            sink.skip_cut_off(number, line);
            return true;
        }
        self.line(number, line, sink)
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.close(sink);
        self.tables.give(true, sink);
    }
}

impl Lines {
    fn close(&mut self, sink: &mut RowCollector<'_>) {
        let Some(summary) = self.open.take() else { return };
        let Summary { line, name, mut metrics, requests, errors, has_codes, .. } = summary;
        if !metrics.iter().any(|(metric, _)| metric == "requestsPerSecond") {
            sink.skip(line, b"", || "summary is cut off".to_owned());
        }
        if has_codes {
            metrics.push(("errors".to_owned(), Some(Value::Int(errors))));
        }
        let failed = has_codes && errors == requests;
        metrics.retain(|(metric, value)| value.is_some() && (!failed || metric == "errors"));
        lead(&mut metrics, &RATE_AND_LATENCY);
        let outcome = if failed { Outcome::Failed } else { Outcome::Measured };
        if !metrics.is_empty() {
            self.tables.add(line, if name.is_empty() { "hey" } else { &name }, outcome, metrics);
        }
    }
}

impl Summary {
    /// Looks at a line; whether it was one of the summary.
    fn take(&mut self, line: &str) -> bool {
        if let Some(count) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            return self.count(count);
        }
        if let Some((percentile, time)) =
            line.split_once(" in ").filter(|(percentile, _)| percentile.ends_with('%'))
        {
            let percentile = Value::parse(percentile.trim_end_matches('%').trim());
            if let Some(percentile) = percentile.filter(|percentile| percentile.as_f64() >= 50.0) {
                self.metrics.push((format!("latencyP{percentile}Ms"), milliseconds(time)));
            }
            return true;
        }
        let Some((key, rest)) = line.split_once(':') else { return false };
        let rest = rest.trim();
        match key {
            "Name" => rest.clone_into(&mut self.name),
            "Slowest" => self.metrics.push(("latencyMs.max".to_owned(), milliseconds(rest))),
            "Fastest" => self.metrics.push(("latencyMs.min".to_owned(), milliseconds(rest))),
            "Average" => self.metrics.push(("latencyMs".to_owned(), milliseconds(rest))),
            "Requests/sec" => self.metrics.push(("requestsPerSecond".to_owned(), Value::parse(rest))),
            _ if rest.is_empty() => key.clone_into(&mut self.section),
            "Count" | "Total" | "Success rate" | "Total data" | "Size/request" | "Size/sec" => {}
            _ => return false,
        }
        true
    }

    /// `[200]  1204 responses`, and `[3] Get "http://…": EOF` among errors.
    fn count(&mut self, (code, rest): (&str, &str)) -> bool {
        let responses =
            rest.trim().strip_suffix("responses").and_then(|count| count.trim().parse::<i64>().ok());
        match (self.section.as_str(), responses) {
            ("Status code distribution", Some(count)) => {
                let is_success = code == "OK" || code.starts_with(['2', '3']);
                self.has_codes = true;
                self.requests += count;
                self.errors += if is_success { 0 } else { count };
            }
            // ghz has them among the codes as well.
            ("Error distribution", _) if self.name.is_empty() || !self.has_codes => {
                let count = code.trim().parse::<i64>().unwrap_or_default();
                self.has_codes = true;
                self.requests += count;
                self.errors += count;
            }
            _ => {}
        }
        true
    }
}

/// `0.0235 secs`, `12.35 ms`.
fn milliseconds(text: &str) -> Option<Value> {
    let (number, unit) = text.trim().split_once(' ')?;
    let places = match unit.trim() {
        "s" | "sec" | "secs" => 3,
        "ms" => 0,
        "us" | "µs" | "μs" => -3,
        "ns" => -6,
        _ => return None,
    };
    if places == 0 { grouped(number) } else { shifted(number, places) }
}

/// ghz's report, in nanoseconds.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "a report")]
struct Report<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    count: Loose,
    average: Loose,
    fastest: Loose,
    slowest: Loose,
    rps: Loose,
    latency_distribution: Option<Vec<Percentile>>,
    status_code_distribution: IndexMap<String, i64>,
}

#[derive(Clone, Copy, Deserialize)]
struct Percentile {
    percentage: Loose,
    latency: Loose,
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    json::pieces(source, sink, &[&[]], |piece: &Piece<'_>, sink| {
        let Some(report) = piece.parse::<Report<'_>>(sink) else { return };
        let errors: i64 = report
            .status_code_distribution
            .iter()
            .filter(|(code, _)| *code != "OK")
            .map(|(_, count)| count)
            .sum();
        let failed = errors > 0 && report.count.0 == Some(Value::Int(errors));
        let milliseconds = |number: Loose| shifted(&number.0?.to_string(), -6);
        let mut metrics: Metrics = vec![
            ("requestsPerSecond".to_owned(), report.rps.0),
            ("latencyMs".to_owned(), milliseconds(report.average)),
            ("latencyMs.min".to_owned(), milliseconds(report.fastest)),
            ("latencyMs.max".to_owned(), milliseconds(report.slowest)),
        ];
        for Percentile { percentage, latency } in report.latency_distribution.iter().flatten() {
            if let Some(percentage) = percentage.0.filter(|percentage| percentage.as_f64() >= 50.0) {
                metrics.push((format!("latencyP{percentage}Ms"), milliseconds(*latency)));
            }
        }
        metrics.retain(|_| !failed);
        metrics.push(("errors".to_owned(), Some(Value::Int(errors))));
        let name = report.name.as_deref().filter(|name| !name.is_empty()).unwrap_or("ghz");
        let outcome = if failed { Outcome::Failed } else { Outcome::Measured };
        let metrics = metrics.iter().map(|(metric, value)| (metric.as_str(), *value));
        sink.measured(piece.line, &Cells { outcome, ..Cells::of(name) }, metrics);
    })
}
