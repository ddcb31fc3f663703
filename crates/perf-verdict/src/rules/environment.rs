//! Environment shifts: nearly all benchmarks move one way at once, which a change to the code rarely does.

use perf_config::Suspects;

use super::history;
use crate::case::{Case, Decision, Judged, RuleEntry};
use crate::finding::{self, Finding as _};
use crate::verdict::{Confirmation, Verdict};

pub use crate::signals::shift::Shift;

pub(crate) const RULE: RuleEntry<Finding> = RuleEntry { decide, ..RuleEntry::NONE };

/// The shift of the other rows, and what the history says of this one.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The shift of the other rows.
    pub shift: Shift,
    /// The current value against its history, where it has one.
    pub history: Option<history::Finding>,
}

impl finding::Finding for Finding {
    fn name(&self) -> Option<&'static str> {
        Some("guard")
    }

    fn effect(&self) -> Option<f64> {
        finding::Finding::effect(self.history.as_ref()?)
    }

    fn suspicion(&self) -> Option<Confirmation> {
        self.history.as_ref()?.screening.suspicion()
    }
}

fn decide(case: &Case<'_>) -> Option<Decision<Finding>> {
    let shift = case.context.shift.filter(|_| case.fixed_limit().is_some())?;
    let finding = Finding { shift, history: history::look(case) };
    let suspect_effect = finding.suspicion().and_then(|_| finding.effect());
    let fails = case.context.history.suspects == Suspects::Fail
        && suspect_effect.is_some_and(|effect| !case.is_allowed(effect));
    let verdict = if fails { Verdict::Regressed } else { Verdict::Inconclusive };
    Some(Decision::Reached(Judged::new(verdict, finding)))
}
