//! Mixtures: a median within its limit can hide a share of far slower process runs.

use crate::statistics::order::middle;
use perf_model::metric::Direction;

use super::{Case, Judgement, Reason};
use crate::cost_scale::{distance_of_limit, launch_cost};
use crate::verdict::{Rule, Verdict};

/// A share of the process runs that is far slower than the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mixture {
    /// The number of far slower process runs on the current side, and of all.
    pub current: (usize, usize),
    /// The same for the baseline.
    pub base: (usize, usize),
    /// The distance (of costs) from the current number to the median of the far process runs.
    pub distance: f64,
}

/// If at least one in this many process runs is far slower, the result is inconclusive.
const SHARE: usize = 5;

/// The minimum growth of a far process run, as a distance: 33%. Single process runs vary more than their median.
const FAR: f64 = 0.285_178_942_233_662; // ln 1.33

/// The minimum growth of a single far process run, as a factor.
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

/// The far process runs, if they are at least a fifth and more than twice the baseline's share.
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
    // A baseline without process runs has no share.
    let base_has_half_as_many =
        !base.is_empty() && 2 * of_base * current.len() >= beyond.len() * base.len();
    if beyond.is_empty() || beyond.len() * SHARE < current.len() || base_has_half_as_many {
        return None;
    }
    let middle = middle(&beyond)?;
    // Even the far slower process runs may be within the minimum absolute change.
    if let Some(floor) = case.evidence.limits.floor
        && (middle - usual).abs() < floor
    {
        return None;
    }
    let now = case.evidence.current?.as_f64();
    // Zero has no cost, and the factor is then above one.
    let now = launch_cost(case.direction(), now).unwrap_or_default();
    let distance = launch_cost(case.direction(), middle)? - now;
    Some(Mixture {
        current: (beyond.len(), current.len()),
        base: (of_base, base.len()),
        distance,
    })
}

/// The numbers that are worse than the usual one by more than this factor.
fn far(numbers: &[f64], direction: Direction, usual: f64, factor: f64) -> Vec<f64> {
    let is_far = |number: &f64| match direction {
        Direction::Lower => *number > usual * factor,
        Direction::Higher => *number * factor < usual,
        Direction::Unknown => false,
    };
    numbers.iter().copied().filter(is_far).collect()
}
