//! The report on the terminal: a benchmark's name, and below it each tool's counts.
//!
//! ```text
//! parse::group::short id:"a "
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
//! In a grid, `| ` replaces the two spaces. If a tool printed several parts, the row contains their total. A comparison
//! repeats the counts above it, and is not read.

use crate::formats::common::prelude::*;

/// Tools that print no counts.
const UNCOUNTED: [&str; 2] = ["MASSIF", "EXP-BBV"];

#[derive(Default)]
pub(super) struct Report {
    open: Option<Block>,
    /// The previous block's metric names.
    whole: Vec<String>,
    /// The number of benchmarks since the last closing line.
    given: u64,
    /// Whether counts without a name above them were already reported.
    is_headless: bool,
}

/// A benchmark, and its counts so far.
#[derive(Default)]
struct Block {
    line: u64,
    name: String,
    events: Events,
    tool: String,
    section: Section,
    /// The number of parts since the last total.
    parts: u32,
    /// The first part's counts, which are the total if there is only one part.
    first_part: Vec<(String, Option<Value>)>,
    /// Whether counts followed the last heading. Until then, lines may be text that the benchmark printed.
    has_counts: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Section {
    #[default]
    Whole,
    Part,
    Comparison,
}

/// Returns a block line's text, without the indentation or grid before it.
pub(super) fn inside(line: &str) -> Option<&str> {
    let mut indents = ["  ", "| ", "|-", "|="].iter();
    let rest = indents.find_map(|indent| line.strip_prefix(indent))?;
    rest.starts_with(|c: char| c.is_ascii_graphic())
        .then_some(rest)
}

/// Returns the event and the new number in a line such as `Instructions: 1734|1650 (+5.09090%) [+1.04844x]`.
pub(super) fn metric(inside: &str) -> Option<(&str, &str)> {
    let (event, rest) = inside.split_once(':')?;
    let (new, old) = rest.trim_start().split_once('|')?;
    let old = old.split_ascii_whitespace().next()?;
    let is_count = |text: &str| text == "N/A" || text.parse::<f64>().is_ok();
    (is_count(new) && is_count(old)).then_some((event, new))
}

/// Whether a line is a name, `file::group::function id:arguments`. A benchmark that has no counts yet (`awaiting`) may
/// print text that looks like a name, so a name must then be from the same file.
fn is_name(line: &str, awaiting: Option<&Block>) -> bool {
    let path = line.split(' ').next().unwrap_or_default();
    let mut parts = path.split("::");
    let is_part = |part: &str| {
        !part.is_empty()
            && part
                .chars()
                .all(|c| c.is_alphanumeric() || "_#".contains(c))
    };
    let is_path = path.matches("::").count() > 1 && parts.clone().all(is_part);
    let is_of_file = awaiting.is_none_or(|block| block.name.split("::").next() == parts.next());
    is_path && is_of_file && line.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

impl Report {
    /// Reads a line. Returns whether it belongs to the report.
    pub(super) fn line(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        if inside(line).is_some_and(|inside| self.inside(number, inside, sink)) {
            return true;
        }
        if let Some(count) = closing_count(line) {
            self.close(sink);
            let given = std::mem::take(&mut self.given);
            sink.expect_results(number, "benchmarks", count, given);
            return true;
        }
        let awaiting = self.open.as_ref().filter(|block| !block.has_counts);
        if is_name(line, awaiting) {
            self.close(sink);
            self.open = Some(Block {
                line: number,
                name: line.split_whitespace().collect::<Vec<_>>().join(" "),
                ..Block::default()
            });
            return false; // a later line shows whether it is a name
        }
        let is_printed = awaiting.is_some();
        // A tool's details are indented further.
        let is_indented = line.starts_with("   ") || line.starts_with("|  ") || line == "|";
        let is_details = self.open.is_some() && is_indented;
        if !is_details && !is_printed {
            self.close(sink);
        }
        is_details || (is_printed && line.starts_with("- end of std"))
    }

    /// Reads an indented line. Returns `false` if it does not belong to a block.
    fn inside(&mut self, number: u64, inside: &str, sink: &mut Rows<'_>) -> bool {
        let metric = metric(inside);
        if let Some(block) = &mut self.open {
            self.is_headless = false;
            return block.line(inside, metric, sink);
        }
        if metric.is_some() && !std::mem::replace(&mut self.is_headless, true) {
            let why = || "counts have no name above them: the output may be cut off".to_owned();
            sink.skip(number, inside, why);
        }
        false
    }

    /// Reports the input's last line, which has no line end, if it is cut off. A line with a number and a change is
    /// complete.
    pub(super) fn unended(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        let is_inside = self.open.is_some() && line.starts_with(' ') || line.starts_with("| ");
        let breaks = is_inside && !line.ends_with(')') && !line.ends_with(']');
        if breaks {
            sink.skip_cut_off(number, line);
            self.whole.clear();
        }
        breaks
    }

    /// Counts a benchmark that was read from a JSON summary.
    pub(super) fn count_one(&mut self) {
        self.given += 1;
    }

    pub(super) fn close(&mut self, sink: &mut Rows<'_>) {
        let Some(mut block) = self.open.take() else {
            return;
        };
        block.settle(sink);
        let has_counts = !block.events.is_empty();
        self.given += u64::from(has_counts || UNCOUNTED.contains(&&*block.tool));
        if has_counts {
            self.whole = block.events.names().map(str::to_owned).collect();
            block.events.row(block.line, &block.name, sink);
        }
    }

    /// Ends the input. A block with only the previous block's first metrics is reported as cut off.
    pub(super) fn end(&mut self, sink: &mut Rows<'_>) {
        if let Some(block) = &self.open {
            block
                .events
                .report_missing(&self.whole, block.line, &block.name, sink);
        }
        self.close(sink);
    }
}

impl Block {
    /// Reads an indented line. Returns `false` if it does not belong to the block.
    fn line(&mut self, inside: &str, metric: Option<(&str, &str)>, sink: &mut Rows<'_>) -> bool {
        if let Some((event, count)) = metric {
            let value = Value::parse(count);
            self.has_counts = true;
            match self.section {
                Section::Whole => self.events.add(&self.tool, event, value),
                Section::Part if self.parts == 1 => self.first_part.push((event.to_owned(), value)),
                Section::Part | Section::Comparison => {}
            }
        } else if inside.starts_with("=======") {
            self.settle(sink);
            inside.trim_matches(['=', ' ']).clone_into(&mut self.tool);
            (self.section, self.has_counts) = (Section::Whole, false);
        } else if inside.starts_with("Comparison with ") {
            self.settle(sink);
            self.section = Section::Comparison;
        } else if inside == "## Total" {
            (self.section, self.parts) = (Section::Whole, 0);
            self.first_part.clear();
        } else if inside.starts_with("## ") {
            self.section = Section::Part;
            self.parts += 1;
        } else {
            let others = ["Command:", "Baselines:", "Details:", "-------"];
            return others.iter().any(|other| inside.starts_with(other));
        }
        true
    }

    /// Ends a tool's counts. If there is only one part, its counts are the total.
    fn settle(&mut self, sink: &mut Rows<'_>) {
        let parts = std::mem::take(&mut self.parts);
        let first = std::mem::take(&mut self.first_part);
        if parts > 1 && !first.is_empty() {
            return sink.skip(self.line, &self.name, || {
                format!("{parts} parts of `{}` have no total", self.name)
            });
        }
        for (event, value) in first {
            self.events.add(&self.tool, &event, value);
        }
    }
}

/// Returns the number of benchmarks in a closing line such as
/// `Gungraun result: Ok. 2 without regressions; 0 regressed; 2 benchmarks finished in 1.5s`.
fn closing_count(line: &str) -> Option<u64> {
    let (before, _) = line.split_once(" benchmarks finished in ")?;
    let (_, result) = before.split_once(" result: ")?;
    result.rsplit(' ').next()?.parse().ok()
}
