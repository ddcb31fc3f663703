//! Numbers that cannot be compared.

use perf_model::metric::Unit::{BytesPerSecond, Ms, Ns, PerSecond, S, Us};
use perf_model::metric::{Direction, Metric};

use crate::case::{Case, Decision, Judged, RuleEntry};
use crate::evidence::obstacle::is_compiled;
use crate::finding;
use crate::verdict::{Rule, Verdict};

pub use crate::evidence::obstacle::Obstacle;

pub(crate) const RULE: RuleEntry<Finding> = RuleEntry {
    decide,
    ..RuleEntry::NONE
};

/// A benchmark that improves by this factor no longer does its work.
const MOST_TIMES: f64 = 1_000.0;

pub(crate) type Finding = Obstacle;

impl finding::Finding for Obstacle {
    fn is_waiting(&self) -> bool {
        matches!(
            self,
            Self::SharedOutput(_) | Self::Contradiction(_) | Self::Doubtful(_)
        )
    }
}

fn decide(case: &Case<'_>) -> Option<Decision<Finding>> {
    let evidence = case.evidence;
    let barred = |verdict, obstacle: Obstacle| {
        let moved = case.moved && obstacle.is_broken();
        Some(Decision::Barred(Judged {
            verdict,
            found: Err(obstacle),
            moved,
        }))
    };
    if let Some(lost @ (Obstacle::NoReference(_) | Obstacle::NothingLeft(_))) = &evidence.obstacle {
        return barred(Verdict::NotComparable, lost.clone());
    }
    let (baseline, current) = match (evidence.baseline, evidence.current) {
        (None, Some(_))
            if evidence.is_gated() && evidence.obstacle == Some(Obstacle::MayHaveBeenZero) =>
        {
            return barred(Verdict::Inconclusive, Obstacle::MayHaveBeenZero);
        }
        (None, _) => return barred(Verdict::Unmeasured, Obstacle::NoBaseline),
        (_, None) => return barred(Verdict::Unmeasured, Obstacle::NoCurrent),
        (Some(baseline), Some(current)) => (baseline.as_f64(), current.as_f64()),
    };
    // A negative number stands for an unmeasured one, which says more.
    if baseline < 0.0 || current < 0.0 {
        return None;
    }
    let obstacle = evidence
        .obstacle
        .clone()
        .or_else(|| broken(&evidence.metric, evidence.rule, baseline, current));
    let obstacle = obstacle?;
    barred(
        if evidence.is_gated() {
            obstacle.verdict()
        } else {
            Verdict::NotComparable
        },
        obstacle,
    )
}

/// The sign that the benchmark is broken rather than fast: a cost that fell to zero or rose from it, or an implausible
/// speed-up.
fn broken(metric: &Metric, rule: Rule, baseline: f64, current: f64) -> Option<Obstacle> {
    if !metric.meaning.exact
        && costs_something(metric, rule)
        && (baseline == 0.0) != (current == 0.0)
    {
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
    let is_speed = matches!(
        metric.meaning.unit,
        Ns | Us | Ms | S | PerSecond | BytesPerSecond
    );
    (is_speed && times.is_finite() && times >= MOST_TIMES).then_some(Obstacle::Implausible(times))
}

/// True if a metric cannot be zero: times and instructions. Nothing may be allocated, written or sent.
fn costs_something(metric: &Metric, rule: Rule) -> bool {
    match metric.meaning.unit {
        Ns | Us | Ms | S => true,
        _ => is_compiled(metric, rule),
    }
}
