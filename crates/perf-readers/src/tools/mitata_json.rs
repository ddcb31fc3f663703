//! mitata's `run({ format: 'json' })`: time of every run of a benchmark in nanoseconds, heap in bytes.
//!
//! Source: mitata 1.0, `run` in `src/main.mjs`, whose `stats` are defined in `src/lib.mjs`; mitata 0.1 has `time` beside
//! `name` instead of `runs`. Samples are sorted by value, and so have no order to keep.

use std::borrow::Cow;

use serde::Deserialize;

use crate::format::{Format, Kind, Likeness, Samples};
use crate::input::source::Source;
use crate::json::{self, Fields, Loose, Piece};
use crate::rows::{Cells, RowCollector};
use crate::tools::common::tables::Metrics;
use perf_model::row::{Outcome, Value};

pub(crate) const FORMAT: Format = Format {
    name: "mitata-json",
    about: "mitata's run({ format: 'json' }): time with its extremes and percentiles of every benchmark, heap",
    samples: Samples::Launches,
    looks_like: |head| {
        let has = |keys: &[&str]| json::has_keys(head, b"{", keys);
        Likeness::from(has(&["benchmarks", "alias", "runs", "stats", "baseline"]))
    },
    kind: Kind::Document(read),
};

#[derive(Deserialize)]
#[serde(expecting = "a benchmark")]
struct Benchmark<'a> {
    #[serde(borrow, default)]
    alias: Cow<'a, str>,
    #[serde(default)]
    group: Loose,
    #[serde(borrow, default)]
    runs: Vec<Run<'a>>,
}

#[derive(Deserialize)]
struct Run<'a> {
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    stats: Option<Fields<'a>>,
    #[serde(default)]
    error: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(expecting = "a group")]
struct Group<'a> {
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
}

/// The names of groups, and benchmarks that wait for them.
#[derive(Default)]
struct Groups {
    names: Vec<String>,
    found: Vec<Found>,
}

struct Found {
    line: u64,
    name: String,
    group: usize,
    metrics: Option<Metrics>,
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    let take = |groups: &mut Groups, piece: &Piece<'_>, sink: &mut RowCollector<'_>| match piece.pattern {
        0 => {
            let name = piece.parse::<Group<'_>>(sink).and_then(|group| group.name).unwrap_or_default();
            groups.names.push(name.into_owned());
        }
        _ => {
            if let Some(benchmark) = piece.parse::<Benchmark<'_>>(sink) {
                groups.found.extend(benchmark.runs.iter().map(|run| benchmark.found(piece.line, run)));
            }
        }
    };
    json::documents(source, sink, &[&["layout", "*"], &["benchmarks", "*"]], take, Groups::give)
}

impl Benchmark<'_> {
    fn found(&self, line: u64, run: &Run<'_>) -> Found {
        let group = match self.group.0 {
            Some(Value::Int(group)) => usize::try_from(group).unwrap_or(usize::MAX),
            _ => usize::MAX,
        };
        let name = run.name.as_ref().unwrap_or(&self.alias).to_string();
        let stats = run.stats.as_ref().filter(|_| run.error.is_none());
        Found { line, name, group, metrics: stats.map(metrics) }
    }
}

impl Groups {
    fn give(self, sink: &mut RowCollector<'_>) {
        for Found { line, name, group, metrics } in self.found {
            let group = self.names.get(group).map_or("", String::as_str);
            let name = if group.is_empty() { name } else { format!("{group}/{name}") };
            let outcome = if metrics.is_some() { Outcome::Measured } else { Outcome::Failed };
            let metrics = metrics.iter().flatten().map(|(metric, value)| (metric.as_str(), *value));
            sink.measured(line, &Cells { outcome, ..Cells::of(&name) }, metrics);
        }
    }
}

/// The mean, its spread and the upper half of the percentiles.
fn metrics(stats: &Fields<'_>) -> Metrics {
    let metrics = [
        ("timeNs", "avg"),
        ("timeNs.min", "min"),
        ("timeNs.max", "max"),
        ("timeP50Ns", "p50"),
        ("timeP75Ns", "p75"),
        ("timeP99Ns", "p99"),
        ("timeP99.9Ns", "p999"),
    ];
    metrics.map(|(metric, field)| (metric.to_owned(), stats.number(field))).into()
}
