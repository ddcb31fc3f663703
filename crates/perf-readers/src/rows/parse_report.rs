//! The parse report, which describes everything that was read.

use indexmap::{IndexMap, IndexSet};
use serde::de::IgnoredAny;

use crate::input::prefixes::Removed;
use perf_model::finding::{Finding, FindingKind};
use perf_model::metric::Declarations;
use perf_model::row::{Name, Row};

/// The maximum number of findings that are kept, because a hostile input may contain millions of malformed rows.
pub(super) const KEPT: usize = 1000;

/// The contents of all inputs: rows, and everything that is not a row.
#[derive(Clone, Debug, Default)]
pub struct ParseReport {
    /// The rows in order of appearance, without exact duplicates.
    pub rows: Vec<Row>,
    /// The input and the line for each of [`Self::rows`].
    pub origins: Vec<Origin>,
    /// The metrics in the headers of the inputs, measured or not.
    pub columns: IndexSet<Name>,
    /// Declarations for metrics whose names do not imply unit and direction.
    pub declared: Declarations,
    /// The inputs, in the order in which they were read.
    pub inputs: Vec<InputSummary>,
    /// The number of ignored rows that repeat the metrics of another row from the same run.
    pub duplicates: u64,
    /// The number of rows that were merged into an earlier row from the same run with other metrics.
    pub merged: u64,
    /// The number of rows that repeat a measurement in an earlier document of the same tool. They are additional
    /// samples.
    pub repeated: u64,
    /// The new names of results that were numbered, because earlier results in the same document had the same names.
    pub numbered: Vec<Name>,
    /// Descriptions of benchmarks whose measurements are too far apart to be from one benchmark.
    pub far_apart: Vec<String>,
    /// The number of latencies whose unit is neither in the output nor in the config.
    pub without_unit: u64,
    /// The number of malformed rows and missing results. The first thousand of them are findings.
    pub skipped_count: u64,
    /// For each scenario that the config does not list, the number of rows that were left out.
    pub unlisted: IndexMap<Name, u64>,
    /// The number of results in folders that were left out, because they are older than the start of the command.
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

    /// Returns the index of the input in [`ParseReport::inputs`].
    pub fn input(self) -> usize {
        self.input
    }

    /// Returns the line, counted from 1.
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

/// A summary of one input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputSummary {
    /// The input's name in messages.
    pub name: String,
    /// The name of the format that read the input.
    pub format: &'static str,
    /// Whether the format was requested rather than detected.
    pub named: bool,
    /// The closest format that does not match, and the reason as a predicate for the input: "has …, but no …".
    pub nearest: Option<(&'static str, &'static str)>,
    /// A description of tool output that no format reads, and advice on how to get a file that is read.
    pub terminal: Option<(&'static str, &'static str)>,
    /// The number of lines in the input.
    pub lines: u64,
    /// The number of rows read, duplicates included.
    pub rows: u64,
    /// Whether the input is longer than the head, which determines the format.
    pub long: bool,
    /// The kind of content that the input begins with.
    pub begins: Beginning,
    /// The first line that is not blank, counted from 1.
    pub first_line: u64,
    /// The first header line, if there is one.
    pub header: Option<u64>,
    /// The runner prefixes that were removed from the lines.
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
    /// Creates the summary of an input with this head. The input itself is read later.
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
                    // If other text follows on the same line, the bracket does not open JSON.
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
    /// Returns the first input that contains other text, but no rows, before its header. The number is the header's
    /// line.
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

    /// Returns the findings about malformed rows and missing results.
    pub fn skipped(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| {
            finding.benchmark.is_none() && finding.kind != FindingKind::UnknownUnit
        })
    }

    /// Returns the findings about rows that contradict an earlier row from the same run.
    pub fn conflicts(&self) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(|finding| finding.benchmark.is_some() && finding.kind == FindingKind::Ambiguous)
    }

    /// Returns a finding's text without the line that it quotes.
    pub fn reason(finding: &Finding) -> &str {
        let text = &finding.text;
        let quoted = text
            .strip_suffix('`')
            .and_then(|text| text.rsplit_once(": `"));
        quoted.map_or(text, |(reason, _)| reason)
    }

    /// Returns the location of a finding as `file:line`.
    pub fn place_of(&self, finding: &Finding) -> String {
        let input = finding.input.unwrap_or_default();
        self.place(Origin::new(input, finding.line.unwrap_or_default()))
    }

    /// Returns a location as `file:line`.
    pub fn place(&self, origin: Origin) -> String {
        let name = self
            .inputs
            .get(origin.input())
            .map_or("?", |input| &input.name);
        format!("{name}:{}", origin.line())
    }
}
