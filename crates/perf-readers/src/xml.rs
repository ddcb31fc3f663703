//! XML test reports such as NUnit's: rows are lines of the text that a test printed, in `<output>`, in CDATA, or with
//! entities. Readers of some tools also use the *markup*.

use memchr::{memchr_iter, memmem};
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion, escape};

use crate::csv_table;
use crate::input::{LONGEST_LINE, Source, line_count, line_ends, lines};
use crate::input::{is_first_of_line, trimmed, trimmed_start};
use crate::rows::RowCollector;
use crate::text_rows::{TextRows, before_document, skip_overlong};

/// Reads the markup of a tool's report.
pub(crate) trait Markup {
    /// An element begins, on this line.
    fn start(&mut self, line: u64, tag: &BytesStart<'_>);

    /// An element of this name ends.
    fn end(&mut self, name: &str, sink: &mut RowCollector<'_>);

    /// Reads a line of text. Returns whether it belongs to the tool, and so is not searched for rows.
    fn text(&mut self, line: u64, text: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let _ = (line, text, sink);
        false
    }

    /// The report has ended; within an element that has no end, on the line `cut`.
    fn finish(&mut self, cut: Option<u64>, sink: &mut RowCollector<'_>) {
        if let Some(line) = cut {
            sink.skip(line, b"", || "report is cut off here".to_owned());
        }
    }
}

/// The value of an attribute.
pub(crate) fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    for attribute in tag.attributes().with_checks(false).map_while(Result::ok) {
        if attribute.key.into_inner() == name {
            return Some(match attribute.normalized_value(XmlVersion::Implicit1_0) {
                Ok(value) => value.into_owned(),
                Err(_) => attribute.value.into_owned(),
            });
        }
    }
    None
}

/// Root elements of known reports.
const ROOTS: [&[u8]; 10] = [
    b"test-run",
    b"TestRun",
    b"test-results",
    b"test-suite",
    b"testsuites",
    b"testsuite",
    b"testResults",
    b"Catch",
    b"Catch2TestRun",
    b"phpbench",
];

/// The most bytes of a text that are searched for the root element of a document.
const LONGEST_PROLOGUE: usize = 4096;

/// Limit for elements within each other: no report comes near it.
const DEEPEST: usize = 512;

/// Limit for the names of open elements, of which some may be text with a `<` in it.
const LONGEST_OPEN: usize = 1024 * 1024;

/// The root element of a document. Other text may precede a known report.
pub(crate) fn root(head: &[u8]) -> Option<&[u8]> {
    root_at(&head[start(head)..])
}

/// Start of the line on which the document begins.
fn start(head: &[u8]) -> usize {
    if head.trim_ascii_start().starts_with(b"<") {
        return 0;
    }
    let opens = |at: &usize| is_first_of_line(head, *at) && is_report(&head[*at..]);
    let Some(first) = memchr_iter(b'<', head).find(opens) else {
        return 0;
    };
    // The names in a table may look like anything.
    if csv_table::start(head) == Some(0) {
        return 0;
    }
    memchr::memrchr(b'\n', &head[..first]).map_or(0, |end| end + 1)
}

/// True if a known report begins here.
pub(crate) fn is_report(text: &[u8]) -> bool {
    root_at(&text[..text.len().min(LONGEST_PROLOGUE)]).is_some_and(|root| ROOTS.contains(&root))
}

fn root_at(document: &[u8]) -> Option<&[u8]> {
    let mut rest = document
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(document)
        .trim_ascii_start();
    loop {
        rest = rest.strip_prefix(b"<")?;
        let end = match rest {
            [b'?', ..] => memmem::find(rest, b"?>")? + 2,
            [b'!', b'-', b'-', ..] => memmem::find(rest, b"-->")? + 3,
            [b'!', ..] => memchr::memchr(b'>', rest)? + 1,
            _ => {
                let ends = |byte: &u8| matches!(byte, b'>' | b'/') || byte.is_ascii_whitespace();
                return Some(&rest[..rest.iter().position(ends).unwrap_or(rest.len())]);
            }
        };
        rest = rest[end..].trim_ascii_start();
    }
}

/// True if the input is a document, not markup quoted in a log.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    let head = head[start(head)..].trim_ascii_start();
    head.starts_with(b"<?xml") || is_report(head)
}

/// Reads the rows in the text of a report, and passes on its markup.
pub(crate) fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>, markup: &mut dyn Markup) {
    let start = start(source.head());
    let (document, before) = before_document(start, source, sink);
    let mut text = Text::new(markup, sink);
    let mut reader = Reader::from_reader(document);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_dangling_amp = true;
    let mut buffer = Vec::new();
    // The line ends before `counted`.
    let (mut ends, mut counted) = (before, 0);
    loop {
        let at = usize::try_from(reader.buffer_position()).unwrap_or(document.len());
        let at = at.min(document.len());
        ends += line_ends(&document[counted..at]);
        counted = at;
        let line = ends + 1;
        buffer.clear();
        let problem = match reader.read_event_into(&mut buffer) {
            Ok(Event::Eof) => break,
            Ok(event) => {
                text.event(line, &event, sink);
                text.is_too_deep()
                    .then(|| format!("elements are nested deeper than {DEEPEST} levels"))
            }
            Err(error) => Some(format!("malformed XML ({error})")),
        };
        if let Some(problem) = problem {
            sink.skip(line, b"", || {
                format!("{problem}: the rest is read as plain lines")
            });
            text.rest_as_lines(&document[at..], ends, sink);
            sink.lines(before + line_count(document));
            return;
        }
    }
    text.end(sink);
    let lines = before + line_count(document);
    text.markup.finish((text.depth > 0).then_some(lines), sink);
    sink.lines(lines);
}

/// The text of one element, cut into lines.
struct Text<'m> {
    rows: TextRows,
    markup: &'m mut dyn Markup,
    depth: usize,
    /// The bytes of the names of open elements, also of those that are text.
    open: usize,
    pending: Vec<u8>,
    line: u64,
    overlong: bool,
}

impl<'m> Text<'m> {
    fn new(markup: &'m mut dyn Markup, sink: &mut RowCollector<'_>) -> Self {
        let rows = TextRows::new(sink);
        Self {
            rows,
            markup,
            depth: 0,
            open: 0,
            pending: Vec::new(),
            line: 1,
            overlong: false,
        }
    }

    /// True if the parser remembers too many open elements.
    fn is_too_deep(&self) -> bool {
        self.depth > DEEPEST || self.open > LONGEST_OPEN
    }

    fn count_open(&mut self, event: &Event<'_>) {
        let bytes = |name: &str| name.len() + size_of::<usize>();
        match event {
            Event::Start(tag) => self.open += bytes(tag.name().into_inner()),
            Event::End(tag) => self.open = self.open.saturating_sub(bytes(tag.name().into_inner())),
            _ => {}
        }
    }

    fn event(&mut self, line: u64, event: &Event<'_>, sink: &mut RowCollector<'_>) {
        self.count_open(event);
        match event {
            Event::Text(part) => return self.add(line, part.as_bytes(), sink),
            Event::CData(part) => return self.add(line, part.as_bytes(), sink),
            Event::GeneralRef(part) => return self.add(line, &resolve(part), sink),
            // A `<` that stands for itself makes a tag of the text behind it.
            Event::Start(tag) | Event::Empty(tag) if !is_tag(tag) => {
                return self.add(line, format!("<{}>", &**tag).as_bytes(), sink);
            }
            _ => self.end(sink),
        }
        match event {
            Event::Start(tag) => {
                self.markup.start(line, tag);
                self.depth += 1;
            }
            Event::Empty(tag) => {
                self.markup.start(line, tag);
                self.markup.end(tag.local_name().into_inner(), sink);
            }
            Event::End(tag) => {
                self.markup.end(tag.local_name().into_inner(), sink);
                self.depth = self.depth.saturating_sub(1);
            }
            _ => {}
        }
    }

    fn add(&mut self, line: u64, part: &[u8], sink: &mut RowCollector<'_>) {
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
        self.overlong |= self.pending.len() + part.len() > LONGEST_LINE;
        if !self.overlong {
            self.pending.extend_from_slice(part);
        }
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        if self.overlong {
            skip_overlong(self.line, sink);
        } else if !self.markup.text(self.line, &self.pending, sink)
            && !self.pending.trim_ascii().is_empty()
        {
            self.rows.line(self.line, &self.pending, sink);
        }
        self.pending.clear();
        self.overlong = false;
    }

    /// Reads the rest of malformed XML, such as a report whose writer was killed.
    fn rest_as_lines(mut self, rest: &[u8], before: u64, sink: &mut RowCollector<'_>) {
        self.end(sink);
        for (number, line) in lines(rest) {
            if line.len() > LONGEST_LINE {
                skip_overlong(before + number, sink);
            } else if !self.markup.text(before + number, line, sink) {
                self.rows.any_line(before + number, line, sink);
            }
        }
        self.markup.finish(None, sink);
    }
}

/// True if this is the inside of a tag: a name, and quoted attributes.
fn is_tag(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | ':'));
    let mut rest = text
        .find(char::is_whitespace)
        .map_or("", |end| &text[end..]);
    while let Some(equals) = memchr::memchr(b'=', rest.as_bytes()) {
        let (name, value) = (trimmed(&rest[..equals]), trimmed_start(&rest[equals + 1..]));
        let quote = value
            .bytes()
            .next()
            .filter(|quote| matches!(quote, b'"' | b'\''));
        let end = quote.and_then(|quote| memchr::memchr(quote, &value.as_bytes()[1..]));
        let Some(end) = end.filter(|_| !has_white_space(name)) else {
            return false;
        };
        rest = &value[end + 2..];
    }
    starts && rest.trim().is_empty()
}

fn has_white_space(name: &str) -> bool {
    !name.bytes().all(|byte| byte.is_ascii_graphic()) && name.contains(char::is_whitespace)
}

/// The text for `&name;` or `&#10;`; an unknown entity stays as it is.
fn resolve(reference: &BytesRef<'_>) -> Vec<u8> {
    let character = reference
        .resolve_char_ref()
        .ok()
        .flatten()
        .map(String::from);
    let name: &str = reference;
    let text = character.or_else(|| escape::resolve_predefined_entity(name).map(str::to_owned));
    text.unwrap_or_else(|| format!("&{name};")).into_bytes()
}
