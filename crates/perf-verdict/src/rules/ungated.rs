//! Informational metrics: no gate, no known direction, or a percentile of too few values.

use super::{Judgement, Reason};
use crate::case::Case;
use crate::evidence::gate::NotGated;
use crate::verdict::Verdict;

/// Judges a percentile of too few values.
pub(super) fn judge_tail(case: &Case<'_>) -> Option<Judgement> {
    let tail = case.evidence.tail?;
    case.numbers()?;
    Some(case.judgement(case.within_limits(), Reason::Tail(tail)))
}

/// Judges a metric without a gate.
pub(super) fn judge(case: &Case<'_>) -> Option<Judgement> {
    let why = case.evidence.not_gated()?;
    case.numbers()?;
    let has_pairs = !case.evidence.extra.pairs.is_empty();
    let has_no_range = match why {
        NotGated::UnknownDirection => true,
        // Pairs have no history.
        NotGated::Quieter(_) => has_pairs,
        _ => false,
    };
    if has_no_range {
        return Some(case.judgement(case.within_limits(), Reason::NotGated(why)));
    }
    Some(judge_informational(case, why))
}

/// Judges a metric that no other rule judges.
pub(crate) fn judge_rest(case: &Case<'_>) -> Judgement {
    let why = case.evidence.not_gated();
    judge_informational(case, why.unwrap_or(NotGated::Informational))
}

/// With a history, an informational metric is shown as changed if it left its normal range.
fn judge_informational(case: &Case<'_>, why: NotGated) -> Judgement {
    let mut verdict = case.within_limits();
    if let Some(band) = case.signals.band
        && let Some(current) = case.evidence.current_cost()
    {
        verdict = if band.suspects(current) || current < band.better {
            Verdict::Moved
        } else {
            Verdict::Unchanged
        };
    }
    Judgement::new(verdict, Reason::NotGated(why))
}
