//! JSON's structure, found in a stream without looking at what values mean.

use std::io::{self, Read};

use memchr::{memchr, memchr_iter, memchr2};

use crate::input::blocks::{BLOCK, enclosed, places};
use crate::input::source::Source;
use crate::input::text::is_first_of_line;

/// The number of bytes read at a time.
const CHUNK: usize = 256 * 1024;

/// The reason why reading stopped before the end of a document.
pub(crate) enum Stop {
    Io(io::Error),
    /// The input ended.
    End,
    /// This stands where something else should.
    Unexpected(u8),
    /// A value that begins on this line is too long to be taken.
    Long(u64),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// A part of the input in memory, and how far it is read.
pub(crate) struct Window<'s, 'r> {
    input: &'s mut Source<'r>,
    buffer: Vec<u8>,
    at: usize,
    ended: bool,
    /// Line ends before `counted`.
    line_ends: u64,
    counted: usize,
}

impl<'s, 'r> Window<'s, 'r> {
    pub(crate) fn new(input: &'s mut Source<'r>) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            at: 0,
            ended: false,
            line_ends: 0,
            counted: 0,
        }
    }

    /// The line, from 1, of what comes next.
    pub(crate) fn line(&mut self) -> u64 {
        self.line_ends += memchr_iter(b'\n', &self.buffer[self.counted..self.at]).count() as u64;
        self.counted = self.at;
        self.line_ends + 1
    }

    /// The number of lines, once all is read; skips the rest of the buffer.
    pub(crate) fn lines(&mut self) -> u64 {
        self.at = self.buffer.len();
        let open = self.buffer.last().is_some_and(|last| *last != b'\n');
        self.line() - 1 + u64::from(open)
    }

    pub(crate) fn rest_of_line(&self) -> &[u8] {
        let rest = &self.buffer[self.at..];
        &rest[..memchr(b'\n', rest).unwrap_or(rest.len())]
    }

    /// Reads more behind what there is, and lets go of what lies before `keep`. Whether there was more.
    fn read_on(&mut self, keep: usize) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        if keep > 0 {
            // The last byte shows whether the last line has an end.
            let keep = keep.min(self.buffer.len().saturating_sub(1));
            self.line_ends +=
                memchr_iter(b'\n', &self.buffer[self.counted.min(keep)..keep]).count() as u64;
            self.buffer.drain(..keep);
            self.at -= keep;
            self.counted = self.counted.saturating_sub(keep);
        }
        // Into memory as it is: to clear it first takes longer than a small document.
        let most = CHUNK.max(self.buffer.len() / 2);
        self.buffer.reserve(most);
        self.ended = self
            .input
            .by_ref()
            .take(most as u64)
            .read_to_end(&mut self.buffer)?
            == 0;
        Ok(!self.ended)
    }

    /// The next byte that is no white space.
    pub(crate) fn peek(&mut self) -> Result<u8, Stop> {
        loop {
            let rest = &self.buffer[self.at..];
            if let Some(skip) = rest.iter().position(|byte| !byte.is_ascii_whitespace()) {
                self.at += skip;
                return Ok(self.buffer[self.at]);
            }
            self.at = self.buffer.len();
            if !self.read_on(self.at)? {
                return Err(Stop::End);
            }
        }
    }

    /// Passes this byte, which must come next.
    pub(crate) fn expect(&mut self, byte: u8) -> Result<(), Stop> {
        match self.peek()? {
            next if next == byte => {
                self.at += 1;
                Ok(())
            }
            other => Err(Stop::Unexpected(other)),
        }
    }

    /// Passes `more` or `end`; whether it was `more`.
    pub(crate) fn is_next(&mut self, more: u8, end: u8) -> Result<bool, Stop> {
        let next = self.peek()?;
        if next != more && next != end {
            return Err(Stop::Unexpected(next));
        }
        self.at += 1;
        Ok(next == more)
    }

    /// Goes to the next line that opens an object or an array; what was begun on a line is passed with it, but
    /// for a document right behind one. Whether there is one.
    pub(crate) fn next_document(&mut self, is_behind_one: bool) -> io::Result<bool> {
        let mut fresh = is_behind_one || self.at == 0 || self.buffer[self.at - 1] == b'\n';
        loop {
            match self.peek() {
                Err(Stop::Io(error)) => return Err(error),
                Err(_) => return Ok(false),
                Ok(b'{' | b'[') if fresh || is_first_of_line(&self.buffer, self.at) => {
                    return Ok(true);
                }
                Ok(_) => self.pass_line()?,
            }
            fresh = true;
        }
    }

    /// True if the bracket that comes next opens JSON rather than prose: a quote or `{` follows.
    pub(crate) fn opens_json(&mut self) -> io::Result<bool> {
        loop {
            let inside = self.buffer[self.at..]
                .get(1..)
                .unwrap_or_default()
                .trim_ascii_start();
            if let Some(first) = inside.first() {
                return Ok(matches!(first, b'"' | b'{'));
            }
            if !self.read_on(self.at)? {
                return Ok(false);
            }
        }
    }

    fn pass_line(&mut self) -> io::Result<()> {
        loop {
            if let Some(end) = memchr(b'\n', &self.buffer[self.at..]) {
                self.at += end + 1;
                return Ok(());
            }
            self.at = self.buffer.len();
            if !self.read_on(self.at)? {
                return Ok(());
            }
        }
    }

    /// The value that comes next, whole.
    pub(crate) fn take_value(&mut self, longest: usize) -> Result<&[u8], Stop> {
        self.peek()?;
        let mut skim = Skim::default();
        let mut looked = 0;
        loop {
            if let Some(end) = skim.end(&self.buffer[self.at + looked..]) {
                let from = self.at;
                self.at += looked + end;
                return Ok(&self.buffer[from..self.at]);
            }
            looked = self.buffer.len() - self.at;
            if looked > longest {
                let line = self.line();
                self.at = self.buffer.len();
                return Err(Stop::Long(line));
            }
            if !self.read_on(self.at)? {
                // The input ended: a number is whole then, anything else is cut off.
                let from = self.at;
                self.at += looked;
                return if skim.is_scalar() {
                    Ok(&self.buffer[from..])
                } else {
                    Err(Stop::End)
                };
            }
        }
    }

    /// Passes the value that comes next, however long it is.
    pub(crate) fn pass_value(&mut self) -> Result<(), Stop> {
        self.peek()?;
        let mut skim = Skim::default();
        loop {
            if let Some(end) = skim.end(&self.buffer[self.at..]) {
                self.at += end;
                return Ok(());
            }
            self.at = self.buffer.len();
            if !self.read_on(self.at)? {
                return if skim.is_scalar() {
                    Ok(())
                } else {
                    Err(Stop::End)
                };
            }
        }
    }
}

/// Looks for the end of one value, part by part.
#[derive(Default)]
struct Skim {
    depth: usize,
    in_string: bool,
    escaped: bool,
    begun: bool,
}

impl Skim {
    /// True if the value begun is a number or a literal, which the end of the input completes.
    fn is_scalar(&self) -> bool {
        self.depth == 0 && !self.in_string
    }

    /// Returns the end of the value in the next part; `None` when the value continues after it.
    fn end(&mut self, part: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < part.len() {
            if self.depth > 0
                && !self.escaped
                && let Some(block) = part[at..].first_chunk::<BLOCK>()
            {
                match self.block(block) {
                    Err(end) => return Some(at + end),
                    // A backslash comes next.
                    Ok(0) => {}
                    Ok(passed) => {
                        at += passed;
                        continue;
                    }
                }
            }
            if self.in_string {
                at += self.string(&part[at..])?;
                if self.depth == 0 {
                    return Some(at);
                }
                continue;
            }
            let byte = part[at];
            match byte {
                _ if self.depth == 0 && self.is_behind(byte) => return Some(at),
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth <= 1 => return Some(at + self.depth),
                b'}' | b']' => self.depth -= 1,
                _ => {}
            }
            self.begun = true;
            at += 1;
        }
        None
    }

    /// Passes the bytes of a block up to the first backslash, and says how many; an error is where the value ends.
    fn block(&mut self, block: &[u8; BLOCK]) -> Result<usize, usize> {
        let [quotes, escapes] = places(block, *b"\"\\");
        // Square brackets become braces.
        let [opening, closing] = places(&block.map(|byte| byte | 0x20), *b"{}");
        let passed = escapes.trailing_zeros();
        let ahead = u64::MAX.checked_shl(passed).unwrap_or_default();
        let quotes = quotes & !ahead;
        let texts = enclosed(quotes) ^ if self.in_string { u64::MAX } else { 0 };
        let [opening, closing] = [opening, closing].map(|places| places & !ahead & !texts);
        if (closing.count_ones() as usize) < self.depth {
            self.depth = self.depth + opening.count_ones() as usize - closing.count_ones() as usize;
        } else {
            let mut brackets = opening | closing;
            while brackets != 0 {
                let at = brackets.trailing_zeros();
                brackets &= brackets - 1;
                if opening >> at & 1 == 1 {
                    self.depth += 1;
                } else if self.depth == 1 {
                    return Err(at as usize + 1);
                } else {
                    self.depth -= 1;
                }
            }
        }
        self.in_string ^= quotes.count_ones() % 2 == 1;
        Ok(passed as usize)
    }

    /// True if this byte, outside of brackets, comes after the value.
    fn is_behind(&self, byte: u8) -> bool {
        match byte {
            b'"' | b'{' | b'[' => self.begun,
            _ => matches!(byte, b',' | b':' | b' ' | b'\t' | b'\r' | b'\n'),
        }
    }

    /// Returns the length of the rest of a string, its quote included; `None` when it continues after the part.
    fn string(&mut self, part: &[u8]) -> Option<usize> {
        let mut at = usize::from(std::mem::take(&mut self.escaped) && !part.is_empty());
        loop {
            let found = at + memchr2(b'"', b'\\', part.get(at..)?)?;
            if part[found] == b'"' {
                self.in_string = false;
                return Some(found + 1);
            }
            if found + 1 >= part.len() {
                self.escaped = true;
                return None;
            }
            at = found + 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The ends of the value at the start of `text`, found `step` bytes at a time.
    fn end(text: &[u8], step: usize) -> Option<usize> {
        let mut skim = Skim::default();
        text.chunks(step)
            .enumerate()
            .find_map(|(at, part)| Some(at * step + skim.end(part)?))
    }

    #[test]
    fn value_end_is_found() {
        for (text, value) in [
            (r#"{"a":[1,"}"]},2"#, r#"{"a":[1,"}"]}"#),
            (r#""a\"]",2"#, r#""a\"]""#),
            ("12.5e3]", "12.5e3"),
            ("true ,", "true"),
            ("]", ""),
            (r#""\\" : 1"#, r#""\\""#),
        ] {
            assert_eq!(end(text.as_bytes(), 1000), Some(value.len()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn value_end_does_not_depend_on_chunks(
            text in "[\\[\\]{}\",:\\\\a1 ]{0,40}([\\[{\"]a{40,80}[\\[\\]{}\",:\\\\a1 ]{0,40}){0,4}",
            step in 1usize..100,
        ) {
            // So short that no block is in them.
            prop_assert_eq!(end(text.as_bytes(), step), end(text.as_bytes(), 9));
            prop_assert_eq!(end(text.as_bytes(), 1000), end(text.as_bytes(), 9));
        }
    }
}
