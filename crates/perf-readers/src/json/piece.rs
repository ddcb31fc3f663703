//! A piece of a document as its reader takes it, and texts as JSON.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::DeserializeSeed;

use crate::json::number::{self, from_slice};
use crate::json::tree::{Json, Shape};
use crate::rows::RowCollector;

/// A value that a reader wants.
pub(crate) struct Piece<'a> {
    /// Index of the matching pattern.
    pub pattern: usize,
    /// The keys and indices above it; indices are decimal.
    pub path: &'a [String],
    /// The line on which it begins.
    pub line: u64,
    /// As it is written, with what is not JSON.
    written: &'a [u8],
    /// The JSON, once somebody asks for it.
    plain: OnceCell<Cow<'a, [u8]>>,
}

impl<'a> Piece<'a> {
    pub(super) fn new(pattern: usize, path: &'a [String], line: u64, written: &'a [u8]) -> Self {
        Self {
            pattern,
            path,
            line,
            written,
            plain: OnceCell::new(),
        }
    }

    /// Its JSON.
    pub(crate) fn text(&self) -> &[u8] {
        self.plain
            .get_or_init(|| number::with_nan_as(self.written, "null"))
    }

    /// The value as the reader's wire type; one of another shape is reported.
    pub(crate) fn parse<'p, T: Deserialize<'p>>(
        &'p self,
        sink: &mut RowCollector<'_>,
    ) -> Option<T> {
        self.parse_as(PhantomData, sink)
    }

    /// The value as an object of this shape; another one is reported.
    pub(crate) fn object(&self, shape: Shape, sink: &mut RowCollector<'_>) -> Option<Json<'_>> {
        self.parse_as(shape, sink)
    }

    /// The value with something else in place of `NaN`, which means something to its tool.
    pub(crate) fn with_nan_as(
        &self,
        nan: &str,
        sink: &mut RowCollector<'_>,
    ) -> Option<Json<'static>> {
        let text = number::with_nan_as(self.written, nan);
        from_slice(&text)
            .map(Json::into_owned)
            .map_err(|error| self.skip(&error, sink))
            .ok()
    }

    /// The value as a text; empty where it is none, which is reported.
    pub(crate) fn text_or_empty(&self, sink: &mut RowCollector<'_>) -> String {
        self.parse(sink).unwrap_or_default()
    }

    fn parse_as<'p, S: DeserializeSeed<'p> + Copy>(
        &'p self,
        seed: S,
        sink: &mut RowCollector<'_>,
    ) -> Option<S::Value> {
        // Texts in what is known as UTF-8 are not checked one by one.
        let value = match std::str::from_utf8(self.written) {
            Ok(text) => whole(seed, serde_json::Deserializer::from_str(text)),
            Err(_) => whole(seed, serde_json::Deserializer::from_slice(self.written)),
        };
        // To look for `NaN` where nothing is wrong would take as long as half of the parsing.
        let value = value.or_else(|error| match self.text() {
            text if text == self.written => Err(error),
            text => whole(seed, serde_json::Deserializer::from_slice(text)),
        });
        let value = value.and_then(|value| number::in_range(self.written, value));
        value.map_err(|error| self.skip(&error, sink)).ok()
    }

    #[cold]
    fn skip(&self, error: &serde_json::Error, sink: &mut RowCollector<'_>) {
        sink.skip(self.line + line_of(error) - 1, self.text(), || {
            format!("unexpected JSON: {}", plain(error))
        });
    }
}

pub(crate) fn object(text: &[u8], shape: Shape) -> serde_json::Result<Json<'_>> {
    number::in_range(
        text,
        whole(shape, serde_json::Deserializer::from_slice(text))?,
    )
}

/// Parses all of a text.
fn whole<'p, S: DeserializeSeed<'p>, R: serde_json::de::Read<'p>>(
    seed: S,
    mut text: serde_json::Deserializer<R>,
) -> serde_json::Result<S::Value> {
    let value = seed.deserialize(&mut text)?;
    text.end().map(|()| value)
}

/// The line of an error in a text, from 1. The parser places a line end in column 0 of the next line, which need not
/// exist; here it belongs to the line that it ends.
pub(crate) fn line_of(error: &serde_json::Error) -> u64 {
    let is_line_end = error.column() == 0;
    error.line().saturating_sub(usize::from(is_line_end)).max(1) as u64
}

/// The message without its place, which is relative to the piece.
pub(crate) fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ")
        .map_or(text.clone(), |(what, _)| what.to_owned())
}
