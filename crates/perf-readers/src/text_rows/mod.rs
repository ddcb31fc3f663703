//! Rows in lines of text, behind any prefix: delimited or structured.

mod delimited;
mod log_header;
mod log_row;
mod prefix;
mod structured;

use memchr::{memchr_iter, memmem};

use self::delimited::{Delimited, Line};
pub(crate) use self::log_row::{HALF_QUOTE, has_half_quote};
use crate::input::escapes::without_escapes;
use crate::input::text;
use crate::input::{LONGEST_LINE, Source, line_count, lines};
use crate::rows::RowCollector;

/// The word in the name of a key or a column, with any first letter.
pub(crate) const WORDS: [&str; 2] = ["cenario", "CENARIO"];

/// Whether a text has the word.
fn is_named(text: &[u8]) -> bool {
    WORDS
        .iter()
        .any(|word| memmem::find(text, word.as_bytes()).is_some())
}

/// Whether a number stands before a comma, as a run index does.
fn has_number(text: &[u8]) -> bool {
    memchr_iter(b',', text).any(|comma| {
        let before = text[..comma].strip_suffix(b"\"").unwrap_or(&text[..comma]);
        before.last().is_some_and(u8::is_ascii_digit)
    })
}

/// Finds rows in lines; remembers header lines.
pub(crate) struct TextRows {
    delimited: Delimited,
}

impl TextRows {
    pub(crate) fn new(sink: &mut RowCollector<'_>) -> Self {
        Self {
            delimited: Delimited::new(sink),
        }
    }

    /// As [`Self::line`], for a line that may be anything.
    pub(crate) fn any_line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) {
        if has_number(line) || is_named(line) {
            self.line(number, line, sink);
        }
    }

    pub(crate) fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) {
        let line = line.trim_ascii();
        let named = is_named(line);
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
        if named && structured::read(number, line, sink) {
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
            if !(has_number(quoted) || (named && is_named(quoted))) {
                continue;
            }
            let unquoted = text(quoted);
            let unescaped = structured::unescaped(&unquoted);
            for inner in without_escapes(&unescaped).lines().map(str::trim) {
                let named = is_named(inner.as_bytes());
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

/// Reads the rows in the first `length` bytes, which are whole lines before a document. Returns the text of the document
/// and the number of lines before it.
pub(crate) fn before_document<'t>(
    length: usize,
    source: &Source<'t>,
    sink: &mut RowCollector<'_>,
) -> (&'t [u8], u64) {
    let mut rows = TextRows::new(sink);
    let (before, document) = source.rest().split_at(length);
    for (number, line) in lines(before) {
        rows.any_line(number, line, sink);
    }
    (document, line_count(before))
}

/// Calls `visit` with number and text of every line of a file that is made of lines. Lines are counted, and those that
/// are too long are reported. Returns their number, and the last byte of an input whose last line has no end.
pub(crate) fn each_line<'c>(
    source: &mut Source<'_>,
    sink: &mut RowCollector<'c>,
    mut visit: impl FnMut(u64, &[u8], &mut RowCollector<'c>),
) -> Seen {
    let text = source.rest();
    for (number, line) in lines(text) {
        if line.len() > LONGEST_LINE {
            skip_overlong(number, sink);
        } else {
            visit(number, line, sink);
        }
    }
    let count = line_count(text);
    sink.lines(count);
    Seen {
        lines: count,
        unended: text.last().copied().filter(|last| *last != b'\n'),
    }
}

/// The lines of a file.
pub(crate) struct Seen {
    pub lines: u64,
    /// The last byte, if the last line has no end.
    pub unended: Option<u8>,
}

/// Reports a line that is too long.
pub(crate) fn skip_overlong(line: u64, sink: &mut RowCollector<'_>) {
    sink.skip(line, b"", || {
        format!("line is longer than {LONGEST_LINE} bytes")
    });
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
