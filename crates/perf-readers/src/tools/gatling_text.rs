//! Gatling's summary on the terminal, in milliseconds: all requests of a simulation.
//!
//! ```text
//! ---- Global Information --------------------------------------------------------
//! > request count                                         60 (OK=58     KO=2     )
//! > mean response time                                    87 (OK=85     KO=145   )
//! > mean requests/sec                                  11.76 (OK=11.37  KO=0.39  )
//! ```
//!
//! Source: `ConsoleSummary.scala` of Gatling 2.0 to 3.11. Since version 3.12, as printed by 3.15, the three numbers
//! have columns of their own: `> request count | 60 | 58 | 2`.

use crate::tools::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("gatling-text")
    .about("Gatling's summary on the terminal: latency and its percentiles, requests per second, errors")
    .looks_like(|head| has_all(head, &[BEGIN, "> request count "]).into())
    .lines::<Blocks<Summary>>(&[]);

const BEGIN: &str = "---- Global Information -";

#[derive(Default)]
struct Summary {
    requests: Option<Value>,
    errors: Option<Value>,
    has_ended: bool,
}

impl Block for Summary {
    const NEEDED: Option<&'static str> = Some("requestsPerSecond");
    const WHAT: &'static str = "summary";

    fn begin(line: &str, _: Option<&Open<Self>>) -> Option<Self> {
        line.starts_with(BEGIN).then(Self::default)
    }

    fn line(&mut self, line: &str, metrics: &mut Metrics) -> bool {
        if line.starts_with("----") || line.starts_with("====") {
            self.has_ended = !line.starts_with(BEGIN);
            return true;
        }
        let Some((label, total, failed)) = row(line) else { return false };
        match label.strip_suffix(" (ms)").unwrap_or(label) {
            "request count" => {
                self.requests = total;
                self.errors = failed.or(Some(Value::Int(0)));
            }
            "mean requests/sec" | "mean throughput (rps)" => {
                metrics.add("requestsPerSecond", total);
            }
            "mean response time" => metrics.add("latencyMs", total),
            "std deviation" | "response time std deviation" => {
                metrics.add("latencyMs.stddev", total);
            }
            "min response time" => metrics.add("latencyMs.min", total),
            "max response time" => metrics.add("latencyMs.max", total),
            label => {
                let Some(percentile) = percentile(label) else { return false };
                metrics.add(format!("latencyP{percentile}Ms"), total);
            }
        }
        true
    }

    fn has_ended(&self) -> bool {
        self.has_ended
    }

    fn is_last(&self, line: &str) -> bool {
        line.starts_with("====")
    }

    fn has_failed(&self, _: &Metrics) -> bool {
        self.requests.is_some() && self.requests == self.errors
    }

    fn name(&self) -> String {
        "All Requests".to_owned()
    }

    fn finish(&self, metrics: &mut Metrics) {
        metrics.add("errors", self.errors);
    }
}

/// The label of a line, and its numbers of all requests and of failed ones.
fn row(line: &str) -> Option<(&str, Option<Value>, Option<Value>)> {
    let line = line.strip_prefix('>')?.trim();
    if let Some((label, numbers)) = line.split_once('|') {
        let numbers: Vec<&str> = numbers.split('|').map(str::trim).collect();
        return Some((
            label.trim(),
            grouped(numbers.first()?),
            numbers.get(2).and_then(|text| grouped(text)),
        ));
    }
    let (before, parts) = line.split_once("(OK=")?;
    let (label, total) = before.trim().rsplit_once(' ')?;
    let failed = parts.split_once("KO=")?.1.trim_end_matches(')').trim();
    Some((label.trim(), grouped(total), grouped(failed)))
}

/// `95` for `response time 95th percentile`.
fn percentile(label: &str) -> Option<&str> {
    let ordinal = label.strip_prefix("response time ")?.strip_suffix(" percentile")?;
    ["th", "st", "nd", "rd"].iter().find_map(|end| ordinal.strip_suffix(end))
}
