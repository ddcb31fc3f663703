//! Gatling's `js/stats.json`: all requests, groups and requests of a simulation, in milliseconds.
//!
//! The percentiles are those that Gatling is set to by default, as the file does not say which they are.
//!
//! Source: the templates of Gatling 3.9's charts for `stats.json` and `global_stats.json`.

use std::borrow::Cow;

use serde::Deserialize;

use crate::format::{Format, Kind, Samples};
use crate::input::source::Source;
use crate::json::{self, Loose, Piece};
use crate::rows::{Cells, RowCollector};
use perf_model::row::{Outcome, Value};

pub(crate) const FORMAT: Format = Format {
    name: "gatling",
    about: "Gatling's js/stats.json and global_stats.json: latency and its percentiles, requests per second, errors",
    samples: Samples::Launches,
    looks_like: |head| {
        json::has_keys(head, b"{", &["numberOfRequests", "meanResponseTime", "percentiles1"]).into()
    },
    kind: Kind::Document(read),
};

/// How many groups may be around a request.
const DEEPEST: usize = 12;

/// The ways to the numbers of all requests, of groups and of requests, and to their names.
fn patterns() -> Vec<Vec<&'static str>> {
    let mut patterns = Vec::new();
    let mut group = Vec::new();
    for _ in 0..DEEPEST {
        for key in ["path", "name", "stats"] {
            patterns.push([&group[..], &[key]].concat());
        }
        group.extend(["contents", "*"]);
    }
    patterns
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "statistics")]
struct Stats {
    number_of_requests: Count,
    min_response_time: Count,
    max_response_time: Count,
    mean_response_time: Count,
    standard_deviation: Count,
    percentiles1: Count,
    percentiles2: Count,
    percentiles3: Count,
    percentiles4: Count,
    mean_number_of_requests_per_second: Count,
}

/// `-` stands for none.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Count {
    total: Loose,
    ko: Loose,
}

/// The names of what is read, by how deep it is.
#[derive(Default)]
struct Names {
    path: String,
    name: String,
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    if !json::has_keys(source.head(), b"{", &["stats"]) {
        return json::pieces(source, sink, &[&[]], |piece: &Piece<'_>, sink| {
            if let Some(stats) = piece.parse::<Stats>(sink) {
                stats.row(piece.line, "All Requests", sink);
            }
        });
    }
    let patterns = patterns();
    let patterns: Vec<&[&str]> = patterns.iter().map(Vec::as_slice).collect();
    let take = |names: &mut Names, piece: &Piece<'_>, sink: &mut RowCollector<'_>| match piece.pattern % 3 {
        0 => names.path = piece.parse::<Cow<'_, str>>(sink).unwrap_or_default().into_owned(),
        1 => {
            names.path.clear();
            names.name = piece.parse::<Cow<'_, str>>(sink).unwrap_or_default().into_owned();
        }
        _ => {
            // The name of a group does not say in which others it is.
            let name = if names.path.is_empty() { &names.name } else { &names.path };
            if let Some(stats) = piece.parse::<Stats>(sink) {
                stats.row(piece.line, name, sink);
            }
        }
    };
    json::documents(source, sink, &patterns, take, |_, _| ())
}

impl Stats {
    fn row(&self, line: u64, name: &str, sink: &mut RowCollector<'_>) {
        let requests = &self.number_of_requests;
        let failed = requests.total.0.is_some() && requests.total.0 == requests.ko.0;
        let outcome = match requests.total.0 {
            Some(Value::Int(0)) => Outcome::Skipped,
            _ if failed => Outcome::Failed,
            _ => Outcome::Measured,
        };
        let metrics = [
            ("requestsPerSecond", &self.mean_number_of_requests_per_second),
            ("latencyMs", &self.mean_response_time),
            ("latencyMs.stddev", &self.standard_deviation),
            ("latencyMs.min", &self.min_response_time),
            ("latencyMs.max", &self.max_response_time),
            ("latencyP50Ms", &self.percentiles1),
            ("latencyP75Ms", &self.percentiles2),
            ("latencyP95Ms", &self.percentiles3),
            ("latencyP99Ms", &self.percentiles4),
        ];
        let metrics = metrics.map(|(metric, count)| (metric, count.total.0));
        let metrics = metrics.into_iter().chain([("errors", requests.ko.0)]);
        let metrics = metrics.filter(|_| outcome != Outcome::Skipped);
        sink.measured(line, &Cells { outcome, ..Cells::of(name) }, metrics);
    }
}
