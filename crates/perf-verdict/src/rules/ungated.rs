//! The rules for informational metrics: metrics without a gate or a known direction, and percentiles of too few values.

use super::{Case, Judgement, Reason};
use crate::evidence::gate::NotGated;
use crate::verdict::Verdict;

/// Judges a percentile that has too few values.
pub(super) fn judge_tail(case: &Case<'_>) -> Option<Judgement> {
    let tail = case.evidence.tail?;
    Some(case.judgement(case.within_limits(), Reason::Tail(tail)))
}

/// Judges a metric without a gate.
pub(super) fn judge(case: &Case<'_>) -> Option<Judgement> {
    case.evidence.not_gated()?;
    Some(judge_rest(case))
}

/// Judges a metric that no other rule judges. With a history, the metric is shown as changed if it left its normal
/// range.
pub(crate) fn judge_rest(case: &Case<'_>) -> Judgement {
    let why = case.evidence.not_gated();
    let mut verdict = case.within_limits();
    // Pairs are not compared with a history.
    let is_pair =
        matches!(why, Some(NotGated::Quieter(_))) && !case.evidence.extra.pairs.is_empty();
    if !is_pair
        && let Some(band) = case.signals.band
        && let Some(current) = case.evidence.current_cost()
    {
        verdict = if band.suspects(current) || current < band.better {
            Verdict::Moved
        } else {
            Verdict::Unchanged
        };
    }
    let why = why.unwrap_or(NotGated::Informational);
    Judgement::new(verdict, Reason::NotGated(why))
}
