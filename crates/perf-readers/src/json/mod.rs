//! JSON documents as a stream of *pieces*: the values that a reader wants. The rest is skipped, so that memory is
//! bounded by the largest piece and not by the document.
//!
//! A *path* is the keys of objects and the indices of arrays above a value. A *pattern* is a path in which `*` matches
//! any key or index; the empty pattern matches the whole document.
//! Other text may stand before, between and after documents.

mod number;
mod piece;
mod scan;
mod tree;

use std::fmt::Write as _;
use std::io;

pub(crate) use self::number::{Number, from_slice};
pub(crate) use self::piece::{Piece, object};
use self::scan::{Stop, Window};
pub(crate) use self::tree::{Json, Loose, Shape};
use crate::format::Likeness;
use crate::input::source::Source;
use crate::input::text::{closing_quote, is_first_of_line};
use crate::rows::RowCollector;

/// Limit for a piece, so that memory stays bounded.
const LONGEST_PIECE: usize = 64 * 1024 * 1024;

/// An event for the reader of a document: a piece, or the end.
enum Event<'a> {
    Piece(Piece<'a>),
    End,
}

/// Takes events. Not a type parameter, so that the walk is compiled once and not for each tool.
type Take<'t> = &'t mut dyn FnMut(Event<'_>, &mut RowCollector<'_>);

/// Reads all documents of an input and passes on the values that match one of `patterns`, in order.
///
/// `NaN` and infinities, which are not JSON but which some tools print, become `null`.
pub(crate) fn pieces(
    source: &mut Source<'_>,
    sink: &mut RowCollector<'_>,
    patterns: &[&[&str]],
    mut take: impl FnMut(&Piece<'_>, &mut RowCollector<'_>),
) -> io::Result<()> {
    documents(
        source,
        sink,
        patterns,
        |(), piece, sink| take(piece, sink),
        |(), _| (),
    )
}

/// As [`pieces`], for readers that gather the values of a document in a `T` and get it at the end of the document.
pub(crate) fn documents<T: Default>(
    source: &mut Source<'_>,
    sink: &mut RowCollector<'_>,
    patterns: &[&[&str]],
    mut take: impl FnMut(&mut T, &Piece<'_>, &mut RowCollector<'_>),
    mut end: impl FnMut(T, &mut RowCollector<'_>),
) -> io::Result<()> {
    let mut gathered = T::default();
    walk(source, sink, patterns, &mut |event, sink| match event {
        Event::Piece(piece) => take(&mut gathered, &piece, sink),
        Event::End => end(std::mem::take(&mut gathered), sink),
    })
}

fn walk(
    source: &mut Source<'_>,
    sink: &mut RowCollector<'_>,
    patterns: &[&[&str]],
    take: Take<'_>,
) -> io::Result<()> {
    let wanted = Wanted::new(patterns);
    let mut window = Window::new(source);
    let mut follows_document = false;
    while window.next_document(follows_document)? {
        sink.documents.next();
        follows_document = document(&mut window, &mut Walk::new(&wanted, take), sink)?;
        take(Event::End, sink);
    }
    sink.lines(window.lines());
    Ok(())
}

/// Reads the next document as far as it is valid. Returns whether it was complete and had a wanted value.
fn document(
    window: &mut Window<'_, '_>,
    walk: &mut Walk<'_, '_>,
    sink: &mut RowCollector<'_>,
) -> io::Result<bool> {
    let line = window.line();
    let is_json = window.opens_json()?;
    match walk.value(window, sink) {
        Ok(()) => return Ok(walk.given),
        Err(Stop::Io(error)) => return Err(error),
        // A line of other text that begins with a bracket.
        Err(_) if !walk.given && window.line() == line && !is_json => {}
        Err(Stop::End) => sink.skip(window.lines(), b"", || "JSON is cut off here".to_owned()),
        Err(Stop::Long(line)) => {
            sink.skip(line, b"", || {
                format!("value is longer than {LONGEST_PIECE} bytes")
            });
        }
        Err(Stop::Unexpected(byte)) => sink.skip(window.line(), window.rest_of_line(), || {
            format!("invalid JSON: unexpected `{}`", char::from(byte))
        }),
    }
    Ok(false)
}

/// The patterns as a tree; the first node is the root.
struct Wanted<'p>(Vec<Part<'p>>);

#[derive(Default)]
struct Part<'p> {
    /// Child nodes by key, `*` for any.
    parts: Vec<(&'p str, usize)>,
    pattern: Option<usize>,
}

impl<'p> Wanted<'p> {
    fn new(patterns: &[&[&'p str]]) -> Self {
        let mut all = vec![Part::default()];
        for (pattern, keys) in patterns.iter().enumerate() {
            let mut at = 0;
            for key in *keys {
                let known = all[at]
                    .parts
                    .iter()
                    .find(|(other, _)| other == key)
                    .map(|(_, place)| *place);
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

struct Walk<'w, 't> {
    wanted: &'w Wanted<'w>,
    /// As many keys as there are levels but the first; those behind are reused, to avoid allocating.
    path: Vec<String>,
    /// The matching nodes at each level of the path, one level after the other.
    leading: Vec<usize>,
    /// The place in `leading` where each level begins.
    starts: Vec<usize>,
    given: bool,
    take: Take<'t>,
}

/// The treatment of the value at a path.
enum Step {
    /// Takes the value, which matches the pattern of this number.
    Take(usize),
    /// Enters the value, as something in it is wanted.
    Enter,
    Pass,
}

impl<'w, 't> Walk<'w, 't> {
    fn new(wanted: &'w Wanted<'w>, take: Take<'t>) -> Self {
        Self {
            wanted,
            path: Vec::new(),
            leading: vec![0],
            starts: vec![0],
            given: false,
            take,
        }
    }

    /// The place of the key of the next level.
    fn key(&mut self) -> &mut String {
        let level = self.starts.len() - 1;
        if level == self.path.len() {
            self.path.push(String::new());
        }
        self.path[level].clear();
        &mut self.path[level]
    }

    /// Descends to the part of the value that has this [key](Self::key).
    fn enter(&mut self) {
        let key = &self.path[self.starts.len() - 1];
        let (start, end) = (
            self.starts.last().copied().unwrap_or_default(),
            self.leading.len(),
        );
        for at in start..end {
            let parts = self.wanted.0[self.leading[at]].parts.iter();
            let meant = parts.filter(|(wanted, _)| *wanted == "*" || wanted == key);
            self.leading.extend(meant.map(|(_, place)| *place));
        }
        self.starts.push(end);
    }

    fn leave(&mut self) {
        self.leading.truncate(self.starts.pop().unwrap_or_default());
    }

    fn step(&self) -> Step {
        let leading = &self.leading[self.starts.last().copied().unwrap_or_default()..];
        match leading
            .iter()
            .filter_map(|at| self.wanted.0[*at].pattern)
            .min()
        {
            Some(pattern) => Step::Take(pattern),
            None if !leading.is_empty() => Step::Enter,
            None => Step::Pass,
        }
    }

    fn value(
        &mut self,
        window: &mut Window<'_, '_>,
        sink: &mut RowCollector<'_>,
    ) -> Result<(), Stop> {
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
        let text = window.take_value(LONGEST_PIECE)?;
        self.given = true;
        let path = &self.path[..self.starts.len() - 1];
        (self.take)(Event::Piece(Piece::new(pattern, path, line, text)), sink);
        Ok(())
    }

    fn object(
        &mut self,
        window: &mut Window<'_, '_>,
        sink: &mut RowCollector<'_>,
    ) -> Result<(), Stop> {
        window.expect(b'{')?;
        if window.peek()? == b'}' {
            return window.expect(b'}');
        }
        loop {
            if window.peek()? != b'"' {
                return Err(Stop::Unexpected(window.peek()?));
            }
            read_key(window.take_value(LONGEST_PIECE)?, self.key());
            window.expect(b':')?;
            self.enter();
            self.value(window, sink)?;
            self.leave();
            if !window.is_next(b',', b'}')? {
                return Ok(());
            }
        }
    }

    fn array(
        &mut self,
        window: &mut Window<'_, '_>,
        sink: &mut RowCollector<'_>,
    ) -> Result<(), Stop> {
        window.expect(b'[')?;
        if window.peek()? == b']' {
            return window.expect(b']');
        }
        for place in 0u64.. {
            // Writing to a text does not fail.
            let _ = write!(self.key(), "{place}");
            self.enter();
            self.value(window, sink)?;
            self.leave();
            if !window.is_next(b',', b']')? {
                break;
            }
        }
        Ok(())
    }
}

/// Puts the text of a key, which is in quotes, into `into`.
fn read_key(quoted: &[u8], into: &mut String) {
    let inside = quoted
        .strip_prefix(b"\"")
        .and_then(|rest| rest.strip_suffix(b"\""));
    let is_plain = |text: &&[u8]| {
        text.iter()
            .all(|byte| *byte != b'\\' && !byte.is_ascii_control())
    };
    match inside
        .filter(is_plain)
        .and_then(|inside| std::str::from_utf8(inside).ok())
    {
        Some(plain) => into.push_str(plain),
        None => {
            *into = serde_json::from_slice(quoted)
                .unwrap_or_else(|_| String::from_utf8_lossy(quoted).into_owned());
        }
    }
}

/// True if a document (behind other text) opens with one of these brackets and has all of `keys` near its beginning.
pub(crate) fn has_keys(head: &[u8], opens_with: &[u8], keys: &[&str]) -> bool {
    first_document(head, opens_with).is_some_and(|document| are_in(document, keys))
}

fn are_in(document: &[u8], keys: &[&str]) -> bool {
    keys.iter()
        .all(|key| memchr::memmem::find(document, format!("\"{key}\"").as_bytes()).is_some())
}

/// Returns the likeness of the first of these sets of keys that a document (behind other text) has in full, else `No`.
pub(crate) fn likeness(head: &[u8], opens_with: &[u8], sets: &[(&[&str], Likeness)]) -> Likeness {
    let document = first_document(head, opens_with);
    let known = document.and_then(|document| sets.iter().find(|(keys, _)| are_in(document, keys)));
    known.map_or(Likeness::No, |(_, likeness)| *likeness)
}

/// True if a document (behind other text) begins with these tokens: brackets and colons, `*` for any string, `0` for a
/// number, otherwise the allowed strings, separated by `|`.
pub(crate) fn begins(head: &[u8], tokens: &[&str]) -> bool {
    let opens_with = tokens.first().map_or(&b""[..], |token| token.as_bytes());
    let Some(mut rest) = first_document(head, opens_with) else {
        return false;
    };
    tokens.iter().all(|token| {
        rest = rest.trim_ascii_start();
        let length = match *token {
            "{" | "[" | ":" => usize::from(rest.starts_with(token.as_bytes())),
            "0" => usize::from(
                rest.first()
                    .is_some_and(|byte| byte.is_ascii_digit() || *byte == b'-'),
            ),
            texts => text_length(rest, texts),
        };
        rest = &rest[length..];
        length > 0
    })
}

/// Length of the next string, if it is one of `wanted`, else 0.
fn text_length(rest: &[u8], wanted: &str) -> usize {
    let text = rest
        .strip_prefix(b"\"")
        .and_then(|rest| Some(&rest[..closing_quote(rest, b'"')?]));
    match text {
        Some(text)
            if wanted == "*" || wanted.split('|').any(|wanted| wanted.as_bytes() == text) =>
        {
            text.len() + 2
        }
        _ => 0,
    }
}

/// The text from the first line on that opens with one of these brackets.
fn first_document<'h>(head: &'h [u8], opens_with: &[u8]) -> Option<&'h [u8]> {
    let opens = |at: &usize| is_first_of_line(head, *at);
    let first = match *opens_with {
        [bracket] => memchr::memchr_iter(bracket, head).find(opens),
        [one, other] => memchr::memchr2_iter(one, other, head).find(opens),
        _ => None,
    };
    first.map(|at| &head[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn document_opens_a_line() {
        let blank = "\n".repeat(128 * 1024);
        let head = format!("{blank}one {{\n{blank} two [\n\r\n \t{{}}\n");
        assert_eq!(first_document(head.as_bytes(), b"[{"), Some(&b"{}\n"[..]));
        assert_eq!(first_document(b"{1", b"[{"), Some(&b"{1"[..]));
        assert_eq!(first_document(head.as_bytes(), b"["), None);
    }
}
