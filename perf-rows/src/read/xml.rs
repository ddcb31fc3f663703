//! Test reports in XML, such as NUnit's: rows are lines of the text that a test printed, in `<output>`, in
//! CDATA, or with entities.

use std::io::{self, BufRead, BufReader, Read};

use memchr::memchr_iter;
use quick_xml::events::{BytesRef, Event};
use quick_xml::{Reader, escape};

use super::Format;
use super::lines;
use super::sink::Sink;
use super::source::Source;
use super::text_rows::{TextRows, skip_overlong};

pub(super) const FORMAT: Format =
    Format { name: "xml", about: "the same lines in the text of an XML test report", looks_like, read };

/// A document, not markup that a log quotes: logs begin with anything, reports with these.
fn looks_like(head: &[u8]) -> bool {
    const BEGINNINGS: [&[u8]; 6] =
        [b"<?xml", b"<test-run", b"<test-results", b"<test-suite", b"<testsuites", b"<testsuite"];
    let head = head.trim_ascii_start();
    BEGINNINGS.iter().any(|beginning| head.starts_with(beginning))
}

fn read(source: &mut Source<'_>, sink: &mut Sink<'_>) -> io::Result<()> {
    let mut text = Text { rows: TextRows::new(&sink.catalogue.layouts), pending: Vec::new(), line: 1 };
    let mut reader =
        Reader::from_reader(CountLines { inner: BufReader::with_capacity(64 * 1024, source), ends: 0 });
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
    sink.lines(reader.get_ref().lines());
    Ok(())
}

/// The text of one element, cut into lines.
struct Text {
    rows: TextRows,
    /// What has no line end yet.
    pending: Vec<u8>,
    /// The line on which `pending` begins.
    line: u64,
}

impl Text {
    fn add(&mut self, line: u64, part: &[u8], sink: &mut Sink<'_>) {
        if self.pending.is_empty() {
            self.line = line;
        }
        let mut rest = part;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.pending.extend_from_slice(&rest[..end]);
            rest = &rest[end + 1..];
            self.end(sink);
            self.line += 1;
        }
        if self.pending.len() + rest.len() <= lines::LONGEST {
            self.pending.extend_from_slice(rest);
        }
    }

    fn end(&mut self, sink: &mut Sink<'_>) {
        self.rows.line(self.line, &self.pending, sink);
        self.pending.clear();
    }

    /// What follows a place where the XML is broken, as a report is whose writer was killed.
    fn rest_as_lines<R: BufRead>(mut self, mut rest: CountLines<R>, sink: &mut Sink<'_>) -> io::Result<()> {
        self.end(sink);
        let before = rest.ends;
        let rows = &mut self.rows;
        let seen = lines::scan(&mut rest, |number, line| rows.line(before + number, line, sink))?;
        skip_overlong(&seen.overlong, sink);
        sink.lines(before + seen.lines);
        Ok(())
    }
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
}

impl<R> CountLines<R> {
    fn lines(&self) -> u64 {
        self.ends + 1
    }
}

impl<R: BufRead> Read for CountLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.ends += memchr_iter(b'\n', &buffer[..read]).count() as u64;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for CountLines<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        if let Ok(read) = self.inner.fill_buf() {
            self.ends += memchr_iter(b'\n', &read[..amount.min(read.len())]).count() as u64;
        }
        self.inner.consume(amount);
    }
}
