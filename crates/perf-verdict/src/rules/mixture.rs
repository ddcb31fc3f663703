//! Mixtures: the median may be within its limit although some process runs are far slower than the others.

use crate::statistics::order::middle;
use perf_model::metric::Direction;

use super::{Case, Judgement, Reason};
use crate::cost_scale::{distance_of_limit, launch_cost};
use crate::verdict::{Rule, Verdict};

/// Process runs that are far slower than the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mixture {
    /// On the current side, how many process runs are far slower, and how many there are.
    pub current: (usize, usize),
    /// In the baseline, how many process runs are far slower, and how many there are.
    pub base: (usize, usize),
    /// The distance from the current value to the median of the far slower process runs.
    pub distance: f64,
}

/// If at least one in this many process runs is far slower, the result is inconclusive.
const SHARE: usize = 5;

/// A process run is far slower if its cost is at least this far above the usual one: 33%. Single process runs vary more
/// than their median.
const FAR: f64 = 0.285_178_942_233_662; // ln 1.33

/// If only one process run is far slower, it must be slower by at least this factor.
const SINGLE: f64 = 5.0;

pub(super) fn review(case: &Case<'_>, reached: &Judgement) -> Option<Judgement> {
    if !reached.verdict.is_passed() || !case.evidence.is_gated() {
        return None;
    }
    let finding = far_share(case)?;
    Some(Judgement::new(
        Verdict::Inconclusive,
        Reason::Mixture(finding),
    ))
}

/// Returns the far slower process runs, if they are at least a fifth of all process runs and more than twice the
/// baseline's share.
fn far_share(case: &Case<'_>) -> Option<Mixture> {
    let (base, current) = case.evidence.extra.process_runs();
    let limit = match (case.evidence.rule, case.signals.band) {
        (Rule::Limit(_), Some(band)) => band.reach(),
        (Rule::Limit(limit), None) => distance_of_limit(case.direction(), limit)?,
        (Rule::Exact | Rule::Count(_), _) => 0.0,
        (Rule::Equal | Rule::Budget | Rule::Report, _) => return None,
    };
    let limit = limit.max(FAR);
    let usual = case.evidence.baseline?.as_f64();
    let mut beyond = far(&current, case.direction(), usual, limit.exp());
    if beyond.len() == 1 {
        beyond = far(&current, case.direction(), usual, limit.exp().max(SINGLE));
    }
    let of_base = far(&base, case.direction(), usual, limit.exp()).len();
    // A baseline without process runs has no share to compare with.
    let base_has_half_as_many =
        !base.is_empty() && 2 * of_base * current.len() >= beyond.len() * base.len();
    if beyond.is_empty() || beyond.len() * SHARE < current.len() || base_has_half_as_many {
        return None;
    }
    let middle = middle(&beyond)?;
    // The far slower process runs may still be within the minimum absolute change.
    if let Some(floor) = case.evidence.limits.floor
        && (middle - usual).abs() < floor
    {
        return None;
    }
    let now = case.evidence.current?.as_f64();
    // A cost of zero has no logarithm, so measure the distance from a cost of one.
    let now = launch_cost(case.direction(), now).unwrap_or_default();
    let distance = launch_cost(case.direction(), middle)? - now;
    Some(Mixture {
        current: (beyond.len(), current.len()),
        base: (of_base, base.len()),
        distance,
    })
}

/// Returns the values that are worse than the usual one by more than this factor.
fn far(numbers: &[f64], direction: Direction, usual: f64, factor: f64) -> Vec<f64> {
    let is_far = |number: &f64| match direction {
        Direction::Lower => *number > usual * factor,
        Direction::Higher => *number * factor < usual,
        Direction::Unknown => false,
    };
    numbers.iter().copied().filter(is_far).collect()
}
