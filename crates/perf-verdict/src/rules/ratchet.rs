//! The ratchet: many small losses, each too small to detect, against the best sustained level.

use perf_stats::order::{median, scale, sorted};
use serde::{Deserialize, Serialize};

use crate::engine::case::{Case, Judged, RuleEntry};
use crate::model::{Judgement, Rule, Verdict};
use crate::oriented::share_report;
use crate::rules::{FindingReports, Reason};

pub(crate) const RULE: RuleEntry = RuleEntry { review, ..RuleEntry::NONE };

/// The number of values in a row that make a level.
const SUSTAINED: usize = 5;
/// How many standard deviations a level may be above the best one.
const SCALES: f64 = 1.5;

/// The level now against the best sustained one, as costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// The best level.
    pub best: f64,
    /// The number of values since it ended; 0 is now.
    pub ago: usize,
    /// The level of the last values, the current one included.
    pub level: f64,
    /// The largest loss that passes.
    pub limit: f64,
}

impl Finding {
    /// Whether more was lost than the limit.
    pub fn is_lost(&self) -> bool {
        self.level - self.best > self.limit
    }
}

impl super::Finding for Finding {
    fn name(&self) -> Option<&'static str> {
        Some("ratchet")
    }

    fn effect(&self) -> Option<f64> {
        Some(self.level - self.best)
    }

    fn report(&self, reports: &mut FindingReports) {
        let [lost, limit] = [self.level - self.best, self.limit].map(share_report);
        reports.ratchet = Some(RatchetReport { lost, limit, ago: self.ago });
    }
}

/// The loss since the best sustained level. Shares are of the cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RatchetReport {
    /// How much worse the level is now.
    pub lost: f64,
    /// The largest loss that passes.
    pub limit: f64,
    /// The number of values since the best level ended.
    pub ago: usize,
}

fn review(case: &Case<'_>, judgement: &Judgement) -> Option<Judged> {
    let Rule::Threshold(_) = case.rule else { return None };
    if !case.evidence.is_gated() || judgement.verdict == Verdict::Regressed || case.context.shift.is_some() {
        return None;
    }
    let allowed = case.context.history.ratchet?;
    let costs = case.evidence.costs(&case.extra()?.history);
    let finding = look(&costs, case.evidence.current_cost()?, allowed.ln_1p())?;
    finding.is_lost().then(|| Judged::new(Verdict::Regressed, Reason::Ratchet(Box::new(finding))))
}

/// Compares the level now with the best one. Costs are earlier ones, oldest first; `allowed` is the distance that
/// may be lost. `None` for fewer than two levels.
pub fn look(costs: &[f64], current: f64, allowed: f64) -> Option<Finding> {
    let mut all = costs.to_vec();
    all.push(current);
    if all.len() < 2 * SUSTAINED {
        return None;
    }
    let levels: Option<Vec<f64>> = all.windows(SUSTAINED).map(|window| median(&sorted(window))).collect();
    let levels = levels?;
    let (at, best) = levels.iter().enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let noise = local_noise(costs)?;
    Some(Finding {
        best: *best,
        ago: levels.len() - 1 - at,
        // A level that the current value restores is not lost.
        level: levels.last()?.min(current),
        limit: allowed.max(SCALES * noise),
    })
}

/// The noise from value to value: over the whole history a slow creep would count as noise and excuse itself.
fn local_noise(costs: &[f64]) -> Option<f64> {
    let steps: Vec<f64> = costs.windows(2).map(|pair| pair[1] - pair[0]).collect();
    Some(scale(&steps)? / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_creep_is_detected() {
        let costs: Vec<f64> =
            (0..20).map(|week| 0.01 * f64::from(week) + 0.003 * f64::from(week % 3)).collect();
        let lost = look(&costs, 0.2, 0.1).unwrap();
        assert!(lost.is_lost() && lost.ago == 16, "{lost:?}");
        let band = crate::rules::history::Band::of(&costs, 30, 10).unwrap();
        assert!(!band.suspects(0.2));
    }

    #[test]
    fn neither_noise_nor_one_bad_value_is_a_creep() {
        let costs: Vec<f64> = (0..30).map(|run| 0.05 * f64::from((run * 7) % 5)).collect();
        assert!(!look(&costs, 0.2, 0.1).unwrap().is_lost());
        assert!(!look(&[0.0; 20], 3.0, 0.1).unwrap().is_lost());
        assert_eq!(look(&[0.0; 8], 0.0, 0.1), None);
    }
}
