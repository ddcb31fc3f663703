//! Reads the output of one package, line by line.

use std::rc::Rc;

use crate::formats::common::prelude::*;
use crate::formats::go::results::{Context, Labels, Measured, Results, without_processors};
use crate::rows::sections::title_of;

/// The maximum number of configuration keys. If there are more, the lines are a program's log.
const MOST_KEYS: usize = 16;

/// The maximum length of a configuration value in bytes.
const LONGEST_LABEL: usize = 100;

/// Keys that belong to a program's log rather than to the configuration.
const LOGGED: [&str; 9] = [
    "error",
    "warning",
    "warn",
    "info",
    "debug",
    "fatal",
    "exit",
    "goroutine",
    "got",
];

/// The state of the current package.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// The last package has ended, and no other has begun.
    #[default]
    Ended,
    Running,
    /// A panic ended the program; its stack trace follows.
    Panicked,
    /// A benchmark failed.
    Failed,
    /// A benchmark failed, and the test binary ended with `FAIL`.
    FailedAndEnded,
}

#[derive(Default)]
pub(super) struct PackageOutput {
    context: Rc<Context>,
    /// Other configuration lines. Each one applies until a line with the same key follows.
    labels: Rc<Labels>,
    /// The context keys since the last result. `goos` begins a new context, which keeps only the values of these keys.
    header: Vec<String>,
    /// A name whose result is on a later line, because the benchmark printed text in between. The number is the name's
    /// line.
    begun: Option<(u64, String)>,
    state: State,
    /// A test binary's `FAIL` line, if `go test` has not yet printed which package failed.
    fail: Option<u64>,
    /// Whether `go test` printed which package failed. If so, it prints another `FAIL` after all packages.
    has_failed_package: bool,
    /// The current package's first line, and whether a result followed it.
    open: Option<(u64, bool)>,
    packages: u64,
    /// The number of test binaries that have ended.
    processes: u32,
}

impl PackageOutput {
    /// Reads a line. Returns `true` if no other reader needs to see it.
    pub(super) fn line(
        &mut self,
        number: u64,
        line: &str,
        results: &mut Results,
        sink: &mut Rows<'_>,
    ) -> bool {
        if line.starts_with("Benchmark") {
            return self.benchmark(number, line, results, sink);
        }
        if let Some(unit) = line.strip_prefix("Unit ")
            && unit.contains('=')
        {
            if let Some(word) = results.declare(unit) {
                sink.skip(number, line, || format!("unknown unit attribute `{word}`"));
            }
            return true;
        }
        if line == "PASS" || line == "FAIL" || line.starts_with("ok  \t") {
            self.package_ended();
            if line == "FAIL" {
                self.binary_failed(number);
            } else {
                self.state = State::Ended;
            }
            return false;
        }
        if let Some(package) = line.strip_prefix("FAIL\t") {
            self.package_failed(number, package, results, sink);
            return true;
        }
        match line.chars().next() {
            Some('a'..='z') => self.configuration(number, line, results, sink),
            Some(' ' | '\t' | '-') => {
                let line = line.trim_start();
                if line.starts_with("--- ") {
                    return self.outcome(number, line, results, sink);
                }
                line.starts_with(|c: char| c.is_ascii_digit())
                    && self.numbers_of_begun(number, line, results, sink)
            }
            // Inside a package, a benchmark may have printed the line. `# ` begins the heading of a package's compiler
            // warnings.
            Some('=' | '#') if self.open.is_none() && !line.starts_with("# ") => {
                if let Some((_, title)) = title_of(line) {
                    self.set_label("section", title);
                }
                false
            }
            _ => self.stack(number, line, results),
        }
    }

    /// Reads the last line, which has no line end. If its last number's unit may be cut off, the number is reported
    /// instead of read.
    pub(super) fn unended(
        &mut self,
        number: u64,
        line: &str,
        results: &mut Results,
        sink: &mut Rows<'_>,
    ) -> bool {
        let read = match &self.begun {
            Some(_) if !line.starts_with("Benchmark") => numbers(line),
            _ => result(line).map(|(_, numbers)| numbers),
        };
        let values = match read {
            Some(Ok(numbers)) => numbers.values,
            _ => Vec::new(),
        };
        if let Some((_, unit)) = values.last()
            && line.ends_with(unit)
            && !results.knows(unit)
        {
            sink.skip_cut_off(number, line);
            if values.len() == 1 {
                self.begun = None;
                return true;
            }
            let before = line[..line.len() - unit.len()].trim_end();
            let before = before.trim_end_matches(|c: char| !c.is_whitespace());
            return self.line(number, before, results, sink);
        }
        let name = line.trim_end();
        let goes_on = if values.is_empty() {
            let may_be_name = !name.is_empty() && "Benchmark".starts_with(name);
            (name.starts_with("Benchmark") || may_be_name)
                && !name.contains(char::is_whitespace)
                && !line.contains('\t')
        } else {
            // A space at the end shows that more text would follow.
            line.len() > name.len()
        };
        if goes_on {
            sink.skip_cut_off(number, line);
        }
        self.line(number, line, results, sink) || goes_on
    }

    /// Reads a result, or a name whose result follows later.
    fn benchmark(
        &mut self,
        number: u64,
        line: &str,
        results: &mut Results,
        sink: &mut Rows<'_>,
    ) -> bool {
        match result(line) {
            Some((name, Ok(numbers))) => {
                self.report_missing_result(sink);
                self.add(number, number, name, numbers, results, sink);
                return true;
            }
            Some((_, Err(problem))) => {
                sink.skip(number, line, || problem);
                return true;
            }
            None => {}
        }
        let (name, rest) = line.split_at(line.find(char::is_whitespace).unwrap_or(line.len()));
        let outcome = rest.trim();
        let has_outcome = outcome.starts_with("--- FAIL: Benchmark")
            || outcome.starts_with("--- SKIP: Benchmark");
        if !has_outcome && !rest.trim_start_matches(' ').starts_with('\t') {
            return self.stack(number, line, results);
        }
        self.report_missing_result(sink);
        self.begun = Some((number, name.to_owned()));
        !has_outcome || self.outcome(number, outcome, results, sink)
    }

    /// Reads a result that is on a separate line, below its name.
    fn numbers_of_begun(
        &mut self,
        number: u64,
        line: &str,
        results: &mut Results,
        sink: &mut Rows<'_>,
    ) -> bool {
        let Some(Ok(numbers)) = numbers(line) else {
            return false;
        };
        let Some((begun, name)) = self.begun.take() else {
            return false;
        };
        self.add(begun, number, &name, numbers, results, sink);
        true
    }

    /// Adds a benchmark's numbers, which are on the line `number`; its name is on the line `begun`. A benchmark without
    /// iterations, whose numbers are not finite, is skipped.
    fn add(
        &mut self,
        begun: u64,
        number: u64,
        name: &str,
        numbers: Numbers<'_>,
        results: &mut Results,
        sink: &mut Rows<'_>,
    ) {
        self.header.clear();
        if matches!(self.state, State::Ended | State::FailedAndEnded) {
            self.state = State::Running;
        }
        if let Some((_, has_results)) = &mut self.open {
            *has_results = true;
        }
        if let Some(problem) = numbers.not_finite {
            if numbers.rounds == 0 {
                return results.add(self.result(begun, name, Outcome::Skipped));
            }
            sink.skip(number, name, || problem);
            if numbers.values.is_empty() {
                return;
            }
        }
        let values = numbers.values.into_iter();
        results.add(Measured {
            values: values
                .map(|(value, unit)| (unit.to_owned(), value))
                .collect(),
            ..self.result(begun, name, Outcome::Measured)
        });
    }

    fn result(&self, line: u64, name: &str, outcome: Outcome) -> Measured {
        Measured {
            line,
            context: Rc::clone(&self.context),
            labels: Rc::clone(&self.labels),
            name: name.to_owned(),
            is_full_name: true,
            outcome,
            process: self.processes,
            values: Vec::new(),
        }
    }

    fn set_label(&mut self, key: &str, value: &str) {
        let labels = Rc::make_mut(&mut self.labels);
        if labels.contains_key(key) || labels.len() < MOST_KEYS {
            labels.insert(key.to_owned(), value.to_owned());
        }
    }

    /// Reads `goos: linux` and similar lines in any order, other configuration lines, and the start of a panic.
    fn configuration(
        &mut self,
        number: u64,
        line: &str,
        results: &mut Results,
        sink: &mut Rows<'_>,
    ) -> bool {
        if line.starts_with("panic: ") {
            self.state = State::Panicked;
            return true;
        }
        let begins = line.starts_with("goos: ") || line.starts_with("pkg: ");
        if self.state == State::Panicked && !begins {
            return self.stack(number, line, results);
        }
        // If a benchmark's result is missing, the benchmark may have printed this line.
        let Some((key, value)) = line.split_once(": ").filter(|_| self.begun.is_none()) else {
            return false;
        };
        let value = value.trim();
        if !["goos", "goarch", "pkg", "cpu", "commit"].contains(&key) {
            let is_key = key.bytes().all(|byte| {
                byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.".contains(&byte)
            });
            let is_text = value.starts_with(char::is_alphabetic) && value.len() <= LONGEST_LABEL;
            if is_key && is_text && !LOGGED.contains(&key) {
                self.set_label(key, value);
            }
            return false;
        }
        if begins {
            self.report_fail(sink);
            self.state = State::Running;
        }
        let context = Rc::make_mut(&mut self.context);
        match key {
            "goos" => {
                for (known, value) in [
                    ("goarch", &mut context.goarch),
                    ("pkg", &mut context.package),
                    ("cpu", &mut context.machine_class),
                ] {
                    if !self.header.iter().any(|key| key == known) {
                        value.clear();
                    }
                }
                value.clone_into(&mut context.goos);
            }
            "goarch" => value.clone_into(&mut context.goarch),
            "pkg" => {
                value.clone_into(&mut context.package);
                // `goos` precedes `pkg` only in the output of `go test` itself, which also prints a last line for each
                // package.
                self.open = (!context.goos.is_empty()).then_some((number, false));
                self.packages += 1;
            }
            "cpu" => context.machine_class = machine_class(value),
            _ if value.len() >= 7 && value.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                value.clone_into(&mut context.commit);
            }
            _ => return false,
        }
        self.header.push(key.to_owned());
        true
    }

    /// Reads an outcome such as `--- FAIL: BenchmarkName`.
    fn outcome(
        &mut self,
        number: u64,
        line: &str,
        results: &mut Results,
        sink: &mut Rows<'_>,
    ) -> bool {
        let words = line
            .get(4..)
            .and_then(|rest| rest.split_once(": Benchmark"));
        let outcome = match words {
            Some(("FAIL", _)) => Outcome::Failed,
            Some(("SKIP", _)) => Outcome::Skipped,
            Some(("BENCH", _)) => return true,
            _ => return false,
        };
        let name = line[10..].split_whitespace().next().unwrap_or_default();
        if outcome == Outcome::Failed {
            self.state = State::Failed;
        }
        let is_same = |begun: &str| begun == name || without_processors(begun) == name;
        if let Some((_, begun)) = self.begun.take_if(|(_, begun)| is_same(begun)) {
            results.add(self.result(number, &begun, outcome));
        } else {
            self.report_missing_result(sink);
            results.add(Measured {
                is_full_name: false,
                ..self.result(number, name, outcome)
            });
        }
        true
    }

    /// Reads a stack trace line, which contains the benchmark that panicked: `example.com/p.BenchmarkX(…)`.
    fn stack(&mut self, number: u64, line: &str, results: &mut Results) -> bool {
        if self.state != State::Panicked {
            return false;
        }
        let function = line.strip_prefix(&self.context.package);
        let Some(function) = function.and_then(|rest| rest.strip_prefix('.')) else {
            return false;
        };
        let Some(end) = function
            .find(['.', '('])
            .filter(|_| function.starts_with("Benchmark"))
        else {
            return false;
        };
        (self.begun, self.state) = (None, State::Failed);
        results.add(Measured {
            is_full_name: false,
            ..self.result(number, &function[..end], Outcome::Failed)
        });
        true
    }

    /// Reads a failed package: `FAIL example.com/p 0.5s`, or `FAIL example.com/p [build failed]`.
    fn package_failed(
        &mut self,
        number: u64,
        rest: &str,
        results: &mut Results,
        sink: &mut Rows<'_>,
    ) {
        self.package_ended();
        (self.fail, self.has_failed_package) = (None, true);
        let (package, why) = rest.split_once(['\t', ' ']).unwrap_or((rest, ""));
        if let Some((begun, name)) = self.begun.take() {
            self.state = State::Failed;
            results.add(self.result(begun, &name, Outcome::Failed));
        }
        if why.starts_with('[') {
            let why = why.trim_matches(['[', ']']);
            sink.skip_as(FindingKind::Failed, number, rest, || {
                format!("no benchmark of `{package}` ran: {why}")
            });
        } else if !matches!(self.state, State::Failed | State::FailedAndEnded) {
            sink.skip_as(FindingKind::Failed, number, rest, || {
                format!("`{package}` failed: results may be missing")
            });
        }
        self.state = State::Ended;
    }

    /// Reads a `FAIL` at the end of a test binary, or at the end of `go test` if a package failed.
    fn binary_failed(&mut self, number: u64) {
        if self.state == State::Failed {
            self.state = State::FailedAndEnded;
            return;
        }
        if self.state == State::Ended && self.has_failed_package {
            self.has_failed_package = false;
        } else {
            self.fail = Some(number);
        }
        self.state = State::Ended;
    }

    /// Reports a `FAIL` for which `go test` did not print the package.
    fn report_fail(&mut self, sink: &mut Rows<'_>) {
        if let Some(number) = self.fail.take() {
            sink.skip_as(FindingKind::Failed, number, "FAIL", || {
                "a test binary failed: results may be missing".to_owned()
            });
        }
    }

    fn report_missing_result(&mut self, sink: &mut Rows<'_>) {
        if let Some((line, name)) = self.begun.take() {
            sink.skip(line, &name, || format!("missing result of `{name}`"));
        }
    }

    fn package_ended(&mut self) {
        self.processes += 1;
        self.header.clear();
        self.open = None;
    }

    pub(super) fn end(&mut self, sink: &mut Rows<'_>) {
        self.report_missing_result(sink);
        self.report_fail(sink);
        // If a filter removed the last lines of packages, it removed all of them. If another package has a last line,
        // or there is no other package, a missing last line shows that the output is cut off.
        let has_ends = self.processes > 0 || self.packages == 1;
        if let Some((line, true)) = self.open.filter(|_| has_ends) {
            let package = &self.context.package;
            sink.skip(line, package, || {
                format!("output of `{package}` is cut off: no `PASS` or `FAIL` line")
            });
        }
    }
}

/// The number of iterations of a benchmark, and its values with units.
pub(super) struct Numbers<'a> {
    rounds: u64,
    values: Vec<(Value, &'a str)>,
    /// The first number that is infinite or not a number.
    not_finite: Option<String>,
}

/// Returns a result line's name and numbers, or the reason why the numbers cannot be read. Returns `None` for other
/// lines.
pub(super) fn result(line: &str) -> Option<(&str, Result<Numbers<'_>, String>)> {
    let (name, rest) = line.split_once(char::is_whitespace)?;
    if !name.starts_with("Benchmark") {
        return None;
    }
    let numbers = numbers(rest)?;
    let is_bare = match &numbers {
        Ok(numbers) => numbers.values.is_empty() && numbers.not_finite.is_none(),
        Err(_) => false,
    };
    (!is_bare || rest.contains('\t')).then_some((name, numbers))
}

/// Reads the number of iterations, and then the values with their units. Returns `None` for other text.
fn numbers(text: &str) -> Option<Result<Numbers<'_>, String>> {
    let text = text.trim_start();
    let mut words = text.split_whitespace();
    let rounds = words.next()?;
    // A tab follows the number of iterations, but not in prose.
    let is_tabbed = text[rounds.len()..]
        .trim_start_matches(' ')
        .starts_with('\t');
    let mut numbers = Numbers {
        // Pasted results may have thousands separators.
        rounds: rounds.replace(',', "").parse().ok()?,
        values: Vec::new(),
        not_finite: None,
    };
    while let Some(number) = words.next() {
        let value = Value::parse(number);
        let is_float = value.is_some() || number.parse::<f64>().is_ok();
        let Some(unit) = words.next() else {
            return is_float.then(|| Err(format!("line is cut off: `{number}` has no unit")));
        };
        match value {
            // benchcmp prints the new number and the change in these places.
            Some(_) if unit.starts_with(['+', '-']) && unit.ends_with('%') => return None,
            Some(_) if Value::parse(unit).is_some() => return None,
            Some(value) => numbers.values.push((value, unit)),
            None if is_float => {
                let problem = || format!("number is not finite: `{number}` (unit `{unit}`)");
                numbers.not_finite.get_or_insert_with(problem);
            }
            None if is_tabbed || unit.ends_with("/op") => {
                return Some(Err(format!("invalid number `{number}` (unit `{unit}`)")));
            }
            None => return None,
        }
    }
    Some(Ok(numbers))
}
