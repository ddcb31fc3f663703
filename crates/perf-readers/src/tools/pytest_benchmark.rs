//! pytest-benchmark's JSON: for each test the time of every round, in seconds, and statistics of them.
//!
//! Where machine and commit come before the tests, the rows of each test are passed on at once. Otherwise they wait.

use serde::Deserialize;

use crate::tools::common::names::minor_version;
use crate::tools::common::prelude::*;

pub(crate) const FORMAT: Format = Format {
    name: "pytest-benchmark",
    about: "pytest-benchmark --benchmark-json: time of every round, operations per second",
    samples: Samples::Iterations,
    looks_like: |head| json::likeness(head, b"{", KEYS),
    kind: Kind::Document(read),
};

const KEYS: &[(&[&str], Likeness)] = &[
    (&["benchmarks", "stats", "fullname"], Likeness::Yes),
    (&["benchmarks", "machine_info", "commit_info"], Likeness::Yes),
    (&["benchmarks", "machine_info"], Likeness::Near("has `machine_info` and `benchmarks`, but no `stats`")),
];

#[derive(Deserialize)]
#[serde(expecting = "a benchmark")]
struct Test<'a> {
    name: String,
    /// The name with the file, and with the parameters.
    fullname: Option<String>,
    /// What the test noted beside; its numbers are measured as well.
    #[serde(default, borrow)]
    extra_info: Json<'a>,
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
    summary: Metrics,
}

impl Waiting {
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.scenario.len() + size_of_val(&*self.samples) + self.summary.bytes()
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
            if test.samples.is_empty() || !test.summary.is_empty() {
                sink.measured(test.line, &cells, &test.summary);
            }
        }
    }
}

impl Machine {
    /// `Linux x86_64, CPython 3.11`: another Python is another program.
    fn platform(&self) -> String {
        let Self { system, architecture, python_implementation, python_version, .. } = self;
        let [system, architecture, python, version] =
            [system, architecture, python_implementation, python_version]
                .map(|part| part.as_deref().unwrap_or_default());
        let machine = joined([system, architecture], " ");
        let python = joined([python, minor_version(version)], " ");
        joined([&*machine, &*python], ", ")
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
        let mut summary = Metrics::default();
        if samples.is_empty() {
            let parts = [("", median), (".stddev", stddev), (".min", min), (".max", max)];
            summary.add_parts("timeS", parts.map(|(part, number)| (part, number.0)));
        }
        summary.add("meanOpsPerSecond", ops.0);
        summary.extend(self.extra_info.numbers().map(|(name, value)| (name.to_owned(), Some(value))));
        Waiting { line, scenario, samples, summary }
    }
}
