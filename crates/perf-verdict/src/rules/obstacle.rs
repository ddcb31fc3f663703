//! The rules for values that cannot be compared.

use perf_model::metric::{Direction, Metric};

use super::{Case, Judgement, Reason};
use crate::evidence::instrument::is_speed;
use crate::evidence::obstacle::{Obstacle, is_compiled};
use crate::verdict::{Rule, Verdict};

/// A benchmark that improves by at least this factor probably stopped working.
const MOST_TIMES: f64 = 1_000.0;

/// Judges metrics whose values are missing or cannot be compared.
pub(super) fn bar(case: &Case<'_>) -> Option<Judgement> {
    let evidence = case.evidence;
    if let Some(lost @ (Obstacle::NoReference(_) | Obstacle::NothingLeft(_))) = &evidence.obstacle {
        return Some(barred(case, Verdict::NotComparable, lost.clone()));
    }
    let Some(baseline) = evidence.baseline else {
        let may_have_been_zero = evidence.obstacle == Some(Obstacle::MayHaveBeenZero);
        let (verdict, obstacle) = if may_have_been_zero && evidence.is_gated() {
            (Verdict::Inconclusive, Obstacle::MayHaveBeenZero)
        } else {
            (Verdict::Unmeasured, Obstacle::NoBaseline)
        };
        return Some(barred(case, verdict, obstacle));
    };
    let Some(current) = evidence.current else {
        return Some(barred(case, Verdict::Unmeasured, Obstacle::NoCurrent));
    };
    let (baseline, current) = (baseline.as_f64(), current.as_f64());
    // A negative number marks a value that was not measured. Leave it to `judge_negative`, which gives the better
    // reason.
    if baseline < 0.0 || current < 0.0 {
        return None;
    }
    let obstacle = match &evidence.obstacle {
        Some(obstacle) => obstacle.clone(),
        None => broken(&evidence.metric, evidence.rule, baseline, current)?,
    };
    let verdict = if evidence.is_gated() {
        obstacle.verdict()
    } else {
        Verdict::NotComparable
    };
    Some(barred(case, verdict, obstacle))
}

fn barred(case: &Case<'_>, verdict: Verdict, obstacle: Obstacle) -> Judgement {
    let moved = case.moved && obstacle.is_broken();
    let mut judgement = Judgement::new(verdict, Reason::Obstacle(obstacle));
    judgement.moved = moved;
    judgement
}

/// Judges negative values. A metric that only has a budget is left to the budget rule.
pub(super) fn judge_negative(case: &Case<'_>) -> Option<Judgement> {
    let (baseline, current) = case.numbers()?;
    let is_negative = baseline.as_f64() < 0.0 || current.as_f64() < 0.0;
    if !is_negative || case.evidence.rule == Rule::Budget {
        return None;
    }
    Some(case.judgement(Verdict::NotComparable, Reason::Obstacle(Obstacle::Negative)))
}

/// Returns an obstacle if the benchmark is probably broken rather than fast: a cost is zero on only one side, or the
/// speed-up is implausible.
fn broken(metric: &Metric, rule: Rule, baseline: f64, current: f64) -> Option<Obstacle> {
    // Times and instruction counts cannot be zero. Allocations, writes and transfers can.
    let costs_something = metric.meaning.unit.seconds().is_some() || is_compiled(metric, rule);
    let is_one_zero = (baseline == 0.0) != (current == 0.0);
    if !metric.meaning.exact && costs_something && is_one_zero {
        return Some(if current == 0.0 {
            Obstacle::FellToZero
        } else {
            Obstacle::ZeroBaseline
        });
    }
    let times = match metric.meaning.direction {
        Direction::Lower => baseline / current,
        Direction::Higher => current / baseline,
        Direction::Unknown => return None,
    };
    (is_speed(metric) && times.is_finite() && times >= MOST_TIMES)
        .then_some(Obstacle::Implausible(times))
}
