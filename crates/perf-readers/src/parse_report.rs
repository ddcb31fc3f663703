//! The account of what was read.

use indexmap::{IndexMap, IndexSet};

use super::FORMATS;
use perf_model::metric::Declarations;
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
    /// What inputs declare about metrics, beyond what the names imply.
    pub declared: Declarations,
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
    pub(super) fn new(name: &str, format: &'static str, head: &[u8]) -> Self {
        let binary = head.contains(&0);
        let long = head.len() >= super::source::HEAD;
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

/// No input held a row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no rows in {inputs} (lines: {lines}); looked for {looked_for}")]
pub struct NoRows {
    inputs: String,
    lines: u64,
    looked_for: String,
    /// What to do about it.
    pub hint: String,
}

impl ParseReport {
    /// `file:line` of a place.
    pub fn place(&self, origin: Origin) -> String {
        let name = self.inputs.get(origin.input).map_or("?", |input| &input.name);
        format!("{name}:{}", origin.line)
    }

    /// That there is at least one row.
    ///
    /// # Errors
    /// What was looked for, and in how many lines.
    pub fn require_rows(&self) -> Result<(), NoRows> {
        if !self.rows.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = self.inputs.iter().map(|input| format!("`{}`", input.name)).collect();
        let said = self.inputs.first().filter(|first| first.named);
        let formats: Vec<&str> = match said {
            Some(input) => vec![input.format],
            None => FORMATS.iter().map(|format| format.name).collect(),
        };
        Err(NoRows {
            inputs: names.join(", "),
            lines: self.inputs.iter().map(|input| input.lines).sum(),
            looked_for: formats.join(", "),
            hint: self.why_no_rows(),
        })
    }

    fn why_no_rows(&self) -> String {
        let binary = self.inputs.iter().find(|input| input.binary);
        let (unlisted, rows) = (self.unlisted.keys().next(), self.unlisted.values().sum::<u64>());
        if let Some(near) = self.skipped.first() {
            return format!("the nearest is {}: {}", self.place(near.origin), near.reason);
        }
        if let Some(scenario) = unlisted {
            return format!(
                "{rows} rows were left out, as the config does not list scenarios such as `{scenario}`"
            );
        }
        let near = self.inputs.iter().find_map(|input| Some((&input.name, input.nearest?)));
        if let Some((name, (format, but))) = near {
            return format!("the closest format is `{format}`: `{name}` {but}");
        }
        if let Some(input) = binary {
            return format!("`{}` does not look like text", input.name);
        }
        if self.inputs.iter().all(|input| input.lines == 0) {
            return "the input is empty: did the benchmark run?".to_owned();
        }
        if self.inputs.iter().any(|input| input.named) {
            return "without `--format` every input is looked at for what it is".to_owned();
        }
        if self.inputs.iter().any(|input| input.long) {
            return "what a document is stands near its beginning: name the format with `--format`"
                .to_owned();
        }
        "`--list-formats` says what each format carries, and `rows.layouts` in perf-gate.toml describes CSV \
         lines of another layout"
            .to_owned()
    }
}
