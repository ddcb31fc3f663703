//! JSON documents, read in pieces: what a reader asks for is given value by value, the rest is passed over, so
//! that memory is bounded by the largest piece and not by the document.
//!
//! A *path* leads to a value: the keys of objects and the places in arrays above it. A *pattern* is a path in
//! which `*` stands for any key or place. Before, between and behind documents there may be other text.

mod number;
mod scan;

use std::borrow::Cow;
use std::io;

pub(super) use self::number::{Number, Numbers};
use self::scan::{Stop, Window};
use super::sink::Sink;
use super::source::Source;

/// No piece is longer, so that memory stays bounded whatever the input.
const LONGEST_PIECE: usize = 64 * 1024 * 1024;

/// A value that a reader asked for.
pub(super) struct Piece<'a> {
    /// Which of the patterns led here.
    pub pattern: usize,
    /// The keys and places above it; places are decimal.
    pub path: &'a [String],
    /// The line on which it begins.
    pub line: u64,
    /// Its JSON.
    pub text: &'a [u8],
}

impl<'a> Piece<'a> {
    /// The value, as the reader's wire type has it. One that is not of that shape is told as a near-row.
    pub(super) fn parse<T: serde::Deserialize<'a>>(&self, sink: &mut Sink<'_>) -> Option<T> {
        serde_json::from_slice(self.text)
            .map_err(|error| {
                let line = self.line + (error.line() as u64).saturating_sub(1);
                sink.skip(line, self.text, || format!("not as expected: {}", plain(&error)));
            })
            .ok()
    }
}

/// What is wrong, without the place, which is one in the piece.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(what, _)| what.to_owned())
}

/// Reads all documents of an input and gives the values that one of `patterns` leads to, in order.
///
/// `NaN` and infinities, which are no JSON and which some tools print, are given as `null`.
pub(super) fn pieces(
    source: &mut Source<'_>,
    sink: &mut Sink<'_>,
    patterns: &[&[&str]],
    mut take: impl FnMut(&Piece<'_>, &mut Sink<'_>),
) -> io::Result<()> {
    let mut window = Window::new(source);
    let mut walk = Walk { patterns, path: Vec::new(), given: false, take: &mut take };
    while window.to_document()? {
        let line = window.line();
        walk.given = false;
        walk.path.clear();
        match walk.value(&mut window, sink) {
            Ok(()) => {}
            Err(Stop::Io(error)) => return Err(error),
            // A line of other text that begins with a bracket.
            Err(_) if !walk.given && window.line() == line => {}
            Err(Stop::End) => sink.skip(window.lines(), b"", || "the JSON is cut off here".to_owned()),
            Err(Stop::Long(line)) => {
                sink.skip(line, b"", || format!("a value is longer than {LONGEST_PIECE} bytes"))
            }
            Err(Stop::Unexpected(byte)) => sink.skip(window.line(), window.rest_of_line(), || {
                format!("the JSON breaks off here: unexpected `{}`", char::from(byte))
            }),
        }
    }
    sink.lines(window.lines());
    Ok(())
}

struct Walk<'p, F> {
    patterns: &'p [&'p [&'p str]],
    path: Vec<String>,
    /// Whether this document gave a piece.
    given: bool,
    take: &'p mut F,
}

/// What is to be done with the value at a path.
enum Step {
    /// It is asked for.
    Take(usize),
    /// Something in it is asked for.
    Enter,
    Pass,
}

impl<F: FnMut(&Piece<'_>, &mut Sink<'_>)> Walk<'_, F> {
    fn step(&self) -> Step {
        let leads = |pattern: &&[&str]| {
            let path = &self.path;
            path.len() <= pattern.len()
                && pattern.iter().zip(path).all(|(wanted, key)| *wanted == "*" || *wanted == key)
        };
        let exact = |pattern: &&[&str]| pattern.len() == self.path.len() && leads(pattern);
        match self.patterns.iter().position(exact) {
            Some(pattern) => Step::Take(pattern),
            None if self.patterns.iter().any(leads) => Step::Enter,
            None => Step::Pass,
        }
    }

    fn value(&mut self, window: &mut Window<'_, '_>, sink: &mut Sink<'_>) -> Result<(), Stop> {
        match (self.step(), window.peek()?) {
            (Step::Take(pattern), _) => self.give(pattern, window, sink),
            (Step::Enter, b'{') => self.object(window, sink),
            (Step::Enter, b'[') => self.array(window, sink),
            _ => window.pass_value(),
        }
    }

    fn give(&mut self, pattern: usize, window: &mut Window<'_, '_>, sink: &mut Sink<'_>) -> Result<(), Stop> {
        let line = window.line();
        let text: Cow<'_, [u8]> = number::without_nan(window.take_value(LONGEST_PIECE)?);
        self.given = true;
        (self.take)(&Piece { pattern, path: &self.path, line, text: &text }, sink);
        Ok(())
    }

    fn object(&mut self, window: &mut Window<'_, '_>, sink: &mut Sink<'_>) -> Result<(), Stop> {
        window.expect(b'{')?;
        if window.peek()? == b'}' {
            return window.expect(b'}');
        }
        loop {
            if window.peek()? != b'"' {
                return Err(Stop::Unexpected(window.peek()?));
            }
            let key = window.take_value(LONGEST_PIECE)?;
            let key =
                serde_json::from_slice(key).unwrap_or_else(|_| String::from_utf8_lossy(key).into_owned());
            window.expect(b':')?;
            self.path.push(key);
            self.value(window, sink)?;
            self.path.pop();
            if !window.is_next(b',', b'}')? {
                return Ok(());
            }
        }
    }

    fn array(&mut self, window: &mut Window<'_, '_>, sink: &mut Sink<'_>) -> Result<(), Stop> {
        window.expect(b'[')?;
        if window.peek()? == b']' {
            return window.expect(b']');
        }
        for place in 0u64.. {
            self.path.push(place.to_string());
            self.value(window, sink)?;
            self.path.pop();
            if !window.is_next(b',', b']')? {
                break;
            }
        }
        Ok(())
    }
}

/// Whether a document begins so, other text before it aside, and has all of `keys` near its beginning.
pub(super) fn has_keys(head: &[u8], opens_with: &[u8], keys: &[&str]) -> bool {
    let Some(document) = document(head) else { return false };
    let opens = document.first().is_some_and(|byte| opens_with.contains(byte));
    opens && keys.iter().all(|key| memchr::memmem::find(document, format!("\"{key}\"").as_bytes()).is_some())
}

/// Where the first line begins that opens an object or an array.
fn document(head: &[u8]) -> Option<&[u8]> {
    let mut rest = head;
    loop {
        let line = rest.trim_ascii_start();
        if line.first().is_some_and(|byte| matches!(byte, b'{' | b'[')) {
            return Some(line);
        }
        rest = &rest[memchr::memchr(b'\n', rest)? + 1..];
    }
}
