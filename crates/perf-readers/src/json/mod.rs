//! JSON documents, read in pieces: what a reader asks for is given value by value, the rest is passed over, so
//! that memory is bounded by the largest piece and not by the document.
//!
//! A *path* leads to a value: the keys of objects and the places in arrays above it. A *pattern* is a path in
//! which `*` stands for any key or place; the empty one leads to the whole document.
//! Before, between and behind documents there may be other text.

mod fields;
mod number;
mod scan;

use std::borrow::Cow;
use std::io;

pub(crate) use self::fields::{Fields, Loose, Scalar};
pub(crate) use self::number::{Number, Numbers};
use self::scan::{Stop, Window};
use crate::input::source::Source;
use crate::rows::RowCollector;

/// No piece is longer, so that memory stays bounded whatever the input.
const LONGEST_PIECE: usize = 64 * 1024 * 1024;

/// A value that a reader asked for.
pub(crate) struct Piece<'a> {
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
    pub(crate) fn parse<T: serde::Deserialize<'a>>(&self, sink: &mut RowCollector<'_>) -> Option<T> {
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
pub(crate) fn pieces(
    source: &mut Source<'_>,
    sink: &mut RowCollector<'_>,
    patterns: &[&[&str]],
    mut take: impl FnMut(&Piece<'_>, &mut RowCollector<'_>),
) -> io::Result<()> {
    documents(source, sink, patterns, |(), piece, sink| take(piece, sink), |(), _| ())
}

/// As [`pieces`], for readers that gather what a document says in a `T`, which they are given at its end.
pub(crate) fn documents<T: Default>(
    source: &mut Source<'_>,
    sink: &mut RowCollector<'_>,
    patterns: &[&[&str]],
    mut take: impl FnMut(&mut T, &Piece<'_>, &mut RowCollector<'_>),
    mut end: impl FnMut(T, &mut RowCollector<'_>),
) -> io::Result<()> {
    let wanted = Wanted::new(patterns);
    let mut window = Window::new(source);
    let mut is_behind_one = false;
    while window.next_document(is_behind_one)? {
        sink.next_document();
        let mut gathered = T::default();
        let mut take = |piece: &Piece<'_>, sink: &mut RowCollector<'_>| take(&mut gathered, piece, sink);
        let mut walk = Walk::new(&wanted, &mut take);
        is_behind_one = document(&mut window, &mut walk, sink)?;
        end(gathered, sink);
    }
    sink.lines(window.lines());
    Ok(())
}

/// Reads the document that comes next, as far as it is one. Whether it was whole, and gave something.
fn document<F: FnMut(&Piece<'_>, &mut RowCollector<'_>)>(
    window: &mut Window<'_, '_>,
    walk: &mut Walk<'_, F>,
    sink: &mut RowCollector<'_>,
) -> io::Result<bool> {
    let line = window.line();
    let is_json = window.opens_json()?;
    match walk.value(window, sink) {
        Ok(()) => return Ok(walk.given),
        Err(Stop::Io(error)) => return Err(error),
        // A line of other text that begins with a bracket.
        Err(_) if !walk.given && window.line() == line && !is_json => {}
        Err(Stop::End) => sink.skip(window.lines(), b"", || "the JSON is cut off here".to_owned()),
        Err(Stop::Long(line)) => {
            sink.skip(line, b"", || format!("a value is longer than {LONGEST_PIECE} bytes"));
        }
        Err(Stop::Unexpected(byte)) => sink.skip(window.line(), window.rest_of_line(), || {
            format!("the JSON breaks off here: unexpected `{}`", char::from(byte))
        }),
    }
    Ok(false)
}

/// The patterns as a tree of their parts, of which the first is the whole.
struct Wanted<'p>(Vec<Part<'p>>);

#[derive(Default)]
struct Part<'p> {
    /// The keys of what is wanted in it, `*` for any, and their places.
    parts: Vec<(&'p str, usize)>,
    /// The pattern that it is the end of.
    pattern: Option<usize>,
}

impl<'p> Wanted<'p> {
    fn new(patterns: &[&[&'p str]]) -> Self {
        let mut all = vec![Part::default()];
        for (pattern, keys) in patterns.iter().enumerate() {
            let mut at = 0;
            for key in *keys {
                let known = all[at].parts.iter().find(|(other, _)| other == key).map(|(_, place)| *place);
                at = known.unwrap_or_else(|| {
                    let place = all.len();
                    all[at].parts.push((key, place));
                    all.push(Part::default());
                    place
                });
            }
            all[at].pattern.get_or_insert(pattern);
        }
        Self(all)
    }
}

struct Walk<'p, F> {
    wanted: &'p Wanted<'p>,
    path: Vec<String>,
    /// The places of what is wanted at each part of the path, one part behind the other.
    leading: Vec<usize>,
    /// Where those of each part begin.
    starts: Vec<usize>,
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

impl<'p, F: FnMut(&Piece<'_>, &mut RowCollector<'_>)> Walk<'p, F> {
    fn new(wanted: &'p Wanted<'p>, take: &'p mut F) -> Self {
        Self { wanted, path: Vec::new(), leading: vec![0], starts: vec![0], given: false, take }
    }

    /// Goes on to a part of the value.
    fn enter(&mut self, key: String) {
        let (start, end) = (self.starts.last().copied().unwrap_or_default(), self.leading.len());
        for at in start..end {
            let parts = self.wanted.0[self.leading[at]].parts.iter();
            let meant = parts.filter(|(wanted, _)| *wanted == "*" || *wanted == key);
            self.leading.extend(meant.map(|(_, place)| *place));
        }
        self.starts.push(end);
        self.path.push(key);
    }

    fn leave(&mut self) {
        self.path.pop();
        self.leading.truncate(self.starts.pop().unwrap_or_default());
    }

    fn step(&self) -> Step {
        let leading = &self.leading[self.starts.last().copied().unwrap_or_default()..];
        match leading.iter().filter_map(|at| self.wanted.0[*at].pattern).min() {
            Some(pattern) => Step::Take(pattern),
            None if !leading.is_empty() => Step::Enter,
            None => Step::Pass,
        }
    }

    fn value(&mut self, window: &mut Window<'_, '_>, sink: &mut RowCollector<'_>) -> Result<(), Stop> {
        match (self.step(), window.peek()?) {
            (Step::Take(pattern), _) => self.give(pattern, window, sink),
            (Step::Enter, b'{') => self.object(window, sink),
            (Step::Enter, b'[') => self.array(window, sink),
            _ => window.pass_value(),
        }
    }

    fn give(
        &mut self,
        pattern: usize,
        window: &mut Window<'_, '_>,
        sink: &mut RowCollector<'_>,
    ) -> Result<(), Stop> {
        let line = window.line();
        let text: Cow<'_, [u8]> = number::without_nan(window.take_value(LONGEST_PIECE)?);
        self.given = true;
        (self.take)(&Piece { pattern, path: &self.path, line, text: &text }, sink);
        Ok(())
    }

    fn object(&mut self, window: &mut Window<'_, '_>, sink: &mut RowCollector<'_>) -> Result<(), Stop> {
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
            self.enter(key);
            self.value(window, sink)?;
            self.leave();
            if !window.is_next(b',', b'}')? {
                return Ok(());
            }
        }
    }

    fn array(&mut self, window: &mut Window<'_, '_>, sink: &mut RowCollector<'_>) -> Result<(), Stop> {
        window.expect(b'[')?;
        if window.peek()? == b']' {
            return window.expect(b']');
        }
        for place in 0u64.. {
            self.enter(place.to_string());
            self.value(window, sink)?;
            self.leave();
            if !window.is_next(b',', b']')? {
                break;
            }
        }
        Ok(())
    }
}

/// Whether a document begins with one of these brackets, other text before it aside, and has all of `keys` near
/// its beginning.
pub(crate) fn has_keys(head: &[u8], opens_with: &[u8], keys: &[&str]) -> bool {
    let Some(document) = first_document(head, opens_with) else { return false };
    keys.iter().all(|key| memchr::memmem::find(document, format!("\"{key}\"").as_bytes()).is_some())
}

/// Whether a document begins with these tokens, white space and other text before it aside: brackets and colons as
/// they are, `*` for any text, `0` for a number, and otherwise the texts that may stand there, with `|` between them.
pub(crate) fn begins(head: &[u8], tokens: &[&str]) -> bool {
    let opens_with = tokens.first().map_or(&b""[..], |token| token.as_bytes());
    let Some(mut rest) = first_document(head, opens_with) else { return false };
    tokens.iter().all(|token| {
        rest = rest.trim_ascii_start();
        let length = match *token {
            "{" | "[" | ":" => usize::from(rest.starts_with(token.as_bytes())),
            "0" => usize::from(rest.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'-')),
            texts => text_length(rest, texts),
        };
        rest = &rest[length..];
        length > 0
    })
}

/// How long the text in quotes is that comes next; 0 when it is none of those wanted.
fn text_length(rest: &[u8], wanted: &str) -> usize {
    let mut is_escaped = false;
    let is_end = |byte: &u8| {
        let ends = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    };
    let text = rest.strip_prefix(b"\"").and_then(|rest| Some(&rest[..rest.iter().position(is_end)?]));
    match text {
        Some(text) if wanted == "*" || wanted.split('|').any(|wanted| wanted.as_bytes() == text) => {
            text.len() + 2
        }
        _ => 0,
    }
}

/// Where the first line begins that opens with one of these brackets.
fn first_document<'h>(head: &'h [u8], opens_with: &[u8]) -> Option<&'h [u8]> {
    lines(head).find(|line| line.first().is_some_and(|byte| opens_with.contains(byte)))
}

/// Where each line begins, white space before it aside; blank lines are such, and are passed once.
fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let behind = |line: &&[u8]| memchr::memchr(b'\n', line).map(|end| line.len() - end - 1);
    let at = |left: usize| head[head.len() - left..].trim_ascii_start();
    std::iter::successors(Some(at(head.len())), move |line| behind(line).map(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_are_passed_once() {
        let blank = "\n".repeat(128 * 1024);
        let head = format!("{blank}one\n{blank} two\n\r\n{{}}\n");
        assert_eq!(lines(head.as_bytes()).count(), 4);
        assert_eq!(first_document(head.as_bytes(), b"[{"), Some(&b"{}\n"[..]));
        assert_eq!(first_document(head.as_bytes(), b"["), None);
    }
}
