//! Reads what one package prints, line by line.

use std::rc::Rc;

use crate::formats::common::prelude::*;
use crate::formats::go::found::{Context, Out, Result, without_processors};
use crate::formats::go::labels::{Labels, label};
use crate::formats::go::numbers::{Numbers, numbers, result};
use crate::rows::sections::title_of;
use perf_model::finding::FindingKind;

/// The package whose lines are read.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Package {
    /// The last one has ended, and no other has begun.
    #[default]
    Ended,
    Running,
    /// A panic ended the program, and its stack is being printed.
    Panicked,
    /// A benchmark failed.
    Failed,
    /// A benchmark failed, and the test binary ended with `FAIL`.
    FailedAndEnded,
}

#[derive(Default)]
pub(crate) struct Stream {
    context: Rc<Context>,
    /// Other configuration lines, which stay in force until they come again.
    labels: Rc<Labels>,
    /// The keys of the context since the last result: `goos` begins another context, in which only these are known.
    header: Option<Vec<String>>,
    /// A name whose result is on a later line, as what the benchmark itself printed stands between.
    begun: Option<(u64, String)>,
    package: Package,
    /// The line `FAIL` of a test binary that no line of `go test` explains.
    fail: Option<u64>,
    /// True if `go test` said which package failed: after all packages, it ends with `FAIL`.
    has_failed_package: bool,
    /// The first line of the package that has not ended yet, and whether it had results.
    open: Option<(u64, bool)>,
    packages: u64,
    /// The number of runs of a test binary that have ended.
    processes: u32,
    /// True if the last line of any package was read: a filter of these lines removes all of them.
    has_ended: bool,
}

impl Stream {
    /// Reads a line; true if it is one of Go's.
    pub(crate) fn line(&mut self, number: u64, line: &[u8], out: &mut Out<'_, '_>) -> bool {
        match line.first() {
            Some(b'B') if line.starts_with(b"Benchmark") => {
                self.benchmark(number, &text(line), out)
            }
            Some(b'U') => match line.strip_prefix(b"Unit ").map(text) {
                Some(unit) if unit.contains('=') => {
                    if let Err(word) = out.found.declare(&unit) {
                        out.sink
                            .skip(number, line, || format!("unknown unit attribute `{word}`"));
                    }
                    true
                }
                _ => false,
            },
            Some(b'P' | b'F' | b'o')
                if line == b"PASS" || line == b"FAIL" || line.starts_with(b"ok  \t") =>
            {
                self.package_ended();
                if line == b"FAIL" {
                    self.binary_failed(number);
                } else {
                    self.package = Package::Ended;
                }
                false
            }
            Some(b'a'..=b'z') => self.context(number, line, out),
            Some(b' ' | b'\t' | b'-') => match line.trim_ascii_start() {
                line if line.starts_with(b"--- ") => self.outcome(number, &text(line), out),
                line if self.begun.is_some() && line.first().is_some_and(u8::is_ascii_digit) => {
                    self.rest(number, &text(line), out)
                }
                _ => false,
            },
            // What a benchmark prints is no title, nor the package of a warning.
            Some(b'=' | b'#') if self.open.is_none() && !line.starts_with(b"# ") => {
                if let Some((_, title)) = title_of(&text(line)) {
                    Rc::make_mut(&mut self.labels).set(("section".to_owned(), title.to_owned()));
                }
                false
            }
            Some(b'F') => match line.strip_prefix(b"FAIL\t") {
                Some(package) => self.package_failed(number, &text(package), out),
                None => false,
            },
            _ => self.package == Package::Panicked && self.stack(number, line, out),
        }
    }

    /// Reads a last line without a line end. A number whose unit may be cut off is reported, not read.
    pub(crate) fn unended(&mut self, number: u64, line: &[u8], out: &mut Out<'_, '_>) -> bool {
        let plain = text(line);
        let numbers = match &self.begun {
            Some(_) if !plain.starts_with("Benchmark") => numbers(&plain),
            _ => result(&plain).map(|(_, numbers)| numbers),
        };
        let values = numbers
            .and_then(std::result::Result::ok)
            .map(|numbers| numbers.values)
            .unwrap_or_default();
        let last = values
            .last()
            .filter(|(_, unit)| plain.ends_with(unit) && !out.found.knows(unit));
        let Some((_, unit)) = last else {
            // Behind a space more would follow.
            let name = plain.trim_end();
            let is_name = name.starts_with("Benchmark")
                || (!name.is_empty() && "Benchmark".starts_with(name));
            let goes_on = if values.is_empty() {
                is_name && !name.contains(char::is_whitespace) && !plain.contains('\t')
            } else {
                plain.len() > name.len()
            };
            if goes_on {
                out.sink.skip_cut_off(number, line);
            }
            return self.line(number, line, out) || goes_on;
        };
        out.sink.skip_cut_off(number, line);
        if values.len() == 1 {
            self.begun = None;
            return true;
        }
        let before = plain[..plain.len() - unit.len()].trim_end();
        let before = before.trim_end_matches(|c: char| !c.is_whitespace());
        self.line(number, before.as_bytes(), out)
    }

    /// A result, or a name whose result comes later.
    fn benchmark(&mut self, number: u64, line: &str, out: &mut Out<'_, '_>) -> bool {
        let parts = || line.split_at(line.find(char::is_whitespace).unwrap_or(line.len()));
        let says_outcome = |rest: &str| {
            ["--- FAIL: Benchmark", "--- SKIP: Benchmark"]
                .iter()
                .any(|outcome| rest.starts_with(outcome))
        };
        match result(line) {
            Some((name, Ok(numbers))) => {
                self.forget(out);
                self.measured((number, number), name, numbers, out);
            }
            Some((_, Err(problem))) => out.sink.skip(number, line.as_bytes(), || problem),
            // The line end between two results was lost.
            None if line.contains("/opBenchmark") => {
                let (first, second) =
                    line.split_at(line.find("/opB").map_or(line.len(), |at| at + 3));
                return self.benchmark(number, first, out) | self.benchmark(number, second, out);
            }
            None if says_outcome(parts().1.trim()) => {
                self.forget(out);
                let (name, rest) = parts();
                self.begun = Some((number, name.to_owned()));
                return self.outcome(number, rest.trim(), out);
            }
            None if parts().1.trim_start_matches(' ').starts_with('\t') => {
                self.forget(out);
                self.begun = Some((number, parts().0.to_owned()));
            }
            None => {
                return self.package == Package::Panicked
                    && self.stack(number, line.as_bytes(), out);
            }
        }
        true
    }

    /// The result of the name that has begun, on a line of its own.
    fn rest(&mut self, number: u64, line: &str, out: &mut Out<'_, '_>) -> bool {
        let Some(Ok(numbers)) = numbers(line) else {
            return false;
        };
        if let Some((begun, name)) = self.begun.take() {
            self.measured((begun, number), &name, numbers, out);
        }
        true
    }

    /// Takes the numbers of a benchmark, whose name and whose numbers stand on these lines. One without a round was
    /// left out.
    fn measured(
        &mut self,
        (begun, number): (u64, u64),
        name: &str,
        numbers: Numbers<'_>,
        out: &mut Out<'_, '_>,
    ) {
        let Numbers {
            rounds,
            values,
            not_finite,
        } = numbers;
        self.header = None;
        if matches!(self.package, Package::Ended | Package::FailedAndEnded) {
            self.package = Package::Running;
        }
        if let Some((_, has_results)) = &mut self.open {
            *has_results = true;
        }
        match not_finite {
            Some(_) if rounds == 0 => {
                return out
                    .found
                    .add_written(&self.result(begun, name, Outcome::Skipped));
            }
            Some(problem) => {
                out.sink.skip(number, name.as_bytes(), || problem);
                if values.is_empty() {
                    return;
                }
            }
            None => {}
        }
        out.found.add_written(&Result {
            values: &values,
            ..self.result(begun, name, Outcome::Measured)
        });
    }

    fn result<'r>(&'r self, line: u64, name: &'r str, outcome: Outcome) -> Result<'r> {
        let Self {
            context,
            labels,
            processes,
            ..
        } = self;
        Result {
            line,
            context,
            labels,
            name,
            outcome,
            process: *processes,
            values: &[],
        }
    }

    /// `goos: linux` and its like, in any order.
    fn context(&mut self, number: u64, line: &[u8], out: &mut Out<'_, '_>) -> bool {
        if line.starts_with(b"panic: ") {
            self.package = Package::Panicked;
            return true;
        }
        let begins = line.starts_with(b"goos: ") || line.starts_with(b"pkg: ");
        if self.package == Package::Panicked && !begins {
            return self.stack(number, line, out);
        }
        if self.begun.is_some() {
            return false; // what a benchmark prints
        }
        let known = [&b"goos: "[..], b"goarch: ", b"pkg: ", b"cpu: ", b"commit: "];
        if !known.iter().any(|key| line.starts_with(key)) {
            if let Some(label) = label(line) {
                Rc::make_mut(&mut self.labels).set(label);
            }
            return false; // which may be anything else
        }
        if begins {
            self.report_fail(out);
            self.package = Package::Running;
        }
        let line = text(line);
        let (key, value) = line.split_once(": ").unwrap_or_default();
        let value = value.trim().to_owned();
        let context = Rc::make_mut(&mut self.context);
        let header = self.header.get_or_insert_default();
        match key {
            "goos" => context.begin(value, header),
            "goarch" => context.goarch = value,
            "pkg" => {
                // Only what `go test` itself prints has a system before its packages, and an end.
                self.open = (!context.goos.is_empty()).then_some((number, false));
                self.packages += 1;
                context.package = value;
            }
            "cpu" => context.machine_class = machine_class(&value),
            _ if value.len() >= 7 && value.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                context.commit = value;
            }
            _ => return false,
        }
        header.push(key.to_owned());
        true
    }

    /// `--- FAIL: BenchmarkName`.
    fn outcome(&mut self, number: u64, line: &str, out: &mut Out<'_, '_>) -> bool {
        let outcome = match line
            .get(4..)
            .and_then(|rest| rest.split_once(": Benchmark"))
        {
            Some(("FAIL", _)) => Outcome::Failed,
            Some(("SKIP", _)) => Outcome::Skipped,
            Some(("BENCH", _)) => return true,
            _ => return false,
        };
        let name = line[10..].split_whitespace().next().unwrap_or_default();
        if outcome == Outcome::Failed {
            self.package = Package::Failed;
        }
        let is_same = |begun: &str| begun == name || without_processors(begun) == name;
        if let Some((_, begun)) = self.begun.take_if(|(_, begun)| is_same(begun)) {
            out.found.add_written(&self.result(number, &begun, outcome));
        } else {
            self.forget(out);
            out.found.add(&self.result(number, name, outcome));
        }
        true
    }

    /// A line of the stack of a panic, which names the benchmark that it ended: `example.com/p.BenchmarkX(…)`.
    fn stack(&mut self, number: u64, line: &[u8], out: &mut Out<'_, '_>) -> bool {
        let package = self.context.package.as_bytes();
        let Some(function) = line
            .strip_prefix(package)
            .and_then(|rest| rest.strip_prefix(b"."))
        else {
            return false;
        };
        let end = function.iter().position(|byte| matches!(byte, b'.' | b'('));
        let Some(name) = end
            .map(|end| &function[..end])
            .filter(|name| name.starts_with(b"Benchmark"))
        else {
            return false;
        };
        (self.begun, self.package) = (None, Package::Failed);
        out.found
            .add(&self.result(number, &text(name), Outcome::Failed));
        true
    }

    /// `FAIL example.com/p 0.5s`, or `FAIL example.com/p [build failed]`.
    fn package_failed(&mut self, number: u64, rest: &str, out: &mut Out<'_, '_>) -> bool {
        self.package_ended();
        (self.fail, self.has_failed_package) = (None, true);
        let (package, why) = rest.split_once(['\t', ' ']).unwrap_or((rest, ""));
        if let Some((begun, name)) = self.begun.take() {
            self.package = Package::Failed;
            out.found
                .add_written(&self.result(begun, &name, Outcome::Failed));
        }
        if why.starts_with('[') {
            let why = why.trim_matches(['[', ']']);
            out.sink
                .skip_as(FindingKind::Failed, number, rest.as_bytes(), || {
                    format!("no benchmark of `{package}` ran: {why}")
                });
        } else if ![Package::Failed, Package::FailedAndEnded].contains(&self.package) {
            out.sink
                .skip_as(FindingKind::Failed, number, rest.as_bytes(), || {
                    format!("`{package}` failed: results may be missing")
                });
        }
        self.package = Package::Ended;
        true
    }

    /// `FAIL`, with which a test binary ends, and `go test` after all packages if it named one that failed.
    fn binary_failed(&mut self, number: u64) {
        self.package = match self.package {
            Package::Failed => Package::FailedAndEnded,
            Package::Ended if self.has_failed_package => {
                self.has_failed_package = false;
                Package::Ended
            }
            _ => {
                self.fail = Some(number);
                Package::Ended
            }
        };
    }

    /// Reports a `FAIL` that no line of `go test` explains.
    fn report_fail(&mut self, out: &mut Out<'_, '_>) {
        if let Some(number) = self.fail.take() {
            out.sink.skip_as(FindingKind::Failed, number, b"FAIL", || {
                "a test binary failed: results may be missing".to_owned()
            });
        }
    }

    /// Reports a name whose result is missing.
    fn forget(&mut self, out: &mut Out<'_, '_>) {
        if let Some((line, name)) = self.begun.take() {
            out.sink.skip(line, name.as_bytes(), || {
                format!("missing result of `{name}`")
            });
        }
    }

    fn package_ended(&mut self) {
        self.processes += 1;
        self.header = None;
        (self.open, self.has_ended) = (None, true);
    }

    pub(crate) fn end(&mut self, out: &mut Out<'_, '_>) {
        self.forget(out);
        self.report_fail(out);
        if let Some((line, true)) = self.open.take_if(|_| self.has_ended || self.packages == 1) {
            let package = &self.context.package;
            out.sink.skip(line, package.as_bytes(), || {
                format!("output of `{package}` is cut off: no `PASS` or `FAIL` line")
            });
        }
    }
}
