//! Test reports in XML, such as NUnit's: rows are lines of the text that a test printed, in `<output>`, in
//! CDATA, or with entities.

use std::io::{self, BufRead, BufReader, Read};

use memchr::memchr_iter;
use quick_xml::events::{BytesRef, Event};
use quick_xml::{Reader, escape};

use super::lines;
use super::sink::Sink;
use super::source::Source;
use super::text_rows::{TextRows, skip_overlong};
use super::{Format, Kind};

pub(super) const FORMAT: Format = Format {
    name: "xml",
    about: "rows in the text of an XML test report",
    looks_like: |head| looks_like(head).into(),
    kind: Kind::Document(read),
};

/// A document, not markup that a log quotes: logs begin with anything, reports with these.
fn looks_like(head: &[u8]) -> bool {
    const BEGINNINGS: [&[u8]; 6] =
        [b"<?xml", b"<test-run", b"<test-results", b"<test-suite", b"<testsuites", b"<testsuite"];
    let head = head.trim_ascii_start();
    BEGINNINGS.iter().any(|beginning| head.starts_with(beginning))
}

fn read(source: &mut Source<'_>, sink: &mut Sink<'_>) -> io::Result<()> {
    let mut text = Text { rows: TextRows::new(sink), pending: Vec::new(), line: 1, overlong: false };
    let mut reader = Reader::from_reader(CountLines {
        inner: BufReader::with_capacity(64 * 1024, source),
        ends: 0,
        open: false,
    });
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_dangling_amp = true;
    let mut buffer = Vec::new();
    loop {
        let line = reader.get_ref().ends + 1;
        buffer.clear();
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Eof) => break,
            Ok(Event::Text(part)) => text.add(line, part.as_bytes(), sink),
            Ok(Event::CData(part)) => text.add(line, part.as_bytes(), sink),
            Ok(Event::GeneralRef(part)) => text.add(line, &resolve(&part), sink),
            // A `<` that stands for itself makes a tag of the text behind it.
            Ok(Event::Start(tag) | Event::Empty(tag)) if !is_tag(&tag) => {
                text.add(line, format!("<{}>", &*tag).as_bytes(), sink);
            }
            Ok(_) => text.end(sink),
            Err(quick_xml::Error::Io(error)) => return Err(io::Error::new(error.kind(), error.to_string())),
            Err(error) => {
                sink.skip(line, b"", || {
                    format!("not well-formed XML ({error}): the rest is read as plain lines")
                });
                text.add(line, &buffer, sink);
                return text.rest_as_lines(reader.into_inner(), sink);
            }
        }
    }
    text.end(sink);
    sink.lines(reader.get_ref().line_count());
    Ok(())
}

/// The text of one element, cut into lines.
struct Text {
    rows: TextRows,
    /// What has no line end yet.
    pending: Vec<u8>,
    /// The line on which `pending` begins.
    line: u64,
    /// Whether that line is too long to be read.
    overlong: bool,
}

impl Text {
    fn add(&mut self, line: u64, part: &[u8], sink: &mut Sink<'_>) {
        if self.pending.is_empty() {
            self.line = line;
        }
        let mut rest = part;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.extend(&rest[..end]);
            rest = &rest[end + 1..];
            self.end(sink);
            self.line += 1;
        }
        self.extend(rest);
    }

    fn extend(&mut self, part: &[u8]) {
        self.overlong |= self.pending.len() + part.len() > lines::LONGEST;
        if !self.overlong {
            self.pending.extend_from_slice(part);
        }
    }

    fn end(&mut self, sink: &mut Sink<'_>) {
        if self.overlong {
            skip_overlong(&[self.line], sink);
        } else {
            self.rows.line(self.line, &self.pending, sink);
        }
        self.pending.clear();
        self.overlong = false;
    }

    /// What follows a place where the XML is broken, as a report is whose writer was killed.
    fn rest_as_lines<R: BufRead>(mut self, mut rest: CountLines<R>, sink: &mut Sink<'_>) -> io::Result<()> {
        self.end(sink);
        let before = rest.ends;
        let rows = &mut self.rows;
        let seen = lines::scan(&mut rest, |number, line| rows.line(before + number, line, sink))?;
        let overlong: Vec<u64> = seen.overlong.iter().map(|line| before + line).collect();
        skip_overlong(&overlong, sink);
        sink.lines(rest.line_count());
        Ok(())
    }
}

/// Whether this is what stands between the brackets of a tag: a name, and attributes in quotes.
fn is_tag(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | ':'));
    let (_, mut rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    while let Some((name, value)) = rest.split_once('=') {
        let value = value.trim_start();
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''));
        let end = quote.and_then(|quote| value[1..].find(quote));
        let Some(end) = end.filter(|_| !name.trim().contains(char::is_whitespace)) else { return false };
        rest = &value[end + 2..];
    }
    starts && rest.trim().is_empty()
}

/// What `&name;` or `&#10;` stands for; what is not known stands for itself.
fn resolve(reference: &BytesRef<'_>) -> Vec<u8> {
    let character = reference.resolve_char_ref().ok().flatten().map(String::from);
    let name: &str = reference;
    let text = character.or_else(|| escape::resolve_predefined_entity(name).map(str::to_owned));
    text.unwrap_or_else(|| format!("&{name};")).into_bytes()
}

/// Counts the line ends that have been read.
struct CountLines<R> {
    inner: R,
    ends: u64,
    /// Whether the last line has no end yet.
    open: bool,
}

impl<R> CountLines<R> {
    fn line_count(&self) -> u64 {
        self.ends + u64::from(self.open)
    }
}

impl<R: BufRead> Read for CountLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.ends += memchr_iter(b'\n', &buffer[..read]).count() as u64;
        self.open = buffer[..read].last().map_or(self.open, |last| *last != b'\n');
        Ok(read)
    }
}

impl<R: BufRead> BufRead for CountLines<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        if let Ok(read) = self.inner.fill_buf() {
            let consumed = &read[..amount.min(read.len())];
            self.ends += memchr_iter(b'\n', consumed).count() as u64;
            self.open = consumed.last().map_or(self.open, |last| *last != b'\n');
        }
        self.inner.consume(amount);
    }
}
