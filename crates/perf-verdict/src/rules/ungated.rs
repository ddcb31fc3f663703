//! Informational metrics: no gate, or no known direction.

use perf_model::metric::Direction;

use crate::case::{Case, Decision, Judged, RuleEntry};
use crate::finding;
use crate::verdict::{Rule, Verdict};

pub(crate) const RULE: RuleEntry<Finding> = RuleEntry { decide, ..RuleEntry::NONE };

/// Why a metric is informational.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotGated {
    /// No gate is for it.
    Informational,
    /// The command does not wait, so its user time is gated instead.
    UserTime,
    /// It is another form of a metric that is gated.
    Derived,
    /// It is not known which way is better.
    UnknownDirection,
}

pub(crate) type Finding = NotGated;

impl finding::Finding for NotGated {}

fn decide(case: &Case<'_>) -> Option<Decision<Finding>> {
    let why = match (case.rule, case.direction()) {
        (Rule::Report, _) if case.evidence.by_user_time => NotGated::UserTime,
        (Rule::Report, _) if case.evidence.derived_from.is_some() => NotGated::Derived,
        (Rule::Report, _) => NotGated::Informational,
        (_, Direction::Unknown) => NotGated::UnknownDirection,
        _ => return None,
    };
    let judged = case.by_one_value(|_, _| Ok((case.within_limits(), why)))?;
    let is_plain = matches!(judged.found, Ok(NotGated::Informational | NotGated::Derived));
    Some(Decision::Reached(Some(judged).filter(|_| !is_plain).unwrap_or_else(|| informational(case, why))))
}

/// With a history, an informational metric has moved when it left its normal range.
pub(crate) fn informational(case: &Case<'_>, why: NotGated) -> Judged<Finding> {
    let costs = case.screen.band.zip(case.evidence.current_cost());
    let by_history = costs.map(|(band, current)| band.suspects(current) || current < band.better);
    let verdict = match by_history {
        Some(true) => Verdict::Moved,
        Some(false) => Verdict::Unchanged,
        None => case.within_limits(),
    };
    Judged::new(verdict, why)
}
