//! Any text with rows in it: build logs, test output, the console of a game engine.

use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::format::{Format, Likeness, LineReader, Texts};
use crate::formats::common::command;
use crate::input::{HEAD, LONGEST_LINE, Source, line_count, lines};
use crate::rows::RowCollector;
use crate::text_rows::{TextRows, report_unended, skip_overlong};
use crate::xml;

pub(crate) const FORMAT: Format = Format::named("log")
    .about("lines `scenario,platform,commit,runIndex,…` and `{scenario:\"…\",…}` in a log")
    .looks_like(|_| Likeness::Yes)
    .document(|source, sink| {
        read_with(&[], &[], source, sink);
    });

/// The size in bytes of the parts of a long text that are searched for formats.
const PART: usize = 1024 * 1024;

/// The beginnings of an XML report, which is a document rather than lines.
const XML: [&[u8]; 2] = [b"<?xml ", b"<testsuite"];

/// Reads the lines of tools and rows of our own among them. `others` are formats that may begin later. If one of them is
/// a document and begins after text without a row, returns the text from its beginning, which is another input.
pub(crate) fn read_with<'t>(
    tools: &[&Format],
    others: &[&'static Format],
    source: &Source<'t>,
    sink: &mut RowCollector<'_>,
) -> Option<&'t [u8]> {
    let text = source.rest();
    let late = Late::find(text, tools, others);
    let own = sink.documents.begin(FORMAT.name, FORMAT.samples, false);
    let mut log = Log {
        rows: TextRows::new(sink),
        own,
        tools: Vec::new(),
        announced: None,
    };
    for format in tools {
        log.tools.extend(Tool::start(format, sink));
    }
    for format in &late.tools {
        log.tools.extend(Tool::start(format, sink));
    }
    if let Some(first) = late.tools.first()
        && sink.format() == FORMAT.name
    {
        sink.change_input(|input| input.format = first.name);
    }
    let (front, rest) = text.split_at(late.document.unwrap_or(text.len()));
    log.read(front, 0, sink);
    let before = line_count(front);
    if late.document.is_some() && sink.rows() == 0 {
        sink.lines(before);
        return Some(rest);
    }
    log.read(rest, before, sink);
    report_xml(text, sink);
    log.end(sink);
    sink.lines(line_count(text));
    None
}

/// The formats that begin after the head of a text.
#[derive(Default)]
struct Late {
    tools: Vec<&'static Format>,
    /// The start of the first document in a text without lines of tools.
    document: Option<usize>,
}

impl Late {
    fn find(text: &[u8], tools: &[&Format], others: &[&'static Format]) -> Self {
        let mut late = Self::default();
        let mut waiting: Vec<&'static Format> = others.to_vec();
        waiting.retain(|other| tools.iter().all(|tool| tool.name != other.name));
        if text.len() <= HEAD {
            return late;
        }
        let texts = Texts::of(waiting.iter().copied());
        let mut end = HEAD;
        while end < text.len() && !waiting.is_empty() {
            // What begins shortly before the end of a part may have been cut off there.
            let overlap = &text[..end - HEAD / 2];
            let line = memchr::memrchr(b'\n', overlap).map_or(0, |at| at + 1);
            end = text.len().min(end + PART);
            let start = if overlap.len() - line <= HEAD {
                line
            } else {
                // No format begins in the middle of a long line, and looking at the line once for each part takes too long.
                match memchr::memchr(b'\n', &text[overlap.len()..end]) {
                    Some(at) => overlap.len() + at + 1,
                    None => continue,
                }
            };
            let part = &text[start..end];
            for (format, likeness) in texts.likeness(part, waiting.iter().copied()) {
                if likeness != Likeness::Yes {
                    continue;
                }
                if !format.is_document() {
                    late.tools.push(format);
                } else if late.document.is_none() {
                    late.document = Some(start + document_start(format, part));
                }
            }
            waiting.retain(|other| late.tools.iter().all(|tool| tool.name != other.name));
        }
        if !tools.is_empty() || !late.tools.is_empty() {
            late.document = None;
        }
        late
    }
}

/// Returns the start of the first JSON or XML of a text if a document of this format begins there, because some readers
/// allow no text before it; otherwise a place shortly before the document.
fn document_start(format: &Format, text: &[u8]) -> usize {
    for end in memchr::memchr_iter(b'\n', text) {
        if matches!(text.get(end + 1), Some(b'{' | b'[' | b'<')) {
            if format.likeness(&text[end + 1..]) == Likeness::Yes {
                return end + 1;
            }
            break;
        }
    }
    let mut start = 0;
    while start < text.len() {
        let head = &text[start..text.len().min(start + HEAD)];
        if format.likeness(head) == Likeness::Yes {
            return start;
        }
        let half = &text[text.len().min(start + HEAD / 2)..];
        let line_end = memchr::memchr(b'\n', half).map_or(half.len(), |at| at + 1);
        start = text.len() - half.len() + line_end;
    }
    0
}

/// Reports an XML report after other text, which is not read.
fn report_xml(text: &[u8], sink: &mut RowCollector<'_>) {
    let places = XML
        .iter()
        .filter_map(|mark| memchr::memmem::find(text, mark));
    let Some(at) = places.min() else {
        return;
    };
    if xml::is_report(&text[at..]) {
        let line = line_count(&text[..=at]);
        sink.skip(line, b"", || {
            "an XML report begins behind other text, and is not read: pass it as a file of its own"
                .to_owned()
        });
    }
}

struct Log {
    rows: TextRows,
    own: u32,
    tools: Vec<Tool>,
    /// The last line that counts all benchmarks, and their number.
    announced: Option<(u64, u64)>,
}

struct Tool {
    document: u32,
    reader: Box<dyn LineReader>,
}

impl Tool {
    fn start(format: &Format, sink: &mut RowCollector<'_>) -> Option<Self> {
        let reader = format.line_reader()?;
        Some(Self {
            document: sink.documents.begin(format.name, format.samples, true),
            reader,
        })
    }
}

impl Log {
    /// Reads the lines of a text that begins after so many lines.
    fn read(&mut self, text: &[u8], before: u64, sink: &mut RowCollector<'_>) {
        let whole = memchr::memrchr(b'\n', text).map_or(0, |at| at + 1);
        let mut number = before;
        for (_, line) in lines(&text[..whole]) {
            number += 1;
            if line.len() > LONGEST_LINE {
                skip_overlong(number, sink);
            } else {
                self.line(number, line, sink);
            }
        }
        let last = &text[whole..];
        if last.len() > LONGEST_LINE {
            skip_overlong(number + 1, sink);
        } else if !last.is_empty() {
            self.unended(number + 1, last, sink);
        }
    }

    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) {
        let line = shown(line);
        if self.tools.is_empty() {
            return self.rows.any_line(number, line, sink);
        }
        for tool in &mut self.tools {
            sink.documents.turn_to(tool.document);
            if tool.reader.line(number, line, sink) {
                return;
            }
        }
        sink.sections.see(number, line);
        sink.documents.turn_to(self.own);
        self.rows.any_line(number, line, sink);
        if let Some(count) = benchmarks(line) {
            self.announced = Some((number, count));
        }
    }

    /// Looks at the last line of the input, which has no end.
    fn unended(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) {
        // Nothing is cut off after the end of a block in a page.
        if line.starts_with(b"```") {
            return self.line(number, line, sink);
        }
        for tool in &mut self.tools {
            sink.documents.turn_to(tool.document);
            if tool.reader.unended(number, line, sink) {
                return;
            }
        }
        sink.documents.turn_to(self.own);
        let rows = sink.rows();
        self.rows.any_line(number, line, sink);
        if let Some(last) = line.last().filter(|_| sink.rows() > rows) {
            report_unended(number, *last, sink);
        }
    }

    fn end(mut self, sink: &mut RowCollector<'_>) {
        for tool in &mut self.tools {
            sink.documents.turn_to(tool.document);
            tool.reader.end(sink);
        }
        sink.tell_apart(command::shown);
        if let Some((line, announced)) = self.announced {
            sink.check_count(line, announced);
        }
    }
}

/// The number in `12 benchmarks`, `Ran 12 benchmarks in 3.5 s` and BenchmarkDotNet's `Global total time: 00:00:30 (30.1
/// sec), executed benchmarks: 3`.
fn benchmarks(line: &[u8]) -> Option<u64> {
    static LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        const BEFORE: &str = r"(?i:(?:ran|finished|completed|executed|total:)\s+)?";
        const AFTER: &str = r"Global total time: .*executed benchmarks: ";
        Regex::new(&format!(r"^(?:\s*{BEFORE}(\d+)\s+benchmarks|{AFTER}(\d+))")).ok()
    });
    memchr::memmem::find(line, b"benchmarks")?;
    let found = LINE.as_ref()?.captures(line)?;
    let count = found.get(1).or_else(|| found.get(2))?;
    std::str::from_utf8(count.as_bytes()).ok()?.parse().ok()
}

/// Returns what a terminal shows of a line: one that is written over and over has a carriage return before each time,
/// and on Windows one at its end. A tab at its end stays, as it marks a name whose result is still to come.
fn shown(line: &[u8]) -> &[u8] {
    let end = line
        .iter()
        .rposition(|byte| !matches!(byte, b' ' | b'\r'))
        .map_or(0, |last| last + 1);
    let line = &line[..end];
    memchr::memrchr(b'\r', line).map_or(line, |at| &line[at + 1..])
}
