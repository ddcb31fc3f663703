//! The row: one measurement as it was printed, with its numbers.
//!
//! A *row* identifies the benchmark (its scenario), the platform, the commit and the run, and contains any number of
//! *metrics*. A metric that was not measured is absent, never zero.

mod metrics;
mod value;

use std::num::NonZeroU32;
use std::ops::Deref;
use std::sync::Arc;

use foldhash::fast::RandomState;
use indexmap::IndexSet;

pub use self::metrics::{Metrics, Names};
pub use self::value::Value;
use crate::methodology::without_toolchain;

/// Text that many rows share, such as platforms, commits and metric names; stored once.
pub type Name = Arc<str>;

/// The run index of a row that summarises several runs, or of a benchmark that ran once.
pub const AGGREGATE: i64 = -1;

/// The maximum number of metrics in a run, not counting those that the layouts define. It keeps lookups fast for any input.
pub const MOST_METRICS: usize = 256;

/// The maximum length of a text in a row, in bytes. It keeps baseline lines short enough for the readers.
pub const LONGEST_TEXT: usize = 1024;

/// The number that files contain for a metric that was not measured. In memory, such a metric is absent.
pub const UNMEASURED: i64 = -1;

/// One measurement as printed. It dereferences to its key: `row.scenario`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    /// The scenario and its conditions. All samples of a measurement, sometimes thousands, share them.
    pub key: Arc<Key>,
    /// The sample's number. Rows that differ in nothing else are samples of one measurement. [`AGGREGATE`] marks the row
    /// that summarises them.
    pub run_index: i64,
    /// Whether the benchmark was measured, was skipped, or failed.
    pub outcome: Outcome,
    /// The process run that this iteration belongs to. Iterations show the noise within a process run; only process
    /// runs are independent samples. `None` if each row comes from a separate process run.
    pub launch: Option<NonZeroU32>,
    /// The time of the measurement, in seconds since 1970 in UTC. It may differ between samples.
    pub measured_at: Option<i64>,
    /// The measured numbers, in printed order.
    pub metrics: Metrics,
}

/// The properties that a measurement's rows share. It dereferences to its conditions: `key.platform`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Key {
    /// The benchmark's key: stable, for machines, never a label for people.
    pub scenario: Name,
    /// The conditions. All measurements of a run, sometimes hundreds of thousands, share them.
    pub conditions: Arc<Conditions>,
}

/// The conditions of a measurement: platform, methodology, commit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Conditions {
    /// The platform that the benchmark printed. Empty if it printed none.
    pub platform: Name,
    /// The measured commit. Empty if the benchmark did not print it.
    pub commit: Name,
    /// The machine type. Times from different machine types are never compared.
    pub machine_class: Option<Name>,
    /// The methodology, in the project's own words. Numbers with different methodologies are not compared.
    pub methodology: Option<Name>,
}

/// The identity of a measurement across commits and toolchains: benchmark and platform, machine type, methodology.
pub type Identity = ([Name; 2], Option<Name>, Option<String>);

impl Row {
    /// The measurement's identity, which is the same for other commits.
    pub fn identity(&self) -> Identity {
        let method = self.methodology.as_deref().map(without_toolchain);
        (
            [&self.scenario, &self.platform].map(Name::clone),
            self.machine_class.clone(),
            method,
        )
    }
}

impl Deref for Row {
    type Target = Key;

    fn deref(&self) -> &Key {
        &self.key
    }
}

impl Deref for Key {
    type Target = Conditions;

    fn deref(&self) -> &Conditions {
        &self.conditions
    }
}

/// The metric names in these rows, in order of first appearance.
pub fn metric_names<'r>(
    rows: impl IntoIterator<Item = &'r Row>,
) -> IndexSet<&'r Name, RandomState> {
    let mut last = None;
    // Consecutive rows usually share their list of names, so skip a list that was just visited.
    let is_other =
        |row: &&Row| last.replace(row.metrics.names_at()) != Some(row.metrics.names_at());
    rows.into_iter()
        .filter(is_other)
        .flat_map(|row| row.metrics.iter().map(|(name, _)| name))
        .collect()
}

/// The outcome of a measurement. If there is no measurement, the outcome says why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// The benchmark ran, and its numbers are a measurement.
    #[default]
    Measured,
    /// The benchmark reported that it was skipped.
    Skipped,
    /// The benchmark failed, so its numbers are not a measurement.
    Failed,
}

impl Outcome {
    /// The word for the outcome in files and tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
        }
    }

    /// Parses the word for an outcome. An empty word means measured.
    pub fn parse(word: &str) -> Option<Self> {
        let known = [Self::Measured, Self::Skipped, Self::Failed];
        known.into_iter().find(|outcome| {
            outcome.word() == word || (word.is_empty() && *outcome == Self::Measured)
        })
    }
}
