//! Environment shifts: nearly all benchmarks move one way at once, which a change to the code rarely does.

use perf_config::Suspects;

use super::history;
use crate::case::{Case, Decision, Judged, RuleEntry};
use crate::finding::{self, Finding as _};
use crate::verdict::{Confirmation, Screening, Verdict};

pub use crate::signals::shift::Shift;

pub(crate) const RULE: RuleEntry<Finding> = RuleEntry {
    decide,
    ..RuleEntry::NONE
};

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
    let shift = case
        .context
        .shift
        .filter(|_| case.fixed_limit().is_some())?;
    let finding = Finding {
        shift,
        history: history::look(case),
    };
    if case.context.history.is_rerun {
        return is_rerun(finding);
    }
    let suspect_effect = finding.suspicion().and_then(|_| finding.effect());
    let fails = case.context.history.suspects == Suspects::Fail
        && suspect_effect.is_some_and(|effect| !case.is_allowed(effect));
    let verdict = if fails {
        Verdict::Regressed
    } else {
        Verdict::Inconclusive
    };
    Some(Decision::Reached(Judged::new(verdict, finding)))
}

/// The few runs of one minute that stand in for a history shift with any other minute. Only what is beyond its limit in the
/// direction of the shift can be the work of the machine; the history judges the rest.
fn is_rerun(finding: Finding) -> Option<Decision<Finding>> {
    let is_slower = finding.shift.distance > 0.0;
    let verdict = match finding.history.as_ref().map(|history| history.screening) {
        Some(Screening::Suspect(_)) | None if is_slower => Verdict::Inconclusive,
        Some(Screening::Improved) if !is_slower => Verdict::Moved,
        _ => return None,
    };
    Some(Decision::Reached(Judged::new(verdict, finding)))
}
