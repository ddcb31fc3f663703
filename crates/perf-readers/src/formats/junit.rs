//! JUnit's XML, which most test runners write: how long each test took.
//!
//! A report whose tests print rows is read for those rows: a maintainer who measures does not mean the tests'
//! own durations.

use std::borrow::Cow;

use quick_xml::events::BytesStart;

use crate::formats::common::names::run_indices_of;
use crate::formats::common::prelude::*;
use crate::formats::test_report;
use crate::units::clock;
use crate::xml::{self, Markup, attribute, attributes};

pub(crate) const FORMAT: Format = Format::named("junit")
    .about("JUnit XML of nextest, pytest, Jest, Surefire, …: duration of each test, unless tests print rows")
    .samples(Samples::Iterations)
    .looks_like(|head| matches!(xml::root(head), Some(b"testsuites" | b"testsuite")).into())
    .document(|source, sink| xml::read(source, sink, &mut Cases::default()));

/// Source: `vstest`'s logger, which writes the same for xUnit, NUnit and MSTest.
pub(crate) const TRX: Format = Format::named("trx")
    .about("TRX of dotnet test --logger trx: duration of each test, unless tests print rows")
    .samples(Samples::Iterations)
    .looks_like(|head| (xml::root(head) == Some(b"TestRun")).into())
    .document(|source, sink| xml::read(source, sink, &mut Cases::default()));

/// The test cases of a report.
#[derive(Default)]
struct Cases {
    /// The names of the suites around the current element, from outside to inside.
    suites: Vec<String>,
    /// The number of cases that the outermost suites say they have, and the line of the first.
    announced: Option<(u64, usize)>,
    /// The case that is read, if it has not ended.
    is_open: bool,
    blocks: Vec<Block>,
}

/// Cases that follow each other: a report may have a million, and those that are given need no memory.
#[derive(Default)]
struct Block {
    first_line: u64,
    /// The names, one behind the other.
    names: String,
    cases: Vec<Case>,
    /// Times that are no numbers.
    invalid: Vec<Box<str>>,
}

/// A block with more bytes of names than this is full.
const FULL: usize = 256 * 1024;

struct Case {
    /// Behind the first line of the block.
    line: u32,
    /// The end of the name among the names of the block.
    name_end: u32,
    result: Result,
}

/// The outcome of a case: the time as it is printed, if it was measured.
#[derive(Clone, Copy)]
enum Result {
    Untimed,
    Seconds(Value),
    /// Its place among the invalid times of the block.
    Invalid(u32),
    Skipped,
    Failed,
}

impl Markup for Cases {
    fn start(&mut self, line: u64, tag: &BytesStart<'_>) {
        match tag.local_name().into_inner() {
            "testsuite" => {
                if self.suites.is_empty() {
                    let tests = attribute(tag, "tests")
                        .and_then(|tests| tests.parse().ok())
                        .unwrap_or(0);
                    self.announced.get_or_insert((line, 0)).1 += tests;
                }
                self.suites.push(attribute(tag, "name").unwrap_or_default());
            }
            "testcase" => self.begin(line, tag),
            "UnitTestResult" => self.begin_result(line, tag),
            "failure" | "error" => self.turned_out(Result::Failed),
            "skipped" => self.turned_out(Result::Skipped),
            _ => {}
        }
    }

    fn end(&mut self, name: &str, _: &mut RowCollector<'_>) {
        match name {
            "testsuite" => drop(self.suites.pop()),
            "testcase" | "UnitTestResult" => self.is_open = false,
            _ => {}
        }
    }

    fn finish(&mut self, cut: Option<u64>, sink: &mut RowCollector<'_>) {
        if sink.rows() > 0 {
            return sink.change_input(|input| input.format = test_report::FORMAT.name);
        }
        self.drop_open();
        let count: usize = self.blocks.iter().map(|block| block.cases.len()).sum();
        let announced = self
            .announced
            .filter(|(_, tests)| cut.is_none() && *tests > count);
        if let Some((line, tests)) = announced {
            sink.expect_results(line, "tests", tests as u64, count as u64);
        }
        let names = self
            .blocks
            .iter()
            .flat_map(Block::named)
            .map(|(name, _)| name);
        let mut run_indices = run_indices_of(count, names);
        let (mut untimed, mut first_untimed) = (0, None);
        for block in std::mem::take(&mut self.blocks) {
            for ((name, case), run_index) in block.named().zip(&mut run_indices) {
                let line = block.first_line + u64::from(case.line);
                if matches!(case.result, Result::Untimed) {
                    untimed += 1;
                    first_untimed.get_or_insert(line);
                } else {
                    block.give(line, name, run_index, case.result, sink);
                }
            }
        }
        if let Some(first) = first_untimed {
            sink.skip(first, b"", || {
                format!("{untimed} test cases without a time, first one here")
            });
        }
        if let Some(line) = cut {
            sink.skip(line, b"", || "report is cut off here".to_owned());
        }
    }
}

impl Cases {
    /// A test by its class and name, as its runner calls it. Where there is no class, the names of its
    /// suites precede it.
    fn begin(&mut self, line: u64, tag: &BytesStart<'_>) {
        self.drop_open();
        let [name, class, status, time] = attributes(tag, ["name", "classname", "status", "time"]);
        let name = name.unwrap_or_default();
        // Node calls the class of every test so.
        let class = class.filter(|class| !["", "test"].contains(&class.trim()));
        let group = class.unwrap_or_else(|| Cow::Owned(self.suites.join(" ")));
        // Jest has the full name in both.
        let says_group = name
            .strip_prefix(&*group)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
        let skipped =
            status.is_some_and(|status| ["notrun", "skipped", "disabled"].contains(&&*status));
        let time = time.as_deref();
        let group = if says_group { "" } else { &*group };
        self.case(line, [group, &*name], |block| {
            if skipped {
                Result::Skipped
            } else {
                block.time(time)
            }
        });
    }

    /// A test of TRX, whose name has its class.
    fn begin_result(&mut self, line: u64, tag: &BytesStart<'_>) {
        self.drop_open();
        let [name, duration, outcome] = attributes(tag, ["testName", "duration", "outcome"]);
        let duration = duration
            .map(|text| clock(&text).map_or_else(|| text.to_string(), |time| time.to_string()));
        self.case(
            line,
            ["", &*name.unwrap_or_default()],
            |block| match outcome.as_deref() {
                Some("NotExecuted" | "NotRunnable" | "Inconclusive") => Result::Skipped,
                Some("Failed" | "Error" | "Timeout" | "Aborted") => Result::Failed,
                _ => block.time(duration.as_deref()),
            },
        );
    }

    /// Opens a case with a name of two parts, of which the first may be empty.
    fn case(
        &mut self,
        line: u64,
        [group, name]: [&str; 2],
        result: impl FnOnce(&mut Block) -> Result,
    ) {
        let length = group.len() + 1 + name.len();
        let is_full = |block: &Block| {
            block.names.len() + length > FULL || line - block.first_line > FULL as u64
        };
        if self.blocks.last().is_none_or(is_full) {
            self.blocks.push(Block {
                first_line: line,
                ..Block::default()
            });
        }
        let Some(block) = self.blocks.last_mut() else {
            return;
        };
        if !group.is_empty() {
            block.names.push_str(group);
            block.names.push(' ');
        }
        block.names.push_str(name);
        let result = result(block);
        // Of a text too long for a block, a row has only the beginning of the name.
        let [line, name_end] = [line - block.first_line, block.names.len() as u64]
            .map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        block.cases.push(Case {
            line,
            name_end,
            result,
        });
        self.is_open = true;
    }

    /// Drops a case that has not ended.
    fn drop_open(&mut self) {
        if let Some(block) = self
            .blocks
            .last_mut()
            .filter(|_| std::mem::take(&mut self.is_open))
        {
            block.cases.pop();
            block
                .names
                .truncate(block.cases.last().map_or(0, |last| last.name_end as usize));
        }
    }

    fn turned_out(&mut self, result: Result) {
        let open = self.blocks.last_mut().filter(|_| self.is_open);
        // What failed is not skipped.
        let case = open.and_then(|block| block.cases.last_mut());
        if let Some(case) = case.filter(|case| !matches!(case.result, Result::Failed)) {
            case.result = result;
        }
    }
}

impl Block {
    fn named(&self) -> impl Iterator<Item = (&str, &Case)> {
        let starts = std::iter::once(0).chain(self.cases.iter().map(|case| case.name_end as usize));
        starts
            .zip(&self.cases)
            .map(|(start, case)| (&self.names[start..case.name_end as usize], case))
    }

    fn time(&mut self, text: Option<&str>) -> Result {
        let Some(text) = text.map(str::trim) else {
            return Result::Untimed;
        };
        grouped(text).map_or_else(
            || {
                self.invalid.push(text.into());
                Result::Invalid(u32::try_from(self.invalid.len() - 1).unwrap_or(u32::MAX))
            },
            Result::Seconds,
        )
    }

    fn give(
        &self,
        line: u64,
        name: &str,
        run_index: i64,
        result: Result,
        sink: &mut RowCollector<'_>,
    ) {
        // What failed or was left out took no time that means something.
        let (outcome, time) = match result {
            Result::Seconds(time) => (Outcome::Measured, Some(time)),
            Result::Untimed => (Outcome::Measured, None),
            Result::Skipped => (Outcome::Skipped, None),
            Result::Failed => (Outcome::Failed, None),
            Result::Invalid(at) => {
                let text = &self.invalid[at as usize];
                return sink.skip(line, name.as_bytes(), || format!("invalid number `{text}`"));
            }
        };
        let cells = Cells {
            run_index,
            outcome,
            ..Cells::of(name)
        };
        sink.measured(
            line,
            &cells,
            [("timeS", time.filter(|time| time.as_f64() >= 0.0))],
        );
    }
}
