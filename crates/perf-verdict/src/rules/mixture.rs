//! Mixtures: a median within its limit does not acquit launches of which a share is far slower.

use crate::case::{Case, Judged, RuleEntry};
use crate::finding;
use crate::oriented::{distance_of_limit, value};
use crate::verdict::Verdict;

pub use crate::signals::mixture::Mixture;

pub(crate) const RULE: RuleEntry<Finding> = RuleEntry {
    review,
    ..RuleEntry::NONE
};

pub(crate) type Finding = Mixture;

impl finding::Finding for Finding {
    fn name(&self) -> Option<&'static str> {
        Some("mixture")
    }

    fn ignores_floor(&self) -> bool {
        true
    }
}

/// The mean is beyond the limit that the median is within.
fn review(case: &Case<'_>, reached: Verdict, _: &dyn finding::Finding) -> Option<Judged<Finding>> {
    let fixed = case.fixed_limit().filter(|_| case.evidence.is_gated())?;
    let is_passed = matches!(
        reached,
        Verdict::Improved | Verdict::Moved | Verdict::Unchanged
    );
    let finding = *case.extra()?.mixture.as_deref().filter(|_| is_passed)?;
    let limit = match (case.screen.pairs, case.screen.band) {
        // Without a larger limit, as much as of the median.
        (Some(pairs), _) => case
            .chosen_distance()
            .unwrap_or_default()
            .max(pairs.negligible()),
        (None, Some(band)) => band.reach(),
        (None, None) => distance_of_limit(case.direction(), fixed)?,
    };
    let is_beyond = finding.excess > limit && !is_below_floor(case, &finding);
    is_beyond.then(|| Judged::new(Verdict::Inconclusive, finding))
}

/// True if even the far launches are within the minimum absolute change.
fn is_below_floor(case: &Case<'_>, finding: &Finding) -> bool {
    let far = case
        .evidence
        .current_cost()
        .map(|cost| value(case.direction(), cost + finding.distance));
    let baseline = case.evidence.baseline.map(perf_model::row::Value::as_f64);
    let floor = case.evidence.limits.floor.zip(far.zip(baseline));
    floor.is_some_and(|(floor, (far, baseline))| (far - baseline).abs() < floor)
}
