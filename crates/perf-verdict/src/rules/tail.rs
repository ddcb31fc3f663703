//! Percentiles of too few values are informational.

use crate::case::{Case, Decision, RuleEntry};
use crate::evidence::tail::Tail;
use crate::finding;

pub(crate) const RULE: RuleEntry<Finding> = RuleEntry {
    decide,
    ..RuleEntry::NONE
};

/// The number of values behind a percentile, and the number that it needs.
pub type Finding = Tail;

impl finding::Finding for Finding {
    fn name(&self) -> Option<&'static str> {
        Some("tail")
    }
}

fn decide(case: &Case<'_>) -> Option<Decision<Finding>> {
    let tail = case.evidence.tail.as_deref().copied()?;
    case.by_one_value(|_, _| Ok((case.within_limits(), tail)))
        .map(Decision::Reached)
}
