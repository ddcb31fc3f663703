//! Rows as CSV within a log: `scenario,platform,commit,runIndex`, then the metrics in the order of a layout, or of a
//! header above the row. Any text may precede the row.
//!
//! Rows are read from the right, because the prefix may contain commas. A scenario and a platform must contain a
//! letter, and a run index must be small, so that tables of numbers and prose are not read as rows.

use std::borrow::Cow;

use crate::input::fields::{cut, unquoted};
use crate::rows::{Rows, header::Header};
use crate::text_rows::log_row::{LogHeader, LogRow, Reading, misfit};
use crate::text_rows::prefix::{is_name, last_word};
use perf_model::key_column::KeyColumn;
use perf_model::row::MOST_METRICS;

/// The maximum number of fields to search for a row.
const MOST_FIELDS: usize = MOST_METRICS + 16;

/// The maximum number of headers to remember per input; a hostile input may contain any number.
const MOST_HEADERS: usize = 16;

/// Finds rows in lines, and remembers header lines.
pub(crate) struct TextRows {
    /// Headers of different widths, widest first.
    headers: Vec<LogHeader>,
    /// Whether the config declares layouts.
    declares_layouts: bool,
    /// The number of columns in the widest row so far that follows a layout.
    widest: usize,
}

/// The result of reading a line.
pub(crate) enum Line {
    /// A row or a header, which was read.
    Taken,
    /// A malformed row, and the reason.
    Malformed(String),
    Nothing,
}

impl TextRows {
    pub(crate) fn new(sink: &mut Rows<'_>) -> Self {
        let config = sink.config;
        let mut headers = Vec::new();
        for layout in &config.layouts {
            headers.push(LogHeader {
                columns: Header::of_layout(layout, sink),
                prefixed: true,
                agreed: true,
            });
        }
        Self {
            headers,
            declares_layouts: config.declares_layouts(),
            widest: 0,
        }
    }

    /// Reads a line. Its number of columns shows whether it may be a row. If it contains the word `scenario`, it may be
    /// a header.
    pub(super) fn read_delimited(
        &mut self,
        number: u64,
        line: &str,
        has_word: bool,
        sink: &mut Rows<'_>,
    ) -> Line {
        let line = without_markup_end(line);
        if has_word && self.take_header(number, line, sink) {
            return Line::Taken;
        }
        // Split off one field more than the widest row contains, because the field before a row shows whether the row
        // is complete.
        let widest = self.headers.first();
        let widest = widest.map_or(0, |header| header.columns.width());
        let fields = cut(line, widest + 1);
        if is_hopeless(&fields) {
            return Line::Nothing;
        }
        let mut problem = None;
        for header in &self.headers {
            let Some(row) = LogRow::of(header, &fields, sink.config) else {
                continue;
            };
            let width = if header.agreed {
                header.columns.width()
            } else {
                self.widest
            };
            match row.read(sink.config) {
                // If the config declares a narrower layout, its rows are complete.
                Reading::Row(..) if width < self.widest && !self.declares_layouts => {
                    problem = Some(format!(
                        "{width} columns, but earlier rows have {}: the line may be cut off",
                        self.widest
                    ));
                }
                Reading::Row(cells, measured) => match sink.row(number, &cells, &measured) {
                    Ok(()) => {
                        self.widest = width;
                        return Line::Taken;
                    }
                    Err(why) => problem = Some(why),
                },
                // Narrower layouts come later. If one of them fits better, its reason is better.
                Reading::Malformed(why) => problem = Some(why),
                Reading::Nothing => {}
            }
        }
        let problem = problem.or_else(|| misfit(&cut(line, MOST_FIELDS), &self.headers));
        problem.map_or(Line::Nothing, Line::Malformed)
    }

    /// Reads a header in the log. It describes the rows below it that have the same number of columns.
    fn take_header(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        if line.contains(char::REPLACEMENT_CHARACTER) {
            return false;
        }
        let fields: Vec<Cow<'_, str>> = cut(line, MOST_FIELDS).into_iter().map(unquoted).collect();
        let Some((names, prefixed)) = find_header(&fields) else {
            let Some(separator) = other_separator(line) else {
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
        let is_agreed = |name| {
            sink.config
                .layouts
                .iter()
                .flatten()
                .any(|known| known == name)
        };
        if !self.declares_layouts && !columns.metrics().all(is_agreed) {
            // The rows contain a metric that no layout contains, so the layouts do not apply.
            self.headers.retain(|header| !header.agreed);
        }
        let width = columns.width();
        self.headers.retain(|other| other.columns.width() != width);
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

/// If a line ends with a header, returns the header's columns, and whether other text precedes the header. The columns
/// can be in any order, but all key columns must be present, which never happens in prose.
fn find_header<'l>(fields: &[Cow<'l, str>]) -> Option<(Vec<Cow<'l, str>>, bool)> {
    let mut wanted = KeyColumn::LAYOUT.to_vec();
    let mut start = fields.len();
    let mut first = "";
    while !wanted.is_empty() {
        start = start.checked_sub(1)?;
        first = fields[start].trim();
        let mut key = KeyColumn::of(first);
        if key.is_none() {
            first = last_word(first);
            key = KeyColumn::of(first).filter(|_| wanted.len() == 1);
        }
        wanted.retain(|wanted| Some(*wanted) != key);
    }
    let mut names: Vec<Cow<'l, str>> = fields[start..].to_vec();
    names[0] = Cow::Owned(first.to_owned());
    if first != fields[start].trim() {
        return Some((names, true));
    }
    // Metrics may precede the key columns.
    while start > 0 && (KeyColumn::of(&fields[start - 1]).is_some() || is_name(&fields[start - 1]))
    {
        start -= 1;
        names.insert(0, fields[start].clone());
    }
    Some((names, start > 0))
}

/// Returns the separator of a header that is not separated by commas; `None` for other lines.
fn other_separator(line: &str) -> Option<&'static str> {
    for (separator, name) in [(';', "`;`"), ('\t', "tabs"), ('|', "`|`")] {
        let keys = line.split(separator).filter_map(KeyColumn::of);
        if keys.take(2).count() == 2 {
            return Some(name);
        }
    }
    None
}

/// Whether a line cannot be a row, because no field can be a run index or too few can be names. This check is cheap and
/// rules out most lines.
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

/// Whether a field is empty, or digits with at most one point and a sign.
fn is_plain_number(field: &str) -> bool {
    let digits = field.strip_prefix('-').unwrap_or(field);
    let is_part = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    digits.matches('.').count() <= 1 && digits.bytes().all(is_part)
}

/// Removes markup that is closed after a row on the same line.
fn without_markup_end(line: &str) -> &str {
    if !line.ends_with('>') {
        return line;
    }
    let end = line.find("]]>").or_else(|| line.find("</"));
    line[..end.unwrap_or(line.len())].trim_end()
}
