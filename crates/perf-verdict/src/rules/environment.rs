//! Environment shifts: nearly all benchmarks move one way at once, which a change to the code rarely does.

use perf_config::Suspects;

use super::{Case, Judgement, Reason, history};
use crate::signals::shift::Shift;
use crate::verdict::Verdict;

/// The shift of the other rows, and this row against its history.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The shift of the other rows.
    pub shift: Shift,
    /// The current value against its history, if any.
    pub history: Option<history::Finding>,
}

/// Leaves a shifted row inconclusive. The history of a rerun is a few runs from the same minute, so that a later minute
/// always looks shifted: the machine explains only rows beyond their limit in the direction of the shift, and the
/// history judges the others.
pub(super) fn judge(case: &Case<'_>) -> Option<Judgement> {
    case.fixed_limit()?;
    let shift = case.context.shift?;
    let history = history::look(case);
    let is_slower = shift.distance > 0.0;
    let mut verdict = Verdict::Inconclusive;
    if case.context.history.is_rerun {
        let is_explained = match &history {
            Some(history) if is_slower => history.confirmation.is_some(),
            Some(history) => history.is_improved,
            None => is_slower,
        };
        if !is_explained {
            return None;
        }
        if !is_slower {
            verdict = Verdict::Moved;
        }
    } else if let Some(history) = &history
        && history.confirmation.is_some()
        && case.context.history.suspects == Suspects::Fail
        && !case.is_allowed(history.effect.ln_1p())
    {
        verdict = Verdict::Regressed;
    }
    let reason = Reason::Environment(Finding { shift, history });
    Some(Judgement::new(verdict, reason))
}
