//! Rows in lines of text, after any prefix: delimited or structured.

mod delimited;
mod log_row;
mod prefix;
mod structured;

use memchr::{memchr_iter, memmem};

use self::delimited::{Delimited, Line};
pub(crate) use self::log_row::{HALF_QUOTE, has_half_quote};
use crate::input::escapes::without_escapes;
use crate::input::{Input, LONGEST_LINE, line_count, lines};
use crate::rows::Rows;

/// The word `scenario` in a key or a column, with any first letter.
const WORDS: [&str; 2] = ["cenario", "CENARIO"];

/// Whether a text contains the word `scenario`.
pub(crate) fn has_scenario(text: &str) -> bool {
    let has = |word: &&str| memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    WORDS.iter().any(has)
}

/// Whether a number precedes a comma, as a run index does.
fn has_number(text: &str) -> bool {
    memchr_iter(b',', text.as_bytes()).any(|comma| {
        let before = text[..comma].strip_suffix('"').unwrap_or(&text[..comma]);
        before.ends_with(|c: char| c.is_ascii_digit())
    })
}

/// Finds rows in lines, and remembers header lines.
pub(crate) struct TextRows {
    delimited: Delimited,
}

impl TextRows {
    pub(crate) fn new(sink: &mut Rows<'_>) -> Self {
        Self {
            delimited: Delimited::new(sink),
        }
    }

    /// Reads any line.
    pub(crate) fn line(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) {
        let has_word = has_scenario(line);
        if !has_word && !has_number(line) {
            return;
        }
        let line = line.trim();
        let found = self.read(number, line, has_word, sink);
        if matches!(found, Line::Taken) || self.quoted(number, line, sink) {
            return;
        }
        if let Line::Malformed(problem) = found {
            sink.skip(number, line, || problem);
        }
    }

    fn read(&mut self, number: u64, line: &str, has_word: bool, sink: &mut Rows<'_>) -> Line {
        if has_word && structured::read(number, line, sink) {
            return Line::Taken;
        }
        self.delimited.read(number, line, has_word, sink)
    }

    /// Reads quoted text, for logs with JSON lines; `false` if it contains no rows.
    fn quoted(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        let mut is_taken = false;
        for quoted in structured::quoted_texts(line) {
            if !has_number(quoted) && !has_scenario(quoted) {
                continue;
            }
            let unescaped = structured::unescaped(quoted);
            for inner in without_escapes(&unescaped).lines().map(str::trim) {
                match self.read(number, inner, has_scenario(inner), sink) {
                    Line::Taken => is_taken = true,
                    Line::Malformed(problem) => {
                        is_taken = true;
                        sink.skip(number, inner, || problem);
                    }
                    Line::Nothing => {}
                }
            }
        }
        is_taken
    }
}

/// Reads the rows in the first `length` bytes, which are whole lines before a document. Returns the document's text and
/// the number of lines before it.
pub(crate) fn before_document<'t>(
    length: usize,
    input: &Input<'t>,
    sink: &mut Rows<'_>,
) -> (&'t str, u64) {
    let mut rows = TextRows::new(sink);
    let (before, document) = input.text.split_at(length);
    for (number, line) in lines(before) {
        rows.line(number, line, sink);
    }
    (document, line_count(before))
}

/// Calls `visit` with each line's number and text, for formats that consist of lines. Overlong lines are reported.
pub(crate) fn each_line<'c>(
    input: &Input<'_>,
    sink: &mut Rows<'c>,
    mut visit: impl FnMut(u64, &str, &mut Rows<'c>),
) {
    for (number, line) in lines(input.text) {
        if line.len() > LONGEST_LINE {
            skip_overlong(number, sink);
        } else {
            visit(number, line, sink);
        }
    }
    sink.lines(line_count(input.text));
}

/// Reports a line that is too long.
pub(crate) fn skip_overlong(line: u64, sink: &mut Rows<'_>) {
    sink.skip(line, "", || {
        format!("line is longer than {LONGEST_LINE} bytes")
    });
}

/// Reports a row on the last line if the text does not end with a line end: its last number may be cut off. A single line
/// is exempt.
pub(crate) fn report_unended(line: u64, text: &str, sink: &mut Rows<'_>) {
    if line > 1 && text.ends_with(|c: char| c.is_ascii_digit() || c == '.' || c == ',') {
        sink.skip(line, "", || {
            "no line end: the last number may be cut off".to_owned()
        });
    }
}
