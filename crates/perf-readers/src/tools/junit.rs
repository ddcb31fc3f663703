//! JUnit's XML, which most test runners write: how long each test took.
//!
//! A report whose tests print rows is read for those rows: a maintainer who measures does not mean the tests'
//! own durations.

use quick_xml::events::BytesStart;

use crate::format::{Format, Kind, Samples};
use crate::rows::{Cells, RowCollector};
use crate::tools::common::{names::run_indices, units::grouped};
use crate::tools::test_report;
use crate::xml::{self, Markup, attribute};
use perf_model::row::Outcome;

pub(crate) const FORMAT: Format = Format {
    name: "junit",
    about: "JUnit XML of nextest, pytest, Jest, Surefire, …: duration of each test, unless tests print rows",
    samples: Samples::Iterations,
    looks_like: |head| matches!(xml::root(head), Some(b"testsuites" | b"testsuite")).into(),
    kind: Kind::Document(|source, sink| xml::read(source, sink, &mut Cases::default())),
};

/// The test cases of a report.
#[derive(Default)]
struct Cases {
    /// The names of the suites around the current element, from outside to inside.
    suites: Vec<String>,
    open: Option<Case>,
    closed: Vec<Case>,
}

struct Case {
    line: u64,
    name: String,
    time: Option<String>,
    outcome: Outcome,
}

impl Markup for Cases {
    fn start(&mut self, line: u64, tag: &BytesStart<'_>) {
        let mut outcome = |outcome: Outcome| {
            if let Some(case) = &mut self.open {
                case.outcome = case.outcome.max(outcome);
            }
        };
        match tag.local_name().into_inner() {
            "testsuite" => self.suites.push(attribute(tag, "name").unwrap_or_default()),
            "testcase" => self.open = Some(self.case(line, tag)),
            "failure" | "error" => outcome(Outcome::Failed),
            "skipped" => outcome(Outcome::Skipped),
            _ => {}
        }
    }

    fn end(&mut self, name: &str, _: &mut RowCollector<'_>) {
        match name {
            "testsuite" => drop(self.suites.pop()),
            "testcase" => self.closed.extend(self.open.take()),
            _ => {}
        }
    }

    fn finish(&mut self, cut: Option<u64>, sink: &mut RowCollector<'_>) {
        if sink.rows() > 0 {
            return sink.is_of(test_report::FORMAT.name);
        }
        let run_indices = run_indices(self.closed.iter().map(|case| case.name.as_str()));
        let mut untimed = Vec::new();
        for (case, run_index) in self.closed.iter().zip(run_indices) {
            if case.time.is_none() && case.outcome == Outcome::Measured {
                untimed.push(case.line);
            } else {
                case.give(run_index, sink);
            }
        }
        if let Some(first) = untimed.first() {
            sink.skip(*first, b"", || format!("{} test cases without a time, first one here", untimed.len()));
        }
        if let Some(line) = cut {
            sink.skip(line, b"", || "report is cut off here".to_owned());
        }
    }
}

impl Cases {
    /// A test by its class and name, as its runner calls it. Where there is no class, the names of its suites precede it.
    fn case(&self, line: u64, tag: &BytesStart<'_>) -> Case {
        let name = attribute(tag, "name").unwrap_or_default();
        // Node calls the class of every test so.
        let class = attribute(tag, "classname").filter(|class| !["", "test"].contains(&class.trim()));
        let group = class.unwrap_or_else(|| self.suites.join(" "));
        // Jest has the full name in both.
        let says_group =
            name.strip_prefix(&*group).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
        let name = if says_group || group.is_empty() { name } else { format!("{group} {name}") };
        let skipped = attribute(tag, "status")
            .is_some_and(|status| ["notrun", "skipped", "disabled"].contains(&&*status));
        let outcome = if skipped { Outcome::Skipped } else { Outcome::Measured };
        Case { line, name, time: attribute(tag, "time"), outcome }
    }
}

impl Case {
    fn give(&self, run_index: i64, sink: &mut RowCollector<'_>) {
        let cells = Cells { run_index, outcome: self.outcome, ..Cells::of(&self.name) };
        let time = self.time.as_deref().unwrap_or_default().trim();
        // What failed or was left out took no time that means something.
        match grouped(time).filter(|_| self.outcome == Outcome::Measured) {
            None if self.outcome == Outcome::Measured => {
                sink.skip(self.line, self.name.as_bytes(), || format!("invalid number `{time}`"));
            }
            time => sink.measured(self.line, &cells, [("timeS", time.filter(|time| time.as_f64() >= 0.0))]),
        }
    }
}
