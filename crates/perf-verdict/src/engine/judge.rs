//! From evidence to a verdict: the rules of [`crate::rules`] in order, then their reviews.

use perf_model::metric::{Direction, quantile_of};

use crate::case::Case;
use crate::cost_scale::{change_for_the_worse, distance_of_limit};
use crate::evidence::Evidence;
use crate::evidence::obstacle::Obstacle;
use crate::model::judgement::CannotFail;
use crate::model::judgement::Judgement;
use crate::rules::ungated::{self, NotGated};
use crate::rules::{self, Answer, Reason, floor};
use crate::signals::Signals;
use crate::verdict::{Powers, SharedPower, Verdict};

pub use crate::case::Context;

/// The growth of a percentile of too few values, or of noise beyond all of its history, that is named all the same, as a
/// distance: fivefold. The maximum of 1,000 operations of unchanged code on a busy machine is five times that of the run
/// before in 121 of 690 runs, and five times the worst of the 30 before in 3 of 670.
const FAR: f64 = 1.609_437_912_434_1; // ln 5
/// The growth from which a noisy metric without a history is reported: slightly below tenfold, to allow for rounding.
const TENFOLD: f64 = 2.251_291_798_606_5; // ln 9.5

/// Judges one metric.
pub fn judge(evidence: &Evidence, signals: &Signals, context: &Context<'_>) -> Judgement {
    judge_among(evidence, signals, context, &mut Powers::default())
}

/// Judges one metric of several.
pub(super) fn judge_among(
    evidence: &Evidence,
    signals: &Signals,
    context: &Context<'_>,
    powers: &mut Powers,
) -> Judgement {
    let case = Case::new(evidence, signals, context);
    let power = powers.share(rules::power(&case).unwrap_or_default());
    Judgement {
        power,
        ..verdict(&case)
    }
}

/// The same without the power, which the self-test does not ask for.
pub(super) fn verdict(case: &Case<'_>) -> Judgement {
    let answer = rules::decide(case).unwrap_or_else(|| not_gated(case));
    let is_final = answer.is_final;
    let answer = if is_final {
        answer
    } else {
        rules::review(case, answer)
    };
    let Answer {
        verdict,
        reason,
        moved,
        ..
    } = answer;
    let cannot_fail = cannot_fail(case.evidence, &reason);
    let may_warn = !is_final && verdict != Verdict::Regressed && cannot_fail.is_none();
    Judgement {
        verdict,
        rule: case.rule,
        reason,
        change: case.change,
        // A suspicion, or a budget, needs no change against the baseline.
        moved: moved && !case.evidence.is_same(),
        warned: may_warn && floor::look(case).is_none() && is_over_soft_limit(case),
        cannot_fail,
        is_unguarded: is_unguarded(case, verdict, cannot_fail),
        power: SharedPower::default(),
        waived: None,
    }
}

/// The reason why a metric cannot fail, as far as its gate and the data tell without a self-test.
fn cannot_fail(evidence: &Evidence, reason: &Reason) -> Option<CannotFail> {
    let is_unbased = evidence.budget.is_none()
        && matches!(
            reason,
            Reason::Obstacle(Obstacle::NoBaseline | Obstacle::MayHaveBeenZero)
        );
    let not_gated = evidence.not_gated().map(CannotFail::NotGated);
    not_gated.or_else(|| is_unbased.then_some(CannotFail::NoBaseline))
}

/// True for a large change without a gate, which nothing fails but a reader must know of.
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
        // Without a history nothing shows how much noise varies.
        Noise if case.signals.band.is_none() && !is_maximum => (Some(TENFOLD), distance(case)),
        Tail | Noise => (Some(FAR), beyond_history(case)),
        _ => return false,
    };
    verdict == Verdict::Moved
        && least
            .zip(distance)
            .is_some_and(|(least, distance)| distance > least)
}

/// The distance of the cost beyond all earlier ones.
fn beyond_history(case: &Case<'_>) -> Option<f64> {
    Some(case.evidence.current_cost()? - case.signals.band?.worst)
}

/// The growth of the cost since the baseline, as a distance; in an unknown direction, how far the numbers are apart.
fn distance(case: &Case<'_>) -> Option<f64> {
    let (baseline, current) = case.evidence.baseline.zip(case.evidence.current)?;
    let growth = (current.as_f64() / baseline.as_f64()).ln();
    Some(match case.direction() {
        Direction::Lower => growth,
        Direction::Higher => -growth,
        Direction::Unknown => growth.abs(),
    })
}

/// The answer for a metric that no rule decides.
fn not_gated(case: &Case<'_>) -> Answer {
    let why = case.evidence.not_gated().unwrap_or(NotGated::Informational);
    let judged = ungated::informational(case, why);
    Answer::new(judged, false, Reason::NotGated)
}

/// Over the soft limit, and worse than normal.
fn is_over_soft_limit(case: &Case<'_>) -> bool {
    let Some(warn) = case.evidence.limits.warn else {
        return false;
    };
    let costs = case
        .evidence
        .current_cost()
        .zip(case.evidence.baseline_cost());
    let Some((current, baseline)) = costs else {
        return false;
    };
    let is_normal = case.signals.band.is_some_and(|band| current <= band.normal);
    let from = case.signals.band.map_or(baseline, |band| band.median);
    !is_normal && change_for_the_worse(case.direction(), current - from) > warn
}
