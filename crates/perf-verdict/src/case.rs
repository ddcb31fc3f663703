//! The case that a rule decides, one metric in its context, and the forms of a rule's answer.

use crate::statistics::order::middle;
use perf_config::{HistoryPolicy, Suspects};
use perf_model::decimal::exceeds;
use perf_model::metric::Direction;
use perf_model::row::Value;

use crate::cost_scale::{change_for_the_worse, share};
use crate::evidence::obstacle::Obstacle;
use crate::evidence::{Evidence, ExtraEvidence};
use crate::finding::Finding;
use crate::signals::residual::Residual;
use crate::signals::shift::Shift;
use crate::signals::{Signals, SuiteStats, steps};
use crate::verdict::{Confirmation, Power, Rule, Screening, Verdict};

/// The distance within which an earlier value was nearly as bad: 10% of the cost. Of 0, 10 and 20% on ten histories; seven
/// others confirm it.
const NEARLY: f64 = 0.095_310_179_804_324_9; // ln 1.1

/// The context of a verdict: everything it depends on besides the metric's own data.
#[derive(Clone, Debug)]
pub struct Context<'s> {
    /// The change that is shown as unchanged, as a fraction of the baseline.
    pub tolerance: f64,
    /// The fixed limit of gates without a limit of their own.
    pub limit: f64,
    /// The use of earlier baselines, as the config sets it.
    pub history: &'s HistoryPolicy,
    /// The requirements of the suite as a whole.
    pub suite: SuiteStats,
    /// The environment shift of the other rows of the scope.
    pub shift: Option<Shift>,
    /// True if the other rows of the scope slowed down by more than a machine does.
    pub is_slower_by_code: bool,
    /// The residuals of this row: by the other rows, by the runs most alike, and by the rows most correlated with it. Empty
    /// without a history or with too few rows.
    pub residuals: Vec<Residual>,
    /// For each confirmation run, whether the other rows of the scope shifted in it.
    pub shifted_runs: &'s [bool],
}

/// A rule with its finding `F`, as the engine asks it. What a rule does not do stays as in [`RuleEntry::NONE`].
pub(crate) struct RuleEntry<F> {
    /// Its verdict, where the data allow one.
    pub(crate) decide: fn(&Case<'_>) -> Option<Decision<F>>,
    /// A revision of the verdict that another rule reached, given the finding behind it; `None` leaves that verdict.
    pub(crate) review: fn(&Case<'_>, Verdict, &dyn Finding) -> Option<Judged<F>>,
    /// The limits, the noise and the smallest detectable change, where the rule applies.
    pub(crate) power: fn(&Case<'_>) -> Option<Power>,
}

impl<F> RuleEntry<F> {
    pub(crate) const NONE: Self = Self {
        decide: |_| None,
        review: |_, _, _| None,
        power: |_| None,
    };
}

/// A verdict, what was found, and whether it is shown as changed.
pub(crate) struct Judged<F> {
    pub(crate) verdict: Verdict,
    /// The finding of the rule, or the obstacle that kept it from comparing the two numbers.
    pub(crate) found: Result<F, Obstacle>,
    pub(crate) moved: bool,
}

impl<F> Judged<F> {
    pub(crate) fn new(verdict: Verdict, finding: F) -> Self {
        Self {
            verdict,
            found: Ok(finding),
            moved: verdict != Verdict::Unchanged,
        }
    }
}

/// The answer of a rule.
pub(crate) enum Decision<F> {
    /// No other rule is asked or reviews it.
    Barred(Judged<F>),
    /// A verdict that later rules may review.
    Reached(Judged<F>),
}

/// One metric and its context.
pub(crate) struct Case<'c> {
    pub(crate) evidence: &'c Evidence,
    pub(crate) signals: &'c Signals,
    pub(crate) context: &'c Context<'c>,
    /// The gate's rule, with the limit that the history gives it.
    pub(crate) rule: Rule,
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
        let both = evidence.baseline.zip(evidence.current);
        let numbers = both.map(|(baseline, current)| (baseline.as_f64(), current.as_f64()));
        let change = numbers.filter(|(b, _)| *b > 0.0).map(|(b, c)| (c - b) / b);
        let differs = both.is_some_and(|(baseline, current)| baseline != current);
        let moved = match change {
            Some(change) if !evidence.metric.meaning.exact => {
                exceeds(change.abs(), context.tolerance)
            }
            _ => differs,
        };
        Self {
            evidence,
            signals,
            context,
            rule: steps::with_history(evidence, context.history),
            change,
            moved,
        }
    }

    /// The limit of a gate with a fixed limit, which is what the statistical rules stand in for.
    pub(crate) fn fixed_limit(&self) -> Option<f64> {
        match self.rule {
            Rule::Limit(limit) if self.evidence.tail.is_none() => Some(limit),
            _ => None,
        }
    }

    pub(crate) fn extra(&self) -> Option<&'c ExtraEvidence> {
        self.evidence.extra.as_deref()
    }

    /// The verdict on a change that is neither better nor worse than a gate allows.
    pub(crate) fn within_limits(&self) -> Verdict {
        if self.moved {
            Verdict::Moved
        } else {
            Verdict::Unchanged
        }
    }

    /// Decides by a rule for one baseline value; two numbers of which one is negative are not comparable. `None` where
    /// a side has no number.
    pub(crate) fn by_one_value<F>(
        &self,
        decide: impl FnOnce(Value, Value) -> Result<(Verdict, F), Obstacle>,
    ) -> Option<Judged<F>> {
        let (baseline, current) = self.evidence.baseline.zip(self.evidence.current)?;
        let is_negative = baseline.as_f64() < 0.0 || current.as_f64() < 0.0;
        let decided = if is_negative {
            Err(Obstacle::Negative)
        } else {
            decide(baseline, current)
        };
        let (verdict, found) = match decided {
            Ok((verdict, finding)) => (verdict, Ok(finding)),
            Err(obstacle) => (Verdict::NotComparable, Err(obstacle)),
        };
        let moved = self.moved || matches!(verdict, Verdict::Regressed | Verdict::Improved);
        Some(Judged {
            verdict,
            found,
            moved,
        })
    }

    pub(crate) fn direction(&self) -> Direction {
        self.evidence.direction()
    }

    /// A suspect, and what confirmation runs say of it, each by its place and cost. One that is certain needs none.
    pub(crate) fn suspect(
        &self,
        is_certain: bool,
        confirms: impl Fn(usize, f64) -> bool,
    ) -> Screening {
        let runs = self
            .extra()
            .map_or(&[][..], |extra| &extra.confirmation_runs);
        // A run under an environment shift neither confirms nor refutes.
        let shifted = |at: usize| {
            self.context
                .shifted_runs
                .get(at)
                .copied()
                .unwrap_or_default()
        };
        let usable = runs.iter().enumerate().filter(|(at, _)| !shifted(*at));
        let costs =
            usable.filter_map(|(at, run)| Some((at, middle(&self.evidence.launch_costs(run))?)));
        let measured: Vec<(usize, f64)> = costs.collect();
        let confirmed = measured
            .iter()
            .filter(|(at, cost)| confirms(*at, *cost))
            .count();
        let needed = if is_certain && !self.context.history.is_rerun {
            0
        } else {
            self.context.suite.confirmation_runs
        };
        Screening::Suspect(Confirmation {
            confirmed,
            confirmation_runs: measured.len(),
            needed,
        })
    }

    /// True unless this is a second look and one of the confirmation runs denies an improvement.
    pub(crate) fn is_still_improved(&self, confirms: impl Fn(f64) -> bool) -> bool {
        let runs = self.extra().filter(|_| self.context.history.is_rerun);
        let runs = runs.into_iter().flat_map(|extra| &extra.confirmation_runs);
        runs.filter_map(|run| middle(&self.evidence.launch_costs(run)))
            .all(confirms)
    }

    /// The verdict after confirmation; `effect` is a distance of costs.
    pub(crate) fn confirmed(&self, screening: Screening, effect: f64) -> Verdict {
        match screening {
            Screening::Normal => Verdict::Unchanged,
            Screening::Improved => Verdict::Improved,
            Screening::Suspect(_) if self.is_allowed(effect) => Verdict::Moved,
            Screening::Suspect(runs) => runs.verdict(self.context.history.suspects),
        }
    }

    /// The verdict on this change rather than on an earlier one: a cost, or a residual, that is no higher than in the run
    /// before did not rise here, nor one that hardly rose in confirmation runs. On 17 histories with 2,876
    /// pull requests the latter avoids 5 of 30 false alarms and 10 of 15 failures for changes that were merged before.
    pub(crate) fn of_this_change(
        &self,
        verdict: Verdict,
        screening: Screening,
        is_higher: bool,
        rises: impl Fn(usize, f64) -> bool,
    ) -> Verdict {
        if verdict != Verdict::Regressed || self.context.history.suspects == Suspects::Fail {
            return verdict;
        }
        let is_certain = screening.suspicion().is_some_and(|runs| runs.needed == 0);
        let has_risen = || {
            self.suspect(is_certain, rises)
                .suspicion()
                .is_some_and(Confirmation::is_complete)
        };
        if is_higher && has_risen() {
            verdict
        } else {
            Verdict::Inconclusive
        }
    }

    /// True if one of a few earlier values, too few for a normal range, was as bad, or nearly.
    pub(crate) fn was_as_bad(&self) -> bool {
        let few = self
            .extra()
            .filter(|_| self.signals.band.is_none())
            .zip(self.evidence.current_cost());
        few.is_some_and(|(extra, now)| {
            self.evidence
                .costs(&extra.history)
                .iter()
                .any(|cost| *cost >= now - NEARLY)
        })
    }

    /// The limit that the user chose, as a distance.
    pub(crate) fn chosen_distance(&self) -> Option<f64> {
        self.evidence.chosen_distance()
    }

    /// The smallest detectable change as a share, where the data detect this distance: a chosen limit raises it.
    pub(crate) fn detectable(&self, distance: f64) -> f64 {
        share(
            self.chosen_distance()
                .map_or(distance, |chosen| chosen.max(distance)),
        )
    }

    /// True if an effect is within the limit that the user chose.
    pub(crate) fn is_allowed(&self, effect: f64) -> bool {
        let chosen = self
            .fixed_limit()
            .filter(|_| self.evidence.limits.is_chosen);
        chosen.is_some_and(|limit| change_for_the_worse(self.direction(), effect) <= limit)
    }
}
