//! Julia's BenchmarkTools. Groups can be nested, and contain trials with the time of every sample, or estimates of
//! trials. Times are in nanoseconds.
//!
//! A value is written as `["Type", {field: value}]`. `save` adds versions and puts the values in a list; `JSON.print`
//! does neither.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("julia")
    .about("Julia BenchmarkTools.save and JSON.print: time and garbage collection of every sample, memory, allocations")
    .samples(Samples::Iterations)
    .looks_like(looks_like)
    .document(read);

/// How a file was written: by `save` or by `JSON.print`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Saved,
    Printed,
}

const TYPES: [&str; 3] = ["BenchmarkGroup", "Trial", "TrialEstimate"];

impl Shape {
    fn of(head: &str) -> Option<Self> {
        if json::begins(head, &["[", "{", "Julia|BenchmarkTools", ":", "*"]) {
            json::has_keys(head, "[", &["Julia", "BenchmarkTools"]).then_some(Self::Saved)
        } else if json::begins(head, &["[", &TYPES.join("|")]) {
            Some(Self::Printed)
        } else {
            None
        }
    }
}

fn looks_like(head: &str) -> Likeness {
    match Shape::of(head) {
        None => Likeness::No,
        Some(Shape::Saved) if !TYPES.iter().any(|name| json::has_keys(head, "[", &[name])) => {
            Likeness::Near(
                "was saved by BenchmarkTools, but has neither `BenchmarkGroup` nor `Trial`",
            )
        }
        Some(_) => Likeness::Yes,
    }
}

/// A benchmark. Benchmarks are collected and sorted, because the order of a group's keys is random.
struct Benchmark {
    name: String,
    line: u64,
    platform: String,
    is_estimate: bool,
    /// The times of the samples in nanoseconds. An estimate has only one time.
    times: Vec<Option<Value>>,
    collecting: Vec<Option<Value>>,
    allocated: Option<Value>,
    allocations: Option<Value>,
}

#[derive(Default)]
struct Report {
    line: u64,
    platform: String,
    benchmarks: Vec<Benchmark>,
}

fn read(input: &Input<'_>, sink: &mut Rows<'_>) {
    let shape = Shape::of(input.head()).unwrap_or(Shape::Saved);
    let take = |report: &mut Report, piece: &Piece<'_>, sink: &mut Rows<'_>| {
        let Some(document) = piece.parse::<Json<'_>>(sink) else {
            return;
        };
        report.line = piece.line;
        match shape {
            Shape::Printed => report.typed(&document, "", sink),
            Shape::Saved => {
                if let [versions, values, ..] = document.list("") {
                    let version = versions.text_or_empty("Julia");
                    report.platform = format!("Julia {}", minor_version(version));
                    // Most files contain a single saved value, so the first one is not numbered.
                    for (place, value) in values.list("").iter().enumerate() {
                        let name = if place == 0 {
                            String::new()
                        } else {
                            format!("{place}: ")
                        };
                        report.typed(value, &name, sink);
                    }
                }
            }
        }
    };
    json::documents(input, sink, &[&[]], take, |mut report, sink| {
        report.benchmarks.sort_by(|a, b| a.name.cmp(&b.name));
        for benchmark in &report.benchmarks {
            benchmark.give(sink);
        }
    });
}

/// Returns a group entry's name.
fn below(name: &str, key: &str) -> String {
    let separator = if name.is_empty() || name.ends_with(": ") {
        ""
    } else {
        "/"
    };
    format!("{name}{separator}{key}")
}

impl Report {
    /// Reads a value `["Type", {field: value}]`.
    fn typed(&mut self, value: &Json<'_>, name: &str, sink: &mut Rows<'_>) {
        let [Json::Text(kind), fields, ..] = value.list("") else {
            return;
        };
        match kind.rsplit('.').next() {
            Some("BenchmarkGroup") => {
                for (key, value) in fields.at("data").entries() {
                    self.typed(value, &below(name, key), sink);
                }
            }
            Some("Trial" | "TrialEstimate") => self.benchmark(fields, name),
            Some("TrialRatio" | "TrialJudgement") => {
                sink.skip(self.line, name, || {
                    "a comparison of two trials has no measurements".to_owned()
                });
            }
            _ => {} // parameters
        }
    }

    fn benchmark(&mut self, fields: &Json<'_>, name: &str) {
        let is_estimate = fields.has("time");
        let samples = |one: &str, all: &str| {
            if is_estimate {
                vec![fields.number(one)]
            } else {
                fields.samples(all)
            }
        };
        let is_unnamed = name.is_empty() || name.ends_with(": ");
        self.benchmarks.push(Benchmark {
            name: if is_unnamed {
                format!("{name}trial")
            } else {
                name.to_owned()
            },
            line: self.line,
            platform: self.platform.clone(),
            is_estimate,
            times: samples("time", "times"),
            collecting: samples("gctime", "gctimes"),
            allocated: fields.number("memory"),
            allocations: fields.number("allocs"),
        });
    }
}

impl Benchmark {
    fn give(&self, sink: &mut Rows<'_>) {
        if self.times.is_empty() {
            return sink.skip(self.line, &self.name, || "trial has no samples".to_owned());
        }
        let cells = Cells {
            platform: &self.platform,
            ..Cells::of(&self.name)
        };
        let allocated = [
            ("allocatedBytes", self.allocated),
            ("allocations", self.allocations),
        ];
        if self.is_estimate {
            let times = [("timeNs", self.times[0]), ("gcTimeNs", self.collecting[0])];
            return sink.measured(self.line, &cells, times.into_iter().chain(allocated));
        }
        for ((sample, time), run_index) in self.times.iter().enumerate().zip(0..) {
            let collecting = self.collecting.get(sample).copied().flatten();
            let times = [("timeNs", *time), ("gcTimeNs", collecting)];
            sink.measured(self.line, &Cells { run_index, ..cells }, times);
        }
        sink.measured(self.line, &cells, allocated);
    }
}
