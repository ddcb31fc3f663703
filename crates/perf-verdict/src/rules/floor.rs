//! The minimum absolute change: below it nothing regresses.

use crate::case::{Case, Judged, RuleEntry};
use crate::cost_scale::value;
use crate::finding;
use crate::verdict::Verdict;

pub(crate) const RULE: RuleEntry<Finding> = RuleEntry {
    review,
    ..RuleEntry::NONE
};

/// A change below the minimum, in the metric's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// |current − baseline|.
    pub difference: f64,
    /// The minimum absolute change.
    pub floor: f64,
}

impl finding::Finding for Finding {
    fn name(&self) -> Option<&'static str> {
        Some("floor")
    }
}

fn review(
    case: &Case<'_>,
    reached: Verdict,
    finding: &dyn finding::Finding,
) -> Option<Judged<Finding>> {
    let is_severe = matches!(reached, Verdict::Regressed | Verdict::Inconclusive);
    // The ratchet is there for many small losses, and a budget for the value, however little it changed.
    if !is_severe || finding.ignores_floor() {
        return None;
    }
    look(case).map(|finding| Judged::new(Verdict::Moved, finding))
}

/// The change and the minimum that it is below.
pub(crate) fn look(case: &Case<'_>) -> Option<Finding> {
    let floor = case.evidence.limits.floor?;
    let (baseline, current) = case.evidence.shown;
    let band = case
        .signals
        .band
        .filter(|_| case.evidence.relative_to.is_none());
    let usual = band.map(|band| value(case.direction(), band.median));
    let difference = (current?.as_f64() - usual.unwrap_or(baseline?.as_f64())).abs();
    (difference < floor).then_some(Finding { difference, floor })
}
