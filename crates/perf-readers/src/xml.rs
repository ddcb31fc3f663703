//! XML test reports such as NUnit's. Rows are lines of text that tests printed, in `<output>`, in CDATA, or with
//! entities. Some tools' readers also use the *markup*.

use memchr::memchr_iter;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion, escape};

use crate::csv_table;
use crate::input::is_first_of_line;
use crate::input::{Input, LONGEST_LINE, line_count, line_ends};
use crate::rows::Rows;
use crate::text_rows::{TextRows, before_document, skip_overlong};

/// Reads the markup of a tool's report.
pub(crate) trait Markup {
    /// Reads the start of an element, which is on this line.
    fn start(&mut self, line: u64, tag: &BytesStart<'_>);

    /// Reads the end of an element with this name.
    fn end(&mut self, name: &str, sink: &mut Rows<'_>);

    /// Reads a line of text. Returns whether it belongs to the tool, and is therefore not searched for rows.
    fn text(&mut self, line: u64, text: &str, sink: &mut Rows<'_>) -> bool {
        let _ = (line, text, sink);
        false
    }

    /// Ends the report. If it ends within an element, `cut` is its last line.
    fn finish(&mut self, cut: Option<u64>, sink: &mut Rows<'_>) {
        if let Some(line) = cut {
            sink.skip(line, "", || "report is cut off here".to_owned());
        }
    }
}

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
const ROOTS: [&str; 10] = [
    "test-run",
    "TestRun",
    "test-results",
    "test-suite",
    "testsuites",
    "testsuite",
    "testResults",
    "Catch",
    "Catch2TestRun",
    "phpbench",
];

/// The maximum length in bytes of the text before a document's root element.
const LONGEST_PROLOGUE: usize = 4096;

/// The maximum depth of elements, which no real report reaches.
const DEEPEST: usize = 512;

/// The maximum total length of open elements' names in bytes. Text that contains a `<` may be mistaken for such names.
const LONGEST_OPEN: usize = 1024 * 1024;

/// Returns the name of a document's root element. Other text may precede a known report.
pub(crate) fn root(head: &str) -> Option<&str> {
    root_at(&head[start(head)..])
}

/// Returns the start of the line on which the document starts.
fn start(head: &str) -> usize {
    if head.trim_start().starts_with('<') {
        return 0;
    }
    let opens = |at: &usize| is_first_of_line(head, *at) && is_report(&head[*at..]);
    let Some(first) = memchr_iter(b'<', head.as_bytes()).find(opens) else {
        return 0;
    };
    // Names in a table can look like any tool's output.
    if csv_table::start(head) == Some(0) {
        return 0;
    }
    head[..first].rfind('\n').map_or(0, |end| end + 1)
}

/// Whether `text` begins with a known report.
pub(crate) fn is_report(text: &str) -> bool {
    root_at(&text[..text.floor_char_boundary(LONGEST_PROLOGUE)])
        .is_some_and(|root| ROOTS.contains(&root))
}

fn root_at(document: &str) -> Option<&str> {
    let mut rest = document.trim_start_matches('\u{feff}').trim_start();
    loop {
        rest = rest.strip_prefix('<')?;
        let end = if rest.starts_with('?') {
            rest.find("?>")? + 2
        } else if rest.starts_with("!--") {
            rest.find("-->")? + 3
        } else if rest.starts_with('!') {
            rest.find('>')? + 1
        } else {
            let ends = |c: char| matches!(c, '>' | '/') || c.is_ascii_whitespace();
            return Some(&rest[..rest.find(ends).unwrap_or(rest.len())]);
        };
        rest = rest[end..].trim_start();
    }
}

/// Whether the input is a document, rather than text that quotes markup.
pub(crate) fn looks_like(head: &str) -> bool {
    let head = head[start(head)..].trim_start();
    head.starts_with("<?xml") || is_report(head)
}

/// Reads the rows in a report's text, and passes on its markup.
pub(crate) fn read(input: &Input<'_>, sink: &mut Rows<'_>, markup: &mut dyn Markup) {
    let start = start(input.head());
    let (document, before) = before_document(start, input, sink);
    // The parser skips a byte order mark without counting it in its position.
    let document = document.trim_start_matches('\u{feff}');
    sink.lines(before + line_count(document));
    let mut text = Text::new(markup, sink);
    let mut reader = Reader::from_str(document);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_dangling_amp = true;
    // The number of line ends before `counted`.
    let (mut ends, mut counted) = (before, 0);
    loop {
        let at = usize::try_from(reader.buffer_position()).unwrap_or(document.len());
        let at = at.min(document.len());
        ends += line_ends(&document[counted..at]);
        counted = at;
        let line = ends + 1;
        let problem = match reader.read_event() {
            Ok(Event::Eof) => break,
            Ok(Event::Start(tag) | Event::Empty(tag)) if !is_valid(&tag) => {
                Some("malformed XML (a `<` that opens no tag)".to_owned())
            }
            Ok(event) => {
                text.event(line, &event, sink);
                text.is_too_deep()
                    .then(|| format!("elements are nested deeper than {DEEPEST} levels"))
            }
            Err(error) => Some(format!("malformed XML ({error})")),
        };
        if let Some(problem) = problem {
            sink.skip(line, "", || {
                format!("{problem}: the markup after it is not read")
            });
            // If the writer was killed while it wrote text, the complete lines are rows.
            if let Some(open) = document[at..].strip_prefix("<![CDATA[") {
                text.add(line, open, sink);
            }
            text.end(sink);
            return text.markup.finish(None, sink);
        }
    }
    text.end(sink);
    let last_line = before + line_count(document);
    text.markup
        .finish((text.depth > 0).then_some(last_line), sink);
}

/// Splits one element's text into lines.
struct Text<'m> {
    rows: TextRows,
    markup: &'m mut dyn Markup,
    depth: usize,
    /// The total length of the open elements' names in bytes.
    open: usize,
    pending: String,
    line: u64,
    overlong: bool,
}

impl<'m> Text<'m> {
    fn new(markup: &'m mut dyn Markup, sink: &mut Rows<'_>) -> Self {
        let rows = TextRows::new(sink);
        Self {
            rows,
            markup,
            depth: 0,
            open: 0,
            pending: String::new(),
            line: 1,
            overlong: false,
        }
    }

    /// Whether the parser would have to remember too many open elements.
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

    fn event(&mut self, line: u64, event: &Event<'_>, sink: &mut Rows<'_>) {
        self.count_open(event);
        match event {
            Event::Text(part) => return self.add(line, part, sink),
            Event::CData(part) => return self.add(line, part, sink),
            Event::GeneralRef(part) => return self.add(line, &resolve(part), sink),
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

    fn add(&mut self, line: u64, part: &str, sink: &mut Rows<'_>) {
        if self.pending.is_empty() {
            self.line = line;
        }
        let mut rest = part;
        while let Some(end) = rest.find('\n') {
            self.extend(&rest[..end]);
            rest = &rest[end + 1..];
            self.end(sink);
            self.line += 1;
        }
        self.extend(rest);
    }

    fn extend(&mut self, part: &str) {
        self.overlong |= self.pending.len() + part.len() > LONGEST_LINE;
        if !self.overlong {
            self.pending.push_str(part);
        }
    }

    fn end(&mut self, sink: &mut Rows<'_>) {
        if self.overlong {
            skip_overlong(self.line, sink);
        } else if !self.markup.text(self.line, &self.pending, sink) {
            self.rows.line(self.line, &self.pending, sink);
        }
        self.pending.clear();
        self.overlong = false;
    }
}

/// Whether a tag consists of a name and quoted attributes. If a `<` was not escaped, the parser takes the text after it
/// for a tag, which is then invalid.
fn is_valid(tag: &BytesStart<'_>) -> bool {
    let mut attributes = tag.attributes();
    let are_valid = attributes
        .with_checks(false)
        .all(|attribute| attribute.is_ok());
    are_valid && !tag.name().into_inner().is_empty()
}

/// Returns the text for a reference such as `&name;` or `&#10;`. An unknown entity is not changed.
fn resolve(reference: &BytesRef<'_>) -> String {
    let character = reference
        .resolve_char_ref()
        .ok()
        .flatten()
        .map(String::from);
    let name: &str = reference;
    let text = character.or_else(|| escape::resolve_predefined_entity(name).map(str::to_owned));
    text.unwrap_or_else(|| format!("&{name};"))
}
