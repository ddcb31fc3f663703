//! The settings of a replay.

use perf_config::Config;
use perf_model::row::Name;

/// The settings of a replay.
#[derive(Clone, Copy, Debug)]
pub struct ReplayPlan<'c> {
    /// The project's config.
    pub config: &'c Config,
    /// The same with the gates that are advised, when these are replayed, too.
    pub advised: Option<&'c Config>,
    /// The drop of throughput that the fixed limit allows.
    pub limit: f64,
    /// The number of rows of a pull request that are made slower, one at a time.
    pub rows: usize,
    /// The seed by which these rows are chosen.
    pub seed: u64,
    /// The rule that is left out.
    pub without: Option<&'c str>,
}

/// A way to gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GateWorkflow {
    /// The fixed limit against the last value.
    OneValue,
    /// The advised limits against the last value.
    Advised,
    /// The history, without a confirmation run.
    Signals,
    /// The history, and what it suspects fails (`suspects = "fail"`).
    Strict,
    /// The history, confirmed by a second run in the same job.
    SameJob,
    /// The history, confirmed by a run on another runner.
    OtherRunner,
}

impl GateWorkflow {
    /// All of them, by what they cost.
    pub const ALL: [Self; 6] = [
        Self::OneValue,
        Self::Advised,
        Self::Signals,
        Self::Strict,
        Self::SameJob,
        Self::OtherRunner,
    ];
}

/// The place of a number in a suite.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NumberPlace {
    /// The scope.
    pub scope: Name,
    /// The scenario.
    pub scenario: Name,
    /// The metric.
    pub metric: Name,
}
