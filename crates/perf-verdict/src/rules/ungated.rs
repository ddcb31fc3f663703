//! Informational metrics: no gate, or no known direction.

use perf_model::metric::Direction;

use crate::engine::case::{Case, Decision, Judged, RuleEntry};
use crate::model::{Judgement, Rule, Verdict};
use crate::rules::Reason;

pub(crate) const RULE: RuleEntry = RuleEntry { decide, review, ..RuleEntry::NONE };

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

impl super::Finding for NotGated {}

fn decide(case: &Case<'_>) -> Option<Decision> {
    let why = match (case.rule, case.direction()) {
        (Rule::Report, _) if case.evidence.by_user_time => NotGated::UserTime,
        (Rule::Report, _) if case.evidence.derived_from.is_some() => NotGated::Derived,
        (Rule::Report, _) => NotGated::Informational,
        (_, Direction::Unknown) => NotGated::UnknownDirection,
        _ => return None,
    };
    case.by_one_value(|_, _| (case.within_limits(), Reason::NotGated(why))).map(Decision::Reached)
}

/// With a history, an informational metric has moved when it left its normal range.
fn review(case: &Case<'_>, judgement: &Judgement) -> Option<Judged> {
    let Reason::NotGated(NotGated::Informational | NotGated::Derived) = judgement.reason else { return None };
    let (band, current) = case.screen.band.zip(case.evidence.current_cost())?;
    let moved = band.suspects(current) || current < band.better;
    let verdict = if moved { Verdict::Moved } else { Verdict::Unchanged };
    Some(Judged::new(verdict, judgement.reason.clone()))
}
