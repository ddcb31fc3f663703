//! The rule for a newest baseline that improved on its history. If the improvement is lost again, the value is back
//! within the history's normal range, yet worse than the baseline.

use super::{Case, Judgement, Reason};
use crate::cost_scale::{distance_of_limit, share, value};
use crate::verdict::{Confirmation, Verdict};

/// With fewer benchmarks that have a history, a faster machine could explain a single improvement.
const FEWEST_ROWS: usize = 3;

/// The minimum number of baselines at the new level. If one baseline were enough, public histories would have up to
/// three times as many false alarms.
const FEWEST_AT_LEVEL: usize = 2;

/// A growth of the cost since the newest baseline that is still within the history's normal range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// The share by which the cost grew since the newest baseline.
    pub effect: f64,
    /// The median of the history, in the metric's unit.
    pub median: f64,
    /// The number of earlier values.
    pub values: usize,
    /// The state of the confirmation runs.
    pub confirmation: Confirmation,
    /// True if the improvement may be noise: only one baseline shows it, most of the suite improved at the same time,
    /// or the suite is small. The loss is then at most inconclusive.
    pub may_be_luck: bool,
}

/// Reviews a verdict that passed. Because a single baseline may have been lucky, a regression requires a confirmation
/// run, another baseline at the same level, and other benchmarks that did not improve at the same time.
pub(super) fn review(case: &Case<'_>, reached: &Judgement) -> Option<Judgement> {
    if !reached.verdict.is_passed() || !case.evidence.is_gated() {
        return None;
    }
    let limit = distance_of_limit(case.direction(), case.fixed_limit()?)?;
    let band = case.signals.band?;
    let baseline = case.evidence.baseline_cost()?;
    let effect = case.evidence.current_cost()? - baseline;
    if effect <= limit || band.median - baseline <= band.reach() {
        return None;
    }
    let at_level = values_at_new_level(case, baseline, limit)?;
    let runs = case.confirmation(false, |_, cost| cost - baseline > limit);
    let suite = case.context.suite;
    let is_common = suite.with_history < FEWEST_ROWS || 2 * suite.improved > suite.with_history;
    let may_be_luck = is_common || at_level < FEWEST_AT_LEVEL;
    let verdict = match case.suspect_verdict(runs, effect) {
        Verdict::Regressed if may_be_luck => Verdict::Inconclusive,
        verdict => verdict,
    };
    let finding = Finding {
        effect: share(effect),
        median: value(case.direction(), band.median),
        values: band.values,
        confirmation: runs,
        may_be_luck,
    };
    Some(Judgement::new(verdict, Reason::Newest(finding)))
}

/// Returns how many of the newest values are at the newest baseline's level. Returns `None` if earlier values were
/// often as good: a benchmark that goes up and down has not improved.
fn values_at_new_level(case: &Case<'_>, baseline: f64, limit: f64) -> Option<usize> {
    const SELDOM: usize = 20;
    let costs = case.evidence.costs(&case.evidence.extra.history);
    let is_as_good = |cost: &&f64| **cost < baseline + limit / 2.0;
    let newest = costs.iter().rev().take_while(is_as_good).count();
    let earlier = &costs[..costs.len() - newest];
    let as_good = earlier.iter().filter(is_as_good).count();
    if SELDOM * as_good > earlier.len() {
        return None;
    }
    // The history might include the newest baseline.
    let ends_with_baseline = costs.last() == Some(&baseline);
    Some(newest + usize::from(!ends_with_baseline))
}
