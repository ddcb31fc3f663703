//! The totals that Valgrind's tools print at the end of a program: Cachegrind, Callgrind and DHAT.
//!
//! ```text
//! ==77== Command: ./parse big.json
//! ==77== I refs:        1,735
//! ==77== D refs:          350  (230 rd   + 120 wr)
//! ==77== Total:     1,024 bytes in 2 blocks
//! ```

use indexmap::IndexMap;

use crate::formats::common::command;
use crate::formats::common::prelude::*;
use crate::formats::common::valgrind::Events;

pub(crate) const FORMAT: Format = Format::named("valgrind")
    .about("what Cachegrind, Callgrind and DHAT print behind a program: instructions, misses, allocations")
    .contains(&["== "])
    .looks_like(|head| {
        let mut lines = head.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"=="));
        lines
            .any(|line| behind_process(&text(line)).is_some_and(|(_, rest)| !counts(rest, &[]).is_empty()))
            .into()
    })
    .lines::<Lines>(&[]);

/// The labels of lines, and the events of their numbers, not counting a sum in front of brackets.
const LABELS: [(&str, &[&str]); 14] = [
    ("I refs", &["Ir"]),
    ("I1 misses", &["I1mr"]),
    ("LLi misses", &["ILmr"]),
    ("D refs", &["Dr", "Dw"]),
    ("D1 misses", &["D1mr", "D1mw"]),
    ("LLd misses", &["DLmr", "DLmw"]),
    ("Branches", &["Bc", "Bi"]),
    ("Mispredicts", &["Bcm", "Bim"]),
    ("Total", &["Total bytes", "Total blocks"]),
    ("At t-gmax", &["At t-gmax bytes", "At t-gmax blocks"]),
    ("At t-end", &["At t-end bytes", "At t-end blocks"]),
    ("Reads", &["Reads bytes"]),
    ("Writes", &["Writes bytes"]),
    ("Collected", &[]),
];

#[derive(Default)]
struct Lines {
    /// By the number of the process.
    programs: IndexMap<String, Program>,
    ended: Vec<Program>,
}

#[derive(Default)]
struct Program {
    line: u64,
    command: String,
    tool: String,
    /// The events that Callgrind names before it counts them.
    named: Vec<String>,
    counts: Vec<(String, Option<Value>)>,
}

/// The process of a line, and what stands behind it.
fn behind_process(line: &str) -> Option<(&str, &str)> {
    let (process, rest) = line.strip_prefix("==")?.split_once("==")?;
    let is_number = !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some((process, rest.trim()))
}

/// The events of a line with their numbers. `named` are those that Callgrind has named.
fn counts(line: &str, named: &[String]) -> Vec<(String, Option<Value>)> {
    let Some((label, rest)) = line.split_once(':') else {
        return Vec::new();
    };
    let label = label.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some((_, events)) = LABELS.iter().find(|(known, _)| *known == label) else {
        return Vec::new();
    };
    // Of a sum of reads and writes, both stand in brackets.
    let numbers = match rest.split_once('(') {
        Some((_, parts)) if events.len() == 2 => parts,
        _ => rest,
    };
    let numbers = numbers.split_whitespace().filter_map(grouped);
    if label == "Collected" {
        return named.iter().cloned().zip(numbers.map(Some)).collect();
    }
    events
        .iter()
        .map(|event| (*event).to_owned())
        .zip(numbers.map(Some))
        .collect()
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], _: &mut RowCollector<'_>) -> bool {
        if !line.starts_with(b"==") {
            return false;
        }
        let text = text(line);
        let Some((process, rest)) = behind_process(&text) else {
            return false;
        };
        if let Some((tool, _)) = rest
            .split_once(", a ")
            .filter(|(tool, _)| !tool.contains(' '))
        {
            // Another process may have the number of one that has ended.
            self.ended.extend(self.programs.shift_remove(process));
            tool.clone_into(&mut self.program(process).tool);
        } else if let Some(command) = rest.strip_prefix("Command: ") {
            if self.program(process).command.is_empty() {
                self.program(process).command = command::shown(command);
            }
        } else if let Some(events) = rest
            .strip_prefix("Events ")
            .and_then(|rest| rest.split_once(':'))
        {
            self.program(process).named = events.1.split_whitespace().map(str::to_owned).collect();
        } else {
            let named = self
                .programs
                .get(process)
                .map_or(&[][..], |program| &program.named);
            let counts = counts(rest, named);
            return !counts.is_empty() && {
                self.program(process).add(number, counts);
                true
            };
        }
        true
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        let mut ended = std::mem::take(&mut self.ended);
        ended.extend(std::mem::take(&mut self.programs).into_values());
        ended.retain(|program| !program.counts.is_empty());
        ended.sort_by_key(|program| program.line);
        let mut commands: IndexMap<String, Vec<Program>> = IndexMap::new();
        for program in ended {
            commands
                .entry(program.command.clone())
                .or_default()
                .push(program);
        }
        for (command, programs) in commands {
            give(&command, programs, sink);
        }
    }
}

impl Lines {
    fn program(&mut self, process: &str) -> &mut Program {
        self.programs.entry(process.to_owned()).or_default()
    }
}

impl Program {
    /// Adds what was counted, unless it was before.
    fn add(&mut self, line: u64, counts: Vec<(String, Option<Value>)>) {
        if self.counts.is_empty() {
            self.line = line;
        }
        for (event, value) in counts {
            if !self.counts.iter().any(|(other, _)| *other == event) {
                self.counts.push((event, value));
            }
        }
    }
}

/// Gives the rows of a command: several tools make one, and a tool that ran again makes another.
fn give(command: &str, programs: Vec<Program>, sink: &mut RowCollector<'_>) {
    let name = if command.is_empty() {
        "program"
    } else {
        command
    };
    let (mut line, mut tools, mut events) = (0, Vec::new(), Events::default());
    for program in programs {
        if tools.contains(&program.tool) {
            std::mem::take(&mut events).row(line, name, sink);
            tools.clear();
        }
        if tools.is_empty() {
            line = program.line;
        }
        for (event, value) in program.counts {
            events.add(&program.tool, &event, value);
        }
        tools.push(program.tool);
    }
    events.row(line, name, sink);
}
