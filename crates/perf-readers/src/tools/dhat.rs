//! DHAT's `dhat.out.1234`, of Valgrind and of Rust's `dhat`: for each place in a program what it allocated. The program
//! is their sum.
//!
//! Source: `dhat/dh_main.c` of Valgrind 3.19, and the crate dhat 0.3.

use serde::Deserialize;

use crate::format::{Format, Kind, Samples};
use crate::input::source::Source;
use crate::json::{self, Loose, Piece};
use crate::rows::{Cells, RowCollector};
use crate::tools::common::command;
use perf_model::row::Value;

pub(crate) const FORMAT: Format = Format {
    name: "dhat",
    about: "dhat.out files of Valgrind and of Rust's dhat: what a program allocated, peak, reads and writes",
    samples: Samples::Launches,
    looks_like: |head| json::has_keys(head, b"{", &["dhatFileVersion", "cmd"]).into(),
    kind: Kind::Document(read),
};

/// What a place allocated.
#[derive(Deserialize)]
struct Place {
    tb: Loose,
    tbk: Loose,
    #[serde(default)]
    gb: Loose,
    #[serde(default)]
    gbk: Loose,
    #[serde(default)]
    eb: Loose,
    #[serde(default)]
    ebk: Loose,
    #[serde(default)]
    rb: Loose,
    #[serde(default)]
    wb: Loose,
}

const METRICS: [&str; 8] = [
    "allocatedBytes",
    "allocations",
    "peakBytes",
    "peakBlocks",
    "endBytes",
    "endBlocks",
    "readBytes",
    "writtenBytes",
];

/// What is counted in other modes, by the end of their names: what the program itself counts, and what it copies.
const MODES: [(&str, [&str; 2]); 2] = [("ad-hoc", ["units", "events"]), ("copy", ["copiedBytes", "copies"])];

#[derive(Default)]
struct Program {
    line: u64,
    command: String,
    mode: String,
    totals: [Option<i64>; METRICS.len()],
}

const PATTERNS: [&[&str]; 3] = [&["mode"], &["cmd"], &["pps", "*"]];

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    json::documents(source, sink, &PATTERNS, Program::piece, |program: Program, sink| program.row(sink))
}

impl Program {
    fn piece(&mut self, piece: &Piece<'_>, sink: &mut RowCollector<'_>) {
        if self.line == 0 {
            self.line = piece.line;
        }
        match piece.pattern {
            0 => self.mode = piece.parse(sink).unwrap_or_default(),
            1 => {
                let command = piece.parse::<String>(sink).unwrap_or_default();
                self.command = command::shown(command.trim());
            }
            _ => {
                if let Some(place) = piece.parse::<Place>(sink) {
                    self.add(&place);
                }
            }
        }
    }

    fn add(&mut self, place: &Place) {
        let Place { tb, tbk, gb, gbk, eb, ebk, rb, wb } = place;
        for (total, part) in self.totals.iter_mut().zip([tb, tbk, gb, gbk, eb, ebk, rb, wb]) {
            if let Some(Value::Int(part)) = part.0 {
                *total = total.unwrap_or_default().checked_add(part);
            }
        }
    }

    fn row(&self, sink: &mut RowCollector<'_>) {
        if self.command.is_empty() {
            return; // no document of DHAT
        }
        let mode = MODES.iter().find(|(mode, _)| self.mode.ends_with(mode));
        let names = mode.map_or(&METRICS[..], |(_, names)| names);
        let totals = self.totals.iter().map(|total| total.map(Value::Int));
        sink.measured(self.line, &Cells::of(&self.command), names.iter().copied().zip(totals));
    }
}
