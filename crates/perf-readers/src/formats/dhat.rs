//! DHAT's `dhat.out.1234`, of Valgrind and of Rust's `dhat`: for each place in a program what it allocated. The program
//! is their sum.
//!
//! Source: `dhat/dh_main.c` of Valgrind 3.19, and the crate dhat 0.3.

use crate::formats::common::command;
use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("dhat")
    .about("dhat.out files of Valgrind and of Rust's dhat: what a program allocated, peak, reads and writes")
    .contains(&["\"dhatFileVersion\""])
    .looks_like(|head| json::has_keys(head, b"{", &["dhatFileVersion", "cmd"]).into())
    .document(|source, sink| json::documents(source, sink, &PATTERNS, Program::piece, Program::row));

/// The metrics of an allocating place in the program, and their keys in the file.
const METRICS: [(&str, &str); 8] = [
    ("allocatedBytes", "tb"),
    ("allocations", "tbk"),
    ("peakBytes", "gb"),
    ("peakBlocks", "gbk"),
    ("endBytes", "eb"),
    ("endBlocks", "ebk"),
    ("readBytes", "rb"),
    ("writtenBytes", "wb"),
];

const PLACE: Shape = Shape::of("a place", &["tb", "tbk"]).without(&["fs"]);

/// The metrics of other modes, by the suffix of the mode's name: what the program itself counts, and what it copies.
const MODES: [(&str, [&str; 2]); 2] = [
    ("ad-hoc", ["units", "events"]),
    ("copy", ["copiedBytes", "copies"]),
];

#[derive(Default)]
struct Program {
    line: u64,
    command: String,
    mode: String,
    totals: [Option<i64>; METRICS.len()],
}

const PATTERNS: [&[&str]; 3] = [&["mode"], &["cmd"], &["pps", "*"]];

impl Program {
    fn piece(&mut self, piece: &Piece<'_>, sink: &mut RowCollector<'_>) {
        if self.line == 0 {
            self.line = piece.line;
        }
        match piece.pattern {
            0 => self.mode = piece.text_or_empty(sink),
            1 => self.command = command::shown(piece.text_or_empty(sink).trim()),
            _ => {
                let Some(place) = piece.object(PLACE, sink) else {
                    return;
                };
                for (total, (_, field)) in self.totals.iter_mut().zip(METRICS) {
                    if let Some(Value::Int(part)) = place.number(field) {
                        *total = total.unwrap_or_default().checked_add(part);
                    }
                }
            }
        }
    }

    fn row(self, sink: &mut RowCollector<'_>) {
        if self.command.is_empty() {
            return; // no document of DHAT
        }
        let mode = MODES.iter().find(|(mode, _)| self.mode.ends_with(mode));
        let names = mode.map_or(METRICS.map(|(metric, _)| metric).to_vec(), |(_, names)| {
            names.to_vec()
        });
        let totals = self.totals.iter().map(|total| total.map(Value::Int));
        sink.measured(
            self.line,
            &Cells::of(&self.command),
            names.into_iter().zip(totals),
        );
    }
}
