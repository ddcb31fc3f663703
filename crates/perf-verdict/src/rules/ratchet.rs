//! The ratchet: many small losses, each too small to detect, against the best sustained level.

use crate::statistics::order::{middle, scale};
use serde::{Deserialize, Serialize};

use super::Reason;
use crate::case::Case;
use crate::cost_scale::share_report;
use crate::model::judgement::Judgement;
use crate::verdict::{Rule, Screening, Verdict};

/// The number of values in a row that make a level.
const SUSTAINED: usize = 5;
/// The number of baselines at a new level after which a merged step is accepted.
const STAYED: usize = 3;
/// The number of standard deviations that a level may be above the best one.
const SCALES: f64 = 1.5;

/// The loss, as costs, and what follows from it.
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
    /// The suspected regression, with the state of its confirmation.
    pub screening: Screening,
}

/// The level now against the best sustained one, as costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// The best level.
    pub best: f64,
    /// The number of values since it ended; 0 is now.
    pub ago: usize,
    /// The level of the last values, the current one included.
    pub level: f64,
    /// The largest loss that passes.
    pub limit: f64,
}

impl Loss {
    /// True if the loss is larger than the limit.
    pub fn is_lost(&self) -> bool {
        self.level - self.best > self.limit
    }
}

impl Finding {
    /// The serialised form.
    pub(super) fn report(&self) -> RatchetReport {
        let [lost, limit] = [self.level - self.best, self.limit].map(share_report);
        RatchetReport {
            lost,
            limit,
            ago: self.ago,
        }
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

pub(super) fn review(case: &Case<'_>, reached: &Judgement) -> Option<Judgement> {
    let Rule::Limit(_) = case.rule else {
        return None;
    };
    if !case.evidence.is_gated()
        || reached.verdict == Verdict::Regressed
        || case.context.shift.is_some()
    {
        return None;
    }
    let allowed = case.context.history.ratchet?;
    let costs = case.evidence.costs(&case.extra()?.history);
    let loss = |cost| look(&costs, cost, allowed.ln_1p()).filter(Loss::is_lost);
    let Loss {
        best,
        ago,
        level,
        limit,
    } = loss(case.evidence.current_cost()?)?;
    let screening = case.suspect(false, |_, cost| loss(cost).is_some());
    let verdict = case.confirmed(screening, level - best);
    let is_worse = matches!(verdict, Verdict::Regressed | Verdict::Inconclusive);
    let finding = Finding {
        best,
        ago,
        level,
        limit,
        screening,
    };
    is_worse.then(|| Judgement::new(verdict, Reason::Ratchet(Box::new(finding))))
}

/// Compares the level now with the best one since the last accepted step. Costs are earlier ones, oldest first; `allowed`
/// is the distance that may be lost. `None` for fewer than two levels.
pub fn look(costs: &[f64], current: f64, allowed: f64) -> Option<Loss> {
    let noise = local_noise(costs)?;
    let limit = allowed.max(SCALES * noise);
    let mut all = costs[accepted(costs, limit)..].to_vec();
    all.push(current);
    if all.len() < 2 * SUSTAINED {
        return None;
    }
    let levels: Option<Vec<f64>> = all.windows(SUSTAINED).map(middle).collect();
    let levels = levels?;
    let (at, best) = levels
        .iter()
        .enumerate()
        .min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    Some(Loss {
        best: *best,
        ago: levels.len() - 1 - at,
        // A level that the current value restores is not lost.
        level: levels.last()?.min(current),
        limit,
    })
}

/// The place at which the last accepted step begins: a loss of more than the limit at once that was merged and stayed.
/// Half of it must come with one value: a creep has no such step. 0 where there is none.
fn accepted(costs: &[f64], limit: f64) -> usize {
    let is_step = |at: &usize| {
        let before = &costs[at.saturating_sub(SUSTAINED)..*at];
        let after = &costs[*at..costs.len().min(at + SUSTAINED)];
        let step = middle(after)
            .zip(middle(before))
            .map_or(0.0, |(after, before)| after - before);
        step > limit && costs[*at] - costs[at - 1] > step / 2.0
    };
    (1..(costs.len() + 1).saturating_sub(STAYED))
        .rev()
        .find(is_step)
        .unwrap_or(0)
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
        let costs: Vec<f64> = (0..20)
            .map(|week| 0.01 * f64::from(week) + 0.003 * f64::from(week % 3))
            .collect();
        let lost = look(&costs, 0.2, 0.1).unwrap();
        assert!(lost.is_lost() && lost.ago == 16, "{lost:?}");
        let band = crate::rules::history::Band::of(&costs, 30, 10).unwrap();
        assert!(!band.suspects(0.2));
    }

    #[test]
    fn an_accepted_step_starts_a_new_level() {
        let noise = |run: u32| 0.004 * f64::from((run * 7) % 5);
        let lost = |merged: u32| {
            let costs: Vec<f64> = (0..20)
                .map(noise)
                .chain((0..merged).map(|run| noise(run) + 0.15))
                .collect();
            look(&costs, 0.15, 0.1).is_some_and(|loss| loss.is_lost())
        };
        assert_eq!(
            [0, 1, 2, 3, 4, 9].map(lost),
            [false, false, true, false, false, false]
        );
        // From there on a creep counts again.
        let costs: Vec<f64> = (0..20)
            .map(|week| {
                if week < 8 {
                    0.0
                } else {
                    0.15 + 0.015 * f64::from(week - 8)
                }
            })
            .collect();
        assert!(look(&costs, 0.33, 0.1).unwrap().is_lost());
    }

    #[test]
    fn neither_noise_nor_one_bad_value_is_a_creep() {
        let costs: Vec<f64> = (0..30).map(|run| 0.05 * f64::from((run * 7) % 5)).collect();
        assert!(!look(&costs, 0.2, 0.1).unwrap().is_lost());
        assert!(!look(&[0.0; 20], 3.0, 0.1).unwrap().is_lost());
        assert_eq!(look(&[0.0; 8], 0.0, 0.1), None);
    }
}
