//! JUnit's XML, which most test runners write: how long each test took.
//!
//! A report whose tests print rows is read for those rows: a maintainer who measures does not mean the tests'
//! own durations.

use std::borrow::Cow;

use quick_xml::events::BytesStart;

use crate::format::{Format, Kind, Samples};
use crate::rows::{Cells, RowCollector};
use crate::tools::common::{names::run_indices, units::grouped};
use crate::tools::test_report;
use crate::xml::{self, Markup, attribute, attributes};
use perf_model::row::{Outcome, Value};

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
    /// The case that is read, if it has not ended.
    is_open: bool,
    all: Vec<Case>,
    /// The names of all cases, one behind the other: a report may have a million.
    names: String,
}

struct Case {
    line: u64,
    /// Where the name ends among all.
    name_end: usize,
    time: Time,
    outcome: Outcome,
}

/// The time of a case, as it is printed.
enum Time {
    Missing,
    Seconds(Value),
    Invalid(Box<str>),
}

impl Markup for Cases {
    fn start(&mut self, line: u64, tag: &BytesStart<'_>) {
        match tag.local_name().into_inner() {
            "testsuite" => self.suites.push(attribute(tag, "name").unwrap_or_default()),
            "testcase" => self.begin(line, tag),
            "failure" | "error" => self.turned_out(Outcome::Failed),
            "skipped" => self.turned_out(Outcome::Skipped),
            _ => {}
        }
    }

    fn end(&mut self, name: &str, _: &mut RowCollector<'_>) {
        match name {
            "testsuite" => drop(self.suites.pop()),
            "testcase" => self.is_open = false,
            _ => {}
        }
    }

    fn finish(&mut self, cut: Option<u64>, sink: &mut RowCollector<'_>) {
        if sink.rows() > 0 {
            return sink.is_of(test_report::FORMAT.name);
        }
        self.drop_open();
        let run_indices = run_indices(self.named().map(|(name, _)| name));
        let mut untimed = Vec::new();
        for ((name, case), run_index) in self.named().zip(run_indices) {
            if matches!(case.time, Time::Missing) && case.outcome == Outcome::Measured {
                untimed.push(case.line);
            } else {
                case.give(name, run_index, sink);
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
        let says_group =
            name.strip_prefix(&*group).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
        if !(says_group || group.is_empty()) {
            self.names.push_str(&group);
            self.names.push(' ');
        }
        self.names.push_str(&name);
        let skipped = status.is_some_and(|status| ["notrun", "skipped", "disabled"].contains(&&*status));
        let outcome = if skipped { Outcome::Skipped } else { Outcome::Measured };
        self.all.push(Case { line, name_end: self.names.len(), time: Time::of(time.as_deref()), outcome });
        self.is_open = true;
    }

    /// Drops a case that has not ended.
    fn drop_open(&mut self) {
        if std::mem::take(&mut self.is_open) {
            self.all.pop();
            self.names.truncate(self.all.last().map_or(0, |last| last.name_end));
        }
    }

    fn turned_out(&mut self, outcome: Outcome) {
        if let Some(case) = self.all.last_mut().filter(|_| self.is_open) {
            case.outcome = case.outcome.max(outcome);
        }
    }

    /// The cases with their names.
    fn named(&self) -> impl Iterator<Item = (&str, &Case)> + Clone {
        let starts = std::iter::once(0).chain(self.all.iter().map(|case| case.name_end));
        starts.zip(&self.all).map(|(start, case)| (&self.names[start..case.name_end], case))
    }
}

impl Time {
    fn of(text: Option<&str>) -> Self {
        let Some(text) = text.map(str::trim) else { return Self::Missing };
        grouped(text).map_or_else(|| Self::Invalid(text.into()), Self::Seconds)
    }
}

impl Case {
    fn give(&self, name: &str, run_index: i64, sink: &mut RowCollector<'_>) {
        let cells = Cells { run_index, outcome: self.outcome, ..Cells::of(name) };
        // What failed or was left out took no time that means something.
        let time = match &self.time {
            _ if self.outcome != Outcome::Measured => None,
            Time::Seconds(time) => Some(*time),
            Time::Invalid(text) => {
                return sink.skip(self.line, name.as_bytes(), || format!("invalid number `{text}`"));
            }
            Time::Missing => None,
        };
        sink.measured(self.line, &cells, [("timeS", time.filter(|time| time.as_f64() >= 0.0))]);
    }
}
