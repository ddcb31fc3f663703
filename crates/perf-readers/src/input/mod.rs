//! The text of an input, which is read whole: decoded, without escape sequences and without the prefixes of a runner.

pub(crate) mod escapes;
pub(crate) mod fields;
pub(crate) mod prefixes;
pub(crate) mod text;

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
