//! Informational metrics: no gate, or no known direction.

use crate::case::{Case, Decision, Judged, RuleEntry};
use crate::finding;
use crate::verdict::Verdict;

pub use crate::evidence::gate::NotGated;

pub(crate) const RULE: RuleEntry<Finding> = RuleEntry {
    decide,
    ..RuleEntry::NONE
};

pub(crate) type Finding = NotGated;

impl finding::Finding for NotGated {}

fn decide(case: &Case<'_>) -> Option<Decision<Finding>> {
    let why = case.evidence.not_gated()?;
    let judged = case.by_one_value(|_, _| Ok((case.within_limits(), why)))?;
    let has_no_range = match judged.found {
        Err(_) | Ok(NotGated::UnknownDirection) => true,
        // The other time of pairs, which have no history.
        Ok(NotGated::Quieter(_)) => case
            .evidence
            .extra
            .as_ref()
            .is_some_and(|extra| !extra.pairs.is_empty()),
        Ok(_) => false,
    };
    Some(Decision::Reached(if has_no_range {
        judged
    } else {
        informational(case, why)
    }))
}

/// With a history, an informational metric has moved when it left its normal range.
pub(crate) fn informational(case: &Case<'_>, why: NotGated) -> Judged<Finding> {
    let costs = case.signals.band.zip(case.evidence.current_cost());
    let by_history = costs.map(|(band, current)| band.suspects(current) || current < band.better);
    let verdict = match by_history {
        Some(true) => Verdict::Moved,
        Some(false) => Verdict::Unchanged,
        None => case.within_limits(),
    };
    Judged::new(verdict, why)
}
