//! JUnit's XML, which most test runners write: how long each test took.
//!
//! If tests print rows, only the rows are read, because the tests' own durations are then irrelevant.

use crate::formats::common::names::run_indices;
use crate::formats::common::prelude::*;
use crate::formats::test_report;

pub(crate) const FORMAT: Format = Format::named("junit")
    .about("JUnit XML of nextest, pytest, Jest, Surefire, …: duration of each test, unless tests print rows")
    .samples(Samples::Iterations)
    .contains(&["<testsuite"])
    .looks_like(|head| matches!(xml::root(head), Some("testsuites" | "testsuite")).into())
    .document(|input, sink| xml::read(input, sink, &mut JUnitReport::default()));

/// The XML of `vstest`'s TRX logger, which is the same for xUnit, NUnit and MSTest.
pub(crate) const TRX: Format = Format::named("trx")
    .about("TRX of dotnet test --logger trx: duration of each test, unless tests print rows")
    .samples(Samples::Iterations)
    .contains(&["<TestRun"])
    .looks_like(|head| (xml::root(head) == Some("TestRun")).into())
    .document(|input, sink| xml::read(input, sink, &mut JUnitReport::default()));

/// The test cases of a report.
#[derive(Default)]
struct JUnitReport {
    /// The suites around the current element, outermost first.
    suites: Vec<String>,
    /// The first outermost suite's line, and the number of test cases that all outermost suites announce.
    announced: Option<(u64, usize)>,
    /// The current test case.
    open: Option<Case>,
    cases: Vec<Case>,
}

struct Case {
    line: u64,
    name: String,
    outcome: Outcome,
    /// The duration as printed.
    time: Option<String>,
}

impl Markup for JUnitReport {
    fn start(&mut self, line: u64, tag: &BytesStart<'_>) {
        match tag.local_name().into_inner() {
            "testsuite" => {
                if self.suites.is_empty() {
                    let tests = attribute(tag, "tests");
                    let tests = tests.and_then(|tests| tests.parse().ok());
                    self.announced.get_or_insert((line, 0)).1 += tests.unwrap_or(0);
                }
                self.suites.push(attribute(tag, "name").unwrap_or_default());
            }
            "testcase" => self.open = Some(self.case(line, tag)),
            "UnitTestResult" => self.open = Some(trx_case(line, tag)),
            "failure" | "error" => {
                if let Some(open) = &mut self.open {
                    open.outcome = Outcome::Failed;
                }
            }
            "skipped" => {
                // A case with both elements has failed.
                if let Some(open) = &mut self.open
                    && open.outcome != Outcome::Failed
                {
                    open.outcome = Outcome::Skipped;
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &str, _: &mut Rows<'_>) {
        match name {
            "testsuite" => drop(self.suites.pop()),
            "testcase" | "UnitTestResult" => self.cases.extend(self.open.take()),
            _ => {}
        }
    }

    fn finish(&mut self, cut: Option<u64>, sink: &mut Rows<'_>) {
        if sink.rows() > 0 {
            return sink.change_input(|input| input.format = test_report::FORMAT.name);
        }
        let count = self.cases.len();
        if let Some((line, tests)) = self.announced
            && cut.is_none()
            && tests > count
        {
            sink.expect_results(line, "tests", tests as u64, count as u64);
        }
        let run_indices = run_indices(self.cases.iter().map(|case| case.name.as_str()));
        let mut untimed: Vec<u64> = Vec::new();
        for (case, run_index) in self.cases.iter().zip(run_indices) {
            let cells = Cells {
                run_index,
                outcome: case.outcome,
                ..Cells::of(&case.name)
            };
            match &case.time {
                // The time of a failed or skipped test is meaningless.
                _ if case.outcome != Outcome::Measured => sink.measured(case.line, &cells, []),
                None => untimed.push(case.line),
                Some(time) => match grouped(time.trim()) {
                    Some(seconds) => {
                        let seconds = Some(seconds).filter(|seconds| seconds.as_f64() >= 0.0);
                        sink.measured(case.line, &cells, [("timeS", seconds)]);
                    }
                    None => sink.skip(case.line, &case.name, || {
                        format!("invalid number `{}`", time.trim())
                    }),
                },
            }
        }
        if let Some(first) = untimed.first() {
            sink.skip(*first, "", || {
                format!(
                    "{} test cases without a time, first one here",
                    untimed.len()
                )
            });
        }
        if let Some(line) = cut {
            sink.skip(line, "", || "report is cut off here".to_owned());
        }
    }
}

impl JUnitReport {
    /// Creates a test case. Its name consists of the class and the test, as its runner shows them. If there is no
    /// class, the suites precede the test's name.
    fn case(&self, line: u64, tag: &BytesStart<'_>) -> Case {
        let name = attribute(tag, "name").unwrap_or_default();
        // Node.js uses the class `test` for every test.
        let class =
            attribute(tag, "classname").filter(|class| !["", "test"].contains(&class.trim()));
        let group = class.unwrap_or_else(|| self.suites.join(" "));
        // Jest writes the full name in both attributes.
        let rest = name.strip_prefix(&group);
        let has_group = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
        let status = attribute(tag, "status").unwrap_or_default();
        let is_skipped = ["notrun", "skipped", "disabled"].contains(&&*status);
        Case {
            line,
            name: if has_group {
                name
            } else {
                joined([&*group, &*name], " ")
            },
            outcome: if is_skipped {
                Outcome::Skipped
            } else {
                Outcome::Measured
            },
            time: attribute(tag, "time"),
        }
    }
}

/// Creates a test case from a TRX result, whose name includes the class.
fn trx_case(line: u64, tag: &BytesStart<'_>) -> Case {
    let outcome = match attribute(tag, "outcome").as_deref() {
        Some("NotExecuted" | "NotRunnable" | "Inconclusive") => Outcome::Skipped,
        Some("Failed" | "Error" | "Timeout" | "Aborted") => Outcome::Failed,
        _ => Outcome::Measured,
    };
    let duration = attribute(tag, "duration");
    let seconds = |text: String| clock(&text).map_or(text, |seconds| seconds.to_string());
    Case {
        line,
        name: attribute(tag, "testName").unwrap_or_default(),
        outcome,
        time: duration.map(seconds),
    }
}
