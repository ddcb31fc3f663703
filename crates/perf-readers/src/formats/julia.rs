//! Julia's BenchmarkTools: groups in groups, and in them trials with the time of every sample, or estimates of trials,
//! in nanoseconds.
//!
//! A value is written `["Type", {field: value}]`, so the path to a benchmark is `data`, its key, `1`, and so on. `save`
//! puts versions and a list around values, `JSON.print` does not, and without the methods of BenchmarkTools it leaves
//! out the types as well.

use crate::formats::common::names::minor_version;
use crate::formats::common::prelude::*;
use perf_model::row::AGGREGATE;

pub(crate) const FORMAT: Format = Format::named("julia")
    .about("Julia BenchmarkTools.save and JSON.print: time and garbage collection of every sample, memory, allocations")
    .samples(Samples::Iterations)
    .looks_like(looks_like)
    .document(read);

/// The way a file came to be: by `save`, by `JSON.print`, or without types.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Saved,
    Printed,
    Untyped,
}

const TYPES: [&str; 3] = ["BenchmarkGroup", "Trial", "TrialEstimate"];

impl Shape {
    fn of(head: &[u8]) -> Option<Self> {
        let has = |keys: &[&str]| json::has_keys(head, b"{", keys);
        if json::begins(head, &["[", "{", "Julia|BenchmarkTools", ":", "*"]) {
            json::has_keys(head, b"[", &["Julia", "BenchmarkTools"]).then_some(Self::Saved)
        } else if json::begins(head, &["[", &TYPES.join("|")]) {
            Some(Self::Printed)
        } else {
            let is_group = has(&["data", "tags", "memory", "allocs"]);
            (is_group && (has(&["gctimes"]) || has(&["gctime"]))).then_some(Self::Untyped)
        }
    }
}

fn looks_like(head: &[u8]) -> Likeness {
    match Shape::of(head) {
        None => Likeness::No,
        Some(Shape::Saved) if !TYPES.iter().any(|name| json::has_keys(head, b"[", &[name])) => {
            Likeness::Near(
                "was saved by BenchmarkTools, but has neither `BenchmarkGroup` nor `Trial`",
            )
        }
        Some(_) => Likeness::Yes,
    }
}

/// The most groups nested around a benchmark.
const DEEPEST: usize = 12;

/// The fields of a benchmark, after the type at `0`.
const FIELDS: [&str; 6] = ["times", "gctimes", "time", "gctime", "memory", "allocs"];

/// The ways to versions, to types, and to fields of benchmarks.
fn patterns(shape: Shape) -> Vec<Vec<&'static str>> {
    let mut patterns = vec![vec!["0", "*"]];
    let (mut way, types, step) = match shape {
        Shape::Saved => (vec!["1", "*"], &["1"][..], &["1", "data", "*"][..]),
        Shape::Printed => (vec![], &["1"][..], &["1", "data", "*"][..]),
        Shape::Untyped => (vec!["data", "*"], &[][..], &["data", "*"][..]),
    };
    for _ in 0..=DEEPEST {
        if shape != Shape::Untyped {
            patterns.push([&way[..], &["0"]].concat());
        }
        patterns.extend(FIELDS.map(|field| [&way[..], types, &[field]].concat()));
        way.extend(step);
    }
    patterns
}

/// The benchmark that is read, and where it was measured.
#[derive(Default)]
struct Report {
    platform: String,
    /// True if further fields are those of the last benchmark.
    is_open: bool,
    /// Keys stand in any order, which is another one from run to run.
    read: Vec<Benchmark>,
}

#[derive(Default)]
struct Benchmark {
    line: u64,
    name: String,
    platform: String,
    /// The times of the samples in nanoseconds; an estimate has one.
    times: Vec<Loose>,
    collecting: Vec<Loose>,
    is_estimate: bool,
    allocated: Loose,
    allocations: Loose,
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    let patterns = patterns(Shape::of(source.head()).unwrap_or(Shape::Saved));
    let patterns: Vec<&[&str]> = patterns.iter().map(Vec::as_slice).collect();
    json::documents(source, sink, &patterns, Report::piece, Report::give)
}

impl Report {
    fn give(mut self, sink: &mut RowCollector<'_>) {
        self.read.sort_by(|a, b| a.name.cmp(&b.name));
        for benchmark in &self.read {
            benchmark.rows(sink);
        }
    }

    fn piece(&mut self, piece: &Piece<'_>, sink: &mut RowCollector<'_>) {
        let Some(field) = piece.path.last() else {
            return;
        };
        match (piece.pattern, field.as_str()) {
            (0, "Julia") => {
                self.is_open = false;
                // `Julia 1.10` for `1.10.2`.
                let platform = |version: String| format!("Julia {}", minor_version(&version));
                self.platform = piece.parse(sink).map(platform).unwrap_or_default();
            }
            (0, _) => {}
            (_, "0") => {
                let open = piece
                    .parse::<String>(sink)
                    .and_then(|kind| open(&kind, piece, sink));
                self.is_open = false;
                if let Some(benchmark) = open {
                    self.begin(benchmark);
                }
            }
            (_, field) => {
                if piece.path.first().is_some_and(|first| first == "data") {
                    self.open_untyped(piece, field);
                }
                if let Some(benchmark) = self.read.last_mut().filter(|_| self.is_open) {
                    benchmark.field(field, piece, sink);
                }
            }
        }
    }

    /// Begins a benchmark at its first field.
    fn open_untyped(&mut self, piece: &Piece<'_>, field: &str) {
        let keys: Vec<&str> = piece
            .path
            .chunks_exact(2)
            .map(|step| step[1].as_str())
            .collect();
        let name = keys.join("/");
        if !self.is_open || self.read.last().is_none_or(|open| open.name != name) {
            self.begin(Benchmark {
                line: piece.line,
                name,
                ..Benchmark::default()
            });
        }
        if let Some(open) = self.read.last_mut() {
            open.is_estimate |= field == "time";
        }
    }

    fn begin(&mut self, benchmark: Benchmark) {
        self.is_open = true;
        self.read.push(Benchmark {
            platform: self.platform.clone(),
            ..benchmark
        });
    }
}

/// Begins a benchmark when the type is of one.
fn open(kind: &str, piece: &Piece<'_>, sink: &mut RowCollector<'_>) -> Option<Benchmark> {
    let is_estimate = match kind.rsplit('.').next() {
        Some("Trial") => false,
        Some("TrialEstimate") => true,
        Some("TrialRatio" | "TrialJudgement") => {
            sink.skip(piece.line, piece.text(), || {
                "a comparison of two trials has no measurements".to_owned()
            });
            return None;
        }
        _ => return None, // a group, or parameters
    };
    // What `save` writes has the place of a value in front.
    let (place, way) = match piece.path {
        [_, place, way @ ..] if piece.path.len().is_multiple_of(3) => (place.as_str(), way),
        way => ("0", way),
    };
    let keys: Vec<&str> = way.chunks_exact(3).map(|step| step[2].as_str()).collect();
    let name = if keys.is_empty() {
        "trial".to_owned()
    } else {
        keys.join("/")
    };
    // Of several saved values the first is the only one of most files.
    let name = if place == "0" {
        name
    } else {
        format!("{place}: {name}")
    };
    Some(Benchmark {
        line: piece.line,
        name,
        is_estimate,
        ..Benchmark::default()
    })
}

impl Benchmark {
    fn field(&mut self, field: &str, piece: &Piece<'_>, sink: &mut RowCollector<'_>) {
        match field {
            "times" => self.times = piece.parse(sink).unwrap_or_default(),
            "gctimes" => self.collecting = piece.parse(sink).unwrap_or_default(),
            "time" => self.times = piece.parse::<Loose>(sink).into_iter().collect(),
            "gctime" => self.collecting = piece.parse::<Loose>(sink).into_iter().collect(),
            "memory" => self.allocated = piece.parse(sink).unwrap_or_default(),
            _ => self.allocations = piece.parse(sink).unwrap_or_default(),
        }
    }

    fn rows(&self, sink: &mut RowCollector<'_>) {
        if self.times.is_empty() {
            sink.skip(self.line, self.name.as_bytes(), || {
                "trial has no samples".to_owned()
            });
            return;
        }
        let cells = Cells {
            platform: &self.platform,
            ..Cells::of(&self.name)
        };
        let allocated = [
            ("allocatedBytes", self.allocated.0),
            ("allocations", self.allocations.0),
        ];
        for (sample, run_index) in (0..self.times.len()).zip(0..) {
            let at = |values: &[Loose]| values.get(sample).and_then(|value| value.0);
            let times = [
                ("timeNs", at(&self.times)),
                ("gcTimeNs", at(&self.collecting)),
            ];
            if self.is_estimate {
                let all = times.into_iter().chain(allocated);
                sink.measured(
                    self.line,
                    &Cells {
                        run_index: AGGREGATE,
                        ..cells
                    },
                    all,
                );
            } else {
                sink.measured(self.line, &Cells { run_index, ..cells }, times);
            }
        }
        if !self.is_estimate {
            sink.measured(self.line, &cells, allocated);
        }
    }
}
