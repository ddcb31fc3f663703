//! Rust's built-in harness, and harnesses that imitate it: `test parse::short ... bench:       3,161 ns/iter (+/- 975)
//! = 250 MB/s`.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("libtest")
    .about("cargo bench with Rust's own harness: time and throughput with margins; ignored and failed benchmarks")
    .contains(&["bench:"])
    .looks_like(|head| has_line(head, "bench:", |line| line.contains("/iter (+/- ")).into())
    .lines::<Lines>();

#[derive(Default)]
struct Lines {
    /// The binary that Cargo runs. Benchmarks of several binaries may have the same name.
    binary: Option<String>,
    /// Whether one of the tests so far was a benchmark.
    has_measured: bool,
    run: Option<Run>,
    /// A test whose result follows after other output: its line and name.
    open: Option<(u64, String)>,
    /// Ignored benchmarks, with their lines. If nothing was measured, they are ordinary tests, which `cargo bench`
    /// lists as ignored.
    ignored: Vec<(u64, String)>,
}

/// The tests of one binary, which announced how many there are.
struct Run {
    line: u64,
    tests: u64,
    seen: u64,
    /// The number of measured benchmarks.
    measured: u64,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        if line.starts_with("test result: ") {
            // Lines of other tests may have been filtered out, but every measured benchmark must be present.
            let run = self.run.take();
            self.end(sink);
            if let (Some(run), Some(measured)) = (run, measured_count(line)) {
                sink.expect_results(number, "benchmarks", measured, run.measured);
            }
            return false;
        }
        if let Some(test) = line.strip_prefix("test ") {
            return self.test(number, test, sink);
        }
        if let Some(result) = line.strip_prefix("bench:")
            && let Some((_, name)) = self.open.take()
        {
            self.measured(number, &name, result, sink);
            return true;
        }
        if line == "ok" {
            self.open = None;
        } else if let Some(tests) = announced_tests(line) {
            self.end(sink);
            self.run = Some(Run {
                line: number,
                tests,
                seen: 0,
                measured: 0,
            });
        } else if let Some(binary) = cargo::binary(line) {
            self.end(sink);
            self.binary = Some(binary.to_owned());
        }
        false
    }

    fn end(&mut self, sink: &mut Rows<'_>) {
        self.report_open(sink);
        if let Some(run) = self.run.take().filter(|run| run.seen < run.tests) {
            sink.expect_results(run.line, "tests", run.tests, run.seen);
        }
        let has_measured = std::mem::take(&mut self.has_measured);
        for (number, name) in self.ignored.drain(..).filter(|_| has_measured) {
            sink.without_metrics(number, &Cells::of(&name), Outcome::Skipped);
        }
    }
}

/// Returns the number of measured benchmarks in
/// `test result: ok. 0 passed; 0 failed; 0 ignored; 2 measured; 0 filtered out`.
fn measured_count(line: &str) -> Option<u64> {
    let parts = line.split(';').map(str::trim);
    let mut counts = parts.filter_map(|part| part.strip_suffix(" measured"));
    counts.next()?.parse().ok()
}

/// Returns the number of tests in `running 3 tests`.
fn announced_tests(line: &str) -> Option<u64> {
    let (count, noun) = line.strip_prefix("running ")?.split_once(' ')?;
    count
        .parse()
        .ok()
        .filter(|_| ["test", "tests"].contains(&noun))
}

impl Lines {
    /// Reads the text after `test `, which contains a test's result. Returns `false` if it may be an ordinary test.
    fn test(&mut self, number: u64, test: &str, sink: &mut Rows<'_>) -> bool {
        let Some((name, result)) = test.split_once(" ... ") else {
            return false;
        };
        self.report_open(sink);
        if let Some(run) = &mut self.run {
            run.seen += 1;
        }
        if let Some((_, measured)) = result.split_once("bench:") {
            self.measured(number, name, measured, sink);
            return true;
        }
        match result.split(',').next().unwrap_or_default().trim() {
            "ignored" => self.ignored.push((number, self.named(name))),
            "FAILED" => {
                let name = self.named(name);
                sink.without_metrics(number, &Cells::of(&name), Outcome::Failed);
            }
            "ok" => return false,
            _ => {
                self.open = Some((number, name.to_owned()));
                return false;
            }
        }
        true
    }

    fn named(&self, name: &str) -> String {
        match &self.binary {
            Some(binary) => format!("{binary}::{}", name.trim()),
            None => name.trim().to_owned(),
        }
    }

    /// Reports a test without a result. If nothing was measured, it may be an ordinary test and is not reported.
    fn report_open(&mut self, sink: &mut Rows<'_>) {
        if let Some((line, name)) = self.open.take().filter(|_| self.has_measured) {
            sink.skip(line, &name, || format!("missing result of `{name}`"));
        }
    }

    /// Reads a benchmark's result, `3,161 ns/iter (+/- 975) = 250 MB/s`. The last part may be missing. A harness that
    /// measures something other than time prints its own unit: `1,234 cycles/iter`.
    fn measured(&mut self, number: u64, name: &str, result: &str, sink: &mut Rows<'_>) {
        self.has_measured = true;
        if let Some(run) = &mut self.run {
            run.measured += 1;
        }
        let name = self.named(name);
        let Some(metrics) = metrics(result, sink) else {
            return sink.skip(number, &name, || "not `N ns/iter (+/- N)`".to_owned());
        };
        sink.measured(number, &Cells::of(&name), &metrics);
    }
}

fn metrics(result: &str, sink: &mut Rows<'_>) -> Option<Metrics> {
    let words: Vec<&str> = result.split_ascii_whitespace().collect();
    let [cost, unit, "(+/-", margin, rest @ ..] = &words[..] else {
        return None;
    };
    let (unit, margin) = (unit.strip_suffix("/iter")?, margin.strip_suffix(')')?);
    let is_time = nanoseconds("1", unit).is_some();
    let is_word = !unit.is_empty() && unit.bytes().all(|byte| byte.is_ascii_alphabetic());
    let value = |number| {
        if is_time {
            nanoseconds(number, unit)
        } else {
            quantity(number, unit, unit).filter(|_| is_word)
        }
    };
    let (cost, margin) = (value(cost)?, value(margin)?.as_f64());
    let metric = if is_time { "timeNs" } else { unit };
    if !is_time && Meaning::of_name(metric).direction == Direction::Unknown {
        sink.means(metric, Unit::None, Direction::Lower);
    }
    // Rounding removes the error of the subtraction. Times are never negative.
    let end = |end: f64| Value::parse(&format!("{:.6}", end.max(0.0)));
    let ends = [
        ("", Some(cost)),
        (".lower", end(cost.as_f64() - margin)),
        (".upper", end(cost.as_f64() + margin)),
    ];
    let mut metrics = Metrics::default();
    metrics.add_parts(metric, ends);
    match rest {
        [] => {}
        ["=", number, unit] => {
            let (metric, value) = throughput(number, unit)?;
            metrics.add(metric.to_owned(), Some(value));
        }
        _ => return None,
    }
    Some(metrics)
}

/// Returns the metric and the throughput per second, without a prefix such as M. The unit is bytes or another word,
/// such as `S` in `3 MS/s`.
fn throughput<'t>(number: &str, unit: &'t str) -> Option<(&'t str, Value)> {
    let base = unit
        .strip_prefix(['K', 'M', 'G', 'T'])
        .filter(|base| !base.starts_with('/'))
        .unwrap_or(unit);
    let metric = if base == "B/s" {
        "bytesPerSecond"
    } else {
        base
    };
    base.ends_with("/s")
        .then_some((metric, quantity(number, unit, base)?))
}
