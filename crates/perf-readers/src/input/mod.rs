//! The text of an input, which is read whole: decoded, without escape sequences and without the prefixes of a runner.

pub(crate) mod escapes;
pub(crate) mod fields;
pub(crate) mod prefixes;

use std::borrow::Cow;
use std::io::{self, ErrorKind, Read};

/// The largest input in bytes, after decompression.
const LARGEST: u64 = 256 * 1024 * 1024;

/// The number of bytes at the beginning of an input that decide its format.
///
/// Builds print a good deal before the first benchmark does.
pub(crate) const HEAD: usize = 128 * 1024;

/// Limit for the length of a line with a row. Longer lines are reported.
pub(crate) const LONGEST_LINE: usize = 1024 * 1024;

/// Reads an input to its end and removes its escape sequences.
///
/// # Errors
/// I/O errors, and an input that is too large.
pub(crate) fn read_text(input: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    input.take(LARGEST + 1).read_to_end(&mut text)?;
    if text.len() as u64 > LARGEST {
        let hint =
            "it is larger than 256 MB: keep only the lines with results, such as with `grep`";
        return Err(io::Error::new(ErrorKind::FileTooLarge, hint));
    }
    escapes::remove(&mut text);
    Ok(text)
}

/// A text that a format reads, from its beginning or from where one format ends and another one begins.
pub(crate) struct Source<'t> {
    text: &'t [u8],
    rest: &'t [u8],
}

impl<'t> Source<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Self {
        Self { text, rest: text }
    }

    /// The first bytes of the input, which decide its format.
    pub(crate) fn head(&self) -> &'t [u8] {
        &self.text[..self.text.len().min(HEAD)]
    }

    /// The text that is to be read.
    pub(crate) fn rest(&self) -> &'t [u8] {
        self.rest
    }

    /// Passes this many bytes, which are not read.
    pub(crate) fn pass(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }
}

/// Returns the number of line ends in a text.
pub(crate) fn line_ends(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}

/// Returns the number of lines of a text, whose last line may have no end.
pub(crate) fn line_count(text: &[u8]) -> u64 {
    line_ends(text) + u64::from(text.last().is_some_and(|last| *last != b'\n'))
}

/// The lines of a text without their ends, numbered from 1.
pub(crate) fn lines(text: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let is_empty = text.is_empty();
    (1..)
        .zip(text.split(|byte| *byte == b'\n'))
        .filter(move |_| !is_empty)
}

/// As `String::from_utf8_lossy`, but several times as fast for valid UTF-8.
pub(crate) fn text(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// `text` without white space around it, which most texts have none of.
pub(crate) fn trimmed(text: &str) -> &str {
    match text.as_bytes() {
        [only] if only.is_ascii_graphic() => text,
        [first, .., last] if first.is_ascii_graphic() && last.is_ascii_graphic() => text,
        _ => text.trim(),
    }
}

/// As [`trimmed`], for white space before it.
pub(crate) fn trimmed_start(text: &str) -> &str {
    if text.as_bytes().first().is_some_and(u8::is_ascii_graphic) {
        text
    } else {
        text.trim_start()
    }
}

/// True if nothing but white space stands before this place on its line.
pub(crate) fn is_first_of_line(text: &[u8], at: usize) -> bool {
    let before = text[..at]
        .iter()
        .rev()
        .find(|byte| !byte.is_ascii_whitespace() || **byte == b'\n');
    before.is_none_or(|byte| *byte == b'\n')
}

/// Returns the place of the quote that closes a text, which begins after its opening quote.
pub(crate) fn closing_quote(text: &[u8], quote: u8) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + memchr::memchr2(quote, b'\\', text.get(from..)?)?;
        if text[at] == quote {
            return Some(at);
        }
        from = at + 2;
    }
}
