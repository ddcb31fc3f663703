//! Rows in lines of text: delimited or structured, with any prefix.

mod delimited;
mod log_row;
mod prefix;
mod structured;

use std::iter::Peekable;
use std::sync::LazyLock;

use memchr::memchr_iter;
use memchr::memmem::{FindIter, Finder};

use self::delimited::Line;
pub(crate) use self::delimited::TextRows;
pub(crate) use self::log_row::{HALF_QUOTE, has_half_quote};
use crate::input::escapes::without_escapes;
use crate::input::{Input, LONGEST_LINE, line_count, lines};
use crate::rows::Rows;

/// The word `scenario` in a key or a column. The first letter is left out, because it may be a capital letter.
static WORDS: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| ["cenario", "CENARIO"].map(Finder::new));

/// Whether `text` contains the word `scenario`.
fn has_scenario(text: &str) -> bool {
    WORDS
        .iter()
        .any(|word| word.find(text.as_bytes()).is_some())
}

/// Finds the lines that contain the word `scenario`.
pub(crate) struct Words<'t>([Peekable<FindIter<'t, 'static>>; 2]);

impl<'t> Words<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        let words = WORDS.each_ref();
        Self(words.map(|word| word.find_iter(text.as_bytes()).peekable()))
    }

    /// Whether the text's next line, which starts at `start`, contains the word.
    pub(crate) fn are_in(&mut self, start: usize, line: &str) -> bool {
        self.0.iter_mut().any(|word| {
            while word.next_if(|at| *at < start).is_some() {}
            word.peek().is_some_and(|at| *at < start + line.len())
        })
    }
}

/// Whether `text` contains as many commas as a row's key columns need, and one of its commas follows a number such as a
/// run index.
pub(crate) fn has_number(text: &str) -> bool {
    let mut commas = memchr_iter(b',', text.as_bytes());
    let is_number = |comma: usize| {
        let before = text[..comma].strip_suffix('"').unwrap_or(&text[..comma]);
        before.ends_with(|c: char| c.is_ascii_digit())
    };
    commas.clone().nth(2).is_some() && commas.any(is_number)
}

impl TextRows {
    /// Reads a line, which may be a row, a header or other text.
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
        self.read_delimited(number, line, has_word, sink)
    }

    /// Reads the quoted strings in a line, because a log may consist of JSON lines. Returns `false` if they contain no
    /// rows.
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

pub(crate) fn skip_overlong(line: u64, sink: &mut Rows<'_>) {
    sink.skip(line, "", || {
        format!("line is longer than {LONGEST_LINE} bytes")
    });
}

/// Reports a row on the last line if no line end follows, because the last number may be cut off. A text of a single
/// line is not reported.
pub(crate) fn report_unended(line: u64, text: &str, sink: &mut Rows<'_>) {
    if line > 1 && text.ends_with(|c: char| c.is_ascii_digit() || c == '.' || c == ',') {
        sink.skip(line, "", || {
            "no line end: the last number may be cut off".to_owned()
        });
    }
}
