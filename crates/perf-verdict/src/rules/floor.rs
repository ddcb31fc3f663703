//! The minimum absolute change: below it nothing regresses.

use super::Reason;
use crate::case::Case;
use crate::cost_scale::value;
use crate::rules::judgement::Judgement;
use crate::verdict::Verdict;

/// A change below the minimum, in the metric's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// |current − baseline|.
    pub difference: f64,
    /// The minimum absolute change.
    pub floor: f64,
}

pub(super) fn review(case: &Case<'_>, reached: &Judgement) -> Option<Judgement> {
    let is_severe = matches!(reached.verdict, Verdict::Regressed | Verdict::Inconclusive);
    // A budget limits the value, however little it changed.
    if !is_severe || matches!(reached.reason, Reason::Budget(_)) {
        return None;
    }
    let finding = look(case)?;
    Some(Judgement::new(Verdict::Moved, Reason::Floor(finding)))
}

/// The change, if it is below the minimum.
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
