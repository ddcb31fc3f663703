//! JMH's `-rf json`. For each benchmark, mode and set of parameters, it contains the score of every iteration, and the
//! numbers from profilers and groups.
//!
//! Benchmarks choose their unit, so times are converted to nanoseconds and throughput to operations per second. A
//! benchmark can have several modes. All scores become metrics in the same scenario, and iterations are numbered across
//! modes.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("jmh")
    .about("JMH -rf json: score of every iteration in any mode, percentiles, profiler results")
    .samples(Samples::Iterations)
    .keys("[", KEYS)
    .document(|input, sink| json::documents(input, sink, &[&["*"]], Report::add, Report::give));

const KEYS: KeySets = &[
    (
        &["benchmark", "mode", "primaryMetric", "scoreUnit"],
        Likeness::Yes,
    ),
    (
        &["benchmark", "mode"],
        Likeness::Near("has `benchmark` and `mode`, but no `primaryMetric` with a `scoreUnit`"),
    ),
];

const BENCHMARK: Shape = Shape::of("a benchmark", &["benchmark", "mode", "primaryMetric"]);

/// A run's benchmarks by name.
#[derive(Default)]
struct Report(IndexMap<String, Scenario>);

/// A benchmark's rows, emitted after its last mode.
#[derive(Default)]
struct Scenario {
    line: u64,
    runs: i64,
    /// The number of forks in the benchmark's entries so far. Each fork is a process.
    forks: u32,
    summary: Metrics,
}

impl Report {
    fn give(self, sink: &mut Rows<'_>) {
        for (
            name,
            Scenario {
                line,
                runs,
                summary,
                ..
            },
        ) in self.0
        {
            // A benchmark whose scores are all NaN has failed.
            let failed = runs == 0 && summary.is_empty();
            if failed || !summary.is_empty() {
                sink.measured(line, &Cells::of(&name).failed_if(failed), &summary);
            }
        }
    }

    fn add(&mut self, piece: &Piece<'_>, sink: &mut Rows<'_>) {
        let Some(benchmark) = piece.object(BENCHMARK, sink) else {
            return;
        };
        let (line, name) = (piece.line, name(&benchmark));
        if !benchmark.has("primaryMetric/scoreUnit") {
            return sink.skip(line, piece.text(), || {
                "unexpected JSON: missing field `scoreUnit`".to_owned()
            });
        }
        let scenario = self.0.entry(name.clone()).or_insert_with(|| Scenario {
            line,
            ..Scenario::default()
        });
        let mut samples: Vec<(String, Vec<Option<Value>>)> = Vec::new();
        for (metric, score) in metrics(&benchmark) {
            metric.declare(sink);
            match metric.iterations(score) {
                iterations if iterations.is_empty() => {
                    scenario.summary.extend(metric.summary(score));
                }
                iterations => samples.push((metric.name, iterations)),
            }
        }
        let forks = benchmark.list("primaryMetric/rawData");
        let runs = samples
            .iter()
            .map(|(_, iterations)| iterations.len())
            .max()
            .unwrap_or_default();
        for (run, run_index) in (0..runs).zip(scenario.runs..) {
            let value = |iterations: &Vec<Option<Value>>| iterations.get(run).copied().flatten();
            let values = samples
                .iter()
                .map(|(metric, iterations)| (metric.as_str(), value(iterations)));
            let process = Process::OfDocument(scenario.forks + fork_of(run, forks));
            sink.measured(
                line,
                &Cells {
                    run_index,
                    process,
                    ..Cells::of(&name)
                },
                values,
            );
            scenario.runs = run_index + 1;
        }
        scenario.forks += u32::try_from(forks.len()).unwrap_or_default();
    }
}

/// Returns a name with parameters, such as `package.Class.method (size=8, text=a, threads=2)`.
fn name(benchmark: &Json<'_>) -> String {
    let parameters = benchmark.at("params").entries().iter();
    let mut parameters: Vec<String> = parameters
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let threads = benchmark
        .number("threads")
        .filter(|threads| *threads != Value::Int(1));
    parameters.extend(threads.map(|threads| format!("threads={threads}")));
    with_details(benchmark.text_or_empty("benchmark"), &parameters)
}

/// Returns a benchmark's scores, each with its metric.
fn metrics<'b>(benchmark: &'b Json<'_>) -> impl Iterator<Item = (Metric, &'b Json<'b>)> {
    let mode = benchmark.text_or_empty("mode");
    let primary = benchmark.at("primaryMetric");
    let primary = (
        Metric::of_mode(mode, primary.text_or_empty("scoreUnit")),
        primary,
    );
    let secondary = benchmark
        .at("secondaryMetrics")
        .entries()
        .iter()
        .map(move |(name, score)| {
            (
                Metric::of_secondary(mode, name, score.text_or_empty("scoreUnit")),
                score,
            )
        });
    std::iter::once(primary).chain(secondary)
}

/// Returns the index of an iteration's fork. Iterations are numbered consecutively across all forks.
fn fork_of(iteration: usize, forks: &[Json<'_>]) -> u32 {
    let ends = forks.iter().scan(0, |end, fork| {
        *end += fork.list("").len();
        Some(*end)
    });
    (0..)
        .zip(ends)
        .find(|(_, end)| iteration < *end)
        .map_or(0, |(fork, _)| fork)
}

/// The metric for a score.
pub(super) struct Metric {
    pub(super) name: String,
    /// The number of places by which a score's decimal point moves to convert it to the metric's unit.
    pub(super) shift: i32,
    /// Whether single calls were timed, so that the percentiles are percentiles of calls.
    is_sampled: bool,
    declared: Option<Meaning>,
}

impl Metric {
    pub(super) fn of_mode(mode: &str, unit: &str) -> Self {
        let time = match mode {
            "sample" => "sampledTime",
            "ss" => "singleShotTime",
            _ => "time",
        };
        let (name, shift, direction) = match unit.split_once('/') {
            Some(("ops", per)) => match to_nanoseconds(per) {
                Some(places) => ("opsPerSecond".to_owned(), 9 - places, None),
                None => (unit.to_owned(), 0, Some(Direction::Higher)),
            },
            Some((of, "op")) => match to_nanoseconds(of) {
                Some(places) => (format!("{time}Ns"), places, None),
                None => (format!("{time} {unit}"), 0, Some(Direction::Lower)),
            },
            _ => (unit.to_owned(), 0, Some(Direction::Unknown)),
        };
        let declared = direction.map(|direction| Meaning {
            unit: Unit::None,
            direction,
            exact: false,
        });
        Self {
            name,
            shift,
            is_sampled: mode == "sample",
            declared,
        }
    }

    /// Returns the metric for a secondary score. The parts of a group have the same units as benchmarks, and other
    /// units are from profilers. The direction of a profiler's numbers is unknown, because most of them grow with the
    /// number of calls; bytes per call are an exception.
    pub(super) fn of_secondary(mode: &str, name: &str, unit: &str) -> Self {
        let name = name.trim_start_matches('·');
        let as_benchmark = Self::of_mode(mode, unit);
        if as_benchmark.declared.is_none() {
            return Self {
                name: format!("{name}.{}", as_benchmark.name),
                ..as_benchmark
            };
        }
        let name = format!("{name} {unit}");
        let meaning = Meaning {
            direction: Direction::Unknown,
            ..Meaning::of_name(&name)
        };
        Self {
            name,
            declared: (unit != "B/op").then_some(meaning),
            ..as_benchmark
        }
    }

    pub(super) fn declare(&self, sink: &mut Rows<'_>) {
        if let Some(meaning) = self.declared {
            sink.declare(
                &self.name,
                Declared {
                    label: None,
                    meaning,
                },
            );
        }
    }

    /// Returns the score of every iteration, fork by fork. The list is empty if no score is a number.
    fn iterations(&self, score: &Json<'_>) -> Vec<Option<Value>> {
        let iterations = score.list("rawData").iter().flat_map(|fork| fork.list(""));
        let scores: Vec<Option<Value>> = iterations
            .map(|score| score.shifted("", self.shift))
            .collect();
        if scores.iter().all(Option::is_none) {
            Vec::new()
        } else {
            scores
        }
    }

    /// Returns the summary statistics of the iterations.
    fn summary(&self, score: &Json<'_>) -> Metrics {
        let name = &self.name;
        let end = |at: usize| {
            score
                .list("scoreConfidence")
                .get(at)?
                .shifted("", self.shift)
        };
        let mut summary = Metrics::default();
        let parts = [
            ("", score.shifted("score", self.shift)),
            (".lower", end(0)),
            (".upper", end(1)),
        ];
        summary.add_parts(name, parts);
        for (percentile, value) in score.at("scorePercentiles").entries() {
            let percentile = percentile.trim_end_matches(".0");
            let is_of_calls = self.is_sampled && name.ends_with("Ns");
            if is_of_calls || ["0", "100"].contains(&percentile) {
                summary.add(
                    percentile_of(name, percentile),
                    value.shifted("", self.shift),
                );
            }
        }
        summary
    }
}

/// Returns the metric for a percentile of another metric. Percentiles 0 and 100 are the minimum and the maximum.
pub(super) fn percentile_of(metric: &str, percentile: &str) -> String {
    match (percentile, metric.strip_suffix("Ns")) {
        ("0", _) => format!("{metric}.min"),
        ("100", _) => format!("{metric}.max"),
        (_, Some(time)) => format!("{time}P{percentile}Ns"),
        _ => format!("{metric}P{percentile}"),
    }
}
