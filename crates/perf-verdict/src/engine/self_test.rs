//! The gate's self-test: a regression injected into each gated metric must be detected.
//!
//! The injected regression is ten times the cost or one more of a count; the same improvement must not be judged a
//! regression. History, noise, confirmation runs, pairs and the rest of the suite stay as they are. A metric that this
//! does not fail is blind. Where a still larger change would fail, its limits are only wide: the self-test passes, and the
//! report names it.

use std::borrow::Cow;

use perf_model::metric::Direction;
use perf_model::row::Value;

use super::judge::judge_without_power;
use crate::case::Context;
use crate::cost_scale::{cost, share, value};
use crate::evidence::Evidence;
use crate::evidence::budget::Budgeted;
use crate::model::judgement::CannotFail;
use crate::model::judgement::Judgement;
use crate::rules::Reason;
use crate::signals::Signals;
use crate::thresholds::FailingVerdicts;
use crate::verdict::{Rule, Verdict};

/// A slowdown that no noise explains.
const TIMES: f64 = 10.0;

/// The size of the injected change.
#[derive(Clone, Copy, PartialEq)]
enum Size {
    /// Ten times the usual cost.
    Tenfold,
    /// Ten times beyond every limit.
    BeyondLimits,
}

/// Injects both changes into a metric; `None` where it is not gated or cannot be compared.
pub(crate) fn self_test(
    evidence: &mut Evidence,
    judgement: &Judgement,
    signals: &Signals,
    context: &Context<'_>,
    fails: FailingVerdicts,
) -> Option<Result<(), CannotFail>> {
    let is_judged = !matches!(
        judgement.verdict,
        Verdict::Unmeasured | Verdict::NotComparable
    );
    if !judgement.is_gated() || !is_judged {
        return None;
    }
    if let Some(injected) = beyond_any_baseline(evidence) {
        let judged = judge_without_power(&injected, signals, context);
        return Some(match judged.verdict {
            verdict if !is_detected(&judged) => Err(CannotFail::Undetected(verdict)),
            verdict if !can_fail(&judged, fails) => Err(CannotFail::NotFailing(verdict)),
            _ => Ok(()),
        });
    }
    let mut injected = |way: f64, size: Size| {
        // Suites have up to hundreds of thousands of metrics: restoring is cheaper than cloning each.
        let (current, shown, floor) = (evidence.current, evidence.shown, evidence.limits.floor);
        let extra = evidence.extra.clone();
        let judged = inject(evidence, signals, way, size)
            .map(|signals| judge_without_power(evidence, &signals, context));
        (
            evidence.current,
            evidence.shown,
            evidence.limits.floor,
            evidence.extra,
        ) = (current, shown, floor, extra);
        judged
    };
    let tenfold = injected(1.0, Size::Tenfold)?;
    let blind = !is_detected(&tenfold);
    if blind {
        let worse = injected(1.0, Size::BeyondLimits)?;
        if !is_detected(&worse) {
            return Some(Err(CannotFail::Undetected(worse.verdict)));
        }
    }
    let better = injected(-1.0, Size::BeyondLimits);
    let is_mistaken = better.is_some_and(|better| better.verdict == Verdict::Regressed);
    Some(match () {
        () if is_mistaken => Err(CannotFail::Misjudged),
        () if blind => Err(limit_of(&tenfold, signals)),
        () if !can_fail(&tenfold, fails) => Err(CannotFail::NotFailing(tenfold.verdict)),
        () => Ok(()),
    })
}

/// True if the injected change regresses, or would once a confirmation run or more pairs agree.
fn is_detected(worse: &Judgement) -> bool {
    worse.verdict == Verdict::Regressed
        || (worse.verdict == Verdict::Inconclusive
            && (worse.is_suspect() || worse.reason.is_waiting()))
        || matches!(worse.reason, Reason::Environment(_))
}

/// True if a detected regression fails the run.
fn can_fail(worse: &Judgement, fails: FailingVerdicts) -> bool {
    let is_inconclusive = worse.verdict == Verdict::Inconclusive;
    fails.regressed || (fails.inconclusive && is_inconclusive) || (fails.moved && worse.moved)
}

/// The limit that keeps ten times the cost from failing.
fn limit_of(tenfold: &Judgement, signals: &Signals) -> CannotFail {
    match (&tenfold.reason, signals.band) {
        (Reason::Floor(finding), _) => CannotFail::Floor(finding.floor),
        (_, Some(band)) => CannotFail::Band(share(band.reach())),
        _ => CannotFail::Undetected(tenfold.verdict),
    }
}

/// A number beyond its budget, or where it must be equal another one; `None` for other gates.
fn beyond_any_baseline(evidence: &Evidence) -> Option<Evidence> {
    let number = match &evidence.budget {
        Some(budgeted) => budgeted.budget.beyond()?,
        None if evidence.rule == Rule::Equal => Value::new(evidence.baseline?.as_f64() + 1.0)?,
        None => return None,
    };
    let budget = evidence.budget.clone().map(|budgeted| {
        Box::new(Budgeted {
            current: Some(number),
            ..*budgeted
        })
    });
    Some(Evidence {
        current: Some(number),
        extra: None,
        budget,
        ..evidence.clone()
    })
}

/// Injects a change into the current side, and screens it.
fn inject<'s>(
    evidence: &mut Evidence,
    signals: &'s Signals,
    way: f64,
    size: Size,
) -> Option<Cow<'s, Signals>> {
    let direction = evidence.direction();
    if let Rule::Exact = evidence.rule {
        evidence.current = Some(stepped(evidence, direction, way, size)?);
        evidence.shown.1 = evidence.current;
        // One more in every launch of a program whose count does not vary.
        evidence.extra = None;
        return Some(Cow::Borrowed(signals));
    }
    let baseline = evidence.baseline?.as_f64();
    let distance = TIMES.ln() * way;
    let from = cost(direction, baseline)?;
    let changed = match size {
        Size::Tenfold => value(
            direction,
            signals.band.map_or(from, |band| from.max(band.median)) + distance,
        ),
        Size::BeyondLimits => beyond_limits(evidence, signals, from, way)?,
    };
    let times = changed / baseline;
    // The launches may have moved themselves already.
    let shift = |number: f64| Some(cost(direction, changed)? - cost(direction, number)?);
    let shift = evidence
        .current
        .and_then(|current| shift(current.as_f64()))
        .unwrap_or(distance);
    evidence.current = Some(Value::new(changed)?);
    evidence.shown.1 = match evidence.shown.0 {
        // The minimum absolute change is one of the shown number, and the judged one may be a quotient.
        Some(shown) if evidence.relative_to.is_some() => Value::new(shown.as_f64() * times),
        _ => evidence.current,
    };
    // Without samples and a history there is nothing to screen.
    let Some(extra) = &mut evidence.extra else {
        return Some(Cow::Borrowed(signals));
    };
    let moved = |number: f64, by: f64| {
        cost(direction, number).map_or(number, |cost| value(direction, cost + by))
    };
    let pairs = extra.pairs.iter_mut().chain(&mut extra.middles);
    pairs.for_each(|(base, current)| *current = moved(*base, distance));
    extra
        .current_launches
        .iter_mut()
        .for_each(|number| *number = moved(*number, shift));
    for repeat in extra
        .confirmation_runs
        .iter_mut()
        .filter(|repeat| !repeat.is_empty())
    {
        *repeat = vec![changed];
    }
    let mut signals = Signals::with_band(evidence, signals.band);
    if let Some(samples) = &mut signals.samples {
        // One clear regression in a suite is significant.
        samples.rejected = samples.p < 1.0;
    }
    Some(Cow::Owned(signals))
}

/// A number beyond every value of the history and every limit but the gate's own.
fn beyond_limits(evidence: &mut Evidence, signals: &Signals, from: f64, way: f64) -> Option<f64> {
    let direction = evidence.direction();
    let limit = signals.band.map_or(from, |band| {
        if way > 0.0 {
            band.limit.max(from)
        } else {
            band.better.min(from)
        }
    });
    let changed = value(direction, limit + TIMES.ln() * way);
    if evidence.relative_to.is_some() {
        evidence.limits.floor = None;
    }
    let baseline = value(direction, from);
    match evidence
        .limits
        .floor
        .filter(|floor| (changed - baseline).abs() < *floor)
    {
        Some(floor) => beyond_floor(direction, baseline, 2.0 * floor * way),
        None => Some(changed),
    }
}

/// A number worse by an absolute amount; a throughput falls to zero at most.
fn beyond_floor(direction: Direction, baseline: f64, by: f64) -> Option<f64> {
    let changed = if direction == Direction::Higher {
        baseline - by
    } else {
        baseline + by
    };
    Some(changed.max(0.0)).filter(|changed| changed.is_finite())
}

/// One more or one fewer; where there is a minimum absolute change, ten times as many or twice that minimum.
fn stepped(evidence: &Evidence, direction: Direction, way: f64, size: Size) -> Option<Value> {
    let more = (TIMES - 1.0) * evidence.baseline?.as_f64();
    let is_tenfold = size == Size::Tenfold && direction == Direction::Lower && more > 0.0;
    let by_floor = |floor: f64| if is_tenfold { more } else { 2.0 * floor };
    let step = evidence
        .limits
        .floor
        .map_or(1.0, |floor| by_floor(floor).max(1.0));
    let up = if direction == Direction::Higher {
        -way
    } else {
        way
    };
    let baseline = evidence.baseline?;
    match baseline {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a step of a count; saturates"
        )]
        Value::Int(count) => count
            .checked_add((step * up).ceil() as i64)
            .filter(|next| *next >= 0)
            .map(Value::Int),
        Value::Real(number) => {
            let next = if up > 0.0 {
                number.next_up()
            } else {
                number.next_down()
            };
            // One more is less than the last digit of a huge count.
            let stepped = number + step * up;
            let next = if stepped.total_cmp(&number).is_eq() {
                next
            } else {
                stepped
            };
            Value::new(next).filter(|next| next.as_f64() >= 0.0)
        }
    }
}
