//! Turns a metric's evidence into a verdict: applies the rules of [`crate::rules`] in order, then their reviews.

use perf_model::metric::{Direction, quantile_of};

use crate::cost_scale::{change_for_the_worse, distance_of_limit};
use crate::evidence::Evidence;
use crate::evidence::gate::NotGated;
use crate::evidence::obstacle::Obstacle;
use crate::rules::ungated::judge_rest;
use crate::rules::{self, BARS, CannotFail, Case, Judgement, REVIEWS, RULES, Reason, limit};
use crate::signals::Signals;
use crate::verdict::Verdict;

pub use crate::rules::Context;

/// An ungated percentile is reported if it grew by more than this distance: fivefold. The maximum, and a noisy metric
/// with a history, are reported if they exceed every earlier value by more than this. On a busy machine, unchanged code
/// with 1,000 operations had five times the previous run's maximum in 121 of 690 runs, and five times the worst of the
/// 30 previous runs in 3 of 670.
const FAR: f64 = 1.609_437_912_434_1; // ln 5
/// A noisy metric without a history is reported if it grew by more than this distance: slightly less than tenfold, to
/// allow for rounding.
const TENFOLD: f64 = 2.251_291_798_606_5; // ln 9.5

/// Judges one metric.
pub fn judge(evidence: &Evidence, signals: &Signals, context: &Context<'_>) -> Judgement {
    let case = &Case::new(evidence, signals, context);
    let (mut judgement, is_final) = apply_rules(case);
    let cannot_fail = cannot_fail(evidence, &judgement.reason);
    let may_warn = !is_final && judgement.verdict != Verdict::Regressed && cannot_fail.is_none();
    judgement.rule = case.evidence.rule;
    judgement.change = case.change;
    // Suspected regressions and exceeded budgets can fail although nothing changed since the baseline.
    judgement.moved &= !evidence.is_same();
    judgement.warned = may_warn && limit::below_floor(case).is_none() && is_over_soft_limit(case);
    judgement.is_unguarded = is_unguarded(case, judgement.verdict, cannot_fail);
    judgement.cannot_fail = cannot_fail;
    judgement.power = rules::power(case);
    judgement
}

/// Applies the rules in order, and returns the judgement and whether it is final.
fn apply_rules(case: &Case<'_>) -> (Judgement, bool) {
    let is_used = |judgement: &Judgement| match case.context.without {
        Some(is_omitted) => !is_omitted(&judgement.reason),
        None => true,
    };
    for bar in BARS {
        if let Some(judgement) = bar(case).filter(is_used) {
            return (judgement, true);
        }
    }
    let mut rules = RULES.iter();
    let judged = rules.find_map(|judge| judge(case).filter(is_used));
    let mut judgement = judged.unwrap_or_else(|| judge_rest(case));
    for review in REVIEWS {
        if let Some(reviewed) = review(case, &judgement).filter(is_used) {
            judgement = reviewed;
        }
    }
    (judgement, false)
}

/// Returns why the metric cannot fail, unless only the self-test can find out.
fn cannot_fail(evidence: &Evidence, reason: &Reason) -> Option<CannotFail> {
    let is_unbased = evidence.budget.is_none()
        && matches!(
            reason,
            Reason::Obstacle(Obstacle::NoBaseline | Obstacle::MayHaveBeenZero)
        );
    let not_gated = evidence.not_gated().map(CannotFail::NotGated);
    not_gated.or_else(|| is_unbased.then_some(CannotFail::NoBaseline))
}

/// True if an ungated metric changed so much that the report must show it, although nothing fails.
fn is_unguarded(case: &Case<'_>, verdict: Verdict, cannot_fail: Option<CannotFail>) -> bool {
    use NotGated::{Informational, NoGate, Noise, Tail, UnknownDirection};
    let Some(CannotFail::NotGated(why)) = cannot_fail else {
        return false;
    };
    let is_maximum = quantile_of(&case.evidence.metric.name) == Some(1.0);
    let (least, distance) = match why {
        NoGate | Informational | UnknownDirection => (
            distance_of_limit(case.direction(), case.context.limit),
            distance(case),
        ),
        Tail if !is_maximum => (Some(FAR), distance(case)),
        // Without a history, it is unknown how much the noise varies.
        Noise if case.signals.band.is_none() && !is_maximum => (Some(TENFOLD), distance(case)),
        // Measure the distance from the worst earlier cost.
        Tail | Noise => {
            let costs = case.evidence.current_cost().zip(case.signals.band);
            (Some(FAR), costs.map(|(cost, band)| cost - band.worst))
        }
        _ => return false,
    };
    match (least, distance) {
        (Some(least), Some(distance)) => verdict == Verdict::Moved && distance > least,
        _ => false,
    }
}

/// Returns the distance by which the cost grew since the baseline. If the direction is unknown, returns the absolute
/// distance between the values.
fn distance(case: &Case<'_>) -> Option<f64> {
    let (baseline, current) = case.numbers()?;
    let growth = (current.as_f64() / baseline.as_f64()).ln();
    Some(match case.direction() {
        Direction::Lower => growth,
        Direction::Higher => -growth,
        Direction::Unknown => growth.abs(),
    })
}

/// True if the metric is over its soft limit, and worse than its normal range if it has one.
fn is_over_soft_limit(case: &Case<'_>) -> bool {
    let Some(warn) = case.evidence.limits.warn else {
        return false;
    };
    let (Some(current), Some(baseline)) =
        (case.evidence.current_cost(), case.evidence.baseline_cost())
    else {
        return false;
    };
    let (from, normal) = match case.signals.band {
        Some(band) => (band.median, band.normal),
        None => (baseline, f64::NEG_INFINITY),
    };
    current > normal && change_for_the_worse(case.direction(), current - from) > warn
}
