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

/// A metric's rule and limits, with all values that the rules need.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The metric's name, unit and direction.
    pub metric: Arc<Metric>,
    /// The rule of the metric's gate.
    pub rule: Rule,
    /// The other limits that the metric's gate sets.
    pub limits: Limits,
    /// The baseline value as judged, after the division by a reference.
    pub baseline: Option<Value>,
    /// The current value as judged, after the division by a reference.
    pub current: Option<Value>,
    /// The baseline value and the current value as displayed, before the division by a reference.
    pub shown: (Option<Value>, Option<Value>),
    /// The reference scenarios, if any. Before the metric is judged, the value of `minus` is subtracted, and the result
    /// is divided by the value of `relative_to`.
    pub reference: Reference,
    /// The absolute limits, with the values that they apply to.
    pub budget: Option<Budgeted>,
    /// The metric that this one is derived from. It is in the same scenario.
    pub derived_from: Option<Name>,
    /// The commit that the baseline value comes from, if it is not from the newest baseline. Empty if the commit is
    /// unknown.
    pub older: Option<String>,
    /// Whether the current measurement succeeded, failed or was skipped.
    pub outcome: Outcome,
    /// Why the two sides cannot be compared, even if both were measured.
    pub obstacle: Option<Obstacle>,
    /// Why the metric has no rule; `None` if it has one.
    pub exempt: Option<NotGated>,
    /// Why a percentile is informational despite its gate.
    pub tail: Option<Tail>,
    /// The other measured values: history, process runs, pairs, confirmation runs.
    pub extra: ExtraEvidence,
}

/// The values that were measured for a metric, in addition to the two that are compared. Values that were not measured
/// are left out. Unless a field says otherwise, values are in the metric's unit.
#[derive(Clone, Debug, Default)]
pub struct ExtraEvidence {
    /// The values of earlier baselines, oldest first.
    pub history: Vec<f64>,
    /// The run index of each value in [`Self::history`]. Values with the same index were measured together.
    pub runs: Vec<usize>,
    /// The baseline's values by process run.
    pub base_launches: Vec<f64>,
    /// The current side's values by process run.
    pub current_launches: Vec<f64>,
    /// Each confirmation run's values by process run. Empty if the run did not measure the metric.
    pub confirmation_runs: Vec<Vec<f64>>,
    /// The interleaved pairs (base, current). A process run with many samples is represented by its fastest decile.
    pub pairs: Vec<(f64, f64)>,
    /// The medians of the same process runs; empty if [`Self::pairs`] already contains medians.
    pub middles: Vec<(f64, f64)>,
    /// How many process runs, on both sides together, were left out because their value was not positive.
    pub dropped: usize,
    /// The iterations within process runs: baseline, current. `None` if each value comes from its own process run.
    pub iterations: Option<[Iterations; 2]>,
}

/// Statistics of the iterations within one side's process runs.
#[derive(Clone, Copy, Debug)]
pub struct Iterations {
    /// The number of iterations; 0 if each value comes from its own process run.
    pub count: usize,
    /// The number of process runs that consist of these iterations.
    pub launches: usize,
    /// The noise within a process run: the relative standard deviation.
    pub noise: Option<f64>,
}

impl ExtraEvidence {
    /// Returns the baseline's and the current side's values by process run. If there are pairs, these are their values.
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

/// Returns the rule of the gate that applies to a metric. Returns `None` if the rule judges the value relative to
/// another scenario.
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
    /// Whether a lower or a higher value is better.
    pub fn direction(&self) -> Direction {
        self.metric.meaning.direction
    }

    /// Returns the current value as a cost. Returns `None` if it is missing or not positive, or if the direction is
    /// unknown.
    pub fn current_cost(&self) -> Option<f64> {
        cost(self.direction(), self.current?.as_f64())
    }

    /// Returns the baseline value as a cost. Returns `None` under the same conditions as [`Self::current_cost`].
    pub fn baseline_cost(&self) -> Option<f64> {
        cost(self.direction(), self.baseline?.as_f64())
    }

    /// Converts values to costs. Values that have no cost are left out.
    pub fn costs(&self, numbers: &[f64]) -> Vec<f64> {
        numbers
            .iter()
            .filter_map(|number| cost(self.direction(), *number))
            .collect()
    }

    /// Converts the values of process runs to costs. Zero throughput has the highest possible cost.
    pub fn launch_costs(&self, numbers: &[f64]) -> Vec<f64> {
        numbers
            .iter()
            .filter_map(|number| launch_cost(self.direction(), *number))
            .collect()
    }

    /// True if both sides have the same values, including all process runs and pairs.
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
