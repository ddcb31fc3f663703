//! oha's `--output-format json`: one load test, in seconds.

use indexmap::IndexMap;
use serde::Deserialize;

use crate::format::{Format, Kind, Likeness, Samples};
use crate::input::source::Source;
use crate::json::{self, Loose, Piece};
use crate::rows::{Cells, RowCollector};
use perf_model::metric::{Declared, Direction, Meaning, Unit};
use perf_model::row::{Outcome, Value};

pub(crate) const FORMAT: Format = Format {
    name: "oha",
    about: "oha --output-format json: requests per second, latency and its percentiles, errors",
    samples: Samples::Launches,
    looks_like,
    kind: Kind::Document(read),
};

fn looks_like(head: &[u8]) -> Likeness {
    match json::has_keys(head, b"{", &["summary", "requestsPerSec"]) {
        false => Likeness::No,
        true if json::has_keys(head, b"{", &["$schema"]) => Likeness::Near("is a JSON schema, not a result"),
        true if json::has_keys(head, b"{", &["latencyPercentiles"]) => Likeness::Yes,
        true => Likeness::Near("has a `summary` with `requestsPerSec`, but no `latencyPercentiles`"),
    }
}

/// The output does not contain the request.
const SCENARIO: &str = "oha";

#[derive(Deserialize)]
#[serde(expecting = "a test")]
#[serde(rename_all = "camelCase")]
struct Test {
    summary: Summary,
    #[serde(default)]
    latency_percentiles: IndexMap<String, Loose>,
    #[serde(default)]
    first_byte_percentiles: IndexMap<String, Loose>,
    #[serde(default)]
    rps: Rates,
    #[serde(default)]
    details: IndexMap<String, Phase>,
    #[serde(default)]
    status_code_distribution: IndexMap<String, u64>,
    #[serde(default)]
    error_distribution: IndexMap<String, u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    #[serde(default)]
    success_rate: Loose,
    #[serde(default)]
    slowest: Loose,
    #[serde(default)]
    fastest: Loose,
    #[serde(default)]
    average: Loose,
    requests_per_sec: Loose,
    #[serde(default)]
    size_per_request: Loose,
    #[serde(default)]
    size_per_sec: Loose,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Rates {
    stddev: Loose,
    min: Loose,
    max: Loose,
}

/// A part of a request.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Phase {
    average: Loose,
    fastest: Loose,
    slowest: Loose,
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    json::pieces(source, sink, &[&[]], |piece: &Piece<'_>, sink| {
        if let Some(test) = piece.parse::<Test>(sink) {
            test.row(piece.line, sink);
        }
    })
}

impl Test {
    fn row(&self, line: u64, sink: &mut RowCollector<'_>) {
        let share = Meaning { unit: Unit::None, direction: Direction::Higher, exact: false };
        let size = Meaning { unit: Unit::Bytes, direction: Direction::Unknown, exact: false };
        sink.declare("successRate", Declared { label: Some("Success rate".to_owned()), meaning: share });
        sink.declare("bytesPerRequest", Declared { label: None, meaning: size });
        // Without an answer there are no times.
        let outcome = if self.summary.average.0.is_none() { Outcome::Failed } else { Outcome::Measured };
        let metrics = self.metrics();
        sink.measured_all(line, &Cells { outcome, ..Cells::of(SCENARIO) }, &metrics);
    }

    fn metrics(&self) -> Vec<(String, Option<Value>)> {
        let Summary {
            success_rate,
            slowest,
            fastest,
            average,
            requests_per_sec,
            size_per_request,
            size_per_sec,
        } = &self.summary;
        let rates = &self.rps;
        let headline = [
            ("requestsPerSecond", requests_per_sec),
            ("requestsPerSecond.stddev", &rates.stddev),
            ("requestsPerSecond.min", &rates.min),
            ("requestsPerSecond.max", &rates.max),
            ("latencyS", average),
            ("latencyS.min", fastest),
            ("latencyS.max", slowest),
        ];
        let rest = [
            ("bytesPerSecond", size_per_sec),
            ("bytesPerRequest", size_per_request),
            ("successRate", success_rate),
        ];
        let named = |(metric, value): (&str, &Loose)| (metric.to_owned(), value.0);
        let mut metrics: Vec<_> = headline.into_iter().map(named).collect();
        metrics.extend(percentiles("latency", &self.latency_percentiles));
        metrics.extend(self.details.iter().flat_map(|(name, phase)| phase.metrics(name)));
        metrics.extend(percentiles("firstByte", &self.first_byte_percentiles));
        metrics.extend(rest.into_iter().map(named));
        metrics.push(("errors".to_owned(), count(self.errors())));
        metrics.push(("httpErrors".to_owned(), count(self.http_errors())));
        metrics
    }

    /// Requests that are under way when the time is over did not fail.
    fn errors(&self) -> u64 {
        let failed = self.error_distribution.iter().filter(|(why, _)| *why != "aborted due to deadline");
        failed.map(|(_, count)| *count).fold(0, u64::saturating_add)
    }

    fn http_errors(&self) -> u64 {
        let other = self.status_code_distribution.iter().filter(|(code, _)| code.starts_with(['4', '5']));
        other.map(|(_, count)| *count).fold(0, u64::saturating_add)
    }
}

fn count(count: u64) -> Option<Value> {
    i64::try_from(count).ok().map(Value::Int)
}

/// `latencyP99S` for `p99`.
fn percentiles(
    of: &str,
    percentiles: &IndexMap<String, Loose>,
) -> impl Iterator<Item = (String, Option<Value>)> {
    percentiles.iter().map(move |(name, value)| (format!("{of}P{}S", name.trim_start_matches('p')), value.0))
}

impl Phase {
    fn metrics(&self, name: &str) -> impl Iterator<Item = (String, Option<Value>)> + use<> {
        let metric = match name {
            "DNSDialup" => "dialS".to_owned(),
            "DNSLookup" => "lookupS".to_owned(),
            other => format!("{other}S"),
        };
        let parts = [("", self.average), (".min", self.fastest), (".max", self.slowest)];
        parts.into_iter().map(move |(part, value)| (format!("{metric}{part}"), value.0))
    }
}
