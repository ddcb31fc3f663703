//! Two suites, compared: scopes, scenarios and metrics with their verdicts.

use std::sync::Arc;

use perf_config::{Config, Date, FailOn};
use perf_model::metric::Metric;
use perf_model::row::{Name, Outcome, Value};

use super::Judgement;
use super::blind::Blind;
use crate::evidence::ExtraEvidence;
use crate::rules::budget::Budget;
use crate::rules::environment::Shift;
use crate::rules::history::Band;

/// The limits of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// The change that is shown as unchanged, as a fraction of the baseline.
    pub tolerance: f64,
    /// The drop of throughput that passes where a gate has no threshold of its own.
    pub threshold: f64,
    /// Whether the user chose that threshold, so that it holds beside what a history says.
    pub is_threshold_chosen: bool,
    /// The date on which waivers are checked; `None` leaves all of them in force.
    pub today: Option<Date>,
    /// Whether to test that the gate detects an injected regression.
    pub self_test: bool,
    /// Which verdicts on a worse value fail.
    pub fails: Fails,
}

/// Which verdicts on a worse value fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fails {
    /// Whether regressions do.
    pub regressed: bool,
    /// Whether inconclusive values do.
    pub inconclusive: bool,
    /// Whether all changes outside the tolerance do.
    pub moved: bool,
}

impl Default for Fails {
    fn default() -> Self {
        Self { regressed: true, inconclusive: false, moved: false }
    }
}

impl Fails {
    /// Those of a list.
    pub fn of(list: &[FailOn]) -> Self {
        let [regressed, inconclusive, moved] =
            [FailOn::Regressed, FailOn::Inconclusive, FailOn::Moved].map(|word| list.contains(&word));
        Self { regressed, inconclusive, moved }
    }
}

/// What a waiver excuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaiverUse {
    /// How many metrics and missing scenarios it excuses, or would if it had not expired.
    pub covered: usize,
    /// Whether it has expired, so that it excuses nothing.
    pub is_expired: bool,
}

impl Policy {
    /// Default limits.
    pub const fn new(tolerance: f64, threshold: f64) -> Self {
        let fails = Fails { regressed: true, inconclusive: false, moved: false };
        Self { tolerance, threshold, is_threshold_chosen: false, today: None, self_test: true, fails }
    }

    /// The limits of a config.
    pub fn of(config: &Config) -> Self {
        let is_threshold_chosen = config.deltas.explicit_threshold;
        let fails = config.deltas.fail_on.as_deref().map(Fails::of).unwrap_or_default();
        Self { is_threshold_chosen, fails, ..Self::new(config.deltas.tolerance, config.deltas.threshold) }
    }
}

/// Two suites, compared.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Scopes of either side: the current ones in headline order, then those that are missing now.
    pub scopes: Vec<ScopeComparison>,
    /// The limits.
    pub policy: Policy,
    /// The commits of the baseline.
    pub baseline_commits: Vec<String>,
    /// The commits of the current run.
    pub current_commits: Vec<String>,
    /// Metrics of gates that no row of either side has, so that the gate decides nothing.
    pub idle_gates: Vec<Name>,
    /// What each waiver excuses, in the order of the config.
    pub waivers: Vec<WaiverUse>,
    /// Metrics whose gate cannot fail, with those that failed the self-test.
    pub blind: Vec<Blind>,
    /// How many gated metrics passed the self-test.
    pub tested: usize,
    /// How many confirmation runs a suspect needs, and how many there are.
    pub repeats: (usize, usize),
}

/// One scope of both sides.
#[derive(Clone, Debug)]
pub struct ScopeComparison {
    /// Its name.
    pub scope: String,
    /// Scenarios of both sides.
    pub scenarios: Vec<ScenarioComparison>,
    /// Scenarios that only the baseline has, and that no waiver excuses.
    pub missing: Vec<Name>,
    /// Scenarios that only the baseline has, and the place of the waiver that excuses each.
    pub excused: Vec<(Name, usize)>,
    /// Scenarios that only the current run has.
    pub new: Vec<Name>,
    /// The environment shift, where there is one.
    pub shift: Option<Shift>,
}

/// One scenario of both sides.
#[derive(Clone, Debug)]
pub struct ScenarioComparison {
    /// Its key.
    pub scenario: Name,
    /// Its metrics: the primary one first.
    pub metrics: Vec<MetricComparison>,
}

/// One metric of both sides.
#[derive(Clone, Debug)]
pub struct MetricComparison {
    /// The metric.
    pub metric: Arc<Metric>,
    /// The baseline's number.
    pub baseline: Option<Value>,
    /// The current number.
    pub current: Option<Value>,
    /// The outcome of the current measurement.
    pub outcome: Outcome,
    /// The scenario whose number both are divided by before they are judged.
    pub relative_to: Option<Name>,
    /// The scenario whose number is subtracted from both before.
    pub minus: Option<Name>,
    /// The values that pass whatever the baseline is.
    pub budget: Option<Box<Budget>>,
    /// The metric of the same scenario that this one is another form of, such as the time of a rate.
    pub derived_from: Option<Name>,
    /// The verdict.
    pub judgement: Judgement,
    /// What there was to judge by besides one number a side.
    pub extra: Option<Box<ExtraEvidence>>,
    /// The normal range, where there is a history.
    pub band: Option<Box<Band>>,
}

impl MetricComparison {
    /// The normal range, where there is a history.
    pub fn band(&self) -> Option<Band> {
        self.band.as_deref().copied()
    }
}
