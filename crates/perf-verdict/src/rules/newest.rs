//! The newest baseline, if it improved on its history: an improvement that is lost again is within the normal range of
//! the history, and yet slower than the code that it is compared with.

use crate::case::{Case, Judged, RuleEntry};
use crate::finding;
use crate::oriented::{distance_of_limit, share, value};
use crate::verdict::{Confirmation, Screening, Verdict};

pub(crate) const RULE: RuleEntry<Finding> = RuleEntry {
    review,
    ..RuleEntry::NONE
};

/// The fewest benchmarks with a history of which one alone that improved is not the machine's doing.
const FEWEST_ROWS: usize = 3;

/// A loss against the newest baseline that the history does not show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// The growth of the cost since the newest baseline, as a share.
    pub effect: f64,
    /// The median of the history, as the metric's number.
    pub median: f64,
    /// The number of earlier values.
    pub values: usize,
    /// The suspected regression, with the state of its confirmation.
    pub screening: Screening,
    /// True if most benchmarks improved in the newest baseline, or there are too few to tell: the machine may have been
    /// faster, and the loss is at most inconclusive.
    pub is_common: bool,
}

impl finding::Finding for Finding {
    fn name(&self) -> Option<&'static str> {
        Some("newest")
    }

    fn effect(&self) -> Option<f64> {
        Some(self.effect.ln_1p())
    }

    fn suspicion(&self) -> Option<Confirmation> {
        self.screening.suspicion()
    }
}

/// Reviews what the history passes. A single baseline may have been lucky, so a regression needs a confirmation run and
/// other benchmarks that did not improve at the same time.
fn review(case: &Case<'_>, reached: Verdict, _: &dyn finding::Finding) -> Option<Judged<Finding>> {
    let is_passed = matches!(
        reached,
        Verdict::Improved | Verdict::Moved | Verdict::Unchanged
    );
    if !is_passed || !case.evidence.is_gated() {
        return None;
    }
    let limit = distance_of_limit(case.direction(), case.fixed_limit()?)?;
    let band = case.screen.band?;
    let baseline = case.evidence.baseline_cost()?;
    let effect = case.evidence.current_cost()? - baseline;
    if effect <= limit
        || band.median - baseline <= band.reach()
        || !is_new_level(case, baseline, limit)
    {
        return None;
    }
    let screening = case.suspect(false, |_, cost| cost - baseline > limit);
    let suite = case.context.suite;
    let is_common = suite.with_history < FEWEST_ROWS || 2 * suite.improved > suite.with_history;
    let verdict = match case.confirmed(screening, effect) {
        Verdict::Regressed if is_common => Verdict::Inconclusive,
        verdict => verdict,
    };
    let finding = Finding {
        effect: share(effect),
        median: value(case.direction(), band.median),
        values: band.values,
        screening,
        is_common,
    };
    Some(Judged::new(verdict, finding))
}

/// True if hardly any earlier value was as good as the newest ones: a benchmark that goes up and down has not improved.
fn is_new_level(case: &Case<'_>, baseline: f64, limit: f64) -> bool {
    const SELDOM: usize = 20;
    let Some(extra) = case.extra() else {
        return false;
    };
    let is_as_good = |cost: &&f64| **cost < baseline + limit / 2.0;
    let costs = case.evidence.costs(&extra.history);
    let newest = costs.iter().rev().take_while(is_as_good).count();
    let earlier = &costs[..costs.len() - newest];
    SELDOM * earlier.iter().filter(is_as_good).count() <= earlier.len()
}
