//! Environment shifts: nearly all benchmarks move in the same direction at once, which a code change rarely causes.

use perf_config::Suspects;

use super::{Case, Judgement, Reason, history};
use crate::signals::shift::Shift;
use crate::verdict::Verdict;

/// The shift of the other rows, and how this row compares with its history.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The shift of the scope's other rows.
    pub shift: Shift,
    /// The current value compared with its history, if there is one.
    pub history: Option<history::Finding>,
}

/// Makes rows inconclusive during a shift, because the machine may explain their changes. If the config lets
/// unconfirmed suspects fail, a row beyond its limit is regressed.
///
/// For a rerun, the history consists of a few runs from the same minute, so later runs always look shifted. So the
/// machine only explains rows that are beyond their limit in the direction of the shift: such slowdowns are
/// inconclusive, and such improvements are only moved. The history rule judges the other rows.
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
