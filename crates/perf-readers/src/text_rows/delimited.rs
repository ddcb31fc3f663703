//! Rows as CSV, buried in a log: `scenario,platform,commit,runIndex`, then metrics in an agreed order, or in
//! that of a header before them; with anything in front.
//!
//! Rows are read from the right, as the prefix may have commas of its own. So that tables of numbers and
//! prose are not taken for rows, a scenario and a platform must have a letter, and a run index must be small.

use std::borrow::Cow;

use memchr::memchr3;

use crate::input::{fields::Fields, text::text};
use crate::rows::{RowCollector, header::Header};
use crate::text_rows::log_header::{self, Found, LogHeader};
use crate::text_rows::log_row::{LogRow, Reading, misfit};
use perf_model::key_column::KeyColumn;
use perf_model::row::MOST_METRICS;

/// The most fields that a row is looked for in.
const MOST_FIELDS: usize = MOST_METRICS + 16;

/// The number of key columns in a row of a layout.
const KEYS: usize = KeyColumn::LAYOUT.len();

/// The most headers of one input that are remembered; a hostile input may have any number.
const MOST_HEADERS: usize = 16;

/// Reads rows by the number of their columns.
pub(crate) struct Delimited {
    /// Headers of different widths, the widest first.
    headers: Vec<LogHeader>,
    /// True if the config declares layouts: rows may come in one that no header announced.
    layouts: bool,
    /// The number of columns in the widest row of an agreed layout so far.
    widest: usize,
    fields: Fields,
}

/// The contents of a line.
pub(crate) enum Line {
    /// A row or a header, which were taken.
    Taken,
    /// A malformed row, and the reason.
    Malformed(String),
    Nothing,
}

impl Delimited {
    pub(crate) fn new(sink: &mut RowCollector<'_>) -> Self {
        let config = sink.config;
        let mut header = |layout: &Vec<_>| {
            let columns = Header::of_layout(layout, sink);
            LogHeader {
                columns,
                prefixed: true,
                agreed: true,
            }
        };
        let headers: Vec<LogHeader> = config.layouts.iter().map(&mut header).collect();
        Self {
            headers,
            layouts: config.declares_layouts(),
            widest: 0,
            fields: Fields::default(),
        }
    }

    /// Reads a line that may hold a row, and may have the word `scenario`.
    pub(crate) fn read(
        &mut self,
        number: u64,
        line: &[u8],
        named: bool,
        sink: &mut RowCollector<'_>,
    ) -> Line {
        let line = without_markup_end(line);
        if named && self.take_header(number, line, sink) {
            return Line::Taken;
        }
        // One more than a row has: the field before a row shows whether the row is complete.
        let widest = self
            .headers
            .first()
            .map_or(0, |header| header.columns.width());
        self.fields.cut(line, widest + 1);
        if self.is_hopeless(line) {
            return Line::Nothing;
        }
        let text = text(line);
        if let Cow::Owned(lossy) = &text {
            self.fields.cut(lossy.as_bytes(), widest + 1);
        }
        let fields = self.fields.texts(&text);
        let has_quotes = memchr::memchr(b'"', text.as_bytes()).is_some();
        let cells = if has_quotes {
            self.fields.cells(&text)
        } else {
            Vec::new()
        };
        let (mut near, mut doubtful) = (None, None);
        for header in &self.headers {
            let Some(row) = LogRow::of(header, &fields, &cells, sink.config) else {
                continue;
            };
            let width = if header.agreed {
                header.columns.width()
            } else {
                self.widest
            };
            match row.read(sink.config, matches!(text, Cow::Owned(_))) {
                // A config that declares a narrower layout says that its rows are whole.
                Reading::Row(..) if width < self.widest && !self.layouts => {
                    near = Some(format!(
                        "{width} columns, but rows before have {}: the line may be cut off",
                        self.widest
                    ));
                }
                Reading::Row(cells, measured) => match sink.row(number, &cells, &measured) {
                    Ok(()) => {
                        self.widest = width;
                        return Line::Taken;
                    }
                    Err(problem) => near = Some(problem),
                },
                // A narrower layout that fits better gives the better reason.
                Reading::Malformed(problem) => near = Some(problem),
                Reading::Doubtful(problem) => doubtful = doubtful.or(Some(problem)),
                Reading::Nothing => {}
            }
        }
        let near = near.or_else(|| {
            self.fields.cut(text.as_bytes(), MOST_FIELDS);
            misfit(&self.fields.texts(&text), &self.headers).or(doubtful)
        });
        near.map_or(Line::Nothing, Line::Malformed)
    }

    /// True if no field from the right can be a run index, or too few can be names, which rules out most lines cheaply.
    fn is_hopeless(&self, line: &[u8]) -> bool {
        let names = self
            .fields
            .raw(line)
            .filter(|field| !is_plain_number(field))
            .take(2)
            .count();
        if names < 2 {
            return true; // a table of numbers
        }
        let mut numbers = 0;
        for field in self.fields.raw(line) {
            let field = field.trim_ascii();
            let field = field.strip_prefix(b"\"").unwrap_or(field);
            let field = field.strip_suffix(b"\"").unwrap_or(field);
            let field = field.strip_prefix(b"-").unwrap_or(field);
            if (1..=6).contains(&field.len()) && field.iter().all(u8::is_ascii_digit) {
                return false;
            }
            numbers += usize::from(field.first().is_some_and(u8::is_ascii_digit));
        }
        numbers < 2
    }

    /// A header in the log describes the rows behind it that have as many columns.
    fn take_header(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let may_be_header = may_be_header(line);
        if !(may_be_header || memchr3(b';', b'\t', b'|', line).is_some()) {
            return false;
        }
        self.fields.cut(line, MOST_FIELDS);
        let text = text(line);
        if matches!(text, Cow::Owned(_)) {
            return false;
        }
        let names = if may_be_header {
            self.fields.texts(&text)
        } else {
            Vec::new()
        };
        let Some(Found { names, prefixed }) = log_header::find(&names) else {
            let Some(separator) = log_header::other_separator(&text) else {
                return false;
            };
            sink.skip(number, line, || {
                format!("header is separated by {separator}, expected commas")
            });
            return true;
        };
        let columns = Header::new(number, &names, sink);
        if columns.metrics().next().is_none() {
            return false;
        }
        sink.see_header(number);
        let layouts = sink.config.layouts.iter().flatten();
        if !self.layouts
            && columns
                .metrics()
                .any(|name| !layouts.clone().any(|known| known == name))
        {
            // These rows are not the config's, so its layouts say nothing about them.
            self.headers.retain(|header| !header.agreed);
        }
        self.headers
            .retain(|other| other.columns.width() != columns.width());
        self.headers.truncate(MOST_HEADERS - 1);
        self.headers.push(LogHeader {
            columns,
            prefixed,
            agreed: false,
        });
        self.headers
            .sort_by_key(|header| std::cmp::Reverse(header.columns.width()));
        true
    }
}

/// Whether the fields of a line may be those of a header: most key columns are a whole field each.
fn may_be_header(line: &[u8]) -> bool {
    let mut keys = 0;
    for field in line.split(|byte| *byte == b',') {
        let field = field.trim_ascii_end();
        let quoted = field.strip_suffix(b"\"");
        let name = quoted.map_or(field, |inside| {
            &inside[memchr::memrchr(b'"', inside).map_or(0, |at| at + 1)..]
        });
        let is_key = std::str::from_utf8(name).is_ok_and(|name| KeyColumn::of(name).is_some());
        keys += usize::from(is_key);
    }
    keys >= KEYS - 1
}

/// True if a field is digits with at most one point and a sign, or nothing.
fn is_plain_number(field: &[u8]) -> bool {
    let digits = field.strip_prefix(b"-").unwrap_or(field);
    digits
        .splitn(2, |byte| *byte == b'.')
        .all(|part| part.iter().all(u8::is_ascii_digit))
}

/// Removes what may follow a row on its line: the end of the markup that holds it.
fn without_markup_end(line: &[u8]) -> &[u8] {
    if line.last() != Some(&b'>') {
        return line;
    }
    let end = memchr::memmem::find(line, b"]]>").or_else(|| memchr::memmem::find(line, b"</"));
    line[..end.unwrap_or(line.len())].trim_ascii_end()
}
