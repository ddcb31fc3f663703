//! CSV with a header: columns by name, in any order; columns that are not known are metrics. The baseline is
//! one.

use std::collections::VecDeque;
use std::io::{self, Read};

use csv::{ByteRecord, ReaderBuilder, Trim};
use memchr::memchr_iter;

use super::Format;
use super::delimited::number;
use super::sink::{Cells, Sink};
use super::source::Source;
use crate::catalogue::Catalogue;
use crate::row::{AGGREGATE, MOST_METRICS, Metrics, Name};

pub(super) const FORMAT: Format =
    Format { name: "csv", about: "CSV whose header has a column `scenario`", looks_like, read };

fn looks_like(head: &[u8]) -> bool {
    let first = head.trim_ascii_start().split(|byte| *byte == b'\n').next().unwrap_or_default();
    let names = |line: &[u8]| {
        line.split(|byte| *byte == b',').any(|name| column_name(name).as_deref() == Some("scenario"))
    };
    first.contains(&b',') && names(first)
}

fn read(source: &mut Source<'_>, sink: &mut Sink<'_>) -> io::Result<()> {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(Trim::All)
        .buffer_capacity(64 * 1024)
        .from_reader(LineEnds { inner: source, read: 0, ahead: VecDeque::new(), passed: 0 });
    let mut record = ByteRecord::new();
    let mut header: Option<Header> = None;
    loop {
        let more = reader.read_byte_record(&mut record);
        if !more.map_err(into_io)? {
            break;
        }
        let end = reader.position().byte();
        let last = reader.get_mut().line_before(end);
        let line = last.saturating_sub(line_ends(record.as_slice())).max(1);
        match &header {
            Some(header) if !header.is_repeated_by(&record) => header.row(line, &record, sink),
            Some(_) => {}
            None => header = Some(Header::new(line, &record, sink)),
        }
    }
    sink.lines(reader.get_mut().line_before(u64::MAX));
    Ok(())
}

/// Counts lines: the parser's own count is a line behind in files with CRLF or with empty lines.
struct LineEnds<R> {
    inner: R,
    read: u64,
    /// Where lines end that were read, but not yet passed: no more than a buffer's worth.
    ahead: VecDeque<u64>,
    passed: u64,
}

impl<R> LineEnds<R> {
    /// The number of the line whose last byte stands before `end`.
    fn line_before(&mut self, end: u64) -> u64 {
        let last = end.min(self.read).saturating_sub(1);
        while self.ahead.front().is_some_and(|at| *at < last) {
            self.ahead.pop_front();
            self.passed += 1;
        }
        self.passed + u64::from(self.read > 0)
    }
}

impl<R: Read> Read for LineEnds<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.ahead.extend(memchr_iter(b'\n', &buffer[..length]).map(|at| self.read + at as u64));
        self.read += length as u64;
        Ok(length)
    }
}

fn line_ends(text: &[u8]) -> u64 {
    memchr_iter(b'\n', text).count() as u64
}

fn into_io(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// What a column holds.
enum Column {
    Scenario,
    Platform,
    Commit,
    RunIndex,
    MachineClass,
    Metric(Name),
    Ignored,
}

impl Column {
    fn of(name: &[u8], catalogue: &Catalogue, sink: &mut Sink<'_>) -> Self {
        let text = String::from_utf8_lossy(name);
        match column_name(name).as_deref() {
            Some("scenario") => Self::Scenario,
            Some("platform") => Self::Platform,
            Some("commit") => Self::Commit,
            Some("runindex") => Self::RunIndex,
            Some("machineclass") => Self::MachineClass,
            _ if text.is_empty() || catalogue.ignore_columns.iter().any(|ignored| *ignored == text) => {
                Self::Ignored
            }
            _ => Self::Metric(sink.metric(&text)),
        }
    }
}

/// A column's name as it is compared: `Run Index`, `run_index` and `runIndex` are one.
fn column_name(name: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(name).ok()?.trim().trim_matches('"');
    Some(name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect())
}

struct Header {
    columns: Vec<Column>,
    names: ByteRecord,
}

impl Header {
    fn new(line: u64, record: &ByteRecord, sink: &mut Sink<'_>) -> Self {
        let catalogue = sink.catalogue;
        let mut columns = Vec::with_capacity(record.len());
        for (at, name) in record.iter().enumerate() {
            let repeated = !name.is_empty() && record.iter().take(at).any(|earlier| earlier == name);
            if repeated {
                sink.skip(line, name, || {
                    format!("a second column `{}` is not read", String::from_utf8_lossy(name))
                });
            }
            columns.push(if repeated { Column::Ignored } else { Column::of(name, catalogue, sink) });
        }
        let is_metric = |column: &&mut Column| matches!(column, Column::Metric(_));
        let beyond = columns.iter_mut().filter(is_metric).skip(MOST_METRICS);
        let dropped = beyond.map(|column| *column = Column::Ignored).count();
        if dropped > 0 {
            sink.skip(line, b"", || format!("{dropped} columns beyond {MOST_METRICS} metrics are not read"));
        }
        Self { columns, names: record.clone() }
    }

    /// Files that were written one behind the other repeat their header.
    fn is_repeated_by(&self, record: &ByteRecord) -> bool {
        record.len() == self.names.len() && record == &self.names
    }

    fn row(&self, line: u64, record: &ByteRecord, sink: &mut Sink<'_>) {
        match self.cells(record) {
            Ok((cells, metrics)) => sink.row(line, &cells, metrics),
            Err(reason) => sink.skip(line, record.as_slice(), || reason),
        }
    }

    fn cells<'r>(&self, record: &'r ByteRecord) -> Result<(Cells<'r>, Metrics), String> {
        if record.len() != self.columns.len() {
            return Err(format!("{} columns instead of {}", record.len(), self.columns.len()));
        }
        let mut cells =
            Cells { scenario: "", platform: "", commit: "", run_index: AGGREGATE, machine_class: None };
        let mut metrics = Metrics::default();
        for (column, cell) in self.columns.iter().zip(record) {
            let text = std::str::from_utf8(cell).map_err(|_| "the row is not UTF-8".to_owned())?;
            match column {
                Column::Scenario => cells.scenario = text,
                Column::Platform => cells.platform = text,
                Column::Commit => cells.commit = text,
                Column::RunIndex if text.is_empty() => {}
                Column::RunIndex => {
                    cells.run_index = text.parse().map_err(|_| format!("`{text}` is not a run index"))?;
                }
                Column::MachineClass => cells.machine_class = Some(text).filter(|class| !class.is_empty()),
                Column::Metric(name) => {
                    let value =
                        number(text).map_err(|text| format!("`{text}` is not a number (column `{name}`)"))?;
                    if let Some(value) = value {
                        metrics.insert(Name::clone(name), value);
                    }
                }
                Column::Ignored => {}
            }
        }
        if cells.scenario.is_empty() { Err("the scenario is empty".to_owned()) } else { Ok((cells, metrics)) }
    }
}
