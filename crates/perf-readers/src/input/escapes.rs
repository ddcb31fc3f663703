//! Escape sequences that colour a terminal, or tell it a title or a link.

use std::borrow::Cow;
use std::io::{self, Read};

use memchr::memchr;

/// The first byte of an escape sequence.
pub(crate) const ESCAPE: u8 = 0x1b;

/// The state of a scan: in text, or at some place in an escape sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// Behind what begins it, or before the last byte of one with a character set.
    Begun,
    /// In `ESC [ … m` and the like.
    Control,
    /// In `ESC ] … BEL` and the like, which other bytes may end, too.
    Command,
}

impl State {
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (_, ESCAPE) | (Self::Begun, b' '..=b'/') => Self::Begun,
            (Self::Begun, b'[') => Self::Control,
            (Self::Begun, b']' | b'P' | b'X' | b'^' | b'_') => Self::Command,
            (Self::Control, 0x40..=0x7e)
            | (Self::Command, 0x07)
            | (Self::Begun | Self::Text, _) => Self::Text,
            (Self::Control | Self::Command, _) => self,
        }
    }

    /// Moves what belongs to no escape sequence to the front, and returns its length. A line end ends a sequence, so
    /// that one that is cut off takes no other line.
    fn remove(&mut self, text: &mut [u8]) -> usize {
        let (mut from, mut kept) = (0, 0);
        while from < text.len() {
            if *self == Self::Text {
                let end = memchr(ESCAPE, &text[from..]).map_or(text.len(), |at| from + at);
                if kept < from {
                    text.copy_within(from..end, kept);
                }
                kept += end - from;
                from = end;
            }
            match text.get(from) {
                None => {}
                Some(b'\n') => *self = Self::Text,
                Some(byte) => {
                    *self = self.after(*byte);
                    from += 1;
                }
            }
        }
        kept
    }
}

/// Reads a text without its escape sequences.
pub(crate) struct WithoutEscapes<R> {
    input: R,
    state: State,
}

impl<R: Read> WithoutEscapes<R> {
    pub(crate) fn new(input: R) -> Self {
        Self {
            input,
            state: State::Text,
        }
    }
}

impl<R: Read> Read for WithoutEscapes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.input.read(buffer)?;
            let kept = self.state.remove(&mut buffer[..read]);
            if read == 0 || kept > 0 {
                return Ok(kept);
            }
        }
    }
}

/// A text without its escape sequences, where a document quotes what was printed.
pub(crate) fn without_escapes(text: &str) -> Cow<'_, str> {
    if memchr(ESCAPE, text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    let kept = State::Text.remove(&mut bytes);
    Cow::Owned(String::from_utf8_lossy(&bytes[..kept]).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::lines::tests::Dribble;
    use proptest::prelude::*;

    fn without(text: &str, step: usize) -> String {
        let mut plain = String::new();
        WithoutEscapes::new(Dribble(text.as_bytes(), step))
            .read_to_string(&mut plain)
            .unwrap();
        plain
    }

    #[test]
    fn sequences_of_every_kind_are_removed() {
        for (text, plain) in [
            ("\u{1b}[32mfib\u{1b}[39m 5\u{1b}[0K\n", "fib 5\n"),
            (
                "\u{1b}]8;;https://host/\u{1b}\\link\u{1b}]8;;\u{7} x",
                "link x",
            ),
            (
                "\u{1b}_bk;t=1694\u{7}goos\u{1b}(B: linux\u{1b}=",
                "goos: linux",
            ),
            ("a\u{1b}[3\nb\u{1b}]0;title\nc\u{1b}", "a\nb\nc"),
        ] {
            assert_eq!(without(text, usize::MAX), plain);
            assert_eq!(without_escapes(text), plain);
        }
    }

    proptest! {
        #[test]
        fn result_does_not_depend_on_read_sizes(text in "(\u{1b}[\\[\\]_(]?|[0-9;a-m\n\u{7} ]){0,40}", step in 1..9_usize) {
            prop_assert_eq!(without(&text, step), without(&text, usize::MAX));
            prop_assert_eq!(text.matches('\n').count(), without(&text, step).matches('\n').count());
        }
    }
}
