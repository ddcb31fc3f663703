//! The row: one measurement as it was printed, and the numbers in it.
//!
//! A *row* names what was measured (its scenario), where (its platform), of which commit, and which run of
//! several it was; it carries any number of *metrics*. A metric that was not measured is absent, never zero.

mod metrics;
mod value;
mod values;

use std::num::NonZeroU32;
use std::ops::Deref;
use std::sync::Arc;

use foldhash::fast::RandomState;
use indexmap::IndexSet;

pub use self::metrics::{Metrics, Names};
pub use self::value::Value;
use crate::methodology::without_toolchain;

/// Text that many rows share: platforms, commits and metric names are stored once.
pub type Name = Arc<str>;

/// The run index of a row that summarises several runs, or of one that was run once.
pub const AGGREGATE: i64 = -1;

/// The most metrics that a run has besides those of the layouts, so that looking one up stays cheap whatever
/// the input.
pub const MOST_METRICS: usize = 256;

/// The most bytes that a text of a row has, so that every row of a baseline fits into a line.
pub const LONGEST_TEXT: usize = 1024;

/// The cell of a metric that was not measured, on the wire only.
pub const UNMEASURED: i64 = -1;

/// One measurement as printed. What its key says, it says as well: `row.scenario`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    /// The scenario and its conditions; the samples of one measurement, thousands of them at times, share it.
    pub key: Arc<Key>,
    /// The number of the sample: rows that differ in nothing else are samples of one measurement, and [`AGGREGATE`]
    /// marks the one that stands for all of them.
    pub run_index: i64,
    /// The outcome: measured, skipped or failed.
    pub outcome: Outcome,
    /// The process launch that took it together with other rows of the measurement: they are iterations, which show the
    /// noise within a run, and only launches are independent. `None` where a row has a launch of its own.
    pub launch: Option<NonZeroU32>,
    /// The time of the measurement, in seconds since 1970 in UTC. Samples of one measurement may differ in it.
    pub measured_at: Option<i64>,
    /// The measured numbers, in the order in which they were printed.
    pub metrics: Metrics,
}

/// The part that the rows of one measurement have in common. It dereferences to its conditions: `key.platform`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Key {
    /// The key of the benchmark: stable and for machines, never a label for people.
    pub scenario: Name,
    /// The conditions of the measurement; the measurements of a run, hundreds of thousands at times, share it.
    pub conditions: Arc<Conditions>,
}

/// The conditions of a measurement: platform, methodology, commit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Conditions {
    /// The platform, as the benchmark described it; empty when it said nothing.
    pub platform: Name,
    /// The measured commit; empty when the benchmark said nothing.
    pub commit: Name,
    /// The kind of machine that measured, so that times from different ones are not compared.
    pub machine_class: Option<Name>,
    /// The methodology, in the project's own words, so that numbers of different making are not compared.
    pub methodology: Option<Name>,
}

/// The identity of a measurement across commits and toolchains: benchmark, platform, machine class and methodology.
pub type Identity = ([Name; 2], Option<Name>, Option<String>);

impl Row {
    /// The identity of its measurement, which the rows of later commits share.
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

/// The names of the metrics that rows have, in order of first appearance.
pub fn metric_names<'r>(
    rows: impl IntoIterator<Item = &'r Row>,
) -> IndexSet<&'r Name, RandomState> {
    let mut last = None;
    // Samples share their sequence of names.
    let is_other =
        |row: &&Row| last.replace(row.metrics.names_at()) != Some(row.metrics.names_at());
    rows.into_iter()
        .filter(is_other)
        .flat_map(|row| row.metrics.iter().map(|(name, _)| name))
        .collect()
}

/// The outcome of a measurement. A row that did not measure says so, rather than zero or nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// Taken.
    #[default]
    Measured,
    /// The benchmark says that it was left out.
    Skipped,
    /// An error.
    Failed,
}

impl Outcome {
    /// The word on the wire and in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
        }
    }

    /// Reads the word; nothing stands for a measurement.
    pub fn parse(word: &str) -> Option<Self> {
        let known = [Self::Measured, Self::Skipped, Self::Failed];
        known.into_iter().find(|outcome| {
            outcome.word() == word || (word.is_empty() && *outcome == Self::Measured)
        })
    }
}

/// Stores each distinct text once. Hashes are seeded, as whoever writes an input chooses the texts in it.
#[derive(Debug, Default)]
pub struct Interner {
    /// The place of the text that was looked up last.
    last: u32,
    seen: IndexSet<Name, RandomState>,
}

impl Interner {
    /// The address of the shared copy of `text`, which no other text has.
    pub fn place(&mut self, text: &str) -> u32 {
        // To compare nothing with nothing takes long on processors that ask for its place in memory.
        let is_it = |last: &Name| last.len() == text.len() && (text.is_empty() || **last == *text);
        if !self.seen.get_index(self.last as usize).is_some_and(is_it) {
            let place = self
                .seen
                .get_index_of(text)
                .unwrap_or_else(|| self.seen.insert_full(text.into()).0);
            // Memory ends before.
            self.last = u32::try_from(place).unwrap_or(u32::MAX);
        }
        self.last
    }

    /// The text at this place.
    pub fn at(&self, place: u32) -> &Name {
        &self.seen[place as usize]
    }

    /// The number of texts.
    #[expect(
        clippy::len_without_is_empty,
        reason = "the count of names is a limit, never a question"
    )]
    pub fn len(&self) -> usize {
        self.seen.len()
    }

    /// True if this text is stored.
    pub fn contains(&self, text: &str) -> bool {
        self.seen.contains(text)
    }
}
