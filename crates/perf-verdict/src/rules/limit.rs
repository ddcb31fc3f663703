//! The rule for a single baseline value: a cost that grows, or a rate that drops, by more than a fixed limit fails.

use perf_model::decimal::exceeds;
use perf_model::metric::{Direction, Unit};

use super::{Case, Judgement, Reason};
use crate::cost_scale::{distance_of_limit, value};
use crate::evidence::obstacle::Obstacle;
use crate::statistics::order::range;
use crate::verdict::{Confirmation, Verdict};

/// A change for the worse, and its limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The growth of a cost, or the drop of a rate, as a fraction of the baseline. It is negative if the value
    /// improved.
    pub loss: f64,
    /// The largest [`Self::loss`] that passes.
    pub limit: f64,
    /// The loss as a distance; `None` for a rate that fell to zero.
    pub distance: Option<f64>,
    /// The state of the confirmation runs, if there are any or any are needed.
    pub confirmation: Option<Confirmation>,
}

/// Compares the current value with the baseline. A single run beyond the limit fails, unless confirmation runs follow
/// or an earlier value was as bad. If confirmation runs exist, most of them must agree.
pub(super) fn judge(case: &Case<'_>) -> Option<Judgement> {
    let (mut verdict, mut reason) = compare(case)?;
    if verdict == Verdict::NotComparable {
        return Some(case.judgement(verdict, reason));
    }
    let is_beyond = matches!(verdict, Verdict::Regressed | Verdict::Improved);
    if verdict == Verdict::Improved && !(is_improved(case) && are_apart(case)) {
        verdict = Verdict::Moved;
    }
    if verdict == Verdict::Regressed && !are_apart(case) {
        verdict = Verdict::Inconclusive;
    }
    if verdict == Verdict::Regressed
        && let Some(runs) = confirmation(case)
    {
        verdict = runs.verdict(case.context.history.suspects);
        if let Reason::Limit(finding) = &mut reason {
            finding.confirmation = Some(runs);
        }
    }
    let mut judgement = Judgement::new(verdict, reason);
    judgement.moved = case.moved || is_beyond;
    Some(judgement)
}

/// True if the two sides do not overlap. This is only checked for pairs that the rule for pairs does not analyse: exact
/// amounts, such as bytes, and pairs with too many zeros or negative values, such as net times.
fn are_apart(case: &Case<'_>) -> bool {
    if case.signals.pairs.is_some() {
        return true;
    }
    let (base, current): (Vec<f64>, Vec<f64>) = case.evidence.extra.pairs.iter().copied().unzip();
    let (Some(base), Some(current)) = (range(&base), range(&current)) else {
        return true;
    };
    current.0 > base.1 || base.0 > current.1
}

/// Counts the confirmation runs beyond the limit. Returns `None` if no run exists and none is needed.
fn confirmation(case: &Case<'_>) -> Option<Confirmation> {
    let limit = distance_of_limit(case.direction(), case.fixed_limit()?)?;
    let baseline = case.evidence.baseline_cost()?;
    // If an earlier value was nearly as bad, the current one is probably bad luck, and a regression needs one more
    // confirmation run.
    let was_as_bad = case.was_as_bad();
    let mut runs = case.confirmation(!was_as_bad, |_, cost| cost - baseline > limit);
    runs.needed += usize::from(was_as_bad);
    if is_deterministic(case) {
        runs.needed = 0;
    }
    (runs.confirmation_runs > 0 || runs.needed > 0).then_some(runs)
}

/// True for bytes and counts that have been equal in all runs and process runs so far. Another run would print the same
/// values again.
fn is_deterministic(case: &Case<'_>) -> bool {
    let is_amount = matches!(case.evidence.metric.meaning.unit, Unit::Bytes | Unit::Count);
    let extra = &case.evidence.extra;
    let are_equal = |numbers: &[f64]| {
        let mut pairs = numbers.windows(2);
        pairs.all(|two| two[0].total_cmp(&two[1]).is_eq())
    };
    let sides = [
        &extra.history,
        &extra.base_launches,
        &extra.current_launches,
    ];
    let is_repeated = extra.history.len().max(extra.base_launches.len()) > 1;
    is_amount && is_repeated && sides.into_iter().all(|numbers| are_equal(numbers))
}

/// True unless confirmation runs contradict the improvement.
fn is_improved(case: &Case<'_>) -> bool {
    let limits = case
        .fixed_limit()
        .and_then(|limit| distance_of_limit(case.direction(), limit))
        .zip(case.evidence.baseline_cost());
    limits.is_none_or(|(limit, baseline)| case.is_still_improved(|cost| baseline - cost > limit))
}

/// Returns the fixed limit's verdict without confirmation runs, for other rules.
pub(super) fn verdict(case: &Case<'_>) -> Option<Verdict> {
    compare(case).map(|(verdict, _)| verdict)
}

fn compare(case: &Case<'_>) -> Option<(Verdict, Reason)> {
    let limit = case.fixed_limit()?;
    let (baseline, current) = case.numbers()?;
    let (b, c) = (baseline.as_f64(), current.as_f64());
    let direction = case.direction();
    let is_from_zero = direction == Direction::Higher && b == 0.0 && c > 0.0;
    let obstacle = if b < 0.0 || c < 0.0 {
        Some(Obstacle::Negative)
    } else {
        is_from_zero.then_some(Obstacle::ZeroBaseline)
    };
    if let Some(obstacle) = obstacle {
        return Some((Verdict::NotComparable, Reason::Obstacle(obstacle)));
    }
    let loss = loss(direction, b, c);
    let gain = self::loss(direction, c, b);
    let verdict = if exceeds(loss, limit) {
        Verdict::Regressed
    } else if exceeds(gain, limit) {
        Verdict::Improved
    } else {
        case.within_limits()
    };
    let finding = Finding {
        loss,
        limit,
        distance: distance_of_limit(direction, loss),
        confirmation: None,
    };
    Some((verdict, Reason::Limit(finding)))
}

/// Returns the share of the baseline by which a rate drops or a cost grows.
fn loss(direction: Direction, baseline: f64, current: f64) -> f64 {
    let loss = if direction == Direction::Higher {
        baseline - current
    } else {
        current - baseline
    };
    if loss == 0.0 { 0.0 } else { loss / baseline }
}

/// A change below the minimum absolute change, in the metric's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloorFinding {
    /// The absolute difference between the current value and the baseline or, with a history, its median.
    pub difference: f64,
    /// The minimum absolute change.
    pub floor: f64,
}

/// Replaces a regressed or inconclusive verdict if the change is below the minimum absolute change.
pub(super) fn review_floor(case: &Case<'_>, reached: &Judgement) -> Option<Judgement> {
    let is_severe = matches!(reached.verdict, Verdict::Regressed | Verdict::Inconclusive);
    // A budget limits the value itself, however little it changed.
    if !is_severe || matches!(reached.reason, Reason::Budget(_)) {
        return None;
    }
    let finding = below_floor(case)?;
    Some(Judgement::new(Verdict::Moved, Reason::Floor(finding)))
}

/// Returns the change if it is below the minimum absolute change.
pub(crate) fn below_floor(case: &Case<'_>) -> Option<FloorFinding> {
    let floor = case.evidence.limits.floor?;
    let (baseline, current) = case.evidence.shown;
    let band = case
        .signals
        .band
        .filter(|_| case.evidence.reference.relative_to.is_none());
    let usual = band.map(|band| value(case.direction(), band.median));
    let difference = (current?.as_f64() - usual.unwrap_or(baseline?.as_f64())).abs();
    (difference < floor).then_some(FloorFinding { difference, floor })
}
