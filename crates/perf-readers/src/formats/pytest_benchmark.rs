//! pytest-benchmark's JSON, which contains the time of every round of each test, in seconds, and statistics.
//!
//! If the machine and the commit precede the tests, each test's rows are emitted immediately. Otherwise they are
//! emitted at the end of the document.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("pytest-benchmark")
    .about("pytest-benchmark --benchmark-json: time of every round, operations per second")
    .samples(Samples::Iterations)
    .keys("{", KEYS)
    .document(|input, sink| {
        json::documents(input, sink, PATTERNS, Report::piece, |mut report, sink| {
            report.give(sink);
        });
    });

const KEYS: KeySets = &[
    (&["benchmarks", "stats", "fullname"], Likeness::Yes),
    (
        &["benchmarks", "machine_info", "commit_info"],
        Likeness::Yes,
    ),
    (
        &["benchmarks", "machine_info"],
        Likeness::Near("has `machine_info` and `benchmarks`, but no `stats`"),
    ),
];

const HEADLINE: [(&str, &str); 4] = [
    ("timeS", "median"),
    ("timeS.stddev", "stddev"),
    ("timeS.min", "min"),
    ("timeS.max", "max"),
];

const TEST: Shape = Shape::of("a benchmark", &["name", "stats"]);

/// The document's machine, and the tests that wait for it.
#[derive(Default)]
struct Report {
    machine: Option<Provenance>,
    commit: Option<String>,
    tests: Vec<Waiting>,
}

/// A test's rows before their machine is known.
struct Waiting {
    line: u64,
    scenario: String,
    samples: Vec<Option<Value>>,
    summary: Metrics,
}

impl Waiting {
    fn of(test: &Json<'_>, line: u64) -> Self {
        let stats = test.at("stats");
        // The full name contains the file and the parameters.
        let scenario = test
            .text("fullname")
            .unwrap_or(test.text_or_empty("name"))
            .to_owned();
        let mut samples = stats.samples("data");
        let measured = samples.iter().flatten().count();
        // If most rounds were removed from the file to make it smaller, the statistics are used.
        let rounds = stats
            .whole("rounds")
            .and_then(|rounds| usize::try_from(rounds).ok());
        let are_missing = rounds.is_some_and(|all| all > measured);
        if are_missing && stats.number("median").is_some() {
            samples.clear();
        }
        let mut summary = if samples.is_empty() {
            stats.metrics(&HEADLINE)
        } else {
            Metrics::default()
        };
        summary.add("meanOpsPerSecond", stats.number("ops"));
        // Numbers that the test recorded are also measurements.
        let noted = test.at("extra_info").numbers();
        summary.extend(noted.map(|(name, value)| (name.to_owned(), Some(value))));
        Self {
            line,
            scenario,
            samples,
            summary,
        }
    }
}

const PATTERNS: &[&[&str]] = &[&["benchmarks", "*"], &["machine_info"], &["commit_info"]];

impl Report {
    fn piece(&mut self, piece: &Piece<'_>, sink: &mut Rows<'_>) {
        match piece.pattern {
            0 => {
                let Some(test) = piece.object(TEST, sink) else {
                    return;
                };
                self.tests.push(Waiting::of(&test, piece.line));
                if self.machine.is_some() && self.commit.is_some() {
                    self.give(sink);
                }
            }
            1 => {
                let machine = piece.object(Shape::of("a machine", &[]), sink);
                self.machine = machine.as_ref().map(place_of);
            }
            _ => {
                let commit = piece.object(Shape::of("a commit", &[]), sink);
                self.commit = commit.map(|commit| commit.text_or_empty("id").to_owned());
            }
        }
    }

    /// Emits the waiting tests' rows.
    fn give(&mut self, sink: &mut Rows<'_>) {
        let machine = self.machine.get_or_insert_default();
        let commit = self.commit.as_deref().unwrap_or_default();
        for test in self.tests.drain(..) {
            let cells = Cells {
                commit,
                ..machine.cells(&test.scenario)
            };
            sink.samples(test.line, &cells, "timeS", &test.samples);
            if test.samples.is_empty() || !test.summary.is_empty() {
                sink.measured(test.line, &cells, &test.summary);
            }
        }
    }
}

/// Returns the machine's provenance. Its platform contains the Python implementation, because results of different
/// implementations are not comparable.
fn place_of(machine: &Json<'_>) -> Provenance {
    let text = |key| machine.text_or_empty(key);
    let python = [
        text("python_implementation"),
        minor_version(text("python_version")),
    ];
    let cpu = machine.text("cpu/brand_raw").or(machine.text("cpu/brand"));
    place([text("system"), text("machine")], python, cpu)
}
