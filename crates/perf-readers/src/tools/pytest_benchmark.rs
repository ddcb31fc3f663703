//! pytest-benchmark's JSON: for each test the time of every round, in seconds, and statistics of them.
//!
//! Where machine and commit come before the tests, the rows of each test are passed on at once. Otherwise they wait.

use serde::Deserialize;

use crate::format::{Format, Kind, Likeness, Samples};
use crate::input::source::Source;
use crate::json::{self, Fields, Loose, Number, Piece};
use crate::rows::{Cells, RowCollector};
use crate::tools::common::names::{machine_class, says_something};
use perf_model::row::Value;

pub(crate) const FORMAT: Format = Format {
    name: "pytest-benchmark",
    about: "pytest-benchmark --benchmark-json: time of every round, operations per second",
    samples: Samples::Iterations,
    looks_like,
    kind: Kind::Document(read),
};

fn looks_like(head: &[u8]) -> Likeness {
    let has = |keys: &[&str]| json::has_keys(head, b"{", keys);
    match has(&["benchmarks"]) {
        true if has(&["stats", "fullname"]) || has(&["machine_info", "commit_info"]) => Likeness::Yes,
        true if has(&["machine_info"]) => {
            Likeness::Near("has `machine_info` and `benchmarks`, but no `stats`")
        }
        _ => Likeness::No,
    }
}

#[derive(Deserialize)]
#[serde(expecting = "a benchmark")]
struct Test<'a> {
    name: String,
    /// The name with the file, and with the parameters.
    fullname: Option<String>,
    /// What the test noted beside; its numbers are measured as well.
    #[serde(default, borrow)]
    extra_info: Fields<'a>,
    stats: Stats,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Stats {
    median: Number,
    stddev: Number,
    min: Number,
    max: Number,
    ops: Number,
    rounds: Option<i64>,
    data: Vec<Loose>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Machine {
    system: Option<String>,
    #[serde(rename = "machine")]
    architecture: Option<String>,
    python_implementation: Option<String>,
    python_version: Option<String>,
    cpu: Cpu,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Cpu {
    brand_raw: Option<String>,
    brand: Option<String>,
}

#[derive(Deserialize)]
struct Commit {
    id: Option<String>,
}

/// The machine of a document, and the tests that wait for it.
#[derive(Default)]
struct Report {
    machine: Option<Machine>,
    commit: Option<Commit>,
    tests: Vec<Waiting>,
    /// The bytes of the tests that wait.
    held: usize,
}

/// A test's rows before it is known where they were measured.
struct Waiting {
    line: u64,
    scenario: String,
    samples: Vec<Option<Value>>,
    summary: Vec<(String, Option<Value>)>,
}

impl Waiting {
    fn bytes(&self) -> usize {
        let summary = self.summary.iter().map(|(name, _)| name.len() + size_of::<(String, Option<Value>)>());
        size_of::<Self>() + self.scenario.len() + size_of_val(&*self.samples) + summary.sum::<usize>()
    }
}

const PATTERNS: &[&[&str]] = &[&["benchmarks", "*"], &["machine_info"], &["commit_info"]];

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    json::documents(source, sink, PATTERNS, Report::piece, |mut report, sink| report.give(sink))
}

impl Report {
    fn piece(&mut self, piece: &Piece<'_>, sink: &mut RowCollector<'_>) {
        match piece.pattern {
            0 => {
                let Some(test) = piece.parse::<Test<'_>>(sink) else { return };
                self.tests.push(test.waiting(piece.line));
                if self.machine.is_some() && self.commit.is_some() {
                    self.give(sink);
                } else {
                    self.held += self.tests.last().map_or(0, Waiting::bytes);
                    sink.hold(self.held);
                }
            }
            1 => self.machine = piece.parse(sink),
            _ => self.commit = piece.parse(sink),
        }
    }

    /// Gives the rows of the tests that wait.
    fn give(&mut self, sink: &mut RowCollector<'_>) {
        self.held = 0;
        sink.hold(0);
        let machine = self.machine.get_or_insert_default();
        let (platform, class) = (machine.platform(), machine.class());
        let commit = self.commit.as_ref().and_then(|commit| commit.id.as_deref()).unwrap_or_default();
        for test in self.tests.drain(..) {
            let cells = Cells {
                platform: &platform,
                commit,
                machine_class: class.as_deref(),
                ..Cells::of(&test.scenario)
            };
            sink.samples(test.line, &cells, "timeS", &test.samples);
            if test.samples.is_empty() || says_something(&test.summary) {
                let summary = test.summary.iter().map(|(metric, value)| (metric.as_str(), *value));
                sink.measured(test.line, &cells, summary);
            }
        }
    }
}

impl Machine {
    /// `Linux x86_64, CPython 3.11`: another Python is another program.
    fn platform(&self) -> String {
        let words = |words: [&Option<String>; 2]| {
            words.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ")
        };
        let minor = self
            .python_version
            .as_ref()
            .map(|version| version.split('.').take(2).collect::<Vec<_>>().join("."));
        let parts = [words([&self.system, &self.architecture]), words([&self.python_implementation, &minor])];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }

    fn class(&self) -> Option<String> {
        self.cpu.brand_raw.as_deref().or(self.cpu.brand.as_deref()).map(machine_class)
    }
}

impl Test<'_> {
    fn waiting(self, line: u64) -> Waiting {
        let Stats { median, stddev, min, max, ops, rounds, data } = self.stats;
        let scenario = self.fullname.unwrap_or(self.name);
        let mut samples: Vec<Option<Value>> = data.into_iter().map(|round| round.0).collect();
        let measured = samples.iter().flatten().count();
        // A file may be stripped of most of them.
        let are_missing =
            rounds.is_some_and(|rounds| usize::try_from(rounds).is_ok_and(|all| all > measured));
        if are_missing && median.0.is_some() {
            samples.clear();
        }
        let headline = [("timeS", median), ("timeS.stddev", stddev), ("timeS.min", min), ("timeS.max", max)];
        let headline = headline.into_iter().filter(|_| samples.is_empty());
        let summary =
            headline.chain([("meanOpsPerSecond", ops)]).map(|(metric, number)| (metric.to_owned(), number.0));
        let noted = self.extra_info.numbers().map(|(name, value)| (name.to_owned(), Some(value)));
        let summary = summary.chain(noted).collect();
        Waiting { line, scenario, samples, summary }
    }
}
