//! iai's report: below the name of a benchmark what Cachegrind counted, and how it changed.
//!
//! ```text
//! bench_fibonacci_short
//!   Instructions:                1735 (No change)
//!   L1 Accesses:                 2364 (+0.042319%)
//! ```

use crate::tools::common::cargo;
use crate::tools::common::prelude::*;
use crate::tools::common::valgrind::Blocks;

pub(crate) const FORMAT: Format = Format::named("iai")
    .about("iai's report: instructions, accesses to caches and memory, estimated cycles")
    .contains(&["  Instructions:  "])
    .looks_like(|head| {
        let mut lines = head.split(|byte| *byte == b'\n').peekable();
        while let Some(line) = lines.next() {
            let follows = lines.peek().is_none_or(|next| next.is_empty() || next.starts_with(FOLLOWING));
            if follows && line.strip_prefix(INSTRUCTIONS).is_some_and(is_count) {
                return Likeness::Yes;
            }
        }
        Likeness::No
    })
    .lines::<Report>(&["ructions:"]);

const INSTRUCTIONS: &[u8] = b"  Instructions:  ";

/// The beginning of the line below the instructions: other tools count instructions, too.
const FOLLOWING: &[u8] = b"  L1 ";

/// The metrics that every block has.
const WHOLE: [&str; 5] = ["instructions", "l1Accesses", "l2Accesses", "ramAccesses", "estimatedCycles"];

fn is_count(rest: &[u8]) -> bool {
    std::str::from_utf8(rest).is_ok_and(|rest| count(rest).is_some())
}

struct Report {
    blocks: Blocks,
    /// The binary that Cargo runs: several may have benchmarks of one name.
    binary: Option<String>,
}

impl Default for Report {
    fn default() -> Self {
        Self { blocks: Blocks::of(&WHOLE), binary: None }
    }
}

impl LineReader for Report {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let is_block = self.blocks.is_open() || line.starts_with(INSTRUCTIONS);
        let count = if is_block { count } else { |_: &str| None };
        let taken = self.blocks.line(number, line, self.binary.as_deref(), count, sink);
        if let Some(binary) = cargo::binary(line).filter(|_| !taken) {
            self.binary = Some(binary.to_owned());
        }
        taken
    }

    fn unended(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        self.blocks.unended(number, line, &["Instructions:  "], sink) || self.line(number, line, sink)
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.blocks.end(sink);
    }
}

/// The number in `      1735 (No change)`.
fn count(rest: &str) -> Option<&str> {
    let (number, change) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
    let change = change.trim();
    let is_change = change.is_empty() || (change.starts_with('(') && change.ends_with(')'));
    (is_change && Value::parse(number).is_some()).then_some(number)
}
