//! A line cut into fields at its commas. A comma inside quotes separates nothing.
//!
//! Fields are cut from the right: what stands before a row in a log may have commas and quotes of its own.

use std::borrow::Cow;

use crate::input::text::trimmed;

/// Splits lines, reusing its memory.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    spans: Vec<(usize, usize)>,
}

impl Fields {
    /// Finds the last `most` fields.
    pub(crate) fn cut(&mut self, line: &[u8], most: usize) {
        self.spans.clear();
        let quoted = memchr::memchr(b'"', line).is_some();
        let mut end = line.len();
        while self.spans.len() < most {
            let comma = if quoted {
                comma_before(line, end)
            } else {
                memchr::memrchr(b',', &line[..end])
            };
            self.spans.push((comma.map_or(0, |at| at + 1), end));
            let Some(comma) = comma else { break };
            end = comma;
        }
        self.spans.reverse();
    }

    /// The bytes of each field of the line that was cut.
    pub(crate) fn raw<'l>(&self, line: &'l [u8]) -> impl Iterator<Item = &'l [u8]> {
        self.spans.iter().map(|(from, to)| &line[*from..*to])
    }

    /// The fields of the line that was cut, without their quotes. Text before an opening quote goes with it.
    pub(crate) fn texts<'l>(&self, line: &'l str) -> Vec<Cow<'l, str>> {
        self.spans
            .iter()
            .map(|(from, to)| unquoted(&line[*from..*to]))
            .collect()
    }

    /// The fields of the line that was cut. Quotes that do not enclose a whole field are part of it.
    pub(crate) fn cells<'l>(&self, line: &'l str) -> Vec<Cow<'l, str>> {
        let cell = |field: &'l str| {
            let field = trimmed(field);
            if field.starts_with('"') {
                unquoted(field)
            } else {
                Cow::Borrowed(field)
            }
        };
        self.spans
            .iter()
            .map(|(from, to)| cell(&line[*from..*to]))
            .collect()
    }
}

/// The last comma before `end` that separates: not one inside a field that ends with a quote.
fn comma_before(line: &[u8], end: usize) -> Option<usize> {
    let from = match line[..end].trim_ascii_end().strip_suffix(b"\"") {
        Some(inside) => opening_quote(inside).unwrap_or(end),
        None => end,
    };
    memchr::memrchr(b',', &line[..from])
}

/// Returns the place of the quote that opens the text that ends here; doubled quotes are part of the text.
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

fn unquoted(field: &str) -> Cow<'_, str> {
    let Some(inside) = field.trim_end().strip_suffix('"') else {
        return Cow::Borrowed(field);
    };
    match opening_quote(inside.as_bytes()) {
        Some(quote) => Cow::Owned(inside[quote + 1..].replace("\"\"", "\"")),
        None => Cow::Borrowed(field),
    }
}
