//! What is replayed how.

use perf_config::Config;
use perf_model::row::Name;

/// What is replayed how.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'c> {
    /// What the project says of its rows.
    pub config: &'c Config,
    /// The same with the gates that are advised, when they are asked too.
    pub advised: Option<&'c Config>,
    /// The drop of throughput that the fixed threshold allows.
    pub threshold: f64,
    /// How many rows of a pull request are made slower, one at a time.
    pub rows: usize,
    /// What chooses them.
    pub seed: u64,
}

/// A way to gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Workflow {
    /// The fixed threshold against the last value.
    OneValue,
    /// The advised thresholds against the last value.
    Advised,
    /// The history, without a confirmation run.
    Screen,
    /// The history, and what it suspects fails (`suspects = "fail"`).
    Strict,
    /// The history, confirmed by a second run in the same job.
    SameJob,
    /// The history, confirmed by a run on another runner.
    OtherRunner,
}

impl Workflow {
    /// All of them, by what they cost.
    pub const ALL: [Self; 6] =
        [Self::OneValue, Self::Advised, Self::Screen, Self::Strict, Self::SameJob, Self::OtherRunner];
}

/// Where a number is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The scope.
    pub scope: Name,
    /// The scenario.
    pub scenario: Name,
    /// The metric.
    pub metric: Name,
}
