//! The best sustained level: what many small steps lost, none of which was large enough to be seen.

use perf_stats::order::{median, scale, sorted};

/// How many values in a row make a level.
const SUSTAINED: usize = 5;
/// How many scales of the noise a level may be above the best one.
const SCALES: f64 = 1.5;

/// What is left of the best sustained level, as costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// The best level.
    pub best: f64,
    /// How many values ago it ended; 0 is now.
    pub ago: usize,
    /// The level of the last values, the current one included.
    pub level: f64,
    /// How far above the best one the level may be.
    pub limit: f64,
}

impl Finding {
    /// Whether more was lost than may be.
    pub fn is_lost(&self) -> bool {
        self.level - self.best > self.limit
    }
}

/// Compares the level now with the best one. Costs are earlier ones, oldest first; `allowed` is the distance that
/// may be lost. `None` of fewer than two levels.
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
        // One that has just been made good is not lost.
        level: levels.last()?.min(current),
        limit: allowed.max(SCALES * noise),
    })
}

/// The noise from value to value: a slow creep makes values stray over the whole history, and must not excuse itself.
fn local_noise(costs: &[f64]) -> Option<f64> {
    let steps: Vec<f64> = costs.windows(2).map(|pair| pair[1] - pair[0]).collect();
    Some(scale(&steps)? / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_creep_of_one_percent_a_week_is_found_though_no_step_is() {
        let costs: Vec<f64> =
            (0..20).map(|week| 0.01 * f64::from(week) + 0.003 * f64::from(week % 3)).collect();
        let lost = look(&costs, 0.2, 0.1).unwrap();
        assert!(lost.is_lost() && lost.ago == 16, "{lost:?}");
        let band = crate::rules::history::Band::of(&costs, 30, 10).unwrap();
        assert!(!band.suspects(0.2));
    }

    #[test]
    fn noise_is_no_creep_and_one_bad_value_no_level() {
        let costs: Vec<f64> = (0..30).map(|run| 0.05 * f64::from((run * 7) % 5)).collect();
        assert!(!look(&costs, 0.2, 0.1).unwrap().is_lost());
        assert!(!look(&[0.0; 20], 3.0, 0.1).unwrap().is_lost());
        assert_eq!(look(&[0.0; 8], 0.0, 0.1), None);
    }
}
