//! CSV with a header: columns by name, in any order; columns that are not known are metrics. The baseline is
//! one.

use std::borrow::Cow;
use std::io;

use super::fields::Fields;
use super::header::{Header, Key};
use super::records::{LONGEST, Record, Records};
use super::sink::Sink;
use super::source::Source;
use super::{Format, Kind};

/// No record has more columns, so that memory stays bounded whatever the input.
const MOST_COLUMNS: usize = 200_000;

pub(super) const FORMAT: Format = Format {
    name: "csv",
    about: "CSV whose header has a column `scenario`",
    looks_like: |head| looks_like(head).into(),
    kind: Kind::Document(read),
};

/// A first line that names the columns, and is no prose about them.
fn looks_like(head: &[u8]) -> bool {
    let first = head.trim_ascii_start().split(|byte| *byte == b'\n').next().unwrap_or_default();
    let text = String::from_utf8_lossy(first);
    let mut fields = Fields::default();
    fields.cut(text.as_bytes(), usize::MAX);
    if fields.len() < 2 {
        return false;
    }
    let names = fields.cells(&text);
    let has = |key: &Key| names.iter().any(|name| Key::of(name) == Some(*key));
    let is_plain =
        |name: &str| !name.contains([':', '=', ';', '{', '!', '?']) && name.split(' ').count() <= 3;
    has(&Key::Scenario) && (Key::LAYOUT.iter().all(has) || names.iter().all(|name| is_plain(name)))
}

fn read(source: &mut Source<'_>, sink: &mut Sink<'_>) -> io::Result<()> {
    let mut records = Records::new(source);
    let mut table = Table::default();
    while let Some(record) = records.peek()? {
        if table.read(&record, sink) {
            records.take();
        } else {
            records.take_line();
        }
    }
    sink.lines(records.lines());
    Ok(())
}

/// What the rows so far tell about the next one.
#[derive(Default)]
struct Table {
    header: Option<Header>,
    /// The header's line: files that were written one behind the other repeat it.
    names: Vec<u8>,
    fields: Fields,
}

impl Table {
    /// Reads a record; `false` when only its first line counts.
    fn read(&mut self, record: &Record<'_>, sink: &mut Sink<'_>) -> bool {
        let text = record.text.trim_ascii();
        if text.is_empty() || text == self.names {
            return true;
        }
        let problem = match self.problem(record, text, sink) {
            Ok(()) => return true,
            Err(_) if record.spans_lines => "a quote closes on another line, but no row".to_owned(),
            Err(problem) => problem,
        };
        let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        sink.skip(record.line, first, || problem);
        !record.spans_lines
    }

    fn problem(&mut self, record: &Record<'_>, text: &[u8], sink: &mut Sink<'_>) -> Result<(), String> {
        if text.len() > LONGEST {
            return Err(format!("the line is longer than {LONGEST} bytes"));
        }
        if !record.closed {
            return Err("a quote does not close its field".to_owned());
        }
        let plain = super::text_rows::text(text);
        self.fields.cut(plain.as_bytes(), MOST_COLUMNS);
        let fields = self.fields.cells(&plain);
        if self.header.is_none() && !fields.iter().any(|name| is_scenario(name)) {
            return Err("no header names its columns".to_owned());
        }
        let Some(header) = self.header.as_ref().filter(|header| !is_header(&fields, header)) else {
            let header = Header::new(record.line, &fields, sink);
            sink.columns(header.metrics());
            self.header = Some(header);
            text.clone_into(&mut self.names);
            return Ok(());
        };
        if matches!(plain, Cow::Owned(_)) {
            return Err("the row is not UTF-8".to_owned());
        }
        if fields.len() != header.width() {
            return Err(format!("{} columns instead of {}", fields.len(), header.width()));
        }
        let (cells, measured) = header.read(fields.iter().map(|field| &**field))?;
        sink.row(record.line, &cells, &measured)
    }
}

/// Whether a record begins another table: what should be its scenario is the name of that column.
fn is_header(fields: &[Cow<'_, str>], header: &Header) -> bool {
    if fields.len() == header.width() {
        header.place(Key::Scenario).and_then(|at| fields.get(at)).is_some_and(|name| is_scenario(name))
    } else {
        fields.iter().any(|name| is_scenario(name))
    }
}

fn is_scenario(name: &str) -> bool {
    Key::of(name) == Some(Key::Scenario)
}
