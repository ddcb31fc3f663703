//! The report of what was read.

use std::collections::HashSet;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use serde::de::IgnoredAny;

use crate::input::prefixes::Removed;
use perf_model::contradiction::Contradiction;
use perf_model::finding::{Finding, FindingKind};
use perf_model::metric::Declarations;
use perf_model::row::{Key, Name, Row, Value};

/// The most malformed rows, contradictory rows and the like that are kept: a hostile input may have millions.
pub(super) const KEPT: usize = 1000;

/// The most characters of a malformed row in a finding.
const SHOWN: usize = 80;

/// The contents of all inputs: rows, and everything that is not a row.
#[derive(Clone, Debug, Default)]
pub struct ParseReport {
    /// The rows in order of appearance, without exact duplicates.
    pub rows: Vec<Row>,
    /// The input and the line of each of [`Self::rows`].
    pub origins: Vec<Origin>,
    /// The metrics that the headers of CSV inputs named, measured or not.
    pub columns: IndexSet<Name>,
    /// Declarations for metrics whose names do not imply unit and direction.
    pub declared: Declarations,
    /// The inputs, in the order in which they were read.
    pub inputs: Vec<InputSummary>,
    /// Rows with no metric but those of an identical row.
    pub duplicates: u64,
    /// Rows that were merged into an earlier row of the same run with other metrics.
    pub merged: u64,
    /// Rows that repeat a measurement of an earlier document of the same tool, and are further samples of it.
    pub repeated: u64,
    /// Results that got a number because an earlier result of their document has the same name.
    pub numbered: Vec<Name>,
    /// Rows of one key that differ; both are among the rows.
    pub conflicts: Vec<Conflict>,
    /// Benchmarks with several measurements that are further apart than runs of one benchmark are.
    pub differing: Vec<Differing>,
    /// The first thousand rows whose numbers cannot all be right.
    pub contradictory: Vec<Contradictory>,
    /// The number of all of them.
    pub contradictory_count: u64,
    /// Latencies whose unit neither the output nor the config says.
    pub without_unit: u64,
    /// The first thousand malformed rows.
    pub skipped: Vec<Skipped>,
    /// The number of all malformed rows, also of those not in [`Self::skipped`].
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
}

/// Totals of one input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputSummary {
    /// The name of the input in messages.
    pub name: String,
    /// The format that read it.
    pub format: &'static str,
    /// True if the format was named rather than recognised.
    pub named: bool,
    /// The closest other format, and what is missing: completes "it …, but …".
    pub nearest: Option<(&'static str, &'static str)>,
    /// The tool that printed it for people, and what to run to get its file, if it is no format.
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
    /// The line of the first header.
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
    pub(crate) fn new(name: &str, format: &'static str, head: &[u8]) -> Self {
        let long = head.len() >= crate::input::HEAD;
        let begins = match head.trim_ascii_start() {
            _ if head.contains(&0) => Beginning::Binary,
            document @ [b'{' | b'[', ..] => {
                let mut values =
                    serde_json::Deserializer::from_slice(document).into_iter::<IgnoredAny>();
                let first = values.next();
                let behind = &document[values.byte_offset()..];
                match first {
                    // Other text on its line shows that the bracket is not JSON.
                    Some(Ok(_)) if matches!(behind, [] | [b'\r' | b'\n', ..]) => Beginning::Json,
                    Some(Err(error)) if error.is_eof() && long => Beginning::Json,
                    Some(Err(error)) if error.is_eof() => Beginning::CutOffJson,
                    _ => Beginning::Text,
                }
            }
            _ => Beginning::Text,
        };
        let blank = head.len() - head.trim_ascii_start().len();
        let blank_lines = head[..blank].iter().filter(|byte| **byte == b'\n');
        Self {
            name: name.to_owned(),
            format,
            first_line: 1 + blank_lines.count() as u64,
            long,
            begins,
            ..Self::default()
        }
    }
}

/// Two rows with the same scenario, platform, commit and run index, but other numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The key of both.
    pub key: Arc<Key>,
    /// The row that is kept where only one can be.
    pub first: Origin,
    /// The other row.
    pub second: Origin,
}

/// Measurements of one name that may be of different benchmarks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differing {
    /// The scenario that all have.
    pub scenario: Name,
    /// The metric that differs.
    pub metric: Name,
    /// The least and the greatest measurement.
    pub ends: [Value; 2],
}

/// A row whose numbers cannot all be right, such as a mean above the maximum.
#[derive(Clone, Debug, PartialEq)]
pub struct Contradictory {
    /// The scenario of the row.
    pub scenario: Name,
    /// Its place.
    pub origin: Origin,
    /// The first two of its numbers that contradict each other.
    pub found: Contradiction,
}

/// A malformed row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The kind of the finding that it becomes.
    pub kind: FindingKind,
    /// Its place.
    pub origin: Origin,
    /// The reason why it is malformed.
    pub reason: String,
    /// Its beginning.
    pub text: String,
}

impl ParseReport {
    /// The first line and the line of the header of an input that has other text before its header, and no row.
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

    /// Adds a finding for each malformed row and for each announced row that is missing.
    pub(super) fn add_findings_of_skipped(&mut self) {
        for row in &self.skipped {
            let is_line = row.kind == FindingKind::Unreadable
                && !row.text.is_empty()
                && !row.reason.contains(&row.text);
            let text = if is_line {
                let begin: String = row.text.chars().take(SHOWN).collect();
                format!("{}: `{begin}`", row.reason)
            } else {
                row.reason.clone()
            };
            let finding = Finding::about_input(row.kind, text).on_line(row.origin.line());
            self.findings.push(finding);
        }
    }

    /// Adds a finding for each row that a later one of the same run contradicts.
    pub(super) fn add_findings_of_conflicts(&mut self) {
        let mut known = HashSet::new();
        for conflict in &self.conflicts {
            if !known.insert(conflict.first) {
                continue;
            }
            let text = format!("conflicts with line {}", conflict.first.line());
            let finding = Finding::about_rows(FindingKind::Ambiguous, &conflict.key, text);
            self.findings.push(finding.on_line(conflict.second.line()));
        }
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
