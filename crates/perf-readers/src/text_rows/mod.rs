//! Rows in lines of text, behind any prefix: delimited or structured.

mod delimited;
mod log_header;
mod log_row;
mod prefix;
mod shape;
mod structured;

use std::io::{self, Read};

use self::delimited::{Delimited, Line};
pub(crate) use self::log_row::{HALF_QUOTE, has_half_quote};
use self::shape::Looks;
use crate::input::anchors::{Anchors, Candidate, has_number};
use crate::input::escapes::without_escapes;
use crate::input::lines::{self, LONGEST};
use crate::input::source::Source;
use crate::input::text::text;
use crate::rows::RowCollector;

/// Finds rows in lines; remembers header lines.
pub(crate) struct TextRows {
    delimited: Delimited,
    anchors: Anchors,
}

impl TextRows {
    pub(crate) fn new(sink: &mut RowCollector<'_>) -> Self {
        Self {
            delimited: Delimited::new(sink),
            anchors: Anchors::new(),
        }
    }

    /// As [`Self::line`], for a line that was not yet searched for an anchor.
    pub(crate) fn any_line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) {
        if self.anchors.are_in(line) {
            self.line(number, line, sink);
        }
    }

    /// True if a line may hold a row, by its bytes alone.
    pub(crate) fn may_hold_row(&self, candidate: &Candidate<'_>) -> bool {
        let Candidate {
            line,
            is_list,
            word_end,
        } = *candidate;
        let may_be_row = || match self.delimited.looks(line) {
            Looks::PossibleRow => true,
            Looks::NoRow => shape::may_hold_list(line),
            Looks::NoRowOrList => false,
        };
        let may_be_named =
            |word| shape::may_be_named(line, word, |text| self.anchors.word_end(text));
        (is_list && may_be_row() && has_number(line)) || word_end.is_some_and(may_be_named)
    }

    pub(crate) fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) {
        let line = line.trim_ascii();
        let named = self.anchors.is_named(line);
        let found = self.read(number, line, named, sink);
        if matches!(found, Line::Taken) || self.quoted(number, line, named, sink) {
            return;
        }
        if let Line::Malformed(problem) = found {
            sink.skip(number, line, || problem);
        }
    }

    /// Reads a line, which may have the word `scenario`.
    fn read(&mut self, number: u64, line: &[u8], named: bool, sink: &mut RowCollector<'_>) -> Line {
        if named && shape::may_have_key(line) && structured::read(number, line, sink) {
            return Line::Taken;
        }
        self.delimited.read(number, line, named, sink)
    }

    /// Reads quoted text, as in a log whose lines are JSON; `false` when it has no rows.
    fn quoted(
        &mut self,
        number: u64,
        line: &[u8],
        named: bool,
        sink: &mut RowCollector<'_>,
    ) -> bool {
        let mut taken = false;
        for quoted in structured::quoted_texts(line) {
            if !(has_number(quoted) || (named && self.anchors.is_named(quoted))) {
                continue;
            }
            let unquoted = text(quoted);
            let unescaped = structured::unescaped(&unquoted);
            for inner in without_escapes(&unescaped).lines().map(str::trim) {
                let named = self.anchors.is_named(inner.as_bytes());
                match self.read(number, inner.as_bytes(), named, sink) {
                    Line::Taken => taken = true,
                    Line::Malformed(problem) => {
                        taken = true;
                        sink.skip(number, inner.as_bytes(), || problem);
                    }
                    Line::Nothing => {}
                }
            }
        }
        taken
    }
}

/// Reads the rows in the first `length` bytes, which are whole lines before a document. Returns the number of lines.
pub(crate) fn before_document(
    length: usize,
    source: &mut Source<'_>,
    sink: &mut RowCollector<'_>,
) -> io::Result<u64> {
    let (mut rows, mut lines) = (TextRows::new(sink), 0);
    let mut text = Vec::with_capacity(length);
    source.take(length as u64).read_to_end(&mut text)?;
    lines::each_line(&text, &mut lines, |number, line| {
        rows.any_line(number, line, sink);
    });
    Ok(lines)
}

/// Calls `visit` with number and text of every line of a file that is made of lines. Lines are counted, and those that
/// are too long are reported.
pub(crate) fn each_line<'c>(
    source: &mut Source<'_>,
    sink: &mut RowCollector<'c>,
    mut visit: impl FnMut(u64, &[u8], &mut RowCollector<'c>),
) -> io::Result<lines::Seen> {
    let seen = lines::each(source, |number, line| visit(number, line, sink))?;
    skip_overlong(&seen.overlong, sink);
    sink.lines(seen.lines);
    Ok(seen)
}

/// Reports lines that are too long.
pub(crate) fn skip_overlong(overlong: &[u64], sink: &mut RowCollector<'_>) {
    for line in overlong {
        sink.skip(*line, b"", || {
            format!("line is longer than {LONGEST} bytes")
        });
    }
}

/// Reports a row on the last line if the input ends with this byte instead of a line end: its last number may be cut
/// off. A single line was not written as lines.
pub(crate) fn report_unended(line: u64, last: u8, sink: &mut RowCollector<'_>) {
    if line > 1 && (last.is_ascii_digit() || matches!(last, b'.' | b',')) {
        sink.skip(line, b"", || {
            "no line end: the last number may be cut off".to_owned()
        });
    }
}
