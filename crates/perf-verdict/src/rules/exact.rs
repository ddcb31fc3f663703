//! Exact counts: one more is a regression.

use std::cmp::Ordering;

use perf_model::metric::Direction;
use perf_model::row::Value;

use crate::case::{Case, Decision, RuleEntry};
use crate::finding;
use crate::verdict::{Power, Rule, Verdict};

pub(crate) const RULE: RuleEntry<Finding> = RuleEntry { decide, power, ..RuleEntry::NONE };

/// The difference of two numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// Current less baseline.
    pub difference: Value,
}

impl finding::Finding for Finding {}

fn decide(case: &Case<'_>) -> Option<Decision<Finding>> {
    let Rule::Exact = case.rule else { return None };
    let judged = case.by_one_value(|baseline, current| {
        let finding = Finding { difference: difference(baseline, current) };
        Ok((verdict(case.direction(), baseline, current), finding))
    });
    judged.map(Decision::Reached)
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
