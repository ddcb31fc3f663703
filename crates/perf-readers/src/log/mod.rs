//! Any text with rows in it: build logs, test output, the console of a game engine.

mod hidden;
mod waiting;

use std::io;

use self::hidden::Hidden;
use self::waiting::Waiting;
#[cfg(test)]
pub(crate) use self::waiting::XML;
use crate::format::{Format, Likeness, LineReader};
use crate::formats::common::command;
use crate::formats::table::Unread;
use crate::input::anchors::Anchors;
use crate::input::blocks::ends;
use crate::input::lines::{self, Chunk};
use crate::input::source::Source;
use crate::rows::RowCollector;
use crate::text_rows::{TextRows, report_unended, skip_overlong};

pub(crate) const FORMAT: Format = Format::named("log")
    .about("lines `scenario,platform,commit,runIndex,…` and `{scenario:\"…\",…}` in a log")
    .looks_like(|_| Likeness::Yes)
    .document(|source, sink| read_with(&[], Vec::new(), source, sink).map(drop));

/// Reads the lines of tools and rows of our own among them. `others` are formats that may begin later. Where one begins
/// that is not read so, returns what is left of the text that was read, to be read as another input.
pub(crate) fn read_with(
    tools: &[&Format],
    others: Vec<&'static Format>,
    source: &mut Source<'_>,
    sink: &mut RowCollector<'_>,
) -> io::Result<Option<Vec<u8>>> {
    let is_other = |other: &&Format| tools.iter().all(|tool| tool.name != other.name);
    let (unmarked, marked) = others
        .into_iter()
        .filter(is_other)
        .partition(|format| format.marks().is_empty());
    let (waiting, mut hidden) = (Waiting::new(marked), Hidden::new(unmarked));
    let own = sink.documents.begin(FORMAT.name, FORMAT.samples, false);
    let mut log = Log {
        rows: TextRows::new(sink),
        own,
        tools: Vec::new(),
        waiting,
        unread: Unread::default(),
        announced: None,
        announced_below: None,
    };
    log.tools
        .extend(tools.iter().filter_map(|format| Tool::start(format, sink)));
    let anchors = Anchors::new();
    let seen = lines::chunks(source, |chunk, lines| {
        let (before, mut read) = (*lines, 0);
        if log.tools.is_empty()
            && sink.rows() == 0
            && let Some(at) = hidden.begin_in(chunk, sink)
        {
            let front = &chunk.all[chunk.before().len().min(at)..at];
            log.read_rows(&anchors, front, false, lines, sink);
            // With a row before it, it is no text of its own.
            if sink.rows() == 0 {
                *lines = before + ends(&chunk.all[..at]) - ends(chunk.before());
                return Some(at);
            }
            read = front.len();
        }
        let has_word = log.waiting.is_worth_a_look(chunk.text());
        if has_word {
            log.look(chunk, before, sink);
        }
        let (text, last) = chunk.split_unended();
        let text = &text[read.min(text.len())..];
        if log.tools.is_empty() {
            log.read_rows(&anchors, text, has_word, lines, sink);
        } else {
            lines::each_line(text, lines, |number, line| log.line(number, line, sink));
        }
        if !last.is_empty() {
            *lines += 1;
            log.unended(*lines, last, sink);
        }
        None
    })?;
    for tool in &mut log.tools {
        sink.documents.turn_to(tool.document);
        tool.reader.end(sink);
    }
    log.unread.end(sink);
    sink.tell_apart(command::shown);
    if let Some((line, announced)) = log.announced {
        sink.check_count(line, announced);
    }
    if let Some((line, announced)) = log.announced_below {
        sink.check_count_below(line, announced);
    }
    skip_overlong(&seen.overlong, sink);
    sink.lines(seen.lines);
    Ok(seen.rest)
}

struct Log {
    rows: TextRows,
    own: u32,
    tools: Vec<Tool>,
    waiting: Waiting,
    unread: Unread,
    /// The last line that counts all benchmarks, and their number.
    announced: Option<(u64, u64)>,
    /// The first line that counts the benchmarks below it, and the number of all such lines.
    announced_below: Option<(u64, u64)>,
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

    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        sink.documents.turn_to(self.document);
        self.reader.line(number, line, sink)
    }

    fn unended(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        sink.documents.turn_to(self.document);
        self.reader.unended(number, line, sink)
    }
}

impl Log {
    /// Reads the lines that may hold a row, counting all.
    fn read_rows(
        &mut self,
        anchors: &Anchors,
        text: &[u8],
        has_word: bool,
        lines: &mut u64,
        sink: &mut RowCollector<'_>,
    ) {
        anchors.visit(text, has_word, lines, |candidate, number| {
            if self.rows.may_hold_row(candidate) {
                self.rows.line(number(), candidate.line, sink);
            }
        });
    }

    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) {
        let line = shown(line);
        if let Some(count) = benchmarks_below(line) {
            self.announced_below.get_or_insert((number, 0)).1 += count;
        }
        if !self
            .tools
            .iter_mut()
            .any(|tool| tool.line(number, line, sink))
        {
            sink.sections.see(number, line);
            self.unread.see(number, line, sink);
            sink.documents.turn_to(self.own);
            self.rows.any_line(number, line, sink);
            self.announced = benchmarks(line)
                .map(|count| (number, count))
                .or(self.announced);
        }
    }

    /// Looks at the last line of the input, which has no end.
    fn unended(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) {
        // Nothing is cut off behind the end of a block in a page.
        if line.starts_with(b"```") {
            return self.line(number, line, sink);
        }
        if self
            .tools
            .iter_mut()
            .any(|tool| tool.unended(number, line, sink))
        {
            return;
        }
        sink.documents.turn_to(self.own);
        let rows = sink.rows();
        self.rows.any_line(number, line, sink);
        if let Some(last) = line.last().filter(|_| sink.rows() > rows) {
            report_unended(number, *last, sink);
        }
    }

    /// Starts tools whose results begin in a chunk, with what they printed before.
    fn look(&mut self, chunk: Chunk<'_>, lines: u64, sink: &mut RowCollector<'_>) {
        for format in self.waiting.found(chunk) {
            let Some(mut tool) = Tool::start(format, sink) else {
                continue;
            };
            if sink.format() == FORMAT.name {
                sink.change_input(|input| input.format = format.name);
            }
            let mut number = lines - ends(chunk.before());
            lines::each_line(chunk.before(), &mut number, |number, line| {
                if !tool.line(number, shown(line), sink) {
                    sink.sections.see(number, shown(line));
                }
            });
            self.tools.push(tool);
        }
        if let Some(at) = self.waiting.xml(chunk.text()) {
            let line = lines + ends(&chunk.text()[..at]) + 1;
            sink.skip(line, b"", || {
                "an XML report begins behind other text, and is not read: pass it as a file of its own"
                    .to_owned()
            });
        }
        sink.documents.turn_to(self.own);
    }
}

/// The number in the line above a table of pytest-benchmark: `---- benchmark: 5 tests ----`, `- benchmark 'a': 1 tests -`.
fn benchmarks_below(line: &[u8]) -> Option<u64> {
    let title = line.strip_prefix(b"-")?.strip_suffix(b"-")?;
    let title = std::str::from_utf8(title).ok()?.trim_matches(['-', ' ']);
    let (_, count) = title.strip_prefix("benchmark")?.rsplit_once(": ")?;
    let count = count
        .strip_suffix(" tests")
        .or(count.strip_suffix(" test"))?;
    count.parse().ok()
}

/// The number in `12 benchmarks` and `Ran 12 benchmarks in 3.5 s`, with which some harnesses end.
fn benchmarks(line: &[u8]) -> Option<u64> {
    const SUMS: [&[u8]; 5] = [b"ran", b"finished", b"completed", b"executed", b"total:"];
    // BenchmarkDotNet's last line: `Global total time: 00:00:30 (30.1 sec), executed benchmarks: 3`.
    if let Some(rest) = line.strip_prefix(b"Global total time: ") {
        let (_, count) = std::str::from_utf8(rest)
            .ok()?
            .rsplit_once("executed benchmarks: ")?;
        return count.trim().parse().ok();
    }
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let first = words.next()?;
    let is_sum = SUMS.iter().any(|sum| sum.eq_ignore_ascii_case(first));
    let number = Some(first).filter(|_| !is_sum).or_else(|| words.next())?;
    if !number[0].is_ascii_digit() {
        return None;
    }
    let count = std::str::from_utf8(number).ok()?.parse().ok()?;
    words.next()?.starts_with(b"benchmarks").then_some(count)
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
