//! CSV files that tools write: a header, then records whose fields are found by column name.

use std::borrow::Cow;

use csv::StringRecord;

use crate::input::{Input, line_count};
use crate::rows::Rows;
use crate::text_rows::report_unended;
use perf_model::row::Value;

/// A record below its header.
pub(crate) struct Record<'r> {
    pub line: u64,
    columns: &'r [String],
    fields: &'r StringRecord,
}

impl Record<'_> {
    /// Returns the text in the first of these columns that exists; empty if none does.
    pub(crate) fn text(&self, columns: &[&str]) -> Cow<'_, str> {
        let named = |name: &&str| {
            self.columns
                .iter()
                .position(|column| column.eq_ignore_ascii_case(name))
        };
        let at = columns.iter().find_map(named);
        Cow::Borrowed(at.and_then(|at| self.fields.get(at)).unwrap_or_default())
    }

    pub(crate) fn number(&self, columns: &[&str]) -> Option<Value> {
        Value::parse(self.text(columns).trim())
    }

    /// Iterates over the columns and the record's fields.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
        self.columns
            .iter()
            .map(String::as_str)
            .zip(self.fields.iter().map(Cow::Borrowed))
    }
}

/// Returns the separator with which the first line is a header that contains all these columns.
pub(crate) fn delimiter(head: &str, columns: &[&str]) -> Option<u8> {
    let line = head.trim_start().lines().next()?;
    line[..line.floor_char_boundary(4096)].find(columns.first()?)?;
    let delimiters = [b',', b';', b'\t', b'|'].into_iter();
    delimiters
        .filter(|delimiter| columns.len() == 1 || line.contains(char::from(*delimiter)))
        .find(|delimiter| has_columns(line, *delimiter, columns))
}

fn has_columns(line: &str, delimiter: u8, columns: &[&str]) -> bool {
    let mut record = StringRecord::new();
    let _ = reader(line, delimiter).read_record(&mut record);
    let header = names(&record);
    columns
        .iter()
        .all(|column| header.iter().any(|name| name.eq_ignore_ascii_case(column)))
}

fn names(record: &StringRecord) -> Vec<String> {
    let name = |field: &str| field.trim_matches(['\u{feff}', ' ', '\t', '\r']).to_owned();
    record.iter().map(name).collect()
}

fn reader(text: &str, delimiter: u8) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes())
}

/// Reads the records below a header with these columns.
pub(crate) fn records(
    input: &Input<'_>,
    sink: &mut Rows<'_>,
    columns: &[&str],
    mut take: impl FnMut(&Record<'_>, &mut Rows<'_>),
) {
    tables(input, sink, columns, |record, sink| {
        if let Some(record) = record {
            take(record, sink);
        }
    });
}

/// Like [`records`], but also calls `take` with `None` at the end of each table. Files may be joined, so a repeated
/// header begins another table.
pub(crate) fn tables(
    input: &Input<'_>,
    sink: &mut Rows<'_>,
    columns: &[&str],
    mut take: impl FnMut(Option<&Record<'_>>, &mut Rows<'_>),
) {
    let delimiter = delimiter(input.head(), columns).unwrap_or(b',');
    // The CSV reader would count carriage returns as line ends.
    let text = input.text.replace('\r', "");
    let mut reader = reader(&text, delimiter);
    let mut record = StringRecord::new();
    let (mut columns, mut last_row) = (Vec::new(), 0);
    while reader
        .read_record(&mut record)
        .is_ok_and(|is_record| is_record)
    {
        let line = record.position().map_or(1, csv::Position::line);
        if record.iter().all(|field| field.trim().is_empty()) {
            continue;
        }
        if columns.is_empty() || names(&record) == columns {
            if !columns.is_empty() {
                take(None, sink);
            }
            columns = names(&record);
            sink.documents.next();
        } else if record.len() == columns.len() {
            take(
                Some(&Record {
                    line,
                    columns: &columns,
                    fields: &record,
                }),
                sink,
            );
            last_row = line;
        } else {
            let why = || format!("{} columns, expected {}", record.len(), columns.len());
            sink.skip(line, record.get(0).unwrap_or_default(), why);
        }
    }
    take(None, sink);
    let lines = line_count(input.text);
    if last_row == lines {
        report_unended(lines, input.text, sink);
    }
    sink.lines(lines);
}
