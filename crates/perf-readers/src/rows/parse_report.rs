//! The parse report.

use indexmap::{IndexMap, IndexSet};
use serde::de::IgnoredAny;

use crate::input::prefixes::Removed;
use perf_model::finding::{Finding, FindingKind};
use perf_model::metric::Declarations;
use perf_model::row::{Name, Row};

/// The maximum number of findings of a kind: a hostile input may contain millions of malformed rows.
pub(super) const KEPT: usize = 1000;

/// The contents of all inputs: rows, and everything that is not a row.
#[derive(Clone, Debug, Default)]
pub struct ParseReport {
    /// The rows in order of appearance, without exact duplicates.
    pub rows: Vec<Row>,
    /// The input and the line for each of [`Self::rows`].
    pub origins: Vec<Origin>,
    /// The metrics in the headers of CSV inputs, measured or not.
    pub columns: IndexSet<Name>,
    /// Declarations for metrics whose names do not imply unit and direction.
    pub declared: Declarations,
    /// The inputs, in the order in which they were read.
    pub inputs: Vec<InputSummary>,
    /// Rows that repeat an identical row's metrics.
    pub duplicates: u64,
    /// Rows that were merged into an earlier row from the same run with other metrics.
    pub merged: u64,
    /// Rows that repeat a measurement in an earlier document of the same tool, and are additional samples.
    pub repeated: u64,
    /// Results that were numbered because an earlier result in the same document has the same name.
    pub numbered: Vec<Name>,
    /// Benchmarks whose measurements are too far apart for one benchmark, with these measurements.
    pub far_apart: Vec<String>,
    /// Latencies whose unit is neither in the output nor in the config.
    pub without_unit: u64,
    /// How many rows were malformed; the first thousand are findings.
    pub skipped_count: u64,
    /// Rows left out because the config does not list their scenario, by scenario.
    pub unlisted: IndexMap<Name, u64>,
    /// Results in folders that are older than the start of the command, and left out.
    pub earlier_results: u64,
    /// Defects that affect the verdict.
    pub findings: Vec<Finding>,
}

/// A place in an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    input: usize,
    line: u64,
}

impl Origin {
    pub(crate) fn new(input: usize, line: u64) -> Self {
        Self { input, line }
    }

    /// Index into [`ParseReport::inputs`].
    pub fn input(self) -> usize {
        self.input
    }

    /// Line, from 1.
    pub fn line(self) -> u64 {
        self.line
    }

    /// Adds this location to the finding.
    pub(crate) fn locate(self, finding: Finding) -> Finding {
        Finding {
            input: Some(self.input),
            line: Some(self.line),
            ..finding
        }
    }
}

/// Totals of one input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputSummary {
    /// The input's name in messages.
    pub name: String,
    /// The format that read it.
    pub format: &'static str,
    /// True if the format was requested rather than detected.
    pub named: bool,
    /// The closest other format, and why it does not match: completes "it …, but …".
    pub nearest: Option<(&'static str, &'static str)>,
    /// The description of unreadable tool output, and how to get a readable file.
    pub terminal: Option<(&'static str, &'static str)>,
    /// The number of lines.
    pub lines: u64,
    /// The number of rows read, duplicates included.
    pub rows: u64,
    /// True if the input is longer than the head, which determines the format.
    pub long: bool,
    /// The kind of content that it begins with.
    pub begins: Beginning,
    /// The first line that is not blank.
    pub first_line: u64,
    /// The first header's line.
    pub header: Option<u64>,
    /// The runner prefixes removed from its lines.
    pub removed: Vec<Removed>,
}

/// The kind of content that an input begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beginning {
    /// Lines of text.
    #[default]
    Text,
    /// A JSON document.
    Json,
    /// A JSON document that ends before its last bracket.
    CutOffJson,
    /// Bytes that are not text.
    Binary,
}

impl InputSummary {
    /// The summary of an input with this head, before it is read.
    pub(crate) fn new(name: &str, format: &'static str, head: &str) -> Self {
        let long = head.len() >= crate::input::HEAD;
        let trimmed = head.trim_start();
        let begins = match trimmed.chars().next() {
            _ if head.contains('\0') => Beginning::Binary,
            Some('{' | '[') => {
                let mut values =
                    serde_json::Deserializer::from_str(trimmed).into_iter::<IgnoredAny>();
                let first = values.next();
                let rest = &trimmed[values.byte_offset()..];
                match first {
                    // If other text follows on its line, the bracket is not JSON.
                    Some(Ok(_)) if rest.is_empty() || rest.starts_with(['\r', '\n']) => {
                        Beginning::Json
                    }
                    Some(Err(error)) if error.is_eof() && long => Beginning::Json,
                    Some(Err(error)) if error.is_eof() => Beginning::CutOffJson,
                    _ => Beginning::Text,
                }
            }
            _ => Beginning::Text,
        };
        let blank = &head[..head.len() - trimmed.len()];
        Self {
            name: name.to_owned(),
            format,
            first_line: 1 + crate::input::line_ends(blank),
            long,
            begins,
            ..Self::default()
        }
    }
}

impl ParseReport {
    /// An input with other text before its header, and no rows: its first line and the header's line.
    pub fn text_before_header(&self) -> Option<(&InputSummary, u64)> {
        for (place, input) in self.inputs.iter().enumerate() {
            let Some(header) = input.header.filter(|header| *header > input.first_line) else {
                continue;
            };
            let mut has_row_before = false;
            for origin in &self.origins {
                has_row_before |= origin.input() == place && origin.line() < header;
            }
            if !has_row_before {
                return Some((input, header));
            }
        }
        None
    }

    /// The findings about malformed rows and missing results.
    pub fn skipped(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| {
            finding.benchmark.is_none() && finding.kind != FindingKind::UnknownUnit
        })
    }

    /// The findings about rows that contradict an earlier row from the same run.
    pub fn conflicts(&self) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(|finding| finding.benchmark.is_some() && finding.kind == FindingKind::Ambiguous)
    }

    /// A finding's text without a quoted line.
    pub fn reason(finding: &Finding) -> &str {
        let text = &finding.text;
        let quoted = text
            .strip_suffix('`')
            .and_then(|text| text.rsplit_once(": `"));
        quoted.map_or(text, |(reason, _)| reason)
    }

    /// `file:line` of a finding.
    pub fn place_of(&self, finding: &Finding) -> String {
        let input = finding.input.unwrap_or_default();
        self.place(Origin::new(input, finding.line.unwrap_or_default()))
    }

    /// `file:line` of a place.
    pub fn place(&self, origin: Origin) -> String {
        let name = self
            .inputs
            .get(origin.input())
            .map_or("?", |input| &input.name);
        format!("{name}:{}", origin.line())
    }
}
