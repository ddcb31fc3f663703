//! mitata's `run({ format: 'json' })`: statistics of every run's times, in nanoseconds.
//!
//! The samples are not read: they are sorted by value, so their order is unknown.
//!
//! Source: mitata 1.0, `run` in `src/main.mjs`, and the `stats` that are defined in `src/lib.mjs`. mitata 0.1 writes
//! `time` and `name` instead of `runs`, and is not recognised.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("mitata-json")
    .about(
        "mitata's run({ format: 'json' }): time with its extremes and percentiles of every benchmark",
    )
    .contains(&["\"alias\""])
    .looks_like(|head| {
        json::has_keys(head, "{", &["benchmarks", "alias", "runs", "stats", "baseline"]).into()
    })
    .document(|input, sink| json::documents(input, sink, PATTERNS, Groups::piece, Groups::give));

const PATTERNS: &[&[&str]] = &[&["layout", "*"], &["benchmarks", "*"]];

/// The mean, the extremes, the median and the upper percentiles.
const METRICS: [(&str, &str); 7] = [
    ("timeNs", "avg"),
    ("timeNs.min", "min"),
    ("timeNs.max", "max"),
    ("timeP50Ns", "p50"),
    ("timeP75Ns", "p75"),
    ("timeP99Ns", "p99"),
    ("timeP99.9Ns", "p999"),
];

/// The names of groups, and the runs that wait for them.
#[derive(Default)]
struct Groups {
    names: Vec<String>,
    runs: Vec<Run>,
}

struct Run {
    line: u64,
    name: String,
    group: Option<usize>,
    /// The statistics; `None` if the run failed.
    metrics: Option<Metrics>,
}

impl Groups {
    fn piece(&mut self, piece: &Piece<'_>, sink: &mut Rows<'_>) {
        if piece.pattern == 0 {
            let group = piece
                .object(Shape::of("a group", &[]), sink)
                .unwrap_or_default();
            return self.names.push(group.text_or_empty("name").to_owned());
        }
        let shape = Shape::of("a benchmark", &[]);
        let Some(benchmark) = piece.object(shape, sink) else {
            return;
        };
        let group = benchmark
            .whole("group")
            .and_then(|group| usize::try_from(group).ok());
        for run in benchmark.list("runs") {
            let name = run
                .text("name")
                .unwrap_or(benchmark.text_or_empty("alias"))
                .to_owned();
            let is_measured = run.has("stats") && !run.has("error");
            let metrics = is_measured.then(|| run.at("stats").metrics(&METRICS));
            self.runs.push(Run {
                line: piece.line,
                name,
                group,
                metrics,
            });
        }
    }

    fn give(self, sink: &mut Rows<'_>) {
        for Run {
            line,
            name,
            group,
            metrics,
        } in self.runs
        {
            let group = group
                .and_then(|group| self.names.get(group))
                .map_or("", String::as_str);
            let name = joined([group, &name], "/");
            let cells = Cells::of(&name).failed_if(metrics.is_none());
            sink.measured(line, &cells, &metrics.unwrap_or_default());
        }
    }
}
