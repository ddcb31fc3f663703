//! An input's text, read whole: decoded, without escape sequences and runner prefixes.

pub(crate) mod escapes;
pub(crate) mod fields;
pub(crate) mod prefixes;

use std::io::{self, ErrorKind, Read};

/// The maximum size of an input in bytes, after decompression.
const LARGEST: u64 = 256 * 1024 * 1024;

/// The number of bytes at the start of an input that determine its format.
///
/// Builds may print a lot before the first benchmark does.
pub(crate) const HEAD: usize = 128 * 1024;

/// The maximum length of a line with a row. Longer lines are reported.
pub(crate) const LONGEST_LINE: usize = 1024 * 1024;

/// Reads an input to its end and removes its escape sequences. Bytes that are not UTF-8 become replacement characters,
/// which make names invalid.
///
/// # Errors
/// Fails if the input cannot be read or is too large.
pub(crate) fn read_text(input: &mut dyn Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    input.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        let hint = "it is larger than 256 MB: keep only the result lines, for example with `grep`";
        return Err(io::Error::new(ErrorKind::FileTooLarge, hint));
    }
    escapes::remove(&mut bytes);
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// An input's text, or the rest of the text after the part that another format read.
#[derive(Clone, Copy)]
pub(crate) struct Input<'t> {
    pub text: &'t str,
}

impl<'t> Input<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text }
    }

    /// Returns the start of the text, which determines the format.
    pub(crate) fn head(&self) -> &'t str {
        &self.text[..self.text.floor_char_boundary(HEAD)]
    }
}

pub(crate) fn line_ends(text: &str) -> u64 {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
}

/// Returns the number of lines. The last line may have no line end.
pub(crate) fn line_count(text: &str) -> u64 {
    line_ends(text) + u64::from(!text.is_empty() && !text.ends_with('\n'))
}

/// Iterates over the lines without their line ends, numbered from 1.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let mut rest = text;
    let mut number = 0;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        number += 1;
        let end = memchr::memchr(b'\n', rest.as_bytes());
        let line = &rest[..end.unwrap_or(rest.len())];
        rest = end.map_or("", |end| &rest[end + 1..]);
        Some((number, line))
    })
}

/// Whether only white space precedes this position on its line.
pub(crate) fn is_first_of_line(text: &str, at: usize) -> bool {
    let before = text.as_bytes()[..at].iter().rev();
    let mut before = before.skip_while(|byte| **byte != b'\n' && byte.is_ascii_whitespace());
    before.next().is_none_or(|byte| *byte == b'\n')
}

/// Returns the position of the closing quote in `text`, which starts after the opening quote.
pub(crate) fn closing_quote(text: &str, quote: u8) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + memchr::memchr2(quote, b'\\', text.as_bytes().get(from..)?)?;
        if text.as_bytes()[at] == quote {
            return Some(at);
        }
        from = at + 2;
    }
}
