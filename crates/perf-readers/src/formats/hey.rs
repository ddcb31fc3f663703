//! hey's summary. It does not contain the request, so the benchmark's name is the command above it in a log. If there
//! is no command, titles above the summaries distinguish them.
//!
//! ```text
//! Summary:
//!   Slowest:      0.0235 secs
//!   Fastest:      0.0001 secs
//!   Average:      0.0016 secs
//!   Requests/sec: 25034.9358
//! ```
//!
//! Source: `requester/print.go` of hey 0.1.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("hey")
    .about("hey on the terminal: requests per second, latency and its percentiles, errors")
    .contains(&["Summary:", "Requests/sec:", "Slowest:", "Fastest:"])
    // Excludes oha and ghz, which print the same lines, but can also write JSON.
    .looks_like(|head| (!has_all(head, &["Success rate:"]) && !has_all(head, &["Count:"])).into())
    .lines::<Blocks<Summary>>();

#[derive(Default)]
struct Summary {
    request: Option<String>,
    section: String,
    requests: i64,
    errors: i64,
}

impl Block for Summary {
    const NEEDED: Option<&'static str> = Some("requestsPerSecond");

    fn begin(line: &str, _: bool) -> Option<Self> {
        (line == "Summary:").then(Self::default)
    }

    fn is_last(&self, line: &str) -> bool {
        !line.ends_with(|c: char| c.is_ascii_digit())
    }

    fn has_failed(&self) -> bool {
        self.requests > 0 && self.errors == self.requests
    }

    fn name(&self, _: &mut Rows<'_>) -> String {
        self.request.clone().unwrap_or_else(|| "hey".to_owned())
    }

    /// Returns the tool and the URL of a command such as `$ hey -z 10s http://localhost:3000/posts`.
    fn remember(line: &str) -> Option<String> {
        let mut words = line
            .trim_start_matches(['$', '>', '%', ' '])
            .split_whitespace();
        words
            .next()
            .filter(|word| *word == "hey" || word.ends_with("/hey"))?;
        let url = words.find(|word| word.contains("://"))?;
        let url = url.trim_matches(['"', '\'', '`']);
        Some(format!("hey {}", address(url)))
    }

    fn recall(&mut self, request: String) {
        self.request = Some(request);
    }

    fn finish(&self, metrics: &mut Metrics) {
        metrics.lead(&["requestsPerSecond", "latencyMs"]);
        if self.requests > 0 {
            metrics.add("errors", Some(Value::Int(self.errors)));
        }
    }

    fn line(&mut self, line: &str, metrics: &mut Metrics) -> bool {
        if let Some(count) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            self.count(count);
            return true;
        }
        if let Some((percentile, time)) = line.split_once("% in ") {
            let percentile = Value::parse(percentile.trim());
            if let Some(percentile) = percentile.filter(|percentile| percentile.as_f64() >= 50.0) {
                metrics.add(format!("latencyP{percentile}Ms"), latency(time));
            }
            return true;
        }
        let Some((key, rest)) = line.split_once(':') else {
            return false;
        };
        let rest = rest.trim();
        match key {
            "Slowest" => metrics.add("latencyMs.max", latency(rest)),
            "Fastest" => metrics.add("latencyMs.min", latency(rest)),
            "Average" => metrics.add("latencyMs", latency(rest)),
            "Requests/sec" => metrics.add("requestsPerSecond", Value::parse(rest)),
            "Total" | "Total data" | "Size/request" => {}
            _ if rest.is_empty() => key.clone_into(&mut self.section),
            _ => return false,
        }
        true
    }
}

impl Summary {
    /// Counts the requests in a line such as `[200]  1204 responses`, or in the list of errors
    /// `[3] Get "http://…": EOF`.
    fn count(&mut self, (code, rest): (&str, &str)) {
        let (count, is_success) = match self.section.as_str() {
            "Status code distribution" => (
                rest.trim().trim_end_matches("responses").trim(),
                code.starts_with(['2', '3']),
            ),
            "Error distribution" => (code.trim(), false),
            _ => return,
        };
        let count = count.parse::<i64>().unwrap_or_default();
        self.requests = self.requests.saturating_add(count);
        if !is_success {
            self.errors = self.errors.saturating_add(count);
        }
    }
}

/// Converts a time such as `0.0235 secs` to milliseconds.
fn latency(text: &str) -> Option<Value> {
    let (number, unit) = text.trim().split_once(' ')?;
    shifted(number, to_nanoseconds(time_symbol(unit.trim()))? - 6)
}
