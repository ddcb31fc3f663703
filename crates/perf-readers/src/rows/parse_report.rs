//! The parse report.

use indexmap::{IndexMap, IndexSet};
use serde::de::IgnoredAny;

use crate::input::prefixes::Removed;
use perf_model::finding::{Finding, FindingKind};
use perf_model::metric::Declarations;
use perf_model::row::{Name, Row};

/// The most findings of a kind that are kept: a hostile input may have millions of malformed rows.
pub(super) const KEPT: usize = 1000;

/// The contents of all inputs: rows, and everything that is not a row.
#[derive(Clone, Debug, Default)]
pub struct ParseReport {
    /// The rows in order of appearance, without exact duplicates.
    pub rows: Vec<Row>,
    /// The input and the line for each of [`Self::rows`].
    pub origins: Vec<Origin>,
    /// The metrics that the headers of CSV inputs named, measured or not.
    pub columns: IndexSet<Name>,
    /// Declarations for metrics whose names do not imply unit and direction.
    pub declared: Declarations,
    /// The inputs, in the order in which they were read.
    pub inputs: Vec<InputSummary>,
    /// Rows with only an identical row's metrics.
    pub duplicates: u64,
    /// Rows that were merged into an earlier row from the same run with other metrics.
    pub merged: u64,
    /// Rows that repeat a measurement of an earlier document of the same tool, and are further samples of it.
    pub repeated: u64,
    /// Results that got a number because an earlier result in their document has the same name.
    pub numbered: Vec<Name>,
    /// Benchmarks with measurements further apart than one benchmark's runs are, with these measurements.
    pub far_apart: Vec<String>,
    /// Latencies whose unit neither the output nor the config says.
    pub without_unit: u64,
    /// How many rows were malformed; the first thousand are findings.
    pub skipped_count: u64,
    /// Rows left out because the config does not list their scenario, by scenario.
    pub unlisted: IndexMap<Name, u64>,
    /// Results in folders that are older than the start of the command, and left out.
    pub earlier_results: u64,
    /// Defects that the verdict must see.
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

    /// The finding, at this place.
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
    /// True if the format was named rather than recognised.
    pub named: bool,
    /// The closest other format, and why it does not match: completes "it …, but …".
    pub nearest: Option<(&'static str, &'static str)>,
    /// The tool that printed it for people, and how to get its file, if it is not a format.
    pub terminal: Option<(&'static str, &'static str)>,
    /// The number of lines.
    pub lines: u64,
    /// The number of rows read, duplicates included.
    pub rows: u64,
    /// True if the input is longer than the head that decides the format.
    pub long: bool,
    /// The kind of content that it begins with.
    pub begins: Beginning,
    /// The first line that is not blank.
    pub first_line: u64,
    /// The first header's line.
    pub header: Option<u64>,
    /// The prefixes that a runner had put before its lines.
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
                    // Other text on its line shows that the bracket is not JSON.
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
    /// The first line and the header's line of an input that has other text before its header, and no row.
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

    /// The findings about rows that an earlier row from the same run contradicts.
    pub fn conflicts(&self) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(|finding| finding.benchmark.is_some() && finding.kind == FindingKind::Ambiguous)
    }

    /// A finding's text without the line that it may quote.
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
