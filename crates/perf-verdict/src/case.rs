//! The case that a rule judges: one metric in its context.

use crate::statistics::order::middle;
use perf_config::{HistoryPolicy, Suspects};
use perf_model::decimal::exceeds;
use perf_model::metric::Direction;
use perf_model::row::Value;

use crate::cost_scale::{change_for_the_worse, share};
use crate::evidence::Evidence;
use crate::signals::related::Residual;
use crate::signals::shift::Shift;
use crate::signals::{Signals, SuiteStats};
use crate::verdict::{Confirmation, Rule, Verdict};

/// The distance within which an earlier value was nearly as bad: 10% of the cost.
const NEARLY: f64 = 0.095_310_179_804_324_9; // ln 1.1

/// The suite around a metric: everything that a verdict depends on, except the metric's own data.
#[derive(Clone, Debug)]
pub struct Context<'s> {
    /// The largest change that is shown as unchanged, as a fraction of the baseline.
    pub tolerance: f64,
    /// The default fixed limit.
    pub limit: f64,
    /// The rule that a replay omits to measure its worth.
    pub without: Option<&'s str>,
    /// How earlier baselines are used, from the config.
    pub history: &'s HistoryPolicy,
    /// The requirements that depend on the whole suite.
    pub suite: SuiteStats,
    /// The environment shift of the scope's other rows.
    pub shift: Option<Shift>,
    /// True if the scope's other rows slowed down by more than a machine can explain.
    pub is_slower_by_code: bool,
    /// The residual of this row; `None` without a history or with too few related rows.
    pub residual: Option<Residual>,
    /// For each confirmation run, whether the scope's other rows shifted in it.
    pub shifted_runs: &'s [bool],
}

/// One metric and its context.
pub(crate) struct Case<'c> {
    pub(crate) evidence: &'c Evidence,
    pub(crate) signals: &'c Signals,
    pub(crate) context: &'c Context<'c>,
    /// (current − baseline) / baseline; `None` without a positive baseline.
    pub(crate) change: Option<f64>,
    /// True if the change is outside the tolerance; counts have no tolerance.
    pub(crate) moved: bool,
}

impl<'c> Case<'c> {
    pub(crate) fn new(
        evidence: &'c Evidence,
        signals: &'c Signals,
        context: &'c Context<'c>,
    ) -> Self {
        let mut change = None;
        let mut moved = false;
        if let (Some(baseline), Some(current)) = (evidence.baseline, evidence.current) {
            let (before, now) = (baseline.as_f64(), current.as_f64());
            change = (before > 0.0).then(|| (now - before) / before);
            moved = match change {
                Some(change) if !evidence.metric.meaning.exact => {
                    exceeds(change.abs(), context.tolerance)
                }
                _ => baseline != current,
            };
        }
        Self {
            evidence,
            signals,
            context,
            change,
            moved,
        }
    }

    /// The fixed limit, which the statistical rules replace.
    pub(crate) fn fixed_limit(&self) -> Option<f64> {
        match self.evidence.rule {
            Rule::Limit(limit) if self.evidence.tail.is_none() => Some(limit),
            _ => None,
        }
    }

    /// The verdict on a change within the gate's limits.
    pub(crate) fn within_limits(&self) -> Verdict {
        if self.moved {
            Verdict::Moved
        } else {
            Verdict::Unchanged
        }
    }

    /// The baseline's and the current number.
    pub(crate) fn numbers(&self) -> Option<(Value, Value)> {
        self.evidence.baseline.zip(self.evidence.current)
    }

    pub(crate) fn direction(&self) -> Direction {
        self.evidence.direction()
    }

    /// The confirmation runs that agree, each identified by index and cost. A certain suspect needs none.
    pub(crate) fn confirmation(
        &self,
        is_certain: bool,
        confirms: impl Fn(usize, f64) -> bool,
    ) -> Confirmation {
        let (mut confirmed, mut measured) = (0, 0);
        for (at, run) in self.evidence.extra.confirmation_runs.iter().enumerate() {
            // A run under an environment shift neither confirms nor refutes.
            if self.context.shifted_runs.get(at) == Some(&true) {
                continue;
            }
            if let Some(cost) = middle(&self.evidence.launch_costs(run)) {
                measured += 1;
                confirmed += usize::from(confirms(at, cost));
            }
        }
        let is_enough = is_certain && !self.context.history.is_rerun;
        Confirmation {
            confirmed,
            confirmation_runs: measured,
            needed: if is_enough {
                0
            } else {
                self.context.suite.confirmation_runs
            },
        }
    }

    /// True unless a rerun on the same machine contradicts the improvement.
    pub(crate) fn is_still_improved(&self, confirms: impl Fn(f64) -> bool) -> bool {
        let runs = self.evidence.extra.confirmation_runs.iter();
        let mut costs = runs.filter_map(|run| middle(&self.evidence.launch_costs(run)));
        !self.context.history.is_rerun || costs.all(confirms)
    }

    /// The verdict on a suspected regression; `effect` is a distance of costs.
    pub(crate) fn suspect_verdict(&self, runs: Confirmation, effect: f64) -> Verdict {
        if self.is_allowed(effect) {
            Verdict::Moved
        } else {
            runs.verdict(self.context.history.suspects)
        }
    }

    /// Leaves a regression inconclusive if an earlier change caused it: the cost or the residual did not exceed the
    /// previous run's, or hardly rose in the confirmation runs. On 17 histories with 2,876 pull requests, the latter
    /// avoids 5 of 30 false alarms and 10 of 15 failures for changes that were merged before.
    pub(crate) fn of_this_change(
        &self,
        verdict: Verdict,
        runs: Confirmation,
        is_higher: bool,
        rises: impl Fn(usize, f64) -> bool,
    ) -> Verdict {
        if verdict != Verdict::Regressed || self.context.history.suspects == Suspects::Fail {
            return verdict;
        }
        if is_higher && self.confirmation(runs.needed == 0, rises).is_complete() {
            verdict
        } else {
            Verdict::Inconclusive
        }
    }

    /// True if one of the earlier values was nearly as bad. Only for histories too short for a normal range.
    pub(crate) fn was_as_bad(&self) -> bool {
        let Some(now) = self.evidence.current_cost() else {
            return false;
        };
        let costs = self.evidence.costs(&self.evidence.extra.history);
        self.signals.band.is_none() && costs.iter().any(|cost| *cost >= now - NEARLY)
    }

    /// The minimum detectable change as a share, if the data detect this distance. A user's limit raises it.
    pub(crate) fn detectable(&self, distance: f64) -> f64 {
        let chosen = self.evidence.chosen_distance().unwrap_or(distance);
        share(chosen.max(distance))
    }

    /// True if an effect is within the user's limit.
    pub(crate) fn is_allowed(&self, effect: f64) -> bool {
        let chosen = self
            .fixed_limit()
            .filter(|_| self.evidence.limits.is_chosen);
        chosen.is_some_and(|limit| change_for_the_worse(self.direction(), effect) <= limit)
    }
}
