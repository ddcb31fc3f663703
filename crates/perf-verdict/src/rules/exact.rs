//! Exact counts: one more is a regression.
//!
//! Some counts differ between launches of the same program: hash seeds, pools that a garbage collection empties, threads. Of
//! those only a difference that launches do not explain is one of the code.

use std::cmp::Ordering;

use perf_model::decimal::exceeds;
use perf_model::metric::Direction;
use perf_model::row::Value;
use perf_stats::order::sorted;
use perf_stats::ranks::mann_whitney;

use crate::case::{Case, Decision, RuleEntry};
use crate::finding;
use crate::verdict::{Power, Rule, Verdict};

pub(crate) const RULE: RuleEntry<Finding> = RuleEntry { decide, power, ..RuleEntry::NONE };

/// The one-sided p-value of a difference of counts that vary: every one of 10 launches above every one of 10 has 0.000005.
/// With 0.0001, 8 of 1,000 simulated suites of 120 counts after 8 launches had one that was higher by luck.
const SIGNIFICANT: f64 = 0.000_01;
/// Launches of a side whose range says how far the sides lie apart. In simulations of normal noise, one in 20 unchanged counts
/// after 2 launches had more between the sides than within, one in 3,600 after 4, and one in 42,000 after 5.
const FEWEST: usize = 5;

/// The difference of two numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// Current less baseline.
    pub difference: Value,
    /// The lowest and the highest count of the launches of both sides, where launches of one side explain the difference.
    pub explained_by: Option<(Value, Value)>,
}

impl finding::Finding for Finding {}

fn decide(case: &Case<'_>) -> Option<Decision<Finding>> {
    let Rule::Exact = case.rule else { return None };
    let mut judged = case.by_one_value(|baseline, current| {
        let explained_by = if baseline == current { None } else { explanation(case) };
        let verdict = match verdict(case.direction(), baseline, current) {
            Verdict::Regressed if explained_by.is_some() && !is_small(case) => Verdict::Inconclusive,
            _ if explained_by.is_some() => Verdict::Unchanged,
            verdict => verdict,
        };
        Ok((verdict, Finding { difference: difference(baseline, current), explained_by }))
    })?;
    judged.moved &= judged.verdict != Verdict::Unchanged;
    Some(Decision::Reached(judged))
}

/// True for a change within the tolerance, which counts that do not vary have not.
fn is_small(case: &Case<'_>) -> bool {
    case.change.is_some_and(|change| !exceeds(change.abs(), case.context.tolerance))
}

/// The range of the counts of all launches, where those of one side differ among each other and the sides do not lie apart.
fn explanation(case: &Case<'_>) -> Option<(Value, Value)> {
    let extra = case.extra()?;
    let (base, current) = match (&extra.middles[..], &extra.pairs[..]) {
        ([], []) => (extra.base_launches.clone(), extra.current_launches.clone()),
        ([], pairs) | (pairs, _) => pairs.iter().copied().unzip(),
    };
    let ends = |counts: &[f64]| {
        let sorted = sorted(counts);
        sorted.first().copied().zip(sorted.last().copied())
    };
    let (of_base, of_current) = ends(&base).zip(ends(&current))?;
    let width = (of_base.1 - of_base.0).max(of_current.1 - of_current.0);
    let gap = (of_current.0 - of_base.1).max(of_base.0 - of_current.1);
    let is_significant = || {
        let tests = [mann_whitney(&current, &base), mann_whitney(&base, &current)];
        tests.into_iter().flatten().any(|p| p <= SIGNIFICANT)
    };
    let is_apart = gap > width && base.len().min(current.len()) >= FEWEST;
    if width == 0.0 || is_apart || is_significant() {
        return None;
    }
    Value::new(of_base.0.min(of_current.0)).zip(Value::new(of_base.1.max(of_current.1)))
}

/// Exact for whole numbers, however large.
pub(super) fn difference(baseline: Value, current: Value) -> Value {
    let counted = match (baseline, current) {
        (Value::Int(baseline), Value::Int(current)) => current.checked_sub(baseline).map(Value::Int),
        _ => None,
    };
    counted.or_else(|| Value::new(current.as_f64() - baseline.as_f64())).unwrap_or(Value::Int(0))
}

/// Worse, better or equal.
pub(super) fn verdict(direction: Direction, baseline: Value, current: Value) -> Verdict {
    let growth = match (baseline, current) {
        (Value::Int(baseline), Value::Int(current)) => current.cmp(&baseline),
        _ => current.as_f64().total_cmp(&baseline.as_f64()),
    };
    match if direction == Direction::Higher { growth.reverse() } else { growth } {
        Ordering::Greater => Verdict::Regressed,
        Ordering::Equal => Verdict::Unchanged,
        Ordering::Less => Verdict::Improved,
    }
}

fn power(case: &Case<'_>) -> Option<Power> {
    let Rule::Exact = case.rule else { return None };
    Some(Power { noise: Some(0.0), limit: Some(0.0), detectable: smallest_step(case), is_too_tight: false })
}

/// One more, as a share of the baseline.
pub(super) fn smallest_step(case: &Case<'_>) -> Option<f64> {
    let Some(Value::Int(baseline @ 1..)) = case.evidence.baseline else { return None };
    Some(1.0 / Value::Int(baseline).as_f64())
}
