//! The report on the terminal: the name of a benchmark, and below it what each tool counted.
//!
//! ```text
//! parse::group::short id:"a b"
//!   ======= CALLGRIND ====================================================================
//! printed by the benchmark
//! - end of stdout/stderr
//!   ## pid: 4 thread: 1 part: 1              |N/A
//!   Instructions:                         735|N/A                  (*********)
//!   ## Total
//!   Instructions:                        1735|1735                 (No change)
//!   Comparison with short other:"c d"
//!   Instructions:                        1735|1600                 (+8.43750%) [+1.08438x]
//! ```
//!
//! A grid has `| ` in place of the two spaces. Of what was counted in parts, the total is the row; a comparison
//! repeats the row above it.

use crate::formats::common::prelude::*;
use crate::formats::common::valgrind::Events;
use crate::formats::gungraun::name::{Name, is_name};

/// The events that the block of a benchmark begins with by default.
pub(super) const FIRST_EVENTS: [&str; 4] =
    ["Instructions:", "Total bytes:", "Total blocks:", "Errors:"];

/// The labels of lines in a block that are no counts.
const OTHERS: [&str; 3] = ["Command:", "Baselines:", "Details:"];

/// Tools that count nothing.
const UNCOUNTED: [&str; 2] = ["MASSIF", "EXP-BBV"];

/// The most bytes of a line that may be the name of a block.
const LONGEST_NAME: usize = 1024;

#[derive(Default)]
pub(super) struct Report {
    /// The benchmark whose counts come next.
    name: Option<Name>,
    /// The line before, which is the name where no line has the shape of one.
    before: Vec<u8>,
    open: Option<Block>,
    /// The metrics of the block before.
    whole: Vec<String>,
    /// The number of benchmarks with counts since the last closing line.
    given: u64,
    /// True if counts without a name came and were reported.
    is_headless: bool,
}

struct Block {
    line: u64,
    name: String,
    events: Events,
    tool: String,
    section: Section,
    /// The number of the tool's parts that had counts so far, without a total.
    parts: u32,
    /// The counts of the first of these parts.
    first_part: Vec<(String, Option<Value>)>,
    /// True if the last heading has no count below it yet: the benchmark itself may print here.
    awaits: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Whole,
    /// A part that has counts, or none so far.
    Part {
        is_blank: bool,
    },
    Comparison,
}

/// Returns the text after the indentation or the grid of a line in a block.
pub(super) fn inside(line: &str) -> Option<&str> {
    let rest = ["  ", "| ", "|-", "|="]
        .iter()
        .find_map(|indent| line.strip_prefix(indent))?;
    rest.starts_with(|c: char| c.is_ascii_graphic())
        .then_some(rest)
}

/// The event and the new number of `Instructions:    1734|1650    (+5.09090%) [+1.04844x]`.
pub(super) fn metric(inside: &str) -> Option<(&str, &str)> {
    let (event, rest) = inside.split_once(':')?;
    let (new, old) = rest.trim_start().split_once('|')?;
    let old = old.split_ascii_whitespace().next()?;
    let is_count = |text: &str| {
        text == "N/A"
            || (!text.is_empty()
                && text
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || byte == b'.'))
    };
    (is_count(new) && is_count(old)).then_some((event, new))
}

impl Report {
    /// Reads a line; true if it is one of the report.
    pub(super) fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let text = text(line);
        if inside(&text).is_some_and(|inside| self.inside(number, inside, sink)) {
            return true;
        }
        if let Some(count) = closing_count(&text) {
            self.finished(number, count, sink);
            return true;
        }
        self.outside(number, &text, line, sink)
    }

    /// A line of a block; `false` when it is none.
    fn inside(&mut self, number: u64, inside: &str, sink: &mut RowCollector<'_>) -> bool {
        let metric = metric(inside);
        let begins = metric.is_some() || inside.starts_with("=======") || inside.starts_with("## ");
        let begins = begins || (self.name.is_some() && inside.starts_with("Comparison with "));
        if self.open.is_none() && !(begins && self.begin(number)) {
            if metric.is_some() && !std::mem::replace(&mut self.is_headless, true) {
                let why = || "counts have no name above them: the output may be cut off".to_owned();
                sink.skip(number, inside.as_bytes(), why);
            }
            return false;
        }
        self.is_headless = false;
        self.open
            .as_mut()
            .is_some_and(|block| block.line(inside, metric, sink))
    }

    /// Begins a block; `false` when nothing above has a name for it.
    fn begin(&mut self, number: u64) -> bool {
        let before = || {
            let is_name = self
                .before
                .first()
                .is_some_and(|first| !first.is_ascii_whitespace());
            let name = text(&self.before).trim().to_owned();
            is_name.then_some((number.saturating_sub(1), name))
        };
        let Some((line, name)) = self.name.as_ref().map(Name::whole).or_else(before) else {
            return false;
        };
        self.name = None;
        self.open = Some(Block {
            line,
            name,
            events: Events::default(),
            tool: String::new(),
            section: Section::Whole,
            parts: 0,
            first_part: Vec::new(),
            awaits: true,
        });
        true
    }

    /// Reads any other line; true if it names a benchmark or belongs to a block.
    fn outside(
        &mut self,
        number: u64,
        text: &str,
        line: &[u8],
        sink: &mut RowCollector<'_>,
    ) -> bool {
        let awaiting = self
            .open
            .as_ref()
            .filter(|block| block.awaits)
            .map(|block| &*block.name);
        if is_name(text, self.name.as_ref().map(Name::first).or(awaiting)) {
            self.close(sink);
            self.name = Some(Name::new(number, text));
            return false; // what a later line decides
        }
        if text.starts_with("- end of std") && (self.name.is_some() || self.open.is_some()) {
            return true;
        }
        if let Some(name) = &mut self.name {
            name.go_on(text);
        }
        // Details of a tool stand further to the right, and what a benchmark prints stands before its counts.
        let is_indented = text.starts_with("   ") || text.starts_with("|  ") || text == "|";
        let is_details = self.open.is_some() && is_indented;
        let is_printed = self.open.as_ref().is_some_and(|block| block.awaits);
        if !is_details && !is_printed {
            self.close(sink);
        }
        self.before.clear();
        self.before
            .extend_from_slice(&line[..line.len().min(LONGEST_NAME)]);
        is_details
    }

    /// Looks at the last line of an input, which has no end: whether a block breaks off there. A line with a number
    /// and a change is complete.
    pub(super) fn unended(
        &mut self,
        number: u64,
        line: &[u8],
        sink: &mut RowCollector<'_>,
    ) -> bool {
        let text = text(line);
        let begun = |inside: &str| {
            FIRST_EVENTS
                .iter()
                .any(|event| inside.starts_with(event) || event.starts_with(inside))
        };
        let begins = ["  ", "| "]
            .iter()
            .find_map(|indent| text.strip_prefix(indent));
        let begins = begins.is_some_and(|inside| !inside.is_empty() && begun(inside));
        let is_open = self.open.as_ref().is_some_and(|block| !block.awaits);
        let breaks =
            (begins || (is_open && text.starts_with([' ', '|']))) && !text.ends_with([')', ']']);
        if breaks {
            sink.skip_cut_off(number, line);
            self.whole.clear();
        }
        breaks
    }

    /// Another benchmark, read from elsewhere, had counts.
    pub(super) fn count_one(&mut self) {
        self.given += 1;
    }

    /// The closing line of a run: all of its benchmarks have counts above it.
    fn finished(&mut self, number: u64, count: u64, sink: &mut RowCollector<'_>) {
        self.close(sink);
        self.name = None;
        let given = std::mem::take(&mut self.given);
        sink.expect_results(number, "benchmarks", count, given);
    }

    pub(super) fn close(&mut self, sink: &mut RowCollector<'_>) {
        if let Some(mut block) = self.open.take() {
            block.settle(sink);
            let Block {
                line,
                name,
                events,
                tool,
                ..
            } = block;
            self.given += u64::from(!events.is_empty() || UNCOUNTED.contains(&&*tool));
            if !events.is_empty() {
                self.whole = events.names().map(str::to_owned).collect();
                events.row(line, &name, sink);
            }
        }
        self.before.clear();
    }

    /// The input has ended: a block that has but the beginning of what the one before had is cut off.
    pub(super) fn end(&mut self, sink: &mut RowCollector<'_>) {
        if let Some(block) = &self.open {
            block
                .events
                .report_missing(&self.whole, block.line, &block.name, sink);
        }
        self.close(sink);
    }
}

impl Block {
    /// Takes a line; `false` when it is none of a block.
    fn line(
        &mut self,
        inside: &str,
        metric: Option<(&str, &str)>,
        sink: &mut RowCollector<'_>,
    ) -> bool {
        if let Some((event, count)) = metric {
            self.count(event, Value::parse(count));
        } else if inside.starts_with("=======") {
            self.settle(sink);
            inside.trim_matches(['=', ' ']).clone_into(&mut self.tool);
            (self.section, self.awaits) = (Section::Whole, true);
        } else if inside.starts_with("Comparison with ") {
            self.settle(sink);
            self.section = Section::Comparison;
        } else if inside == "## Total" {
            (self.section, self.parts) = (Section::Whole, 0);
            self.first_part.clear();
        } else if inside.starts_with("## ") {
            self.section = Section::Part { is_blank: true };
        } else {
            return OTHERS.iter().any(|other| inside.starts_with(other))
                || inside.starts_with("-------");
        }
        true
    }

    fn count(&mut self, event: &str, value: Option<Value>) {
        self.awaits = false;
        if self.section == (Section::Part { is_blank: true }) {
            self.parts += 1;
            self.section = Section::Part { is_blank: false };
        }
        match self.section {
            Section::Whole => self.events.add(&self.tool, event, value),
            Section::Part { .. } if self.parts == 1 => {
                self.first_part.push((event.to_owned(), value));
            }
            Section::Part { .. } | Section::Comparison => {}
        }
    }

    /// Ends the counts of a tool. A single part is the total.
    fn settle(&mut self, sink: &mut RowCollector<'_>) {
        let (parts, first) = (
            std::mem::take(&mut self.parts),
            std::mem::take(&mut self.first_part),
        );
        if parts > 1 {
            let why = || format!("{parts} parts of `{}` have no total", self.name);
            sink.skip(self.line, self.name.as_bytes(), why);
        } else {
            for (event, value) in first {
                self.events.add(&self.tool, &event, value);
            }
        }
    }
}

/// The number in `Gungraun result: Ok. 2 without regressions; 0 regressed; 2 benchmarks finished in 1.5s`.
fn closing_count(line: &str) -> Option<u64> {
    let (before, _) = line.split_once(" benchmarks finished in ")?;
    let (_, result) = before.split_once(" result: ")?;
    result.rsplit(' ').next()?.parse().ok()
}
