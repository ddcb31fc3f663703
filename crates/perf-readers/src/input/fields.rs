//! Splits a line into fields at its commas, except inside quotes.
//!
//! Fields are split from the right, because the text before a row in a log may contain commas and quotes.

use std::borrow::Cow;

/// Returns the last `most` fields of a line, with their quotes.
pub(crate) fn cut(line: &str, most: usize) -> Vec<&str> {
    let bytes = line.as_bytes();
    let quoted = memchr::memchr(b'"', bytes).is_some();
    let (mut fields, mut end) = (Vec::new(), line.len());
    while fields.len() < most {
        let comma = if quoted {
            comma_before(bytes, end)
        } else {
            memchr::memrchr(b',', &bytes[..end])
        };
        fields.push(&line[comma.map_or(0, |at| at + 1)..end]);
        let Some(comma) = comma else { break };
        end = comma;
    }
    fields.reverse();
    fields
}

/// Returns a table cell's text. Quotes that do not enclose the whole field are part of the text.
pub(crate) fn cell(field: &str) -> Cow<'_, str> {
    let field = field.trim();
    if field.starts_with('"') {
        unquoted(field)
    } else {
        Cow::Borrowed(field)
    }
}

/// Returns the position of the last comma before `end` that separates fields. A comma is skipped if it is inside a
/// field that ends with a quote at `end`.
fn comma_before(line: &[u8], end: usize) -> Option<usize> {
    let from = match line[..end].trim_ascii_end().strip_suffix(b"\"") {
        Some(inside) => opening_quote(inside).unwrap_or(end),
        None => end,
    };
    memchr::memrchr(b',', &line[..from])
}

/// Returns the position of the opening quote, given the line up to the closing one. Doubled quotes are part of the text.
fn opening_quote(inside: &[u8]) -> Option<usize> {
    let mut end = inside.len();
    loop {
        let quote = memchr::memrchr(b'"', &inside[..end])?;
        match quote.checked_sub(1) {
            Some(before) if inside[before] == b'"' => end = before,
            _ => return Some(quote),
        }
    }
}

/// Returns a field without its quotes and without any text before the opening quote. A field without quotes is not
/// changed.
pub(crate) fn unquoted(field: &str) -> Cow<'_, str> {
    let Some(inside) = field.trim_end().strip_suffix('"') else {
        return Cow::Borrowed(field);
    };
    match opening_quote(inside.as_bytes()) {
        Some(quote) => Cow::Owned(inside[quote + 1..].replace("\"\"", "\"")),
        None => Cow::Borrowed(field),
    }
}
