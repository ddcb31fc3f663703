//! Vegeta's report as text. It does not say what was requested. The rate is that of successful requests, which Vegeta calls throughput.
//!
//! Source: `lib/reporters.go` of Vegeta 12.

use crate::tools::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("vegeta")
    .about("Vegeta's report on the terminal: latency and its percentiles, throughput, share of successes")
    .looks_like(|head| has_all(head, &["Latencies     [", "Success       [ratio]"]).into())
    .lines::<Blocks<Summary>>(&[]);

const SUCCESS: &str = "successRate";

/// The output does not contain the request.
const SCENARIO: &str = "vegeta";

fn latency(name: &str) -> String {
    match name {
        "mean" => "latencyNs".to_owned(),
        "min" | "max" => format!("latencyNs.{name}"),
        percentile => format!("latencyP{percentile}Ns"),
    }
}

/// The report on a terminal.
#[derive(Default)]
struct Summary {
    has_ended: bool,
}

impl Block for Summary {
    const WHAT: &'static str = "report";
    const KEEPS_TIMES: bool = true;

    fn begin(line: &str, _: Option<&Open<Self>>) -> Option<Self> {
        let title = line.split_once('[')?.0;
        (title.trim() == "Requests").then(Self::default)
    }

    fn line(&mut self, line: &str, metrics: &mut Metrics) -> bool {
        let Some((title, rest)) = line.split_once('[') else { return false };
        let Some((names, values)) = rest.split_once(']') else { return false };
        let pairs = || names.split(", ").map(str::trim).zip(values.split(',').map(str::trim));
        match title.trim() {
            "Requests" => {
                let throughput = pairs().find(|(name, _)| *name == "throughput");
                let rate = throughput.and_then(|(_, rate)| Value::parse(rate));
                metrics.add("requestsPerSecond", rate);
            }
            "Latencies" => metrics.extend(pairs().map(|(name, time)| (latency(name), duration(time)))),
            "Success" => {
                let share = values.trim().strip_suffix('%').and_then(|percent| shifted(percent, -2));
                metrics.add(SUCCESS, share);
            }
            "Status Codes" => {
                let count = |pair: &str| {
                    pair.split_once(':').map(|(code, count)| (code.to_owned(), count.parse::<i64>()))
                };
                let codes = values.split_whitespace().filter_map(count);
                let errors = codes.filter(|(code, _)| !code.starts_with(['2', '3']));
                let errors = errors.filter_map(|(_, count)| count.ok()).fold(0, i64::saturating_add);
                metrics.add("errors", Some(Value::Int(errors)));
                self.has_ended = true;
            }
            "Duration" | "Bytes In" | "Bytes Out" => {}
            _ => return false,
        }
        true
    }

    fn has_ended(&self) -> bool {
        self.has_ended
    }

    fn has_failed(&self, metrics: &Metrics) -> bool {
        metrics.get(SUCCESS) == Some(Value::Int(0))
    }

    fn declare(sink: &mut RowCollector<'_>) {
        sink.means(SUCCESS, Unit::None, Direction::Higher);
    }

    fn name(&self) -> String {
        SCENARIO.to_owned()
    }
}

/// A duration of Go in nanoseconds: `1m30.5s`, `145.08ms`.
fn duration(text: &str) -> Option<Value> {
    let mut rest = text;
    let (mut parts, mut sum) = (0, 0.0);
    let mut only = None;
    while !rest.is_empty() {
        let (number, behind) = rest.split_at(rest.find(|c: char| c.is_alphabetic() || c == 'µ')?);
        let (unit, behind) =
            behind.split_at(behind.find(|c: char| c.is_ascii_digit()).unwrap_or(behind.len()));
        let part = nanoseconds(number, unit)?;
        (parts, sum, only, rest) = (parts + 1, sum + part.as_f64(), Some(part), behind);
    }
    if parts == 1 { only } else { Value::new(sum).filter(|_| parts > 0) }
}
