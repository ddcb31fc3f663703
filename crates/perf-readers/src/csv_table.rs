//! CSV with a header. Columns are found by name, in any order, and unknown columns are metrics. The baseline is such a
//! table.

use std::borrow::Cow;

use memchr::memchr;

use crate::format::{Format, Likeness};
use crate::input::fields::{cell, cut};
use crate::input::{Input, LONGEST_LINE, line_count, line_ends};
use crate::rows::{Rows, header::Header, values::number};
use crate::text_rows::{
    HALF_QUOTE, TextRows, Words, before_document, has_half_quote, report_unended,
};
use perf_model::key_column::KeyColumn;
use perf_model::metric::{Meaning, Unit};

/// The maximum length of a record in bytes, so that an unclosed quote does not swallow the rest of a file.
const LONGEST: usize = 2 * 1024 * 1024;

/// The maximum number of columns, so that memory stays bounded.
const MOST_COLUMNS: usize = 200_000;

pub(crate) const FORMAT: Format = Format::named("csv")
    .about(
        "CSV with a column `scenario`, or with `benchmark` or `name` first and units in all others",
    )
    .looks_like(looks_like)
    .document(read);

fn looks_like(head: &str) -> Likeness {
    if start(head).is_some() {
        return Likeness::Yes;
    }
    let (names, rest) = line(head.trim_start());
    let is_benchmarks = names.first().is_some_and(|name| is_benchmark(name));
    if is_benchmarks && is_row(&names, &line(rest).0) {
        return Likeness::Near(
            "contains a column without a unit: add one to its name, such as `_ns`; or rename the first column to `scenario` and set `better` in `[metrics]`",
        );
    }
    Likeness::No
}

/// Returns the position of the header, which is on the first line or after other text. After other text, a header with
/// all key columns is left to the log reader, because the rows below it may be log lines.
pub(crate) fn start(head: &str) -> Option<usize> {
    if begins(head) {
        return Some(0);
    }
    let (_, rest) = line(head.trim_start());
    let behind = head.len() - rest.len();
    let (mut words, mut start) = (Words::of(head), behind);
    for line in rest.split_inclusive('\n') {
        if words.are_in(start, line) && is_table(&head[start..]) {
            return Some(start);
        }
        start += line.len();
    }
    None
}

/// Whether the first line is a table's header.
pub(crate) fn begins(head: &str) -> bool {
    let (names, _) = line(head.trim_start());
    let has = |key: &KeyColumn| names.iter().any(|name| KeyColumn::of(name) == Some(*key));
    is_header(&names) || (has(&KeyColumn::Scenario) && KeyColumn::LAYOUT.iter().all(has))
}

fn is_conflict_marker(line: &str) -> bool {
    ["<<<<<<<", "=======", ">>>>>>>"]
        .iter()
        .any(|marker| line.starts_with(marker))
}

/// Whether `text` begins with a table header that is followed by a row. Headers with all key columns are left to the
/// log reader.
fn is_table(text: &str) -> bool {
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '"') {
        return false;
    }
    let (names, rest) = line(text);
    let has = |key: &KeyColumn| names.iter().any(|name| KeyColumn::of(name) == Some(*key));
    is_header(&names) && !KeyColumn::LAYOUT.iter().all(has) && is_row(&names, &line(rest).0)
}

/// Returns the cells of the first line, and the text after that line.
fn line(text: &str) -> (Vec<String>, &str) {
    let end = memchr(b'\n', text.as_bytes()).unwrap_or(text.len());
    let first = if end > LONGEST_LINE { "" } else { &text[..end] };
    let cells = cut(first, usize::MAX).into_iter().map(cell);
    (
        cells.map(Cow::into_owned).collect(),
        text.get(end + 1..).unwrap_or_default(),
    )
}

/// Whether these are a benchmark table's column names, rather than prose.
fn is_header(names: &[String]) -> bool {
    let is_plain = |name: &String| {
        !name.contains([':', '=', ';', '{', '!', '?']) && name.split(' ').count() <= 3
    };
    // k6's CSV output contains a scenario and a metric name, but is not such a table.
    let names_metrics = names.iter().any(|name| name == "metric_name");
    let has_scenario = names.iter().any(|name| is_scenario(name)) || is_plain_header(names);
    names.len() >= 2 && has_scenario && !names_metrics && names.iter().all(is_plain)
}

/// Whether this is the header of a hand-made table in which every metric's name contains a unit, such as
/// `benchmark,time_ns`.
fn is_plain_header(names: &[impl AsRef<str>]) -> bool {
    let Some((first, others)) = names.split_first() else {
        return false;
    };
    let has_unit = |name: &str| Meaning::of_name(name).unit != Unit::None;
    !others.is_empty()
        && is_benchmark(first.as_ref())
        && others
            .iter()
            .all(|name| has_unit(name.as_ref()) || KeyColumn::of(name.as_ref()).is_some())
}

/// Whether a hand-made table's column contains the benchmarks' names.
fn is_benchmark(name: &str) -> bool {
    ["benchmark", "name"].contains(&name.trim().to_ascii_lowercase().as_str())
}

/// Whether there is one field per column, and at least one metric's field is a number.
fn is_row(names: &[String], fields: &[String]) -> bool {
    let mut metrics = names
        .iter()
        .zip(fields)
        .filter(|(name, _)| KeyColumn::of(name).is_none());
    names.len() == fields.len() && metrics.any(|(_, field)| matches!(number(field), Ok(Some(_))))
}

fn read(input: &Input<'_>, sink: &mut Rows<'_>) {
    let start = start(input.head()).unwrap_or_default();
    let (mut text, before) = before_document(start, input, sink);
    let lines = before + line_count(text);
    let mut table = Table {
        text: (start > 0).then(|| TextRows::new(sink)),
        ..Table::default()
    };
    let mut line = before + 1;
    while !text.is_empty() {
        let record = Record::first(text, line);
        let is_whole = table.read(&record, sink);
        let length = if is_whole {
            record.text.len()
        } else {
            record.first_line
        };
        line += line_ends(&text[..length]);
        text = &text[length..];
    }
    sink.lines(lines);
}

/// A table record. The text includes the line ends inside and after the record.
struct Record<'t> {
    /// The line on which the record starts, counted from 1.
    line: u64,
    text: &'t str,
    /// The length of the record's first line in bytes, including the line end.
    first_line: usize,
    /// Whether all quoted fields are closed, and no text follows a closing quote.
    closed: bool,
    /// Whether the record has more than one line.
    spans_lines: bool,
}

impl<'t> Record<'t> {
    /// Returns the first record of `text`, which must not be empty. If a quoted field is not closed, the record is only
    /// the first line.
    fn first(text: &'t str, line: u64) -> Self {
        let first_line = line_end(text, 0);
        let (mut end, mut quotes) = (first_line, Quotes::default());
        quotes.pass(text, end);
        while quotes.state == State::Inside && end < LONGEST && end < text.len() {
            end = line_end(text, end);
            quotes.pass(text, end);
        }
        let closed = quotes.state == State::Outside;
        if !closed {
            end = first_line;
        }
        Self {
            line,
            text: &text[..end],
            first_line,
            closed,
            spans_lines: end > first_line,
        }
    }
}

/// Returns the start of the line after the one that begins at `from`.
fn line_end(text: &str, from: usize) -> usize {
    memchr(b'\n', &text.as_bytes()[from..]).map_or(text.len(), |at| from + at + 1)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    /// Inside a quoted field.
    Inside,
    /// After a quote that neither ends the field nor is doubled.
    Broken,
}

/// Tracks the quotes in a record from left to right.
#[derive(Debug, Default)]
struct Quotes {
    state: State,
    passed: usize,
}

impl Quotes {
    /// Continues up to `end`, which must be the end of a line.
    fn pass(&mut self, text: &str, end: usize) {
        while let Some(at) =
            memchr(b'"', &text.as_bytes()[self.passed.min(end)..end]).map(|at| self.passed + at)
        {
            let before = text[..at].trim_end();
            let behind = &text[at + 1..end];
            self.passed = at + 1;
            match self.state {
                State::Outside if before.is_empty() || before.ends_with(',') => {
                    self.state = State::Inside;
                }
                State::Inside if behind.starts_with('"') => self.passed += 1,
                State::Inside => {
                    let behind = behind.trim_start();
                    let closes = behind.is_empty() || behind.starts_with(',');
                    self.state = if closes {
                        State::Outside
                    } else {
                        State::Broken
                    };
                }
                State::Outside | State::Broken => {}
            }
        }
        self.passed = end;
    }
}

/// The state that is kept from one record to the next.
#[derive(Default)]
struct Table {
    header: Option<Header>,
    /// The header line. Joined files repeat the line, and the repetitions are skipped.
    names: String,
    /// Reads lines of text after the table. `None` if the table begins on the input's first line.
    text: Option<TextRows>,
}

impl Table {
    /// Reads a record. Returns `false` if only the record's first line was used, so that the next record begins after
    /// that line.
    fn read(&mut self, record: &Record<'_>, sink: &mut Rows<'_>) -> bool {
        let text = record.text.trim();
        if text.is_empty() || text == self.names {
            return true;
        }
        let problem = match self.problem(record, text, sink) {
            Ok(()) => return true,
            Err(_) if self.passes(record, text, sink) => return true,
            Err(_) if record.spans_lines => "malformed row: a quoted field spans lines".to_owned(),
            Err(problem) => problem,
        };
        let first = text.lines().next().unwrap_or_default();
        sink.skip(record.line, first, || problem);
        !record.spans_lines
    }

    /// Reads a record without commas as a line of text after the table. Returns `false` if the record contains a comma,
    /// or the table began on the input's first line.
    fn passes(&mut self, record: &Record<'_>, text: &str, sink: &mut Rows<'_>) -> bool {
        let Some(rows) = self.text.as_mut().filter(|_| !text.contains(',')) else {
            return false;
        };
        rows.line(record.line, text, sink);
        true
    }

    fn problem(
        &mut self,
        record: &Record<'_>,
        text: &str,
        sink: &mut Rows<'_>,
    ) -> Result<(), String> {
        if text.len() > LONGEST {
            return Err(format!("line is longer than {LONGEST} bytes"));
        }
        if !record.closed {
            return Err("unclosed quote".to_owned());
        }
        let mut fields: Vec<Cow<'_, str>> = cut(text, MOST_COLUMNS).into_iter().map(cell).collect();
        if self.header.is_none() && is_plain_header(&fields) {
            fields[0] = Cow::Borrowed("scenario");
        }
        if self.header.is_none() && !fields.iter().any(|name| is_scenario(name)) {
            return Err("no header before this row".to_owned());
        }
        let Some(header) = self
            .header
            .as_ref()
            .filter(|header| !begins_table(&fields, header))
        else {
            let header = Header::new(record.line, &fields, sink);
            sink.see_header(record.line);
            sink.columns(header.metrics());
            self.header = Some(header);
            text.clone_into(&mut self.names);
            return Ok(());
        };
        let is_bare = |field: &Cow<'_, str>| matches!(field, Cow::Borrowed(_));
        if fields.len() > header.width()
            && fields
                .iter()
                .any(|field| is_bare(field) && has_half_quote(field))
        {
            return Err(format!(
                "{} columns, expected {}: {HALF_QUOTE}",
                fields.len(),
                header.width()
            ));
        }
        if fields.len() != header.width() {
            if is_conflict_marker(text) {
                return Err("unresolved merge conflict".to_owned());
            }
            return Err(format!(
                "{} columns, expected {}",
                fields.len(),
                header.width()
            ));
        }
        let (cells, measured) = header.read(fields.iter().map(|field| &**field))?;
        sink.row(record.line, &cells, &measured)?;
        report_end(record, sink);
        Ok(())
    }
}

/// Reports a record that is the last line and may be cut off.
fn report_end(record: &Record<'_>, sink: &mut Rows<'_>) {
    report_unended(record.line, record.text, sink);
}

/// Whether a record is another table's header: its scenario field contains the name of that column. If the record has
/// another width, any of its fields may contain the name.
fn begins_table(fields: &[Cow<'_, str>], header: &Header) -> bool {
    if fields.len() == header.width() {
        header
            .place(KeyColumn::Scenario)
            .and_then(|at| fields.get(at))
            .is_some_and(|name| is_scenario(name))
    } else {
        fields.iter().any(|name| is_scenario(name))
    }
}

fn is_scenario(name: &str) -> bool {
    KeyColumn::of(name) == Some(KeyColumn::Scenario)
}
