//! What is known of one metric of one scenario, before anything is concluded.

use std::sync::Arc;

use perf_model::metric::Direction;
use perf_model::metric::Metric;
use perf_model::row::{Name, Outcome, Value};

use crate::oriented::{cost, launch_cost};
use crate::verdict::{Limits, Reason, Rule};

/// Everything that the data say of one metric.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The metric.
    pub metric: Arc<Metric>,
    /// What decides whether it fails.
    pub rule: Rule,
    /// What its gate says besides.
    pub limits: Limits,
    /// The baseline's number that is judged.
    pub baseline: Option<Value>,
    /// The current number that is judged.
    pub current: Option<Value>,
    /// What the baseline has and what was measured now, before they were divided by a reference.
    pub shown: (Option<Value>, Option<Value>),
    /// The scenario that both numbers are divided by.
    pub relative_to: Option<Name>,
    /// What became of the current measurement.
    pub outcome: Outcome,
    /// Why the two sides cannot be compared, although both were measured.
    pub obstacle: Option<Box<Reason>>,
    /// Why the metric is reported and not gated, although a gate looks at it.
    pub ungated: Option<Box<Reason>>,
    /// What there is besides one number a side.
    pub more: Option<Box<More>>,
}

/// Numbers besides one a side, in the metric's unit. What is not measured is not here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct More {
    /// Earlier baselines, oldest first.
    pub history: Vec<f64>,
    /// Launches of the baseline.
    pub base_launches: Vec<f64>,
    /// Launches of the current run.
    pub current_launches: Vec<f64>,
    /// The launches of each further run; empty where it did not measure.
    pub repeats: Vec<Vec<f64>>,
    /// Interleaved pairs: base, current.
    pub pairs: Vec<(f64, f64)>,
}

impl More {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self == &Self::default()
    }
}

impl Evidence {
    /// Which way is better.
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
        numbers.iter().filter_map(|number| cost(self.direction(), *number)).collect()
    }

    /// Launches as costs: a throughput of nothing is the worst there is.
    pub fn launch_costs(&self, numbers: &[f64]) -> Vec<f64> {
        numbers.iter().filter_map(|number| launch_cost(self.direction(), *number)).collect()
    }

    /// Whether a clock or another noisy instrument measured it, so that the stronger rules are for it.
    pub fn is_timed(&self) -> bool {
        !self.metric.meaning.exact && !matches!(self.rule, Rule::Count(_) | Rule::Exact)
    }

    /// Whether something may fail it.
    pub fn is_gated(&self) -> bool {
        self.rule != Rule::Report && self.ungated.is_none() && self.direction() != Direction::Unknown
    }
}
