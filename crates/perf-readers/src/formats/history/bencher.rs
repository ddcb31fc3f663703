//! Bencher's export: the JSON that `bencher perf` and the path `/perf` of Bencher's API return.
//!
//! `{results: [{branch, testbed, benchmark: {name}, measure: {slug}, metrics: [{iteration, start_time, version: {hash},
//! metric: {value}}]}]}`

use super::{Measurement, Measurements};
use crate::formats::bmf;
use crate::formats::common::prelude::*;

pub(super) const FORMAT: Format = Format::named("bencher")
    .about("history of Bencher: the JSON of `bencher perf`; only as a history")
    .looks_like(|head| {
        json::has_keys(head, "{", &["results", "testbed", "benchmark", "measure"]).into()
    })
    .document(|input, sink| {
        json::documents(
            input,
            sink,
            &[&["results", "*"]],
            Report::take,
            |report, sink| {
                report.measurements.give(sink);
            },
        );
    });

const SERIES: Shape = Shape::of(
    "a result",
    &["branch", "testbed", "benchmark", "measure", "metrics"],
);

#[derive(Default)]
struct Report {
    measurements: Measurements,
    branch: Option<String>,
}

impl Report {
    fn take(&mut self, piece: &Piece<'_>, sink: &mut Rows<'_>) {
        let Some(series) = piece.object(SERIES, sink) else {
            return;
        };
        let name = |of: &str| series.text_or_empty(&format!("{of}/name")).to_owned();
        let branch = self.branch.get_or_insert_with(|| name("branch"));
        if *branch != name("branch") {
            let why = || {
                format!(
                    "branch `{}`: only one branch is read (`{branch}`)",
                    name("branch")
                )
            };
            return sink.skip(piece.line, &name("benchmark"), why);
        }
        let measure = series
            .text("measure/slug")
            .unwrap_or(series.text_or_empty("measure/name"));
        bmf::declare(measure, sink);
        for point in series.list("metrics") {
            let Some(value) = point.number("metric/value") else {
                continue;
            };
            // A run may have no commit, but every version of a branch has a number.
            let version = || {
                format!(
                    "version {}",
                    point.whole("version/number").unwrap_or_default()
                )
            };
            let measurement = Measurement {
                place: name("testbed"),
                scenario: name("benchmark"),
                commit: point
                    .text("version/hash")
                    .map_or_else(version, str::to_owned),
                measured_at: perf_model::date::parse(point.text_or_empty("start_time")),
                iteration: point.whole("iteration").unwrap_or_default(),
            };
            self.measurements
                .add(piece.line, measurement, measure.to_owned(), value);
        }
    }
}
