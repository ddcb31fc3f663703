//! What Cachegrind, Callgrind and DHAT print at the end of a process, each line behind the number of the process.
//!
//! ```text
//! ==4021== Cachegrind, a cache and branch-prediction profiler
//! ==4021== Command: sort words
//! ==4021== I   refs:      314,452
//! ==4021== D   refs:      105,674  (74,539 rd   + 31,135 wr)
//! ```

use indexmap::IndexMap;

use crate::format::{Format, Kind, LineReader, Samples};
use crate::input::text::text;
use crate::rows::RowCollector;
use crate::tools::common::{command, units::grouped, valgrind::Events};
use perf_model::row::Value;

pub(crate) const FORMAT: Format = Format {
    name: "valgrind",
    about: "Cachegrind, Callgrind and DHAT on the terminal: event counts, bytes and blocks of a process",
    samples: Samples::Launches,
    looks_like: |head| {
        let has = |text: &[u8]| memchr::memmem::find(head, text).is_some();
        (has(b"== Command: ") && TOOLS.iter().any(|tool| has(format!("== {tool}, a").as_bytes()))).into()
    },
    kind: Kind::Lines(|| Box::<Lines>::default(), &[]),
};

const TOOLS: [&str; 3] = ["Cachegrind", "Callgrind", "DHAT"];

/// The lines of Cachegrind: what all of a kind are, and what is read and written, or conditional and indirect.
const COUNTS: [(&str, [&str; 3]); 8] = [
    ("I refs", ["Ir", "", ""]),
    ("I1 misses", ["I1mr", "", ""]),
    ("LLi misses", ["ILmr", "", ""]),
    ("D refs", ["", "Dr", "Dw"]),
    ("D1 misses", ["", "D1mr", "D1mw"]),
    ("LLd misses", ["", "DLmr", "DLmw"]),
    ("Branches", ["", "Bc", "Bi"]),
    ("Mispredicts", ["", "Bcm", "Bim"]),
];

#[derive(Default)]
struct Lines {
    /// The processes by their numbers.
    open: IndexMap<String, Process>,
    ended: Vec<Process>,
}

#[derive(Default)]
struct Process {
    line: u64,
    tool: &'static str,
    command: String,
    /// What Callgrind collects.
    collected: Vec<String>,
    events: Vec<(String, Option<Value>)>,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], _: &mut RowCollector<'_>) -> bool {
        if !line.starts_with(b"==") {
            return false;
        }
        let text = text(line);
        let Some((process, rest)) = text[2..].split_once("==") else { return false };
        let rest = rest.trim();
        if let Some(tool) =
            TOOLS.iter().find(|tool| rest.strip_prefix(**tool).is_some_and(|rest| rest.starts_with(", a")))
        {
            let begun = Process { line: number, tool, ..Process::default() };
            // Numbers come again.
            self.ended.extend(self.open.insert(process.to_owned(), begun));
            return true;
        }
        self.open.get_mut(process).is_some_and(|process| process.take(rest))
    }

    fn unended(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        if line.starts_with(b"==") && !self.open.is_empty() && line.last().is_some_and(u8::is_ascii_digit) {
            sink.skip_cut_off(number, line);
            return true;
        }
        self.line(number, line, sink)
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        let mut rows: Vec<Row> = Vec::new();
        self.ended.extend(self.open.drain(..).map(|(_, process)| process));
        for process in self.ended.drain(..) {
            if process.events.is_empty() {
                let why = || format!("{} counted nothing, or its output is cut off", process.tool);
                sink.skip(process.line, process.command.as_bytes(), why);
                continue;
            }
            let is_same =
                |row: &&mut Row| row.command == process.command && !row.tools.contains(&process.tool);
            if let Some(row) = rows.iter_mut().find(is_same) {
                row.add(process);
                continue;
            }
            let mut row = Row { line: process.line, command: process.command.clone(), ..Row::default() };
            row.add(process);
            rows.push(row);
        }
        for row in rows {
            row.events.row(row.line, &row.command, sink);
        }
    }
}

/// What the tools counted of a command, each once.
#[derive(Default)]
struct Row {
    line: u64,
    command: String,
    tools: Vec<&'static str>,
    events: Events,
}

impl Row {
    fn add(&mut self, process: Process) {
        self.tools.push(process.tool);
        for (event, value) in process.events {
            self.events.add(process.tool, &event, value);
        }
    }
}

impl Process {
    /// Looks at what stands behind the number; whether it was read.
    fn take(&mut self, rest: &str) -> bool {
        let Some((key, rest)) = rest.split_once(':') else { return false };
        let (key, rest) = (key.split_whitespace().collect::<Vec<_>>().join(" "), rest.trim());
        match (self.tool, key.as_str()) {
            (_, "Command") => self.command = command::shown(rest),
            ("Callgrind", "Events") => self.collected = rest.split_whitespace().map(str::to_owned).collect(),
            ("Callgrind", "Collected") => {
                for (event, count) in self.collected.iter().zip(rest.split_whitespace()) {
                    self.events.push((event.clone(), grouped(count)));
                }
            }
            ("Cachegrind", key) => {
                let Some((_, events)) = COUNTS.iter().find(|(known, _)| *known == key) else { return false };
                let counts = [0, 1, 2].map(|at| count(rest, at));
                for (event, count) in events.iter().zip(counts).filter(|(event, _)| !event.is_empty()) {
                    self.events.push(((*event).to_owned(), count));
                }
            }
            ("DHAT", "Total" | "At t-gmax" | "At t-end") => {
                for (at, what) in [(0, "bytes"), (1, "blocks")] {
                    self.events.push((format!("{key} {what}"), count(rest, at)));
                }
            }
            ("DHAT", "Reads" | "Writes") => self.events.push((format!("{key} bytes"), count(rest, 0))),
            _ => return false,
        }
        true
    }
}

/// The number at this place among those of a line, whatever stands between them.
fn count(rest: &str, at: usize) -> Option<Value> {
    let is_between = |c: char| !c.is_ascii_digit() && c != ',' && c != '.';
    rest.split(is_between)
        .filter(|number| number.starts_with(|c: char| c.is_ascii_digit()))
        .nth(at)
        .and_then(grouped)
}
