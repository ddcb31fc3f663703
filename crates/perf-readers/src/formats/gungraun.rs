//! gungraun, which was iai-callgrind: its JSON summaries, one a line or over many lines, and its report on the
//! terminal, mixed with other output.

mod report;
mod summary;

use self::report::Report;
use self::summary::Summary;
use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("gungraun")
    .about(
        "gungraun and iai-callgrind, JSON summaries and the report: event counts of Valgrind tools",
    )
    .looks_like(|head| {
        (has_all(head, &["\"module_path\"", "\"benchmark_exe\""]) || looks_like_report(head)).into()
    })
    .lines::<Lines>();

/// Keys with which a summary begins that stands over many lines, of any version.
const FIRST_KEYS: [&[u8]; 3] = [b"\"version\"", b"\"baselines\"", b"\"benchmark_exe\""];

/// The events that the block of a benchmark begins with by default.
const FIRST_EVENTS: [&str; 4] = ["Instructions:", "Total bytes:", "Total blocks:", "Errors:"];

/// Whether a line has an event that is first by default, or one without an earlier run.
fn looks_like_report(head: &[u8]) -> bool {
    has_line(head, "|", |line| {
        let Some(inside) = report::inside(line).filter(|inside| report::metric(inside).is_some())
        else {
            return false;
        };
        inside.contains("(*********)") || FIRST_EVENTS.iter().any(|event| inside.starts_with(event))
    })
}

#[derive(Default)]
struct Lines {
    report: Report,
    /// The lines so far of a summary that stands over many.
    open: Vec<u8>,
    begins: u64,
    /// The indentation of the summary, in bytes.
    indent: usize,
    reported_version: bool,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let plain = line.trim_ascii_start();
        let indent = line.len() - plain.len();
        let is_inside = !self.open.is_empty() && indent > self.indent;
        match plain.first() {
            _ if is_inside => self.inside(plain, line),
            Some(b'{') => self.object(number, indent, plain, sink),
            Some(b'}') if !self.open.is_empty() => {
                self.push(b"}");
                self.give(sink);
                true
            }
            _ => {
                self.break_off(sink);
                self.report.line(number, line, sink)
            }
        }
    }

    fn unended(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        self.report.unended(number, line, sink) || self.line(number, line, sink)
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.break_off(sink);
        self.report.end(sink);
    }
}

impl Lines {
    /// A line that begins an object, or is one.
    fn object(
        &mut self,
        number: u64,
        indent: usize,
        line: &[u8],
        sink: &mut RowCollector<'_>,
    ) -> bool {
        self.break_off(sink);
        self.report.close(sink);
        if line.trim_ascii_end() == b"{" {
            (self.begins, self.indent) = (number, indent);
            self.push(line);
            return false; // the next line decides
        }
        let is_summary = ["\"benchmark_exe\"", "\"module_path\""]
            .iter()
            .any(|key| has_all(line, &[key]));
        if is_summary {
            let line = line.trim_ascii_end();
            self.summary(number, line.strip_suffix(b",").unwrap_or(line), sink);
        }
        is_summary
    }

    /// A line inside of an object.
    fn inside(&mut self, plain: &[u8], line: &[u8]) -> bool {
        let is_first = self.open.trim_ascii() == b"{";
        if is_first && !FIRST_KEYS.iter().any(|key| plain.starts_with(key)) {
            self.open.clear();
            return false;
        }
        self.push(line);
        true
    }

    fn push(&mut self, line: &[u8]) {
        self.open.extend_from_slice(line);
        self.open.push(b'\n');
    }

    /// Reads the summary whose last line was seen.
    fn give(&mut self, sink: &mut RowCollector<'_>) {
        let text = std::mem::take(&mut self.open);
        if !text.is_empty() {
            self.summary(self.begins, &text, sink);
        }
    }

    /// Reports a summary whose last line is missing.
    fn break_off(&mut self, sink: &mut RowCollector<'_>) {
        let text = std::mem::take(&mut self.open);
        if text.trim_ascii().len() > 1 {
            sink.skip(self.begins, &text, || "summary is cut off".to_owned());
        }
    }

    fn summary(&mut self, number: u64, text: &[u8], sink: &mut RowCollector<'_>) {
        match Summary::parse(text) {
            Ok(summary) => {
                if let Some(version) = summary
                    .unknown_version()
                    .filter(|_| !std::mem::replace(&mut self.reported_version, true))
                {
                    sink.skip(number, text, || {
                        format!("unknown summary version `{version}`: only known fields are read")
                    });
                }
                self.report.count_one();
                summary.row(number, sink);
            }
            Err(error) if error.is_eof() => {
                sink.skip(number, text, || "summary is cut off".to_owned());
            }
            Err(error) => sink.skip(number, text, || format!("unexpected JSON: {error}")),
        }
    }
}
