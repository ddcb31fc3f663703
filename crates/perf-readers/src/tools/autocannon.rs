//! autocannon's `--json`: one load test, latency in milliseconds.

use std::borrow::Cow;

use serde::Deserialize;

use crate::format::{Format, Kind, Likeness, Samples};
use crate::input::source::Source;
use crate::json::{self, Fields, Loose, Piece};
use crate::rows::{Cells, RowCollector};
use crate::tools::common::names::address;
use perf_model::row::{Outcome, Value};

pub(crate) const FORMAT: Format = Format {
    name: "autocannon",
    about: "autocannon --json: latency and its percentiles, requests and bytes per second, errors",
    samples: Samples::Launches,
    looks_like,
    kind: Kind::Document(read),
};

fn looks_like(head: &[u8]) -> Likeness {
    let has = |keys: &[&str]| json::has_keys(head, b"{", keys);
    match has(&["latency", "requests", "throughput"]) {
        true if has(&["connections", "non2xx"]) => Likeness::Yes,
        true => Likeness::Near("has `latency`, `requests` and `throughput`, but no `non2xx`"),
        false if has(&["url", "connections", "pipelining"]) => {
            Likeness::Near("has `url`, `connections` and `pipelining`, but no `latency`")
        }
        false => Likeness::No,
    }
}

#[derive(Deserialize)]
#[serde(expecting = "a test")]
struct Test<'a> {
    #[serde(default, borrow)]
    title: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    url: Option<Cow<'a, str>>,
    #[serde(default)]
    connections: Loose,
    #[serde(borrow)]
    latency: Fields<'a>,
    #[serde(borrow)]
    requests: Fields<'a>,
    #[serde(borrow)]
    throughput: Fields<'a>,
    #[serde(default)]
    errors: Loose,
    #[serde(default)]
    timeouts: Loose,
    #[serde(default)]
    mismatches: Loose,
    #[serde(default)]
    resets: Loose,
    #[serde(default)]
    non2xx: Loose,
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    json::pieces(source, sink, &[&[]], |piece: &Piece<'_>, sink| {
        if let Some(test) = piece.parse::<Test<'_>>(sink) {
            test.row(piece.line, sink);
        }
    })
}

impl Test<'_> {
    fn row(&self, line: u64, sink: &mut RowCollector<'_>) {
        let answered = self.requests.number("total").is_none_or(|total| total != Value::Int(0));
        let mut metrics: Vec<(Cow<'_, str>, Option<Value>)> = Vec::with_capacity(32);
        if answered {
            metrics.extend(spread(REQUESTS, &self.requests));
            metrics.extend(spread(LATENCY, &self.latency));
            metrics.extend(percentiles(&self.latency));
            metrics.extend(spread(BYTES, &self.throughput));
        }
        let counts = [
            ("errors", self.errors),
            ("timeoutErrors", self.timeouts),
            ("mismatchErrors", self.mismatches),
            ("resetErrors", self.resets),
            ("httpErrors", self.non2xx),
        ];
        metrics.extend(counts.map(|(metric, value)| (metric.into(), value.0)));
        // Zeros of what was not answered are no times.
        let outcome = if answered { Outcome::Measured } else { Outcome::Failed };
        let metrics = metrics.iter().map(|(metric, value)| (&**metric, *value));
        sink.measured(line, &Cells { outcome, ..Cells::of(&self.name()) }, metrics);
    }

    /// The title, else what was asked for and by how many connections.
    fn name(&self) -> String {
        let url = address(self.url.as_deref().unwrap_or_default());
        let of_url = match self.connections.0 {
            Some(connections) => format!("{url} ({connections} connections)"),
            None => url,
        };
        let title = self.title.as_deref().filter(|title| !title.trim().is_empty());
        title.map_or(of_url, str::to_owned)
    }
}

/// The metrics of a mean and its spread.
type Spread = [&'static str; 4];

const REQUESTS: Spread =
    ["requestsPerSecond", "requestsPerSecond.stddev", "requestsPerSecond.min", "requestsPerSecond.max"];
const LATENCY: Spread = ["latencyMs", "latencyMs.stddev", "latencyMs.min", "latencyMs.max"];
const BYTES: Spread = ["bytesPerSecond", "bytesPerSecond.stddev", "bytesPerSecond.min", "bytesPerSecond.max"];

fn spread(metrics: Spread, fields: &Fields<'_>) -> impl Iterator<Item = (Cow<'static, str>, Option<Value>)> {
    let fields = ["mean", "stddev", "min", "max"].map(|field| fields.number(field));
    metrics.map(Cow::Borrowed).into_iter().zip(fields)
}

/// `latencyP99.9Ms` for `p99_9`; the lower half is of no interest.
fn percentiles(latency: &Fields<'_>) -> impl Iterator<Item = (Cow<'static, str>, Option<Value>)> {
    latency.numbers().filter_map(|(field, value)| {
        let percentile = field.strip_prefix('p')?.replace('_', ".");
        let upper_half = percentile.parse::<f64>().is_ok_and(|percentile| percentile >= 50.0);
        upper_half.then(|| (format!("latencyP{percentile}Ms").into(), Some(value)))
    })
}
