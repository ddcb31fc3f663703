//! iai's report: below the name of a benchmark what Cachegrind counted, and how it changed.
//!
//! ```text
//! bench_fibonacci_short
//!   Instructions:                1735 (No change)
//!   L1 Accesses:                 2364 (+0.042319%)
//! ```

use crate::formats::common::cargo;
use crate::formats::common::prelude::*;
use crate::formats::common::valgrind::Events;

pub(crate) const FORMAT: Format = Format::named("iai")
    .about("iai's report: instructions, accesses to caches and memory, estimated cycles")
    .contains(&["  Instructions:  "])
    .looks_like(|head| {
        let mut lines = head.split(|byte| *byte == b'\n').peekable();
        while let Some(line) = lines.next() {
            let follows = lines
                .peek()
                .is_none_or(|next| next.is_empty() || next.starts_with(FOLLOWING));
            if follows && line.strip_prefix(INSTRUCTIONS).is_some_and(is_count) {
                return Likeness::Yes;
            }
        }
        Likeness::No
    })
    .lines::<Report>();

const INSTRUCTIONS: &[u8] = b"  Instructions:  ";

/// The beginning of the line below the instructions: other tools count instructions, too.
const FOLLOWING: &[u8] = b"  L1 ";

/// The most bytes of a benchmark's name.
const LONGEST_NAME: usize = 1024;

/// The metrics that every block has.
const WHOLE: [&str; 5] = [
    "instructions",
    "l1Accesses",
    "l2Accesses",
    "ramAccesses",
    "estimatedCycles",
];

fn is_count(rest: &[u8]) -> bool {
    std::str::from_utf8(rest).is_ok_and(|rest| count(rest).is_some())
}

struct Report {
    /// The line before, which is the name when a block begins.
    before: Vec<u8>,
    open: Option<(u64, String, Events)>,
    /// The metrics of a complete block: those that the one before had.
    whole: Vec<String>,
    /// The binary that Cargo runs: several may have benchmarks of one name.
    binary: Option<String>,
}

impl Default for Report {
    fn default() -> Self {
        Self {
            before: Vec::new(),
            open: None,
            whole: WHOLE.map(str::to_owned).into(),
            binary: None,
        }
    }
}

impl LineReader for Report {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let is_block = self.open.is_some() || line.starts_with(INSTRUCTIONS);
        let taken = is_block && self.count(number, &text(line));
        if !taken {
            self.close(sink);
            self.before
                .extend_from_slice(&line[..line.len().min(LONGEST_NAME)]);
            if let Some(binary) = cargo::binary(line) {
                self.binary = Some(binary.to_owned());
            }
        }
        taken
    }

    /// A block breaks off in a last line without a line end, unless that has a number and a change.
    fn unended(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let begins =
            line.starts_with(INSTRUCTIONS) || (line.len() > 2 && INSTRUCTIONS.starts_with(line));
        let is_inside = begins || (self.open.is_some() && line.starts_with(b" "));
        if !is_inside || line.ends_with(b")") || line.ends_with(b"]") {
            return self.line(number, line, sink);
        }
        sink.skip_cut_off(number, line);
        self.whole.clear();
        true
    }

    /// A block that has but the beginning of what a whole one has is cut off.
    fn end(&mut self, sink: &mut RowCollector<'_>) {
        if let Some((line, name, events)) = &self.open {
            events.report_missing(&self.whole, *line, name, sink);
        }
        self.close(sink);
    }
}

impl Report {
    /// Adds what a line of a block counts; `false` where it counts nothing, or where no name stands above it.
    fn count(&mut self, number: u64, line: &str) -> bool {
        let inside = line
            .strip_prefix("  ")
            .filter(|inside| inside.starts_with(|c: char| c.is_ascii_graphic()));
        let counted = inside.and_then(|inside| inside.split_once(':'));
        let Some((event, count)) = counted.and_then(|(event, rest)| Some((event, count(rest)?)))
        else {
            return false;
        };
        let is_name = self
            .before
            .first()
            .is_some_and(|first| !first.is_ascii_whitespace());
        if self.open.is_none() && is_name {
            let name = text(&self.before).trim().to_owned();
            let name = self
                .binary
                .as_ref()
                .map_or_else(|| name.clone(), |binary| format!("{binary}::{name}"));
            self.open = Some((number.saturating_sub(1), name, Events::default()));
        }
        let Some((_, _, events)) = &mut self.open else {
            return false;
        };
        events.add("", event, Value::parse(count));
        true
    }

    fn close(&mut self, sink: &mut RowCollector<'_>) {
        if let Some((line, name, events)) = self.open.take() {
            self.whole = events.names().map(str::to_owned).collect();
            events.row(line, &name, sink);
        }
        self.before.clear();
    }
}

/// The number in `      1735 (No change)`.
fn count(rest: &str) -> Option<&str> {
    let (number, change) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
    let change = change.trim();
    let is_change = change.is_empty() || (change.starts_with('(') && change.ends_with(')'));
    (is_change && Value::parse(number).is_some()).then_some(number)
}
