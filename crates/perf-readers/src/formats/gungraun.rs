//! gungraun, formerly iai-callgrind: its JSON summaries, one per line, and its terminal report, mixed with other
//! output.

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

/// The first events in a benchmark's block, unless the user configured others.
const FIRST_EVENTS: [&str; 4] = ["Instructions:", "Total bytes:", "Total blocks:", "Errors:"];

/// Whether the text contains one of [`FIRST_EVENTS`], or an event without an earlier run.
fn looks_like_report(head: &str) -> bool {
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
    reported_version: bool,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        let plain = line.trim();
        if plain.starts_with("\"benchmark_exe\":") {
            sink.skip(number, line, || {
                "a summary on several lines: save it with `--save-summary=json`".to_owned()
            });
            return true;
        }
        if !plain.starts_with('{') {
            return self.report.line(number, line, sink);
        }
        self.report.close(sink);
        let is_summary = plain.contains("\"benchmark_exe\"") || plain.contains("\"module_path\"");
        if is_summary {
            self.summary(number, plain.strip_suffix(',').unwrap_or(plain), sink);
        }
        is_summary
    }

    fn unended(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        self.report.unended(number, line, sink) || self.line(number, line, sink)
    }

    fn end(&mut self, sink: &mut Rows<'_>) {
        self.report.end(sink);
    }
}

impl Lines {
    fn summary(&mut self, number: u64, text: &str, sink: &mut Rows<'_>) {
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
