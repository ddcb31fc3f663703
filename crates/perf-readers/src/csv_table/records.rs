//! The records of a CSV, which may span lines where a field is quoted.
//!
//! A quote that nobody closes must not swallow the rest of a file. So a record is bounded, and whoever reads it
//! may take its first line alone.

use std::io::{self, Read};

use memchr::{memchr, memchr_iter};

/// Limit for a record, so that memory stays bounded.
pub(crate) const LONGEST: usize = 2 * 1024 * 1024;

/// The number of bytes read at a time.
const CHUNK: usize = 64 * 1024;

/// A record, with the line ends that are in it and behind it.
pub(crate) struct Record<'w> {
    /// Its first line, from 1.
    pub line: u64,
    pub text: &'w [u8],
    /// True if each quote that opens a field is closed.
    pub closed: bool,
    /// True if the record has more than one line.
    pub spans_lines: bool,
    /// True if the record contains a quote.
    pub has_quotes: bool,
}

/// Gives records one by one.
pub(crate) struct Records<R> {
    input: R,
    window: Vec<u8>,
    start: usize,
    ended: bool,
    /// True if the rest of a line that is too long comes next.
    overlong: bool,
    passed: u64,
    /// The lengths in bytes of the record given last and of its first line.
    given: (usize, usize),
}

impl<R: Read> Records<R> {
    /// The records of an input behind `passed` lines.
    pub(crate) fn new(input: R, passed: u64) -> Self {
        Self {
            input,
            window: Vec::new(),
            start: 0,
            ended: false,
            overlong: false,
            passed,
            given: (0, 0),
        }
    }

    /// Returns the number of lines passed so far.
    pub(crate) fn lines(&self) -> u64 {
        self.passed
    }

    /// The next record, or `None` at the end of the input. It stays the next one until it is taken.
    pub(crate) fn peek(&mut self) -> io::Result<Option<Record<'_>>> {
        while self.overlong && !(self.ended && self.ahead().is_empty()) {
            let end = memchr(b'\n', self.ahead());
            self.start += end.map_or(self.ahead().len(), |at| at + 1);
            self.overlong = end.is_none();
            if self.overlong {
                self.read_on()?;
            }
        }
        let Some(first) = self.line_end(0)? else {
            return Ok(None);
        };
        let (mut end, mut quotes) = (first, Quotes::default());
        quotes.pass(self.ahead(), end);
        while quotes.state == State::Inside && end < LONGEST {
            let Some(next) = self.line_end(end)? else {
                break;
            };
            end = next;
            quotes.pass(self.ahead(), end);
        }
        let closed = quotes.state == State::Outside;
        if !closed {
            end = first;
        }
        self.given = (end, first);
        let text = &self.window[self.start..self.start + end];
        let (spans_lines, has_quotes) = (end > first, quotes.found);
        Ok(Some(Record {
            line: self.passed + 1,
            text,
            closed,
            spans_lines,
            has_quotes,
        }))
    }

    /// Passes the record that was given.
    pub(crate) fn take(&mut self) {
        self.pass(self.given.0);
    }

    /// Passes the first line of the record that was given.
    pub(crate) fn take_line(&mut self) {
        self.pass(self.given.1);
    }

    fn pass(&mut self, end: usize) {
        let text = &self.window[self.start..self.start + end];
        let unended = text.last().is_some_and(|last| *last != b'\n');
        let is_line = end == self.given.1;
        self.passed += if is_line {
            1
        } else {
            memchr_iter(b'\n', text).count() as u64 + u64::from(unended)
        };
        self.overlong = unended && !self.ended;
        self.start += end;
    }

    /// Returns the bytes that were read but not passed.
    fn ahead(&self) -> &[u8] {
        &self.window[self.start..]
    }

    /// Returns the end of the line that begins at `from`, its line end included, or the place where it gets too long;
    /// `None` when there is no such line.
    fn line_end(&mut self, from: usize) -> io::Result<Option<usize>> {
        let mut searched = from;
        loop {
            if let Some(at) = memchr(b'\n', &self.ahead()[searched..]) {
                return Ok(Some(searched + at + 1));
            }
            searched = self.ahead().len();
            if self.ended || searched - from > LONGEST {
                return Ok(Some(searched).filter(|end| *end > from));
            }
            self.read_on()?;
        }
    }

    fn read_on(&mut self) -> io::Result<()> {
        self.window.drain(..self.start);
        self.start = 0;
        let read = self
            .input
            .by_ref()
            .take(CHUNK as u64)
            .read_to_end(&mut self.window)?;
        self.ended = read < CHUNK;
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    /// In a field that a quote has opened.
    Inside,
    /// Behind a quote that closes no field.
    Broken,
}

/// Follows the quotes of a record from left to right.
#[derive(Debug, Default)]
struct Quotes {
    state: State,
    passed: usize,
    /// True once a quote was seen.
    found: bool,
}

impl Quotes {
    /// Follows them up to `end`, which is the end of a line.
    fn pass(&mut self, text: &[u8], end: usize) {
        while let Some(at) =
            memchr(b'"', &text[self.passed.min(end)..end]).map(|at| self.passed + at)
        {
            let before = text[..at].trim_ascii_end().last();
            let behind = &text[at + 1..end];
            self.passed = at + 1;
            self.found = true;
            match self.state {
                State::Outside if before.is_none_or(|byte| *byte == b',') => {
                    self.state = State::Inside;
                }
                State::Inside if behind.first() == Some(&b'"') => self.passed += 1,
                State::Inside => {
                    let closes = behind
                        .trim_ascii_start()
                        .first()
                        .is_none_or(|byte| *byte == b',');
                    self.state = if closes {
                        State::Outside
                    } else {
                        State::Broken
                    };
                }
                State::Outside | State::Broken => {}
            }
        }
        self.passed = end;
    }
}
