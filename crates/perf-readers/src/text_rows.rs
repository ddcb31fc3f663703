//! Rows in a line of text, whatever stands before them: delimited ones and structured ones.

use std::borrow::Cow;
use std::io::{self, Read};

use super::delimited::{Delimited, Line};
use super::lines::{self, Anchors, LONGEST};
use super::row_collector::RowCollector;
use super::source::Source;
use super::structured;

/// Finds the rows of an input's lines; it remembers the header lines that it has seen.
pub(super) struct TextRows {
    delimited: Delimited,
    anchors: Anchors,
}

impl TextRows {
    pub(super) fn new(sink: &mut RowCollector<'_>) -> Self {
        Self { delimited: Delimited::new(sink), anchors: Anchors::new() }
    }

    /// As [`Self::line`], for a line of which it is not known whether it could hold a row.
    pub(super) fn any_line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) {
        if self.anchors.are_in(line) {
            self.line(number, line, sink);
        }
    }

    pub(super) fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) {
        let line = without_escapes(line);
        let line = line.trim_ascii();
        let found = self.read(number, line, sink);
        if matches!(found, Line::Taken) || self.quoted(number, line, sink) {
            return;
        }
        if let Line::Near(problem) = found {
            sink.skip(number, line, || problem);
        }
    }

    fn read(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> Line {
        let named = self.anchors.is_named(line);
        if named && structured::read(number, line, sink) {
            return Line::Taken;
        }
        self.delimited.read(number, line, named, sink)
    }

    /// Reads what a line quotes, as a log does whose lines are JSON; `false` when there are no rows in it.
    fn quoted(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let mut taken = false;
        for quoted in structured::quoted_texts(line) {
            if !self.anchors.are_in(quoted) {
                continue;
            }
            let unquoted = text(quoted);
            for inner in structured::unescaped(&unquoted).lines().map(str::trim) {
                match self.read(number, inner.as_bytes(), sink) {
                    Line::Taken => taken = true,
                    Line::Near(problem) => {
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

/// Reads the rows in the text that stands before a document, so many bytes of whole lines; how many lines they are.
pub(super) fn before_document(
    length: usize,
    source: &mut Source<'_>,
    sink: &mut RowCollector<'_>,
) -> io::Result<u64> {
    let (mut rows, mut lines) = (TextRows::new(sink), 0);
    let mut text = Vec::with_capacity(length);
    source.take(length as u64).read_to_end(&mut text)?;
    lines::each_line(&text, &mut lines, |number, line| rows.any_line(number, line, sink));
    Ok(lines)
}

/// Accounts for the lines of an input that were too long to hold a row.
pub(super) fn skip_overlong(overlong: &[u64], sink: &mut RowCollector<'_>) {
    for line in overlong {
        sink.skip(*line, b"", || format!("the line is longer than {LONGEST} bytes"));
    }
}

/// Tells of a row on the last line of an input that ends with this byte instead of a line end: its last number may go
/// on. An input of one line was not written as lines.
pub(super) fn doubt_end(line: u64, last: u8, sink: &mut RowCollector<'_>) {
    if line > 1 && (last.is_ascii_digit() || matches!(last, b'.' | b',')) {
        sink.skip(line, b"", || "the last line has no end, so its last number may be cut off".to_owned());
    }
}

/// The text that these bytes are. As `String::from_utf8_lossy`, which takes several times as long for what is text.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// `text` without white space around it, which most texts have none of.
pub(super) fn trimmed(text: &str) -> &str {
    match text.as_bytes() {
        [only] if only.is_ascii_graphic() => text,
        [first, .., last] if first.is_ascii_graphic() && last.is_ascii_graphic() => text,
        _ => text.trim(),
    }
}

/// As [`trimmed`], for white space before it.
pub(super) fn trimmed_start(text: &str) -> &str {
    if text.as_bytes().first().is_some_and(u8::is_ascii_graphic) { text } else { text.trim_start() }
}

/// The line without the escape sequences that colour a terminal.
pub(super) fn without_escapes(line: &[u8]) -> Cow<'_, [u8]> {
    const ESCAPE: u8 = 0x1b;
    if memchr::memchr(ESCAPE, line).is_none() {
        return Cow::Borrowed(line);
    }
    let mut plain = Vec::with_capacity(line.len());
    let mut rest = line.iter().copied();
    while let Some(byte) = rest.next() {
        if byte != ESCAPE {
            plain.push(byte);
        } else if rest.next() == Some(b'[') {
            // A control sequence ends with its first byte in this range.
            rest.by_ref().find(|byte| (0x40..=0x7e).contains(byte));
        }
    }
    Cow::Owned(plain)
}
