//! JMH's `-rf json`: for each benchmark, mode and set of parameters the score of every iteration, and what
//! profilers and groups measured beside.
//!
//! A benchmark chooses its unit, so times are read in nanoseconds and throughput per second. One benchmark may
//! have several modes: their scores are metrics of one scenario, whose iterations are numbered on from mode to mode.

use indexmap::IndexMap;
use serde::Deserialize;

use crate::tools::common::prelude::*;
use perf_model::metric::Declared;

pub(crate) const FORMAT: Format = Format {
    name: "jmh",
    about: "JMH -rf json: score of every iteration in any mode, percentiles, profiler results",
    samples: Samples::Iterations,
    looks_like: |head| json::likeness(head, b"[", KEYS),
    kind: Kind::Document(read),
};

const KEYS: &[(&[&str], Likeness)] = &[
    (&["benchmark", "mode", "primaryMetric", "scoreUnit"], Likeness::Yes),
    (
        &["benchmark", "mode"],
        Likeness::Near("has `benchmark` and `mode`, but no `primaryMetric` with a `scoreUnit`"),
    ),
];

#[derive(Deserialize)]
#[serde(expecting = "a benchmark")]
struct Entry {
    benchmark: String,
    mode: String,
    #[serde(default)]
    threads: Loose,
    #[serde(default)]
    params: IndexMap<String, String>,
    #[serde(rename = "primaryMetric")]
    primary: Measure,
    #[serde(default, rename = "secondaryMetrics")]
    secondary: IndexMap<String, Measure>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Measure {
    #[serde(default)]
    score: Loose,
    #[serde(default)]
    score_confidence: Vec<Loose>,
    #[serde(default)]
    score_percentiles: IndexMap<String, Loose>,
    score_unit: String,
    /// The iterations of every fork.
    #[serde(default)]
    raw_data: Vec<Vec<Loose>>,
}

/// The benchmarks of a run by their names.
#[derive(Default)]
struct Report(IndexMap<String, Scenario>);

/// The rows of a benchmark, emitted after its last mode.
#[derive(Default)]
struct Scenario {
    line: u64,
    runs: i64,
    /// How many forks its entries have so far: each is a process.
    forks: u32,
    summary: Metrics,
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    let take = |report: &mut Report, piece: &Piece<'_>, sink: &mut RowCollector<'_>| {
        if let Some(benchmark) = piece.parse::<Entry>(sink) {
            report.add(piece.line, &benchmark, sink);
        }
    };
    json::documents(source, sink, &[&["*"]], take, |report, sink| report.give(sink))
}

impl Report {
    fn give(&self, sink: &mut RowCollector<'_>) {
        for (name, Scenario { line, runs, summary, .. }) in &self.0 {
            // NaN is not a measurement.
            let failed = *runs == 0 && summary.is_empty();
            if failed || !summary.is_empty() {
                sink.measured(*line, &Cells::of(name).failed_if(failed), summary);
            }
        }
    }

    fn add(&mut self, line: u64, benchmark: &Entry, sink: &mut RowCollector<'_>) {
        let name = benchmark.name();
        let scenario = self.0.entry(name.clone()).or_insert_with(|| Scenario { line, ..Scenario::default() });
        let mut samples: Vec<(String, Vec<Option<Value>>)> = Vec::new();
        for (metric, score) in benchmark.metrics() {
            if let Some(meaning) = metric.declared {
                sink.declare(&metric.name, Declared { label: None, meaning });
            }
            match score.iterations(&metric) {
                iterations if iterations.is_empty() => scenario.summary.extend(score.summary(&metric)),
                iterations => samples.push((metric.name, iterations)),
            }
        }
        let runs = samples.iter().map(|(_, iterations)| iterations.len()).max().unwrap_or_default();
        for (run, run_index) in (0..runs).zip(scenario.runs..) {
            let value = |iterations: &Vec<Option<Value>>| iterations.get(run).copied().flatten();
            let values = samples.iter().map(|(metric, iterations)| (metric.as_str(), value(iterations)));
            let process = Process::OfDocument(scenario.forks + benchmark.primary.fork_of(run));
            sink.measured(line, &Cells { run_index, process, ..Cells::of(&name) }, values);
            scenario.runs = run_index + 1;
        }
        scenario.forks += benchmark.primary.forks();
    }
}

impl Entry {
    /// `package.Class.method (size=8, text=a, threads=2)`.
    fn name(&self) -> String {
        let mut parameters: Vec<String> =
            self.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let threads = self.threads.0.filter(|threads| *threads != Value::Int(1));
        parameters.extend(threads.map(|threads| format!("threads={threads}")));
        with_details(&self.benchmark, &parameters)
    }

    fn metrics<'e>(&'e self) -> impl Iterator<Item = (Metric, &'e Measure)> {
        let secondary = |(name, score): (&String, &'e Measure)| {
            (Metric::of_secondary(&self.mode, name, &score.score_unit), score)
        };
        let primary = (Metric::of_mode(&self.mode, &self.primary.score_unit), &self.primary);
        std::iter::once(primary).chain(self.secondary.iter().map(secondary))
    }
}

impl Measure {
    fn forks(&self) -> u32 {
        u32::try_from(self.raw_data.len()).unwrap_or_default()
    }

    /// The fork of an iteration, where all of them are counted through.
    fn fork_of(&self, iteration: usize) -> u32 {
        let ends = self.raw_data.iter().scan(0, |end, fork| {
            *end += fork.len();
            Some(*end)
        });
        (0..).zip(ends).find(|(_, end)| iteration < *end).map_or(0, |(fork, _)| fork)
    }

    /// The score of every iteration, one fork after the other.
    fn iterations(&self, metric: &Metric) -> Vec<Option<Value>> {
        let scores: Vec<Option<Value>> =
            self.raw_data.iter().flatten().map(|score| metric.convert(*score)).collect();
        if scores.iter().all(Option::is_none) { Vec::new() } else { scores }
    }

    /// What sums iterations up.
    fn summary(&self, metric: &Metric) -> Metrics {
        let name = &metric.name;
        let end = |at: usize| metric.convert(self.score_confidence.get(at).copied().unwrap_or_default());
        let mut summary = Metrics::default();
        summary.add_parts(name, [("", metric.convert(self.score)), (".lower", end(0)), (".upper", end(1))]);
        for (percentile, value) in &self.score_percentiles {
            let metric_name = match (percentile.as_str(), name.strip_suffix("Ns")) {
                ("0.0", _) => format!("{name}.min"),
                ("100.0", _) => format!("{name}.max"),
                (_, Some(time)) if metric.is_sampled => {
                    format!("{time}P{}Ns", percentile.trim_end_matches(".0"))
                }
                _ => continue,
            };
            summary.add(metric_name, metric.convert(*value));
        }
        summary
    }
}

/// What a score is read as.
pub(super) struct Metric {
    pub(super) name: String,
    /// By how many places its numbers are shifted.
    pub(super) shift: i32,
    /// Every call was timed, so that percentiles are those of calls.
    is_sampled: bool,
    pub(super) declared: Option<Meaning>,
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
        let declared = direction.map(|direction| Meaning { unit: Unit::None, direction, exact: false });
        Self { name, shift, is_sampled: mode == "sample", declared }
    }

    /// Parts of a group have units as benchmarks have. Of what a profiler counted it is not known which way is
    /// better, as most of it grows with the number of calls, but for bytes of one call.
    pub(super) fn of_secondary(mode: &str, name: &str, unit: &str) -> Self {
        let name = name.trim_start_matches('·');
        let as_benchmark = Self::of_mode(mode, unit);
        if as_benchmark.declared.is_none() {
            return Self { name: format!("{name}.{}", as_benchmark.name), ..as_benchmark };
        }
        let name = format!("{name} {unit}");
        let meaning = Meaning { direction: Direction::Unknown, ..Meaning::of_name(&name) };
        Self { name, declared: (unit != "B/op").then_some(meaning), ..as_benchmark }
    }

    fn convert(&self, number: Loose) -> Option<Value> {
        match self.shift {
            0 => number.0,
            places => shifted(&number.0?.to_string(), places),
        }
    }
}
