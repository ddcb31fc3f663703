//! The summary of hey, and of ghz and oha, which print the same; and ghz's JSON. None says what was requested, so the
//! line above is the name where several summaries of one input have different ones.
//!
//! ```text
//! Summary:
//!   Slowest:      0.0235 secs
//!   Fastest:      0.0001 secs
//!   Average:      0.0016 secs
//!   Requests/sec: 25034.9358
//! ```
//!
//! Source: `requester/print.go` of hey 0.1, `printer/printer.go` of ghz 0.120 and `src/printer.rs` of oha 1.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde::Deserialize;

use crate::format::{Format, Kind, Likeness, Samples};
use crate::input::source::Source;
use crate::json::{self, Loose, Piece};
use crate::rows::{Cells, RowCollector};
use crate::tools::common::blocks::{Block, Blocks, add, has, has_all};
use crate::tools::common::tables::Metrics;
use crate::tools::common::units::{grouped, shifted};
use perf_model::row::{Outcome, Value};

pub(crate) const TEXT: Format = Format {
    name: "hey",
    about: "hey, ghz and oha on the terminal: requests per second, latency and its percentiles, errors",
    samples: Samples::Launches,
    looks_like: |head| has_all(head, &["Summary:", "Requests/sec:", "Slowest:", "Fastest:"]).into(),
    kind: Kind::Lines(|| Box::<Blocks<Summary>>::default(), &[]),
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
struct Summary {
    name: String,
    section: String,
    metrics: Metrics,
    requests: i64,
    errors: i64,
    has_codes: bool,
}

impl Block for Summary {
    const WHAT: &'static str = "summary";
    const HAS_TITLES: bool = true;

    fn begin(line: &str, _: Option<&Self>) -> Option<Self> {
        (line == "Summary:").then(Self::default)
    }

    fn is_last(&self, line: &str) -> bool {
        !line.ends_with(|c: char| c.is_ascii_digit())
    }

    fn is_complete(&self) -> bool {
        has(&self.metrics, "requestsPerSecond")
    }

    fn has_failed(&self) -> bool {
        self.has_codes && self.errors == self.requests
    }

    fn name(&self) -> String {
        if self.name.is_empty() { "hey".to_owned() } else { self.name.clone() }
    }

    fn metrics(mut self) -> Metrics {
        if self.has_codes {
            add(&mut self.metrics, "errors", Some(Value::Int(self.errors)));
        }
        self.metrics
    }

    fn line(&mut self, line: &str) -> bool {
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
}

impl Summary {
    /// `[200]  1204 responses`, and `[3] Get "http://…": EOF` among errors.
    fn count(&mut self, (code, rest): (&str, &str)) -> bool {
        let responses =
            rest.trim().strip_suffix("responses").and_then(|count| count.trim().parse::<i64>().ok());
        match (self.section.as_str(), responses) {
            ("Status code distribution", Some(count)) => {
                let is_success = code == "OK" || code.starts_with(['2', '3']);
                self.has_codes = true;
                self.requests = self.requests.saturating_add(count);
                self.errors = self.errors.saturating_add(if is_success { 0 } else { count });
            }
            // ghz has them among the codes as well.
            ("Error distribution", _) if self.name.is_empty() || !self.has_codes => {
                let count = code.trim().parse::<i64>().unwrap_or_default();
                self.has_codes = true;
                self.requests = self.requests.saturating_add(count);
                self.errors = self.errors.saturating_add(count);
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
            .fold(0, |errors, (_, count)| errors.saturating_add(*count));
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
        sink.measured_all(piece.line, &Cells { outcome, ..Cells::of(name) }, &metrics);
    })
}
