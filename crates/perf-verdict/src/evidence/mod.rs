//! The evidence: what is known about one metric of one scenario before a rule looks at it.

pub mod budget;
pub mod gate;
mod gather;
pub mod instrument;
mod launches;
pub mod obstacle;
mod resolution;
mod runs;
pub mod tail;

use std::sync::Arc;

use perf_config::Config;
use perf_model::metric::Direction;
use perf_model::metric::Metric;
use perf_model::row::{Name, Outcome, Value};
use perf_model::suite::Measurement;

use self::budget::Budgeted;
use self::gate::NotGated;
use self::obstacle::Obstacle;
use self::tail::Tail;
use crate::cost_scale::{cost, launch_cost};
use crate::thresholds::Thresholds;
use crate::verdict::{Limits, Rule};

pub(crate) use self::gather::{Gatherer, Taken};
pub(crate) use self::runs::{BASELINE, Earlier, ScopeRuns};

/// Everything that the data say of one metric.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The metric.
    pub metric: Arc<Metric>,
    /// The rule of its gate.
    pub rule: Rule,
    /// The other limits of its gate.
    pub limits: Limits,
    /// The baseline's number that is judged.
    pub baseline: Option<Value>,
    /// The current number that is judged.
    pub current: Option<Value>,
    /// The baseline's and the current number as they are shown, before a division by a reference.
    pub shown: (Option<Value>, Option<Value>),
    /// The scenario that both numbers are divided by.
    pub relative_to: Option<Box<Name>>,
    /// The scenario whose number is subtracted from both before.
    pub minus: Option<Box<Name>>,
    /// The values that pass whatever the baseline is.
    pub budget: Option<Box<Budgeted>>,
    /// The metric of the same scenario that this one is another form of.
    pub derived_from: Option<Box<Name>>,
    /// The commit of the baseline, where it is older than the newest one; may be empty.
    pub older: Option<Box<str>>,
    /// The outcome of the current measurement.
    pub outcome: Outcome,
    /// The reason why the two sides cannot be compared, although both were measured.
    pub obstacle: Option<Obstacle>,
    /// The reason why the metric has no rule; `None` where it has one.
    pub exempt: Option<NotGated>,
    /// The reason why a percentile is informational although it has a gate.
    pub tail: Option<Box<Tail>>,
    /// The numbers besides one a side: history, launches, pairs, confirmation runs.
    pub extra: Option<Box<ExtraEvidence>>,
}

/// Numbers besides one a side, in the metric's unit; unmeasured ones are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExtraEvidence {
    /// Earlier baselines, oldest first.
    pub history: Vec<f64>,
    /// The run of each; rows with the same number were measured together.
    pub runs: Vec<usize>,
    /// Launches of the baseline.
    pub base_launches: Vec<f64>,
    /// Launches of the current run.
    pub current_launches: Vec<f64>,
    /// The launches of each confirmation run; empty where it did not measure.
    pub confirmation_runs: Vec<Vec<f64>>,
    /// Interleaved pairs: base, current. Of a launch with many samples, the quickest decile counts.
    pub pairs: Vec<(f64, f64)>,
    /// The medians of those launches; empty where [`Self::pairs`] has them.
    pub middles: Vec<(f64, f64)>,
    /// The number of launches, of both sides together, that are left out as their number is not positive.
    pub dropped: usize,
    /// Iterations in the launches of the baseline and of the current run: the noise within a run.
    pub iterations: Option<Box<[Iterations; 2]>>,
}

/// The iterations that single processes of one side repeated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iterations {
    /// The number of iterations; 0 where each number is of a launch of its own.
    pub count: usize,
    /// The number of launches that ran them.
    pub launches: usize,
    /// The noise within a launch: one standard deviation, as a share of the cost.
    pub noise: Option<f64>,
}

impl ExtraEvidence {
    /// True if there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self == &Self::default()
    }
}

/// The rule of the gate on a metric of a scenario; `None` where it judges the number relative to another scenario.
pub fn rule_of(
    config: &Config,
    thresholds: &Thresholds,
    metric: &Metric,
    measured: &Measurement<'_>,
) -> Option<Rule> {
    let is_derived = measured.source_of(metric, config).is_some();
    let gatherer = Gatherer::new(
        (config, thresholds, false),
        config.gates.iter().flatten(),
        measured,
    );
    let gate = gatherer.effective_gate(metric, is_derived, measured, measured);
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

    /// Numbers as costs, without those that have none.
    pub fn costs(&self, numbers: &[f64]) -> Vec<f64> {
        numbers
            .iter()
            .filter_map(|number| cost(self.direction(), *number))
            .collect()
    }

    /// Launches as costs: a throughput of zero is the worst.
    pub fn launch_costs(&self, numbers: &[f64]) -> Vec<f64> {
        numbers
            .iter()
            .filter_map(|number| launch_cost(self.direction(), *number))
            .collect()
    }

    /// True if both sides have the very same numbers, launch by launch and pair by pair.
    pub(crate) fn is_same(&self) -> bool {
        let has_same_launches = |extra: &ExtraEvidence| {
            extra.base_launches == extra.current_launches
                && extra
                    .pairs
                    .iter()
                    .all(|(base, now)| base.total_cmp(now).is_eq())
        };
        let has_same_numbers = self.baseline.is_some()
            && self.baseline == self.current
            && self.shown.0 == self.shown.1;
        has_same_numbers && self.extra.as_deref().is_none_or(has_same_launches)
    }

    /// True for a metric with noise, as times have, to which the statistical rules apply.
    pub fn is_timed(&self) -> bool {
        !self.metric.meaning.exact
            && !matches!(self.rule, Rule::Count(_) | Rule::Exact | Rule::Equal)
    }
}
