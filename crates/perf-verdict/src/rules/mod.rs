//! The rules: an ordered list of functions, one file each.
//!
//! A rule judges a metric, or leaves the metric to the next rule. To add a rule, write its file, add the function to
//! `RULES`, and add a variant with the rule's numbers to [`Reason`].

pub mod budget;
pub mod common;
pub mod environment;
pub mod exact;
pub mod history;
pub mod limit;
pub mod mixture;
pub mod newest;
pub mod obstacle;
pub mod pairs;
pub mod samples;
pub mod ungated;

use perf_config::{HistoryPolicy, Suspects};
use perf_model::decimal::exceeds;
use perf_model::metric::Direction;
use perf_model::row::{Name, Value};
use serde::{Deserialize, Serialize};

use crate::cost_scale::{change_for_the_worse, distance_of_limit, share};
use crate::evidence::Evidence;
use crate::evidence::gate::NotGated;
use crate::evidence::obstacle::Obstacle;
use crate::evidence::tail::Tail;
use crate::signals::related::Residual;
use crate::signals::shift::Shift;
use crate::signals::{Signals, SuiteStats};
use crate::statistics::order::middle;
use crate::verdict::{Confirmation, Power, Rule, Verdict};

/// An earlier value is nearly as bad as the current one if its cost is lower by at most this distance: 10%.
const NEARLY: f64 = 0.095_310_179_804_324_9; // ln 1.1

/// The context of a metric: everything that a verdict depends on, except the metric's own data.
#[derive(Clone, Debug)]
pub struct Context<'s> {
    /// The largest change that is reported as unchanged, as a fraction of the baseline.
    pub tolerance: f64,
    /// The default limit on the growth of a cost or the drop of a rate.
    pub limit: f64,
    /// If set, judgements for which this function returns true are skipped. A replay uses it to measure how much a rule
    /// contributes.
    pub without: Option<fn(&Reason) -> bool>,
    /// How the config uses earlier baselines.
    pub history: &'s HistoryPolicy,
    /// Statistics of the whole suite, from which the rules derive their requirements.
    pub suite: SuiteStats,
    /// The environment shift of the scope's other rows, if there is one.
    pub shift: Option<Shift>,
    /// True if the scope's other rows slowed down by more than the machine can explain.
    pub is_slower_by_code: bool,
    /// The residual of this row; `None` if it has no history or too few related rows.
    pub residual: Option<Residual>,
    /// For each confirmation run, whether the scope's other rows shifted in it.
    pub shifted_runs: &'s [bool],
}

/// A metric to judge, with everything that the rules need.
pub(crate) struct Case<'c> {
    pub(crate) evidence: &'c Evidence,
    pub(crate) signals: &'c Signals,
    pub(crate) context: &'c Context<'c>,
    /// The change as a fraction of the baseline; `None` unless the baseline is positive.
    pub(crate) change: Option<f64>,
    /// True if the change is outside the tolerance. Exact counts have no tolerance.
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

    /// Returns the fixed limit, which the statistical rules replace. Returns `None` if the gate has another rule, or if
    /// the metric is a percentile of too few values.
    pub(crate) fn fixed_limit(&self) -> Option<f64> {
        match self.evidence.rule {
            Rule::Limit(limit) if self.evidence.tail.is_none() => Some(limit),
            _ => None,
        }
    }

    /// Returns the verdict on a change within the gate's limits.
    pub(crate) fn within_limits(&self) -> Verdict {
        if self.moved {
            Verdict::Moved
        } else {
            Verdict::Unchanged
        }
    }

    /// Creates a rule's judgement on the two values. Marks it as changed if the change is outside the tolerance, or if
    /// the verdict is regressed or improved.
    pub(crate) fn judgement(&self, verdict: Verdict, reason: Reason) -> Judgement {
        let mut judgement = Judgement::new(verdict, reason);
        judgement.moved = self.moved || matches!(verdict, Verdict::Regressed | Verdict::Improved);
        judgement
    }

    /// Returns the baseline value and the current value, if both were measured.
    pub(crate) fn numbers(&self) -> Option<(Value, Value)> {
        self.evidence.baseline.zip(self.evidence.current)
    }

    pub(crate) fn direction(&self) -> Direction {
        self.evidence.direction()
    }

    /// Counts the confirmation runs for which `confirms` returns true, given a run's index and its median cost. If the
    /// suspicion is certain, no confirmation run is needed, unless the policy is to rerun all suspects.
    pub(crate) fn confirmation(
        &self,
        is_certain: bool,
        confirms: impl Fn(usize, f64) -> bool,
    ) -> Confirmation {
        let (mut confirmed, mut measured) = (0, 0);
        for (at, run) in self.evidence.extra.confirmation_runs.iter().enumerate() {
            // A run during an environment shift neither confirms nor refutes.
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

    /// True unless a rerun contradicts the improvement.
    pub(crate) fn is_still_improved(&self, confirms: impl Fn(f64) -> bool) -> bool {
        let runs = self.evidence.extra.confirmation_runs.iter();
        let mut costs = runs.filter_map(|run| middle(&self.evidence.launch_costs(run)));
        !self.context.history.is_rerun || costs.all(confirms)
    }

    /// Returns the verdict on a suspected regression. `effect` is a distance.
    pub(crate) fn suspect_verdict(&self, runs: Confirmation, effect: f64) -> Verdict {
        if self.is_allowed(effect) {
            Verdict::Moved
        } else {
            runs.verdict(self.context.history.suspects)
        }
    }

    /// Makes a regression inconclusive if an earlier change caused it: the cost or the residual did not exceed the
    /// previous run's, or hardly rose in the confirmation runs. On 17 histories with 2,876 pull requests, the latter
    /// condition avoids 5 of 30 false alarms, and 10 of 15 failures for changes that were merged before.
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

    /// True if one of the earlier values was nearly as bad as the current one, and the history is too short for a
    /// normal range.
    pub(crate) fn was_as_bad(&self) -> bool {
        let Some(now) = self.evidence.current_cost() else {
            return false;
        };
        let costs = self.evidence.costs(&self.evidence.extra.history);
        self.signals.band.is_none() && costs.iter().any(|cost| *cost >= now - NEARLY)
    }

    /// Returns the minimum detectable change as a share, given the distance that the data detect. A limit that the user
    /// set can only raise it.
    pub(crate) fn detectable(&self, distance: f64) -> f64 {
        let chosen = self.evidence.chosen_distance().unwrap_or(distance);
        share(chosen.max(distance))
    }

    /// True if an effect is within the limit that the user set.
    pub(crate) fn is_allowed(&self, effect: f64) -> bool {
        let chosen = self
            .fixed_limit()
            .filter(|_| self.evidence.limits.is_chosen);
        chosen.is_some_and(|limit| change_for_the_worse(self.direction(), effect) <= limit)
    }
}

/// Judges a metric, or returns `None` to leave the metric to the next rule.
type JudgeMetric = fn(&Case<'_>) -> Option<Judgement>;

/// The rules that are applied first, in order. Their judgement is final.
pub(crate) const BARS: [JudgeMetric; 2] = [budget::bar, obstacle::bar];

/// The rules that are applied next, in order. Reviews may replace the first judgement.
pub(crate) const RULES: [JudgeMetric; 12] = [
    pairs::judge,
    common::judge,
    environment::judge,
    history::judge,
    samples::judge,
    obstacle::judge_negative,
    ungated::judge_tail,
    exact::judge_equal,
    ungated::judge,
    exact::judge,
    exact::judge_count,
    limit::judge,
];

/// The reviews: each may replace the judgement so far.
pub(crate) const REVIEWS: [fn(&Case<'_>, &Judgement) -> Option<Judgement>; 4] = [
    budget::review,
    newest::review,
    limit::review_floor,
    mixture::review,
];

/// A verdict, with its reason and numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// How the metric's change is judged.
    pub verdict: Verdict,
    /// The rule of the metric's gate.
    pub rule: Rule,
    /// The rule that decided, with its numbers.
    pub reason: Reason,
    /// The change as a fraction of the baseline; `None` unless the baseline is positive.
    pub change: Option<f64>,
    /// True if the metric is shown as changed: the change is outside the tolerance, or was judged better or worse.
    pub moved: bool,
    /// True if the change is beyond the soft limit.
    pub warned: bool,
    /// Why the metric cannot fail; `None` if a large enough change fails.
    pub cannot_fail: Option<CannotFail>,
    /// True if the metric changed a lot without a gate: for the worse, or in an unknown direction.
    pub is_unguarded: bool,
    /// How large a change passes, and how small a change is detected.
    pub power: Power,
    /// The index of the waiver that excuses the metric, in the order of the config.
    pub waived: Option<usize>,
}

impl Judgement {
    /// Creates a rule's judgement. The engine adds the other fields.
    pub fn new(verdict: Verdict, reason: Reason) -> Self {
        Self {
            verdict,
            rule: Rule::Report,
            reason,
            change: None,
            moved: verdict != Verdict::Unchanged,
            warned: false,
            cannot_fail: None,
            is_unguarded: false,
            power: Power::default(),
            waived: None,
        }
    }

    /// True if a gate applies to the metric.
    pub fn is_gated(&self) -> bool {
        self.not_gated().is_none()
    }

    /// Returns why no gate applies to the metric; `None` if one does.
    pub fn not_gated(&self) -> Option<NotGated> {
        if let Some(CannotFail::NotGated(why)) = self.cannot_fail {
            Some(why)
        } else {
            None
        }
    }

    /// True if the two sides were measured on different machine types, with different methodologies or with different
    /// toolchains.
    pub fn is_unlike(&self) -> bool {
        use Obstacle::{OtherMachine, OtherMethodology, OtherToolchain};
        matches!(
            self.reason,
            Reason::Obstacle(OtherMachine | OtherMethodology(..) | OtherToolchain)
        )
    }

    /// True if the two sides were compared.
    pub fn is_compared(&self) -> bool {
        !matches!(self.verdict, Verdict::NotComparable | Verdict::Unmeasured)
    }

    /// True if the metric is gated and not beyond any limit, and was not even suspected of a regression.
    pub fn is_within_limits(&self) -> bool {
        let is_well = matches!(self.verdict, Verdict::Moved | Verdict::Unchanged) && !self.warned;
        is_well && self.is_gated() && self.waived.is_none() && !self.is_suspect()
    }

    /// True if a regression is suspected, whether or not it was confirmed.
    pub fn is_suspect(&self) -> bool {
        self.reason.suspicion().is_some()
    }

    /// True if confirmation runs refuted the suspicion.
    pub fn is_refuted(&self) -> bool {
        self.reason
            .suspicion()
            .is_some_and(Confirmation::is_refuted)
    }
}

/// A metric that cannot fail, with the reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Blind {
    /// The metric's scope.
    pub scope: String,
    /// The metric's scenario.
    pub scenario: Name,
    /// The metric's name.
    pub metric: Name,
    /// Why the metric cannot fail.
    pub why: CannotFail,
}

/// Why a metric cannot fail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CannotFail {
    /// The self-test failed: no regression can be detected. The injected regression got this verdict.
    Undetected(Verdict),
    /// The metric has no rule.
    NotGated(NotGated),
    /// Neither a baseline value nor a budget exists.
    NoBaseline,
    /// The injected regression got this verdict, which does not fail the run.
    NotFailing(Verdict),
    /// The waiver with this index excuses the metric.
    Waived(usize),
    /// The minimum absolute change is larger than the injected regression. It is in the metric's unit.
    Floor(f64),
    /// The history's limit is larger than the injected regression. It is this growth above the median, as a share.
    Band(f64),
}

/// The reason for a verdict: the rule that decided, with its numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The value was compared with an absolute limit.
    Budget(budget::Finding),
    /// The values cannot be compared.
    Obstacle(Obstacle),
    /// Interleaved pairs were analysed.
    Pairs(pairs::Finding),
    /// The change is beyond the change of related benchmarks.
    Common(common::Finding),
    /// Nearly all other benchmarks shifted at the same time.
    Environment(environment::Finding),
    /// The value was compared with the normal range of earlier values.
    History(history::Finding),
    /// The process runs of two separate measurements were compared.
    Samples(samples::Finding),
    /// The metric is a percentile of too few values, or the maximum.
    Tail(Tail),
    /// The value must equal the baseline. This is the difference.
    Equal(Value),
    /// The metric is informational.
    NotGated(NotGated),
    /// The metric is a count that must not grow.
    Exact(exact::Finding),
    /// The metric is a count that may grow slightly.
    Count(exact::CountFinding),
    /// The change was compared with the fixed limit.
    Limit(limit::Finding),
    /// The newest baseline improved on its history, and the improvement was lost again.
    Newest(newest::Finding),
    /// The change is below the minimum absolute change.
    Floor(limit::FloorFinding),
    /// Some process runs are far slower than the others.
    Mixture(mixture::Mixture),
}

impl Reason {
    /// Returns the rule's name in reports; `None` for the rule of the gate itself.
    pub fn name(&self) -> Option<&'static str> {
        match self {
            Self::Budget(_) => Some("budget"),
            Self::Pairs(_) => Some("pairs"),
            Self::Common(_) => Some("common"),
            Self::Environment(_) => Some("guard"),
            Self::History(_) => Some("history"),
            Self::Samples(_) => Some("samples"),
            Self::Tail(_) => Some("tail"),
            Self::Newest(_) => Some("newest"),
            Self::Floor(_) => Some("floor"),
            Self::Mixture(_) => Some("mixture"),
            _ => None,
        }
    }

    /// Returns the growth of the cost as a distance; `None` if the rule does not measure it.
    pub fn effect(&self) -> Option<f64> {
        match self {
            Self::Budget(finding) => finding.effect(),
            Self::Pairs(analysis) => Some(analysis.median),
            Self::Common(finding) => Some(finding.effect),
            Self::Environment(finding) => Some(finding.history.as_ref()?.effect.ln_1p()),
            Self::History(finding) => Some(finding.effect.ln_1p()),
            Self::Samples(finding) => Some(finding.test.effect),
            Self::Count(finding) => finding.growth.map(f64::ln_1p),
            Self::Limit(finding) => finding.distance,
            Self::Newest(finding) => Some(finding.effect.ln_1p()),
            _ => None,
        }
    }

    /// Returns the state of the confirmation runs, if a regression is suspected.
    pub fn suspicion(&self) -> Option<Confirmation> {
        match self {
            Self::Budget(finding) => finding.confirmation,
            Self::Common(finding) => Some(finding.confirmation),
            Self::Environment(finding) => finding.history.as_ref()?.confirmation,
            Self::History(finding) => finding.confirmation,
            Self::Samples(finding) => finding.confirmation,
            Self::Limit(finding) => finding.confirmation,
            Self::Newest(finding) => Some(finding.confirmation),
            _ => None,
        }
    }

    /// True if more data of the same kind could decide.
    pub(crate) fn is_waiting(&self) -> bool {
        use Obstacle::{Contradiction, Doubtful, SharedOutput};
        match self {
            Self::Pairs(analysis) => {
                let is_early = |look: pairs::Look| look.pairs < pairs::DECISIVE;
                analysis.look.is_none_or(is_early) || analysis.is_flagged()
            }
            Self::Obstacle(obstacle) => {
                matches!(obstacle, SharedOutput(_) | Contradiction(_) | Doubtful(_))
            }
            _ => false,
        }
    }
}

/// The deciding rule's numbers, under the rule's name.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FindingReports {
    /// The comparison of process runs, if that rule decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<samples::SamplesReport>,
    /// The interim analysis of pairs, if that rule decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<pairs::PairsReport>,
    /// The change beyond the change of related benchmarks, if that rule decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub common: Option<common::CommonReport>,
}

impl Reason {
    /// Returns the form for reports.
    pub fn report(&self) -> FindingReports {
        let mut reports = FindingReports::default();
        match self {
            Self::Samples(finding) => reports.samples = Some(finding.report()),
            Self::Pairs(finding) => reports.pairs = Some(pairs::report(finding)),
            Self::Common(finding) => reports.common = Some(finding.report()),
            _ => {}
        }
        reports
    }
}

/// Returns the metric's limit, noise and minimum detectable change.
pub(crate) fn power(case: &Case<'_>) -> Power {
    if let Some(analysis) = &case.signals.pairs {
        return pairs::power(case, analysis);
    }
    if let Some(band) = &case.signals.band {
        return history::power(case, band);
    }
    match case.evidence.rule {
        Rule::Limit(limit) => {
            let limit = distance_of_limit(case.direction(), limit).map(share);
            Power {
                limit,
                noise: samples::noise(case),
                detectable: limit,
                ..Power::default()
            }
        }
        Rule::Equal => Power {
            noise: Some(0.0),
            ..Power::default()
        },
        Rule::Exact => Power {
            noise: Some(0.0),
            limit: Some(0.0),
            detectable: exact::smallest_step(case),
            ..Power::default()
        },
        Rule::Count(limit) => Power {
            limit: Some(limit),
            detectable: exact::smallest_step(case).map(|step| step.max(limit)),
            ..Power::default()
        },
        Rule::Budget | Rule::Report => Power::default(),
    }
}
