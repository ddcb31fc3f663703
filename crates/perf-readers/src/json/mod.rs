//! JSON documents. A reader receives their *pieces*, which are the values that it needs.
//!
//! A *path* consists of the keys of objects and the indices of arrays that lead to a value. A *pattern* is a path in
//! which `*` matches any key or index. The empty pattern matches the whole document. Documents may have other text
//! before, between and after them.

mod number;
mod tree;

use std::borrow::Cow;
use std::fmt;

use memchr::{memchr, memmem};
use serde::Deserialize;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

pub(crate) use self::number::Number;
pub(crate) use self::tree::{Json, Shape};
use crate::input::{Input, line_count, line_ends};
use crate::input::{closing_quote, is_first_of_line};
use crate::rows::Rows;

/// A value that a reader needs.
pub(crate) struct Piece<'a> {
    /// The index of the pattern that the value matches.
    pub pattern: usize,
    /// The value's path. Indices are decimal.
    pub path: &'a [String],
    /// The line on which the value starts, counted from 1.
    pub line: u64,
    text: &'a str,
}

impl<'a> Piece<'a> {
    /// Returns the value's JSON.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Parses the value as the type that the reader expects. A mismatch is reported.
    pub(crate) fn parse<'p, T: Deserialize<'p>>(&'p self, sink: &mut Rows<'_>) -> Option<T> {
        self.or_report(serde_json::from_str(self.text), sink)
    }

    /// Parses the value as an object of this shape. A mismatch is reported.
    pub(crate) fn object(&self, shape: Shape, sink: &mut Rows<'_>) -> Option<Json<'_>> {
        self.or_report(object(self.text(), shape), sink)
    }

    /// Parses the value as a string. Other values are reported and become empty strings.
    pub(crate) fn text_or_empty(&self, sink: &mut Rows<'_>) -> String {
        self.parse(sink).unwrap_or_default()
    }

    fn or_report<T>(&self, value: serde_json::Result<T>, sink: &mut Rows<'_>) -> Option<T> {
        match value {
            Ok(value) => Some(value),
            Err(error) => {
                sink.skip(self.line + line_of(&error) - 1, self.text(), || {
                    format!("unexpected JSON: {}", message(&error))
                });
                None
            }
        }
    }
}

/// Returns an error's line, counted from 1. For an error at a line end, the parser reports column 0 of the next line,
/// which may not exist. Such an error is attributed to the line before.
fn line_of(error: &serde_json::Error) -> u64 {
    let is_line_end = error.column() == 0;
    error.line().saturating_sub(usize::from(is_line_end)).max(1) as u64
}

/// Returns an error's message without its position, which is relative to the piece.
fn message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let before_place = text
        .rsplit_once(" at line ")
        .map(|(before, _)| before.to_owned());
    before_place.unwrap_or(text)
}

pub(crate) fn object(text: &str, shape: Shape) -> serde_json::Result<Json<'_>> {
    shape.check(serde_json::from_str(text)?)
}

/// Reads all documents in an input and passes on the values that match one of `patterns`, in order.
///
/// `NaN` and infinities, which some tools print although JSON does not allow them, become `null`.
pub(crate) fn pieces(
    input: &Input<'_>,
    sink: &mut Rows<'_>,
    patterns: &[&[&str]],
    mut take: impl FnMut(&Piece<'_>, &mut Rows<'_>),
) {
    documents(
        input,
        sink,
        patterns,
        |(), piece, sink| take(piece, sink),
        |(), _| (),
    );
}

/// Like [`pieces`], but for readers that collect a document's values in a `T` and process them at the end of the
/// document.
pub(crate) fn documents<T: Default>(
    input: &Input<'_>,
    sink: &mut Rows<'_>,
    patterns: &[&[&str]],
    take: impl FnMut(&mut T, &Piece<'_>, &mut Rows<'_>),
    end: impl FnMut(T, &mut Rows<'_>),
) {
    documents_with_nan("null", input, sink, patterns, take, end);
}

/// Like [`documents`], but `NaN` is replaced by `nan`, for tools that give `NaN` a meaning.
pub(crate) fn documents_with_nan<T: Default>(
    nan: &str,
    input: &Input<'_>,
    sink: &mut Rows<'_>,
    patterns: &[&[&str]],
    mut take: impl FnMut(&mut T, &Piece<'_>, &mut Rows<'_>),
    mut end: impl FnMut(T, &mut Rows<'_>),
) {
    let text = number::with_nan_as(input.text, nan);
    let mut lines = Lines::new(&text);
    let (mut at, mut follows_document) = (0, true);
    while let Some(start) = next_document(&text, at, follows_document) {
        let document = &text[start..];
        let mut values = serde_json::Deserializer::from_str(document).into_iter::<&RawValue>();
        let line = lines.at(start);
        match values.next() {
            Some(Ok(value)) => {
                at = start + values.byte_offset();
                sink.documents.next();
                let mut gathered = T::default();
                let mut walk = Walk {
                    patterns,
                    path: Vec::new(),
                    given: false,
                    lines: &mut lines,
                    take: &mut |piece, sink| take(&mut gathered, piece, sink),
                };
                walk.value(value, sink);
                follows_document = walk.given;
                end(gathered, sink);
            }
            Some(Err(error)) => {
                // Parsed text is not read again, so that the time stays linear.
                at = start + offset(document, &error);
                follows_document = false;
                if error.is_eof() {
                    if opens_json(document) || at > start + 1 {
                        sink.skip(line_count(&text), "", || "JSON is cut off here".to_owned());
                    }
                    break;
                }
                // A line of other text may start with a bracket.
                let found_on = lines.at(at);
                if opens_json(document) || found_on != line {
                    let rest = text[at..].lines().next().unwrap_or_default();
                    sink.skip(found_on, rest, || {
                        format!("invalid JSON: {}", message(&error))
                    });
                }
            }
            None => break,
        }
    }
    sink.lines(line_count(input.text));
}

/// Returns the position of an error in the parsed text.
fn offset(text: &str, error: &serde_json::Error) -> usize {
    let mut start = 0;
    for _ in 1..error.line() {
        start += memchr(b'\n', &text.as_bytes()[start..]).map_or(0, |at| at + 1);
    }
    // At a line end, the parser reports column 0 of the next line.
    let at = (start + error.column()).max(2) - 1;
    text.floor_char_boundary(at.min(text.len()))
}

/// Returns the start of the next document: at the start of a line, or after another document on the same line.
fn next_document(text: &str, from: usize, follows_document: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    if follows_document {
        let blanks = text[from..].len() - text[from..].trim_start().len();
        if matches!(bytes.get(from + blanks), Some(b'{' | b'[')) {
            return Some(from + blanks);
        }
    }
    let mut places = memchr::memchr2_iter(b'{', b'[', &bytes[from..]).map(|at| from + at);
    places.find(|at| is_first_of_line(text, *at))
}

/// Whether the bracket at the start opens JSON rather than prose: a quote or `{` follows.
fn opens_json(document: &str) -> bool {
    document[1..].trim_start().starts_with(['"', '{'])
}

/// Finds the lines of positions, which must be in ascending order.
struct Lines<'t> {
    text: &'t str,
    counted: usize,
    ends: u64,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            counted: 0,
            ends: 0,
        }
    }

    /// Returns a position's line, counted from 1.
    fn at(&mut self, place: usize) -> u64 {
        if place > self.counted {
            self.ends += line_ends(&self.text[self.counted..place]);
            self.counted = place;
        }
        self.ends + 1
    }

    /// Returns the line on which a part of the text starts.
    fn of(&mut self, part: &str) -> u64 {
        let place = part.as_ptr() as usize - self.text.as_ptr() as usize;
        self.at(place)
    }
}

/// A function that receives pieces. It is called dynamically, so that the walk is compiled only once.
type Take<'t> = &'t mut dyn FnMut(&Piece<'_>, &mut Rows<'_>);

struct Walk<'w, 't> {
    patterns: &'w [&'w [&'w str]],
    path: Vec<String>,
    given: bool,
    lines: &'w mut Lines<'t>,
    take: Take<'w>,
}

impl Walk<'_, '_> {
    /// Passes on a value that matches a pattern. Enters an object or array that may contain a match.
    fn value(&mut self, value: &RawValue, sink: &mut Rows<'_>) {
        let text = value.get();
        let matches = |pattern: &&[&str]| {
            let mut keys = pattern.iter().zip(&self.path);
            pattern.len() >= self.path.len()
                && keys.all(|(wanted, key)| *wanted == "*" || wanted == key)
        };
        let mut wanted = self
            .patterns
            .iter()
            .enumerate()
            .filter(|(_, pattern)| matches(pattern));
        let is_whole = |(_, pattern): &(usize, &&[&str])| pattern.len() == self.path.len();
        if let Some((pattern, _)) = wanted.clone().find(is_whole) {
            self.given = true;
            let piece = Piece {
                pattern,
                path: &self.path,
                line: self.lines.of(text),
                text,
            };
            return (self.take)(&piece, sink);
        }
        if wanted.next().is_none() || !text.starts_with(['{', '[']) {
            return;
        }
        let Ok(Parts(parts)) = serde_json::from_str(text) else {
            return;
        };
        for (key, part) in parts {
            self.path.push(key.into_owned());
            self.value(part, sink);
            self.path.pop();
        }
    }
}

/// The parts of an object or array, unparsed.
struct Parts<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Parts<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PartsVisitor)
    }
}

struct PartsVisitor;

impl<'de> Visitor<'de> for PartsVisitor {
    type Value = Parts<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object or a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut parts = Vec::new();
        while let Some(key) = entries.next_key::<Key<'de>>()? {
            parts.push((key.0, entries.next_value()?));
        }
        Ok(Parts(parts))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut parts = Vec::new();
        while let Some(item) = items.next_element()? {
            parts.push((parts.len().to_string().into(), item));
        }
        Ok(Parts(parts))
    }
}

/// A key that borrows from the text if it contains no escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// Whether a document opens with one of these brackets and contains all of `keys` near its start. Other text may
/// precede the document.
pub(crate) fn has_keys(head: &str, opens_with: &str, keys: &[&str]) -> bool {
    first_document(head, opens_with).is_some_and(|document| are_in(document, keys))
}

pub(crate) fn are_in(document: &str, keys: &[&str]) -> bool {
    let has = |key: &&str| memmem::find(document.as_bytes(), format!("\"{key}\"").as_bytes());
    keys.iter().all(|key| has(key).is_some())
}

/// Whether a document starts with these tokens. Other text may precede the document. A token is a bracket, a colon, `*`
/// for any string, `0` for a number, or a list of allowed strings that are separated by `|`.
pub(crate) fn begins(head: &str, tokens: &[&str]) -> bool {
    let opens_with = tokens.first().copied().unwrap_or_default();
    let Some(mut rest) = first_document(head, opens_with) else {
        return false;
    };
    tokens.iter().all(|token| {
        rest = rest.trim_start();
        let length = match *token {
            "{" | "[" | ":" => usize::from(rest.starts_with(token)),
            "0" => usize::from(rest.starts_with(|c: char| c.is_ascii_digit() || c == '-')),
            texts => text_length(rest, texts),
        };
        rest = &rest[length..];
        length > 0
    })
}

/// Returns the length of the string at the start of `rest` if it is one of the `wanted` strings, and otherwise 0.
fn text_length(rest: &str, wanted: &str) -> usize {
    let Some(inside) = rest.strip_prefix('"') else {
        return 0;
    };
    let Some(end) = closing_quote(inside, b'"') else {
        return 0;
    };
    let is_wanted = wanted == "*" || wanted.split('|').any(|wanted| wanted == &inside[..end]);
    if is_wanted { end + 2 } else { 0 }
}

/// Returns the text from the first of these brackets that begins a line.
pub(crate) fn first_document<'h>(head: &'h str, opens_with: &str) -> Option<&'h str> {
    let opens = |at: &usize| is_first_of_line(head, *at);
    let first = match *opens_with.as_bytes() {
        [bracket] => memchr::memchr_iter(bracket, head.as_bytes()).find(opens),
        [one, other] => memchr::memchr2_iter(one, other, head.as_bytes()).find(opens),
        _ => None,
    };
    first.map(|at| &head[at..])
}
