//! The gate's self-test: a regression injected into each gated metric must be detected.
//!
//! The injected regression is ten times the cost or one more of a count, or more where a minimum absolute change
//! requires it; the same improvement must not be judged a regression. History, noise, confirmation runs, pairs and the
//! rest of the suite stay as they are.

use perf_model::metric::Direction;
use perf_model::row::{Name, Value};

use super::judge::{Context, judge};
use super::screen::Screen;
use crate::evidence::Evidence;
use crate::model::{Judgement, Rule, Verdict};
use crate::oriented::{cost, value};

/// A slowdown that no noise explains.
const TIMES: f64 = 10.0;

/// A gated metric that failed the self-test.
#[derive(Clone, Debug, PartialEq)]
pub struct Blind {
    /// Its scenario.
    pub scenario: Name,
    /// Its name.
    pub metric: Name,
    /// The misjudged change.
    pub why: Missed,
}

/// How an injected change was misjudged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missed {
    /// A regression got this verdict.
    Regression(Verdict),
    /// An improvement was judged a regression.
    Improvement,
}

/// Injects both changes into a metric; `None` where it is not gated or cannot be compared.
pub fn self_test(
    evidence: &mut Evidence,
    judgement: &Judgement,
    screen: &Screen,
    context: &Context<'_>,
) -> Option<Result<(), Missed>> {
    let is_judged = !matches!(judgement.verdict, Verdict::Unmeasured | Verdict::NotComparable);
    if !evidence.is_gated() || !is_judged {
        return None;
    }
    let mut injected = |way: f64| {
        // Suites have up to hundreds of thousands of metrics: restoring is cheaper than cloning each.
        let (current, shown, floor) = (evidence.current, evidence.shown, evidence.limits.floor);
        let extra = evidence.extra.clone();
        let judged = inject(evidence, screen, context, way).map(|screen| judge(evidence, &screen, context));
        (evidence.current, evidence.shown, evidence.limits.floor, evidence.extra) =
            (current, shown, floor, extra);
        judged
    };
    let worse = injected(1.0)?;
    if !is_detected(&worse, context) {
        return Some(Err(Missed::Regression(worse.verdict)));
    }
    let better = injected(-1.0);
    let is_mistaken = better.is_some_and(|better| better.verdict == Verdict::Regressed);
    Some(if is_mistaken { Err(Missed::Improvement) } else { Ok(()) })
}

/// Whether it fails, or would once a confirmation run or more pairs agree.
fn is_detected(worse: &Judgement, context: &Context<'_>) -> bool {
    let is_waiting = worse.reason.finding().is_waiting();
    worse.verdict == Verdict::Regressed
        || (worse.verdict == Verdict::Inconclusive
            && (worse.is_suspect() || context.shift.is_some() || is_waiting))
}

/// Injects a change into the current side, and screens it.
fn inject(evidence: &mut Evidence, screen: &Screen, context: &Context<'_>, way: f64) -> Option<Screen> {
    if evidence.relative_to.is_some() {
        // The minimum is one of the shown number, and the judged one is a quotient.
        evidence.limits.floor = None;
    }
    let direction = evidence.direction();
    if let Rule::Exact = evidence.rule {
        evidence.current = Some(stepped(evidence, direction, way)?);
        evidence.shown.1 = evidence.current;
        return Some(screen.clone());
    }
    let baseline = evidence.baseline?.as_f64();
    let distance = TIMES.ln() * way;
    let from = cost(direction, baseline)?;
    // Beyond every value of the history.
    let limit =
        screen.band.map_or(from, |band| if way > 0.0 { band.limit.max(from) } else { band.better.min(from) });
    let mut changed = value(direction, limit + distance);
    if let Some(floor) = evidence.limits.floor.filter(|floor| (changed - baseline).abs() < *floor) {
        changed = beyond_floor(direction, baseline, 2.0 * floor * way)?;
    }
    evidence.current = Some(Value::new(changed)?);
    evidence.shown.1 = evidence.current;
    if let Some(extra) = &mut evidence.extra {
        let moved =
            |number: f64| cost(direction, number).map_or(number, |cost| value(direction, cost + distance));
        extra.pairs.iter_mut().for_each(|(base, current)| *current = moved(*base));
        extra.current_launches.iter_mut().for_each(|number| *number = moved(*number));
        for repeat in extra.repeats.iter_mut().filter(|repeat| !repeat.is_empty()) {
            *repeat = vec![changed];
        }
    }
    let mut screen = Screen::of(evidence, context.history);
    if let Some(samples) = &mut screen.samples {
        // One clear regression in a suite is significant.
        samples.rejected = samples.p < 1.0;
    }
    Some(screen)
}

/// A number worse by an absolute amount; a throughput falls to zero at most.
fn beyond_floor(direction: Direction, baseline: f64, by: f64) -> Option<f64> {
    let changed = if direction == Direction::Higher { baseline - by } else { baseline + by };
    Some(changed.max(0.0)).filter(|changed| changed.is_finite())
}

/// One more or one fewer; twice the minimum absolute change where there is one.
fn stepped(evidence: &Evidence, direction: Direction, way: f64) -> Option<Value> {
    let step = evidence.limits.floor.map_or(1.0, |floor| (2.0 * floor).max(1.0));
    let up = if direction == Direction::Higher { -way } else { way };
    let baseline = evidence.baseline?;
    match baseline {
        #[expect(clippy::cast_possible_truncation, reason = "a step of a count; saturates")]
        Value::Int(count) => {
            count.checked_add((step * up).ceil() as i64).filter(|next| *next >= 0).map(Value::Int)
        }
        Value::Real(number) => Value::new(number + step * up).filter(|next| next.as_f64() >= 0.0),
    }
}
