//! Bencher's export: the answer of `bencher perf` and of its API's `/perf`, as JSON.
//!
//! `{results: [{branch, testbed, benchmark: {name}, measure: {slug}, metrics: [{iteration, start_time, version: {hash},
//! metric: {value}}]}]}`

use serde::Deserialize;

use super::{Measurement, Measurements};
use crate::format::{Format, Kind, Samples};
use crate::input::source::Source;
use crate::json::{self, Number, Piece};
use crate::rows::RowCollector;
use crate::tools::bmf;

pub(super) const FORMAT: Format = Format {
    name: "bencher",
    about: "history of Bencher: the JSON of `bencher perf`; only as a history",
    samples: Samples::Launches,
    looks_like: |head| json::has_keys(head, b"{", &["results", "testbed", "benchmark", "measure"]).into(),
    kind: Kind::Document(read),
};

#[derive(Deserialize)]
#[serde(expecting = "a result")]
struct Series {
    branch: Named,
    testbed: Named,
    benchmark: Named,
    measure: Named,
    metrics: Vec<Point>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
    #[serde(default)]
    slug: Option<String>,
}

#[derive(Deserialize)]
struct Point {
    #[serde(default)]
    iteration: i64,
    start_time: String,
    version: Version,
    metric: Metric,
}

#[derive(Deserialize)]
struct Version {
    /// Counts the versions of a branch.
    #[serde(default)]
    number: i64,
    /// The commit; absent where the run named none.
    #[serde(default)]
    hash: Option<String>,
}

#[derive(Deserialize)]
struct Metric {
    value: Number,
}

#[derive(Default)]
struct Report {
    measurements: Measurements,
    branch: Option<String>,
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    json::documents(source, sink, &[&["results", "*"]], Report::take, |report, sink| {
        report.measurements.give(sink);
    })
}

impl Report {
    fn take(&mut self, piece: &Piece<'_>, sink: &mut RowCollector<'_>) {
        let Some(series) = piece.parse::<Series>(sink) else { return };
        let branch = self.branch.get_or_insert_with(|| series.branch.name.clone());
        if *branch != series.branch.name {
            let why = || format!("branch `{}`: a history is of one branch (`{branch}`)", series.branch.name);
            return sink.skip(piece.line, series.benchmark.name.as_bytes(), why);
        }
        let measure = series.measure.slug.as_deref().unwrap_or(&series.measure.name);
        bmf::declare(measure, sink);
        for point in &series.metrics {
            let Some(value) = point.metric.value.0 else { continue };
            let commit = point.version.hash.clone();
            let measurement = Measurement {
                place: series.testbed.name.clone(),
                scenario: series.benchmark.name.clone(),
                commit: commit.unwrap_or_else(|| format!("version {}", point.version.number)),
                measured_at: perf_model::date::parse(&point.start_time),
                iteration: point.iteration,
            };
            self.measurements.add(piece.line, measurement, measure.to_owned(), value);
        }
    }
}
