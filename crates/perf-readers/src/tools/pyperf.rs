//! pyperf's JSON: for each benchmark the values of every process, in seconds, bytes or without a unit.
//!
//! Source: `pyperf/_bench.py` of pyperf 2.10.0.

use serde::Deserialize;

use crate::format::{Format, Kind, Likeness, Samples};
use crate::input::source::Source;
use crate::json::{self, Fields, Number, Piece};
use crate::rows::{Cells, Process, RowCollector};
use crate::tools::common::names::machine_class;
use perf_model::row::Outcome;

pub(crate) const FORMAT: Format = Format {
    name: "pyperf",
    about: "pyperf's JSON, also of pyperformance: every value of every process",
    samples: Samples::Iterations,
    looks_like: |head| {
        let has = |keys: &[&str]| json::has_keys(head, b"{", keys);
        let is_pyperf =
            has(&["benchmarks", "runs"]) && (has(&["warmups"]) || has(&["values"]) || has(&["perf_version"]));
        Likeness::from(is_pyperf)
    },
    kind: Kind::Document(read),
};

#[derive(Deserialize)]
#[serde(expecting = "a benchmark")]
struct Benchmark<'a> {
    #[serde(default, borrow)]
    metadata: Fields<'a>,
    #[serde(default)]
    runs: Vec<Run>,
}

/// A process; one that only calibrated or warmed up has no values.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Run {
    values: Vec<Number>,
}

/// What all benchmarks share stands behind them.
#[derive(Default)]
struct Suite {
    benchmarks: Vec<Waiting>,
    name: String,
    unit: String,
    platform: String,
    class: Option<String>,
}

struct Waiting {
    line: u64,
    name: String,
    unit: String,
    runs: Vec<Run>,
    platform: String,
    class: Option<String>,
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    json::documents(source, sink, &[&["benchmarks", "*"], &["metadata"]], Suite::piece, Suite::give)
}

impl Suite {
    fn piece(&mut self, piece: &Piece<'_>, sink: &mut RowCollector<'_>) {
        if piece.pattern == 1 {
            let Some(shared) = piece.parse::<Fields<'_>>(sink) else { return };
            (self.name, self.unit) = (text(&shared, "name"), text(&shared, "unit"));
            (self.platform, self.class) = (platform(&shared), class(&shared));
        } else if let Some(Benchmark { metadata, runs }) = piece.parse::<Benchmark<'_>>(sink) {
            let (name, unit) = (text(&metadata, "name"), text(&metadata, "unit"));
            let (platform, class) = (platform(&metadata), class(&metadata));
            self.benchmarks.push(Waiting { line: piece.line, name, unit, runs, platform, class });
        }
    }

    fn give(self, sink: &mut RowCollector<'_>) {
        for Waiting { line, name, unit, runs, platform, class } in self.benchmarks {
            let or = |own: String, shared: &str| if own.is_empty() { shared.to_owned() } else { own };
            let (name, unit, platform) =
                (or(name, &self.name), or(unit, &self.unit), or(platform, &self.platform));
            let class = class.or_else(|| self.class.clone());
            let cells = Cells { platform: &platform, machine_class: class.as_deref(), ..Cells::of(&name) };
            let metric = match unit.as_str() {
                "byte" => "memoryBytes",
                "second" | "" => "timeS",
                _ => "value",
            };
            if runs.iter().all(|run| run.values.is_empty()) {
                sink.measured(line, &Cells { outcome: Outcome::Failed, ..cells }, []);
                continue;
            }
            give_runs(line, &cells, metric, &runs, sink);
        }
    }
}

fn give_runs(line: u64, cells: &Cells<'_>, metric: &str, runs: &[Run], sink: &mut RowCollector<'_>) {
    let values = |(process, run): (u32, &Run)| {
        run.values.iter().map(move |value| (process, value.0)).collect::<Vec<_>>()
    };
    let mut rows = sink.runs(line, &Cells { process: Process::OfDocument(0), ..*cells }, &[metric]);
    for (run_index, (process, value)) in (0..).zip((0..).zip(runs).flat_map(values)) {
        rows.turn_to(process);
        rows.row(run_index, Outcome::Measured, [value]);
    }
}

fn text(metadata: &Fields<'_>, key: &str) -> String {
    metadata.text(key).unwrap_or_default().to_owned()
}

/// `Linux x86_64, cpython 3.12`, as far as it is known.
fn platform(metadata: &Fields<'_>) -> String {
    const ARCHITECTURES: [&str; 5] = ["x86_64", "aarch64", "arm64", "AMD64", "i686"];
    let platform = metadata.text("platform").unwrap_or_default();
    let system = platform.split('-').next().unwrap_or_default();
    let architecture =
        ARCHITECTURES.iter().find(|name| platform.contains(*name)).copied().unwrap_or_default();
    let python = metadata.text("python_implementation").unwrap_or_default();
    let version = metadata.text("python_version").unwrap_or_default();
    let version: Vec<&str> = version.split(' ').next().unwrap_or_default().split('.').take(2).collect();
    let words = |words: [&str; 2]| words.join(" ").trim().to_owned();
    let parts = [words([system, architecture]), words([python, &version.join(".")])];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

fn class(metadata: &Fields<'_>) -> Option<String> {
    metadata.text("cpu_model_name").filter(|name| !name.is_empty()).map(machine_class)
}
