//! Rows as CSV, buried in a log: `scenario,platform,commit,runIndex`, then metrics in an agreed order, or in
//! that of a header before them; with anything in front.
//!
//! Rows are read from the right, as the prefix may have commas of its own. So that tables of numbers and
//! prose are not taken for rows, a scenario and a platform must have a letter, and a run index must be small.

use std::borrow::Cow;

use crate::input::fields::{cell, cut, unquoted};
use crate::input::text;
use crate::rows::{RowCollector, header::Header};
use crate::text_rows::log_header::{self, Found, LogHeader};
use crate::text_rows::log_row::{LogRow, Reading, misfit};
use perf_model::row::MOST_METRICS;

/// The most fields that a row is looked for in.
const MOST_FIELDS: usize = MOST_METRICS + 16;

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
        let text = text(without_markup_end(line));
        if named && self.take_header(number, &text, sink) {
            return Line::Taken;
        }
        // One more than a row has: the field before a row shows whether the row is complete.
        let widest = self
            .headers
            .first()
            .map_or(0, |header| header.columns.width());
        let whole = cut(&text, widest + 1);
        if is_hopeless(&whole) {
            return Line::Nothing;
        }
        let fields: Vec<Cow<'_, str>> = whole.iter().map(|field| unquoted(field)).collect();
        let cells: Vec<Cow<'_, str>> = if text.contains('"') {
            whole.iter().map(|field| cell(field)).collect()
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
            let all = cut(&text, MOST_FIELDS).into_iter().map(unquoted);
            misfit(&all.collect::<Vec<_>>(), &self.headers).or(doubtful)
        });
        near.map_or(Line::Nothing, Line::Malformed)
    }

    /// A header in the log describes the rows after it that have as many columns.
    fn take_header(&mut self, number: u64, line: &str, sink: &mut RowCollector<'_>) -> bool {
        if line.contains(char::REPLACEMENT_CHARACTER) {
            return false;
        }
        let names: Vec<Cow<'_, str>> = cut(line, MOST_FIELDS).into_iter().map(unquoted).collect();
        let Some(Found { names, prefixed }) = log_header::find(&names) else {
            let Some(separator) = log_header::other_separator(line) else {
                return false;
            };
            sink.skip(number, line.as_bytes(), || {
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

/// Whether no field can be a run index, or too few can be names, which rules out most lines cheaply.
fn is_hopeless(fields: &[&str]) -> bool {
    let names = fields.iter().filter(|field| !is_plain_number(field));
    if names.count() < 2 {
        return true; // a table of numbers
    }
    let mut numbers = 0;
    for field in fields {
        let field = field.trim().trim_matches('"');
        let field = field.strip_prefix('-').unwrap_or(field);
        let is_whole = field.bytes().all(|byte| byte.is_ascii_digit());
        if is_whole && (1..=6).contains(&field.len()) {
            return false;
        }
        numbers += usize::from(field.starts_with(|first: char| first.is_ascii_digit()));
    }
    numbers < 2
}

/// Whether a field is digits with at most one point and a sign, or nothing.
fn is_plain_number(field: &str) -> bool {
    let digits = field.strip_prefix('-').unwrap_or(field);
    digits.matches('.').count() <= 1
        && digits
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Removes what may follow a row on its line: the end of the markup that holds it.
fn without_markup_end(line: &[u8]) -> &[u8] {
    if line.last() != Some(&b'>') {
        return line;
    }
    let end = memchr::memmem::find(line, b"]]>").or_else(|| memchr::memmem::find(line, b"</"));
    line[..end.unwrap_or(line.len())].trim_ascii_end()
}
