//! The gate's self-test: injects a regression into each gated metric, which the gate must detect.
//!
//! The injected regression is ten times the cost; for a count, it is one more. The history, its noise and the other
//! metrics stay as measured. Pairs, process runs and confirmation runs show the same regression. A metric that still
//! passes is blind. If a larger change would fail, the limits are merely wide: the self-test does not fail, but the
//! report lists the metric.

use perf_model::metric::Direction;
use perf_model::row::Value;

use super::judge::judge;
use crate::cost_scale::{cost, share, value};
use crate::evidence::{Evidence, ExtraEvidence};
use crate::rules::{CannotFail, Context, Judgement, Reason};
use crate::signals::Signals;
use crate::thresholds::FailingVerdicts;
use crate::verdict::{Rule, Verdict};

/// The factor by which the cost grows, which is beyond any noise.
const TIMES: f64 = 10.0;

/// Tests whether the gate detects a regression in this metric. Returns `None` if the metric is not gated or cannot be
/// compared, or if no regression can be injected.
pub(crate) fn self_test(
    evidence: &Evidence,
    judgement: &Judgement,
    signals: &Signals,
    context: &Context<'_>,
    fails: FailingVerdicts,
) -> Option<Result<(), CannotFail>> {
    if !judgement.is_gated() || !judgement.is_compared() {
        return None;
    }
    let mut worse;
    if let Some(injected) = beyond_any_baseline(evidence) {
        worse = judge(&injected, signals, context);
    } else {
        worse = judge_injected(evidence, signals, context, false)?;
        if !is_detected(&worse) {
            let limit = limit_of(&worse, signals);
            worse = judge_injected(evidence, signals, context, true)?;
            if is_detected(&worse) {
                return Some(Err(limit));
            }
        }
    }
    Some(if !is_detected(&worse) {
        Err(CannotFail::Undetected(worse.verdict))
    } else if can_fail(&worse, fails) {
        Ok(())
    } else {
        Err(CannotFail::NotFailing(worse.verdict))
    })
}

/// Judges the metric with ten times its usual cost or, if `is_beyond_limits`, with ten times the cost at its limits.
fn judge_injected(
    evidence: &Evidence,
    signals: &Signals,
    context: &Context<'_>,
    is_beyond_limits: bool,
) -> Option<Judgement> {
    let mut slower = evidence.clone();
    let signals = inject(&mut slower, signals, is_beyond_limits)?;
    Some(judge(&slower, &signals, context))
}

/// True if the injected regression fails the gate, or would do so after a confirmation run or more pairs.
fn is_detected(worse: &Judgement) -> bool {
    worse.verdict == Verdict::Regressed
        || (worse.verdict == Verdict::Inconclusive
            && (worse.is_suspect() || worse.reason.is_waiting()))
        || matches!(worse.reason, Reason::Environment(_))
}

/// True if the verdict on the detected regression fails the run.
fn can_fail(worse: &Judgement, fails: FailingVerdicts) -> bool {
    let is_inconclusive = worse.verdict == Verdict::Inconclusive;
    fails.regressed || (fails.inconclusive && is_inconclusive) || (fails.moved && worse.moved)
}

/// Returns the limit that let ten times the cost pass.
fn limit_of(tenfold: &Judgement, signals: &Signals) -> CannotFail {
    match (&tenfold.reason, signals.band) {
        (Reason::Floor(finding), _) => CannotFail::Floor(finding.floor),
        (_, Some(band)) => CannotFail::Band(share(band.reach())),
        _ => CannotFail::Undetected(tenfold.verdict),
    }
}

/// Returns a copy of the evidence that must fail: its value exceeds the budget, or differs from a baseline that it must
/// equal. Returns `None` for other gates.
fn beyond_any_baseline(evidence: &Evidence) -> Option<Evidence> {
    let number = match &evidence.budget {
        Some(budgeted) => budgeted.budget.beyond()?,
        None if evidence.rule == Rule::Equal => Value::new(evidence.baseline?.as_f64() + 1.0)?,
        None => return None,
    };
    let mut worse = evidence.clone();
    worse.current = Some(number);
    worse.extra = ExtraEvidence::default();
    if let Some(budgeted) = &mut worse.budget {
        budgeted.current = Some(number);
    }
    Some(worse)
}

/// Injects a regression into the current side, and returns the signals that follow from it.
fn inject(evidence: &mut Evidence, signals: &Signals, is_beyond_limits: bool) -> Option<Signals> {
    let direction = evidence.direction();
    if let Rule::Exact = evidence.rule {
        evidence.current = Some(stepped(evidence, is_beyond_limits)?);
        evidence.shown.1 = evidence.current;
        // Without process runs, the rule treats the count as one that does not vary.
        evidence.extra = ExtraEvidence::default();
        return Some(signals.clone());
    }
    let baseline = evidence.baseline?.as_f64();
    let distance = TIMES.ln();
    let from = cost(direction, baseline)?;
    let changed = if is_beyond_limits {
        beyond_limits(evidence, signals, from)?
    } else {
        let usual = signals.band.map_or(from, |band| from.max(band.median));
        value(direction, usual + distance)
    };
    // The process runs may differ from the current value, so move them by the same distance.
    let mut shift = distance;
    if let Some(current) = evidence.current_cost() {
        shift = cost(direction, changed)? - current;
    }
    evidence.current = Some(Value::new(changed)?);
    evidence.shown.1 = match evidence.shown.0 {
        // The minimum absolute change applies to the displayed value, while the judged value may be a quotient.
        Some(shown) if evidence.reference.relative_to.is_some() => {
            Value::new(shown.as_f64() * changed / baseline)
        }
        _ => evidence.current,
    };
    let extra = &mut evidence.extra;
    // Ten times zero is zero, so a zero gets ten times the usual cost.
    let moved = |number: f64, by: f64| {
        cost(direction, number).map_or(changed, |cost| value(direction, cost + by))
    };
    for (base, current) in extra.pairs.iter_mut().chain(&mut extra.middles) {
        *current = moved(*base, distance);
    }
    for number in &mut extra.current_launches {
        *number = moved(*number, shift);
    }
    for run in &mut extra.confirmation_runs {
        if !run.is_empty() {
            *run = vec![changed];
        }
    }
    let mut signals = Signals::with_band(evidence, signals.band);
    if let Some(samples) = &mut signals.samples {
        // One clear regression in a suite is significant.
        samples.rejected = samples.p < 1.0;
    }
    Some(signals)
}

/// Returns a value so far beyond the history's limit and the minimum absolute change that neither can let it pass. For
/// a quotient, removes the minimum absolute change from the evidence instead.
fn beyond_limits(evidence: &mut Evidence, signals: &Signals, from: f64) -> Option<f64> {
    let direction = evidence.direction();
    let limit = signals.band.map_or(from, |band| band.limit.max(from));
    let changed = value(direction, limit + TIMES.ln());
    if evidence.reference.relative_to.is_some() {
        evidence.limits.floor = None;
    }
    let baseline = value(direction, from);
    let Some(floor) = evidence.limits.floor else {
        return Some(changed);
    };
    if (changed - baseline).abs() >= floor {
        return Some(changed);
    }
    // A throughput cannot fall below zero.
    let beyond_floor = if direction == Direction::Higher {
        (baseline - 2.0 * floor).max(0.0)
    } else {
        baseline + 2.0 * floor
    };
    beyond_floor.is_finite().then_some(beyond_floor)
}

/// Returns the baseline count plus one, or minus one if more is better. With a minimum absolute change, the step is
/// nine times the baseline, or twice that minimum.
fn stepped(evidence: &Evidence, is_beyond_limits: bool) -> Option<Value> {
    let baseline = evidence.baseline?.as_f64();
    let is_higher_better = evidence.direction() == Direction::Higher;
    let more = (TIMES - 1.0) * baseline;
    let step = match evidence.limits.floor {
        None => 1.0,
        Some(_) if !is_beyond_limits && !is_higher_better && more > 0.0 => more,
        Some(floor) => 2.0 * floor,
    };
    // Adding one to a huge count would not change the float.
    let step = step.max(1.0).max(baseline * 2.0 * f64::EPSILON);
    let next = if is_higher_better {
        baseline - step
    } else {
        baseline + step
    };
    Value::new(next).filter(|_| next >= 0.0)
}
