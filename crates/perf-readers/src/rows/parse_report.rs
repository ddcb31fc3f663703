//! The account of what was read.

use indexmap::{IndexMap, IndexSet};

use perf_model::metric::Declared;
use perf_model::row::{Name, Row};

/// Everything that inputs held: the rows, and all that was not one.
#[derive(Debug, Default)]
pub struct ParseReport {
    /// The rows in order of appearance, without exact duplicates.
    pub rows: Vec<Row>,
    /// Where each of [`Self::rows`] stood.
    pub origins: Vec<Origin>,
    /// The metrics that the headers of CSV inputs named, measured or not.
    pub columns: IndexSet<Name>,
    /// What inputs said of metrics that the names do not tell.
    pub declared: IndexMap<Name, Declared>,
    /// The inputs, in the order in which they were read.
    pub inputs: Vec<InputSummary>,
    /// How many rows said exactly what an earlier one said.
    pub duplicates: u64,
    /// How many rows said other things of what an earlier one measured, and are part of it now.
    pub merged: u64,
    /// How many rows measured again what an earlier document of the same tool did, and are further samples of it.
    pub repeated: u64,
    /// Rows of one key that differ; both are among the rows.
    pub conflicts: Vec<Conflict>,
    /// The first thousand near-rows.
    pub skipped: Vec<Skipped>,
    /// How many near-rows there were.
    pub skipped_count: u64,
    /// Rows left out because the config does not list their scenario, by scenario.
    pub unlisted: IndexMap<Name, u64>,
}

/// Where something stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Index into [`ParseReport::inputs`].
    pub input: usize,
    /// Line, from 1.
    pub line: u64,
}

/// What one input amounted to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputSummary {
    /// What messages call it.
    pub name: String,
    /// The format that read it.
    pub format: &'static str,
    /// Whether the format was named rather than recognised.
    pub named: bool,
    /// Another format that it is nearly one of, and what is missing: completes "it …, but …".
    pub nearest: Option<(&'static str, &'static str)>,
    /// How many lines it has.
    pub lines: u64,
    /// How many rows it gave, duplicates included.
    pub rows: u64,
    /// Whether more of it was read than decides what it is.
    pub long: bool,
    /// Whether it begins with bytes that no text has.
    pub binary: bool,
}

impl InputSummary {
    /// The account of an input that begins so, before anything of it is read.
    pub(crate) fn new(name: &str, format: &'static str, head: &[u8]) -> Self {
        let binary = head.contains(&0);
        let long = head.len() >= crate::input::source::HEAD;
        Self { name: name.to_owned(), format, named: false, nearest: None, lines: 0, rows: 0, long, binary }
    }
}

/// Two rows with the same scenario, platform, commit and run index, but other numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// What both measured.
    pub scenario: Name,
    /// Where the row stood that counts where only one can.
    pub first: Origin,
    /// Where the other stood.
    pub second: Origin,
}

/// A near-row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Where it stood.
    pub origin: Origin,
    /// Why it is no row.
    pub reason: String,
    /// How it begins.
    pub text: String,
}

impl ParseReport {
    /// `file:line` of a place.
    pub fn place(&self, origin: Origin) -> String {
        let name = self.inputs.get(origin.input).map_or("?", |input| &input.name);
        format!("{name}:{}", origin.line)
    }
}
