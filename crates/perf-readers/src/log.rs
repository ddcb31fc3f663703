//! Any text with rows in it: build logs, test output, the console of a game engine.

use memchr::memmem;

use crate::format::{Format, Likeness, LineReader, likeness_of_each};
use crate::formats::common::command;
use crate::input::{HEAD, Input, LONGEST_LINE, line_ends};
use crate::rows::Rows;
use crate::text_rows::{TextRows, Words, has_number, report_unended, skip_overlong};
use crate::xml;

pub(crate) const FORMAT: Format = Format::named("log")
    .about("lines `scenario,platform,commit,runIndex,…` and `{scenario:\"…\",…}` in a log")
    .looks_like(|_| Likeness::Yes)
    .document(|input, sink| {
        read_with(&[], &[], input, sink);
    });

/// The size in bytes of the parts in which a long text is searched for formats.
const PART: usize = 1024 * 1024;

/// The beginnings of an XML report, which is a document rather than lines.
const XML: [&str; 2] = ["<?xml ", "<testsuite"];

/// Reads the lines of `tools`, and the project's own rows between them. `others` are formats that may start later. If a
/// document of one of these formats starts after text without a row, returns the text from there, which the caller
/// reads as another input.
pub(crate) fn read_with<'t>(
    tools: &[&Format],
    others: &[&'static Format],
    input: &Input<'t>,
    sink: &mut Rows<'_>,
) -> Option<&'t str> {
    let text = input.text;
    let late = Late::find(text, tools, others);
    let own = sink.documents.begin(FORMAT.name, FORMAT.samples, false);
    let mut log = Log {
        rows: TextRows::new(sink),
        own,
        tools: Vec::new(),
        announced: None,
    };
    for format in tools.iter().chain(&late.tools) {
        log.tools.extend(Tool::start(format, sink));
    }
    if let Some(first) = late.tools.first()
        && sink.format() == FORMAT.name
    {
        sink.change_input(|input| input.format = first.name);
    }
    let (front, rest) = text.split_at(late.document.unwrap_or(text.len()));
    let before = log.read(front, 0, sink);
    if late.document.is_some() && sink.rows() == 0 {
        sink.lines(before);
        return Some(rest);
    }
    let count = log.read(rest, before, sink);
    report_xml(text, sink);
    log.end(sink);
    sink.lines(count);
    None
}

/// The formats that begin after the head.
#[derive(Default)]
struct Late {
    tools: Vec<&'static Format>,
    /// The start of the first document, if the text contains no tool's lines.
    document: Option<usize>,
}

impl Late {
    fn find(text: &str, tools: &[&Format], others: &[&'static Format]) -> Self {
        let mut late = Self::default();
        let mut waiting: Vec<&'static Format> = others.to_vec();
        waiting.retain(|other| {
            other.name != FORMAT.name && tools.iter().all(|tool| tool.name != other.name)
        });
        let mut end = HEAD;
        while end < text.len() && !waiting.is_empty() {
            // Parts overlap, because a format that starts shortly before the end of a part may be cut off there.
            let overlap = &text.as_bytes()[..end - HEAD / 2];
            let line = memchr::memrchr(b'\n', overlap).map_or(0, |at| at + 1);
            end = text.floor_char_boundary(end + PART);
            let start = if overlap.len() - line <= HEAD {
                line
            } else {
                // No format starts in the middle of a long line, and searching such a line once per part takes too
                // long.
                match memchr::memchr(b'\n', &text.as_bytes()[overlap.len()..end]) {
                    Some(at) => overlap.len() + at + 1,
                    None => continue,
                }
            };
            let part = &text[start..end];
            for (format, likeness) in likeness_of_each(part, waiting.iter().copied()) {
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

/// Returns the position from which a document of this format can be read. This is the first line that begins with `{`,
/// `[` or `<` if the document starts there, because some readers allow no text before the document. Otherwise it is a
/// position shortly before the document.
fn document_start(format: &Format, text: &str) -> usize {
    for end in memchr::memchr_iter(b'\n', text.as_bytes()) {
        if text[end + 1..].starts_with(['{', '[', '<']) {
            if format.likeness(&text[end + 1..]) == Likeness::Yes {
                return end + 1;
            }
            break;
        }
    }
    let mut start = 0;
    loop {
        let end = text.floor_char_boundary(start + HEAD);
        if format.likeness(&text[start..end]) == Likeness::Yes {
            return start;
        }
        let half = text.floor_char_boundary(start + HEAD / 2);
        let Some(line_end) = memchr::memchr(b'\n', &text.as_bytes()[half..]) else {
            return 0;
        };
        start = half + line_end + 1;
    }
}

/// Reports an XML report that follows other text, because it is not read.
fn report_xml(text: &str, sink: &mut Rows<'_>) {
    let places = XML
        .iter()
        .filter_map(|mark| memmem::find(text.as_bytes(), mark.as_bytes()));
    let Some(at) = places.min() else {
        return;
    };
    if xml::is_report(&text[at..]) {
        let line = line_ends(&text[..at]) + 1;
        sink.skip(line, "", || {
            "an XML report after other text is not read: pass it as a separate file".to_owned()
        });
    }
}

struct Log {
    rows: TextRows,
    own: u32,
    tools: Vec<Tool>,
    /// The last line that states the total number of benchmarks, and this number.
    announced: Option<(u64, u64)>,
}

struct Tool {
    document: u32,
    reader: Box<dyn LineReader>,
}

impl Tool {
    fn start(format: &Format, sink: &mut Rows<'_>) -> Option<Self> {
        let reader = format.line_reader()?;
        Some(Self {
            document: sink.documents.begin(format.name, format.samples, true),
            reader,
        })
    }
}

impl Log {
    /// Reads lines that follow `before` other lines. Returns the last line's number.
    fn read(&mut self, text: &str, before: u64, sink: &mut Rows<'_>) -> u64 {
        let mut words = Words::of(text);
        let (mut number, mut start) = (before, 0);
        for end in memchr::memchr_iter(b'\n', text.as_bytes()) {
            number += 1;
            let line = &text[start..end];
            let may_be_row =
                !self.tools.is_empty() || words.are_in(start, line) || has_number(line);
            start = end + 1;
            if line.len() > LONGEST_LINE {
                skip_overlong(number, sink);
            } else if may_be_row {
                self.line(number, line, sink);
            }
        }
        let last = &text[start..];
        if last.is_empty() {
            return number;
        }
        number += 1;
        if last.len() > LONGEST_LINE {
            skip_overlong(number, sink);
        } else {
            self.unended(number, last, sink);
        }
        number
    }

    fn line(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) {
        let line = shown(line);
        if self.tools.is_empty() {
            return self.rows.line(number, line, sink);
        }
        for tool in &mut self.tools {
            sink.documents.turn_to(tool.document);
            if tool.reader.line(number, line, sink) {
                return;
            }
        }
        sink.sections.see(number, line);
        sink.documents.turn_to(self.own);
        self.rows.line(number, line, sink);
        if let Some(count) = announced_benchmarks(line) {
            self.announced = Some((number, count));
        }
    }

    /// Reads the input's last line, which has no line end.
    fn unended(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) {
        // A line that ends a Markdown code block is never cut off.
        if line.starts_with("```") {
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
        self.rows.line(number, line, sink);
        if sink.rows() > rows {
            report_unended(number, line, sink);
        }
    }

    fn end(mut self, sink: &mut Rows<'_>) {
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

/// Returns the number in a line such as `12 benchmarks`, `Ran 12 benchmarks in 3.5 s` or BenchmarkDotNet's
/// `Global total time: 00:00:30 (30.1 / sec), executed benchmarks: 3`.
fn announced_benchmarks(line: &str) -> Option<u64> {
    if let Some((_, count)) = line.split_once("executed benchmarks: ") {
        return count.trim_end().parse().ok();
    }
    let (before, _) = line.split_once(" benchmarks")?;
    let words: Vec<&str> = before.split_whitespace().collect();
    let ([count]
    | [
        "Ran" | "ran" | "Finished" | "finished" | "Completed" | "completed" | "Total:",
        count,
    ]) = words[..]
    else {
        return None;
    };
    count.parse().ok()
}

/// Returns the visible part of a line. Progress output overwrites a line after a carriage return, so only the text
/// after the last one is visible. A carriage return at the end of the line is part of a Windows line end. A tab at the
/// end is kept, because it marks a name whose result follows.
fn shown(line: &str) -> &str {
    let line = line.trim_end_matches([' ', '\r']);
    memchr::memrchr(b'\r', line.as_bytes()).map_or(line, |at| &line[at + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::FORMATS;

    #[test]
    fn a_long_line_is_not_searched_from_its_middle() {
        let others: Vec<&Format> = FORMATS
            .iter()
            .filter(|format| format.name != FORMAT.name)
            .collect();
        let before = "x\n".repeat(HEAD);
        let with = |filler: &str| format!("{before}{filler}│ slowest {filler}\n");
        let short = Late::find(&with("y"), &[], &others);
        assert_eq!(short.tools[0].name, "divan");

        let mut text = with(&"y".repeat(2 * PART));
        assert!(Late::find(&text, &[], &others).tools.is_empty());
        text.push_str("│ slowest ");
        assert_eq!(Late::find(&text, &[], &others).tools[0].name, "divan");
    }
}
