//! Numbers that a deterministic program repeats, such as calls: any difference is a regression.

use perf_model::row::Value;

use super::Reason;
use super::exact::difference;
use crate::case::Case;
use crate::rules::judgement::Judgement;
use crate::verdict::{Rule, Verdict};

/// The difference of two numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// Current minus baseline.
    pub difference: Value,
}

pub(super) fn judge(case: &Case<'_>) -> Option<Judgement> {
    let Rule::Equal = case.rule else { return None };
    let (baseline, current) = case.numbers()?;
    let verdict = if baseline == current {
        Verdict::Unchanged
    } else {
        Verdict::Regressed
    };
    let finding = Finding {
        difference: difference(baseline, current),
    };
    Some(case.judgement(verdict, Reason::Equal(finding)))
}
