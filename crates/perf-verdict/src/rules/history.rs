//! The rule for histories: compares the current value with the normal range of earlier baselines.

use perf_config::Suspects;
use perf_model::metric::Unit;

use super::{Case, Judgement, Reason, limit};
use crate::cost_scale::{share, value};
use crate::verdict::{Confirmation, Power, Verdict};

pub use crate::signals::band::{Band, BandReport, Level};

/// If at least one in this many steps is zero, the size depends only on the build.
const REPEATS: usize = 4;

/// The current value compared with its history.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The number of earlier values.
    pub values: usize,
    /// The median of the earlier values, in the metric's unit.
    pub median: f64,
    /// The worse end of the normal range, in the metric's unit.
    pub normal: f64,
    /// Worse values than this are suspected regressions, in the metric's unit. This is the history's limit, or the
    /// user's limit if that is wider.
    pub limit: f64,
    /// The share by which the cost is above the median.
    pub effect: f64,
    /// The state of the confirmation runs, if a regression is suspected.
    pub confirmation: Option<Confirmation>,
    /// True if the value is better than run-to-run variation explains.
    pub is_improved: bool,
}

pub(super) fn judge(case: &Case<'_>) -> Option<Judgement> {
    let finding = look(case)?;
    let band = case.signals.band?;
    let current = case.evidence.current_cost()?;
    let verdict = if let Some(runs) = finding.confirmation {
        let verdict = case.suspect_verdict(runs, current - band.median);
        let is_higher = current > band.last;
        case.of_this_change(verdict, runs, is_higher, |_, cost| band.rises(cost))
    } else if finding.is_improved {
        Verdict::Improved
    } else if band.is_too_wide() && limit::verdict(case) == Some(Verdict::Regressed) {
        // A normal range this wide cannot show that nothing changed.
        Verdict::Inconclusive
    } else {
        Verdict::Unchanged
    };
    Some(Judgement::new(verdict, Reason::History(finding)))
}

/// Compares a gated metric with its history, no matter which rule decides. Returns `None` if the metric has no fixed
/// limit or no history.
pub(super) fn look(case: &Case<'_>) -> Option<Finding> {
    case.fixed_limit()?;
    let (band, current) = case.signals.band.zip(case.evidence.current_cost())?;
    let mut confirmation = None;
    if band.suspects(current) {
        let excess = case.context.suite.certain_excess(band.scale);
        let is_certain = band.is_above_all(current, excess)
            || case.context.is_slower_by_code
            || repeats_exactly(case);
        confirmation = Some(case.confirmation(is_certain, |_, cost| band.suspects(cost)));
    }
    let chosen = case.evidence.chosen_distance();
    let reach = chosen.unwrap_or(0.0).max(band.reach());
    let number = |cost| value(case.direction(), cost);
    Some(Finding {
        values: band.values,
        median: number(band.median),
        normal: number(band.normal),
        limit: number(band.median + reach),
        effect: share(current - band.median),
        confirmation,
        is_improved: current < band.better && case.is_still_improved(|cost| cost < band.better),
    })
}

/// True for a size that repeats to the byte, such as the size of a build output: a confirmation run would print the
/// same size again. In two projects with bundle sizes (1,329 pull requests), 45 and 59% of the steps are zero. Of times
/// in nanoseconds, none are.
fn repeats_exactly(case: &Case<'_>) -> bool {
    let costs = case.evidence.costs(&case.evidence.extra.history);
    let same = costs
        .windows(2)
        .filter(|two| two[0].total_cmp(&two[1]).is_eq())
        .count();
    case.evidence.metric.meaning.unit == Unit::Bytes && same * REPEATS >= costs.len()
}

/// Returns the minimum growth that is detected. Growth just beyond the limit is detected if confirmation runs exist,
/// will follow or are not required. Otherwise, only growth that needs no confirmation is detected.
pub(super) fn power(case: &Case<'_>, band: &Band) -> Power {
    let chosen = case.evidence.chosen_distance();
    let thresholds = case.context.history;
    let runs = case.evidence.extra.confirmation_runs.len();
    let is_limit_enough = thresholds.suspects == Suspects::Fail
        || thresholds.is_rerun
        || runs >= case.context.suite.confirmation_runs
        || repeats_exactly(case);
    let distance = if is_limit_enough {
        band.detectable()
    } else {
        band.detectable_above_all(case.context.suite.certain_excess(band.scale))
    };
    Power {
        limit: Some(case.detectable(band.reach())),
        noise: Some(share(band.scale)),
        detectable: Some(case.detectable(distance)),
        suspected: Some(case.detectable(band.detectable())),
        is_too_tight: chosen.is_some_and(|chosen| chosen < band.reach()),
    }
}
