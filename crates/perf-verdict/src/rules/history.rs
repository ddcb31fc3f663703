//! The history: the current value against the normal range of earlier baselines.

use perf_model::metric::Unit;

use super::limit;
use crate::case::{Case, Decision, Judged, RuleEntry};
use crate::finding;
use crate::oriented::{distance_of_limit, share, value};
use crate::signals::returns;
use crate::verdict::{Confirmation, Power, Screening, Verdict};

pub use crate::signals::band::{Band, BandReport, Level};

pub(crate) const RULE: RuleEntry<Finding> = RuleEntry {
    decide,
    power,
    ..RuleEntry::NONE
};

/// The largest probability that a step beyond the fixed limit comes back with which it needs no confirmation run. On ten
/// histories without confirmation runs this finds 52 instead of 48% of the slowdowns of 50%, with 23 false alarms as before in
/// 2,141 pull requests; on seven others 36% as before, with 23 instead of 22 in 735. Of some 30 variants: with other distances,
/// other probabilities, and at least 30 to 100 values.
const MOST_RETURNS: f64 = 0.01;

/// The distance beyond all earlier values that it needs, or beyond all steps of the suite that came back: 10%.
const BEYOND: f64 = 0.095_310_179_804_324_9; // ln 1.1

/// Of this many steps of a size that a build determines, one at least changes nothing.
const REPEATS: usize = 4;

/// The current value against the history.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The number of earlier values.
    pub values: usize,
    /// Their median, as the metric's number.
    pub median: f64,
    /// The end of the normal range on the worse side, as the metric's number.
    pub normal: f64,
    /// A number beyond this is suspect, or beyond the limit that the user chose where that is wider.
    pub limit: f64,
    /// The growth of the cost above the median, as a share.
    pub effect: f64,
    /// The position of the current value: normal, improved, or a suspected regression with its confirmation.
    pub screening: Screening,
}

impl finding::Finding for Finding {
    fn name(&self) -> Option<&'static str> {
        Some("history")
    }

    fn effect(&self) -> Option<f64> {
        Some(self.effect.ln_1p())
    }

    fn suspicion(&self) -> Option<Confirmation> {
        self.screening.suspicion()
    }
}

fn decide(case: &Case<'_>) -> Option<Decision<Finding>> {
    let (finding, verdict) = judge(case)?;
    Some(Decision::Reached(Judged::new(verdict, finding)))
}

/// The verdict of the history, where other rules consider it.
pub(super) fn verdict(case: &Case<'_>) -> Option<Verdict> {
    judge(case).map(|(_, verdict)| verdict)
}

fn judge(case: &Case<'_>) -> Option<(Finding, Verdict)> {
    let finding = look(case)?;
    let band = case.screen.band?;
    let current = case.evidence.current_cost()?;
    let verdict = match case.confirmed(finding.screening, current - band.median) {
        // A normal range this wide does not acquit.
        Verdict::Unchanged
            if band.is_too_wide() && limit::verdict(case) == Some(Verdict::Regressed) =>
        {
            Verdict::Inconclusive
        }
        verdict => case.of_this_change(
            verdict,
            finding.screening,
            current > band.last,
            |_, cost| band.rises(cost),
        ),
    };
    Some((finding, verdict))
}

/// Compares a gated metric with its history, whichever rule decides; `None` without a fixed limit or a history.
pub(super) fn look(case: &Case<'_>) -> Option<Finding> {
    case.fixed_limit()?;
    let (band, current) = case.screen.band.zip(case.evidence.current_cost())?;
    let screening = match () {
        () if band.suspects(current) => {
            let is_certain = band.is_certain(current, case.context.suite.is_large)
                || case.context.is_slower_by_code
                || is_rare(case, &band, current)
                || repeats_exactly(case);
            case.suspect(is_certain, |_, cost| band.suspects(cost))
        }
        () if current < band.better && case.is_still_improved(|cost| cost < band.better) => {
            Screening::Improved
        }
        () => Screening::Normal,
    };
    let number = |cost| value(case.direction(), cost);
    Some(Finding {
        values: band.values,
        median: number(band.median),
        normal: number(band.normal),
        limit: number(
            band.median
                + case
                    .chosen_distance()
                    .map_or(band.reach(), |chosen| chosen.max(band.reach())),
        ),
        effect: share(current - band.median),
        screening,
    })
}

/// True if a cost is beyond the fixed limit, too, and beyond all earlier ones, and hardly any such step came back: none so
/// large in the whole suite, or few of the row.
fn is_rare(case: &Case<'_>, band: &Band, current: f64) -> bool {
    let limit = case
        .fixed_limit()
        .and_then(|limit| distance_of_limit(case.direction(), limit));
    let Some(((limit, baseline), extra)) =
        limit.zip(case.evidence.baseline_cost()).zip(case.extra())
    else {
        return false;
    };
    let (step, suite) = (current - baseline, case.context.suite);
    let by_suite = || {
        suite
            .largest_return
            .is_some_and(|largest| step > largest + BEYOND)
    };
    let returns = || returns::probability(&case.evidence.costs(&extra.history), limit);
    let by_row = || !suite.is_large && current > band.worst + BEYOND && returns() <= MOST_RETURNS;
    step > limit && current > band.worst && (by_suite() || by_row())
}

/// True for a size that repeats to the byte, as that of a build does: a confirmation run would print it again. On histories
/// of two projects with bundle sizes (1,329 pull requests) 45 and 59% of steps repeat, of times in nanoseconds none.
fn repeats_exactly(case: &Case<'_>) -> bool {
    let Some(extra) = case
        .extra()
        .filter(|_| case.evidence.metric.meaning.unit == Unit::Bytes)
    else {
        return false;
    };
    let costs = case.evidence.costs(&extra.history);
    let same = costs
        .windows(2)
        .filter(|two| two[0].total_cmp(&two[1]).is_eq())
        .count();
    same * REPEATS >= costs.len()
}

fn power(case: &Case<'_>) -> Option<Power> {
    let band = case.screen.band?;
    Some(Power {
        limit: Some(case.detectable(band.reach())),
        noise: Some(share(band.scale)),
        detectable: Some(case.detectable(band.detectable())),
        is_too_tight: case
            .chosen_distance()
            .is_some_and(|chosen| chosen < band.reach()),
    })
}
