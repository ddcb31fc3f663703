//! The settings of a replay.

use perf_config::Config;
use perf_model::row::Name;
use perf_verdict::Reason;

/// The settings of a replay.
#[derive(Clone, Copy, Debug)]
pub struct ReplayPlan<'c> {
    /// The project's config.
    pub config: &'c Config,
    /// The config with the recommended gates, if these are replayed as well.
    pub advised: Option<&'c Config>,
    /// The fixed limit on the drop of throughput.
    pub limit: f64,
    /// How many rows are made slower in a pull request, one at a time.
    pub rows: usize,
    /// The seed for choosing these rows.
    pub seed: u64,
    /// The rule to leave out.
    pub without: Option<fn(&Reason) -> bool>,
}

/// A way to gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GateWorkflow {
    /// The fixed limit, compared with the last value.
    OneValue,
    /// The recommended limits, compared with the last value.
    Advised,
    /// The history, without confirmation.
    Signals,
    /// The history, with failing suspects (`suspects = "fail"`).
    Strict,
    /// The history, confirmed by a second run in the same job.
    SameJob,
    /// The history, confirmed by a run on another runner.
    OtherRunner,
}

impl GateWorkflow {
    /// All of them, the cheapest first.
    pub const ALL: [Self; 6] = [
        Self::OneValue,
        Self::Advised,
        Self::Signals,
        Self::Strict,
        Self::SameJob,
        Self::OtherRunner,
    ];
}

/// The position of a metric in a suite.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NumberPlace {
    /// The scope.
    pub scope: Name,
    /// The scenario.
    pub scenario: Name,
    /// The metric.
    pub metric: Name,
}
