//! Environment shifts: nearly all benchmarks move one way at once, which a change to the code rarely does.

use perf_config::Suspects;

use super::{Judgement, Reason, history};
use crate::case::Case;
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

pub(super) fn judge(case: &Case<'_>) -> Option<Judgement> {
    let shift = case
        .context
        .shift
        .filter(|_| case.fixed_limit().is_some())?;
    let finding = Finding {
        shift,
        history: history::look(case),
    };
    if case.context.history.is_rerun {
        return judge_rerun(finding);
    }
    let mut verdict = Verdict::Inconclusive;
    if let Some(history) = &finding.history
        && history.confirmation.is_some()
        && case.context.history.suspects == Suspects::Fail
        && !case.is_allowed(history.effect.ln_1p())
    {
        verdict = Verdict::Regressed;
    }
    Some(Judgement::new(verdict, Reason::Environment(finding)))
}

/// Judges a rerun, whose history is a few runs from the same minute, so that a later minute always looks shifted. The
/// machine explains only rows beyond their limit in the direction of the shift. The history judges the others.
fn judge_rerun(finding: Finding) -> Option<Judgement> {
    let is_slower = finding.shift.distance > 0.0;
    let verdict = match &finding.history {
        Some(history) if history.confirmation.is_none() => {
            if is_slower || !history.is_improved {
                return None;
            }
            Verdict::Moved
        }
        _ if is_slower => Verdict::Inconclusive,
        _ => return None,
    };
    Some(Judgement::new(verdict, Reason::Environment(finding)))
}
