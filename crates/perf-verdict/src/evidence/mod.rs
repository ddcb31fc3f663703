//! The evidence: everything that is known about a metric before the rules judge it.

pub mod gate;
mod gather;
pub mod instrument;
mod launches;
pub mod obstacle;
mod runs;
pub mod tail;

use std::sync::Arc;

use perf_config::{Config, Reference};
use perf_model::metric::Direction;
use perf_model::metric::Metric;
use perf_model::row::{Name, Outcome, Value};
use perf_model::suite::Measurement;

use self::gate::{Budgeted, NotGated};
use self::obstacle::Obstacle;
use self::tail::Tail;
use crate::cost_scale::{cost, launch_cost};
use crate::thresholds::Thresholds;
use crate::verdict::{Limits, Rule};

pub use self::gate::Gatherer;
pub(crate) use self::runs::{Earlier, ScopeRuns};

/// Everything that is known about one metric.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The metric.
    pub metric: Arc<Metric>,
    /// The rule of its gate.
    pub rule: Rule,
    /// Its gate's other limits.
    pub limits: Limits,
    /// The baseline's number as judged.
    pub baseline: Option<Value>,
    /// The current number as judged.
    pub current: Option<Value>,
    /// The baseline's and the current number as they are shown, before a division by a reference.
    pub shown: (Option<Value>, Option<Value>),
    /// The scenarios that both are relative to.
    pub reference: Reference,
    /// The absolute limits.
    pub budget: Option<Budgeted>,
    /// The metric in the same scenario that this one is derived from.
    pub derived_from: Option<Name>,
    /// The baseline's commit if the newest baseline was not used; may be empty.
    pub older: Option<String>,
    /// The outcome of the current measurement.
    pub outcome: Outcome,
    /// Why the two sides cannot be compared, although both were measured.
    pub obstacle: Option<Obstacle>,
    /// Why the metric has no rule; `None` if it has one.
    pub exempt: Option<NotGated>,
    /// Why a percentile is informational although it has a gate.
    pub tail: Option<Tail>,
    /// Further numbers: history, process runs, pairs, confirmation runs.
    pub extra: ExtraEvidence,
}

/// Further numbers in the metric's unit, without unmeasured ones.
#[derive(Clone, Debug, Default)]
pub struct ExtraEvidence {
    /// Earlier baselines, oldest first.
    pub history: Vec<f64>,
    /// The run index of each earlier baseline; values with the same index were measured together.
    pub runs: Vec<usize>,
    /// The baseline's process runs.
    pub base_launches: Vec<f64>,
    /// The current side's process runs.
    pub current_launches: Vec<f64>,
    /// Each confirmation run's process runs; empty if it did not measure the metric.
    pub confirmation_runs: Vec<Vec<f64>>,
    /// Interleaved pairs: base, current. If a process run has many samples, its fastest decile.
    pub pairs: Vec<(f64, f64)>,
    /// The medians of those process runs; empty if [`Self::pairs`] contains them.
    pub middles: Vec<(f64, f64)>,
    /// The number of process runs on both sides that are left out because their number is not positive.
    pub dropped: usize,
    /// Iterations within each side's process runs.
    pub iterations: Option<[Iterations; 2]>,
}

/// Iterations repeated within one side's processes.
#[derive(Clone, Copy, Debug)]
pub struct Iterations {
    /// The number of iterations; 0 if each number comes from its own process run.
    pub count: usize,
    /// The number of process runs with these iterations.
    pub launches: usize,
    /// The noise within a process run: one standard deviation, as a share.
    pub noise: Option<f64>,
}

impl ExtraEvidence {
    /// The process runs of the baseline and of the current side: of pairs, or of separate measurements.
    pub(crate) fn process_runs(&self) -> (Vec<f64>, Vec<f64>) {
        if !self.middles.is_empty() {
            self.middles.iter().copied().unzip()
        } else if !self.pairs.is_empty() {
            self.pairs.iter().copied().unzip()
        } else {
            (self.base_launches.clone(), self.current_launches.clone())
        }
    }
}

/// The gate's rule for a metric; `None` if it judges the number relative to another scenario.
pub fn rule_of(
    config: &Config,
    thresholds: &Thresholds,
    metric: &Metric,
    measured: &Measurement<'_>,
) -> Option<Rule> {
    let is_derived = measured.source_of(metric, config).is_some();
    let gatherer = Gatherer::of_gates(config, thresholds).for_scenario(measured);
    let gate = gatherer.effective_gate(metric, is_derived, [measured; 2]);
    gate.reference.is_none().then_some(gate.rule)
}

impl Evidence {
    /// The direction in which the metric is better.
    pub fn direction(&self) -> Direction {
        self.metric.meaning.direction
    }

    /// The current number as a cost.
    pub fn current_cost(&self) -> Option<f64> {
        cost(self.direction(), self.current?.as_f64())
    }

    /// The baseline's number as a cost.
    pub fn baseline_cost(&self) -> Option<f64> {
        cost(self.direction(), self.baseline?.as_f64())
    }

    /// Numbers as costs; numbers that have no cost are left out.
    pub fn costs(&self, numbers: &[f64]) -> Vec<f64> {
        numbers
            .iter()
            .filter_map(|number| cost(self.direction(), *number))
            .collect()
    }

    /// Process runs as costs: a throughput of zero is the worst.
    pub fn launch_costs(&self, numbers: &[f64]) -> Vec<f64> {
        numbers
            .iter()
            .filter_map(|number| launch_cost(self.direction(), *number))
            .collect()
    }

    /// True if both sides have equal numbers, including all process runs and pairs.
    pub(crate) fn is_same(&self) -> bool {
        let mut pairs = self.extra.pairs.iter();
        self.baseline.is_some()
            && self.baseline == self.current
            && self.shown.0 == self.shown.1
            && self.extra.base_launches == self.extra.current_launches
            && pairs.all(|(base, now)| base.total_cmp(now).is_eq())
    }

    /// True for a noisy metric such as a time, to which the statistical rules apply.
    pub fn is_timed(&self) -> bool {
        !self.metric.meaning.exact
            && !matches!(self.rule, Rule::Count(_) | Rule::Exact | Rule::Equal)
    }
}
