//! The normal range of the next value, computed from earlier values, and the limit beyond it.
//!
//! The normal range extends to the last value, by at most 20%. The limit is above that range by more than the machine's
//! run-to-run variation, which noise within a run cannot estimate.
//!
//! Values before a level change are moved to the current level. They still show the variation, while a range over both
//! levels would fit neither.

use crate::statistics::breaks::breaks;
use crate::statistics::order::{median, quantile, scale, sorted};
use perf_model::metric::Direction;
use serde::{Deserialize, Serialize};

use crate::cost_scale::{rounded, value};

/// The smallest step from the normal range to the limit, even in a quiet history: 5% of the cost.
const SMALLEST: f64 = 0.048_790_164_169_432; // ln 1.05

/// The largest step from the normal range to the limit, even in a noisy history, and the most by which the last value
/// alone extends the range: 20% of the cost. So a regression that was merged unnoticed stays suspect until several
/// baselines have reached its level.
const LARGEST: f64 = 0.182_321_556_793_955; // ln 1.2

/// The step from the normal range to the limit, in standard deviations. On three real histories, 1.25 has no more
/// confirmed false alarms than 1.5, and detects 4 percentage points more of the 50% slowdowns. A step of 1 has more
/// false alarms.
const SCALES: f64 = 1.25;

/// Level changes: the largest p-value, the minimum number of values, and the smallest change, which is 10%. Chosen from
/// p-values of 0.001, 0.01 and 0.05, and from 3 to 5 values. Weaker evidence detects more slowdowns, including on
/// held-out histories, and adds few false alarms.
const LEVEL: (f64, usize, f64) = (0.05, 4, 0.095_310_179_804_324_9);

/// With a probability of 0.9, neither of two consecutive runs is below its expected value by more than this many
/// standard deviations.
const BOTH: f64 = 1.632;

/// With a probability of 0.9, a single run is not below its expected value by more than this many standard deviations.
const ALONE: f64 = 1.282;

/// The normal range of the next value. All fields except the number of values are costs, or other values on the same
/// scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// The number of earlier values that are used.
    pub values: usize,
    /// The median of the earlier values.
    pub median: f64,
    /// The newest of the earlier values.
    pub last: f64,
    /// The standard deviation of the earlier values: the largest of three robust estimates.
    pub scale: f64,
    /// The upper end of the normal range: the 95th percentile, or the last value if that is worse. The last value
    /// extends the range by at most 20%.
    pub normal: f64,
    /// Values above this are suspected regressions.
    pub limit: f64,
    /// The highest of the earlier values.
    pub highest: f64,
    /// The larger of [`Self::limit`] and [`Self::highest`].
    pub worst: f64,
    /// Values below this are better than run-to-run variation explains.
    pub better: f64,
    /// The newest level change, if there is one.
    pub level: Option<LevelStep>,
}

/// A level change in a history, as costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelStep {
    /// The median at the current level.
    pub now: f64,
    /// The median at the previous level.
    pub before: f64,
    /// The number of values at the current level.
    pub values: usize,
}

impl Band {
    /// Computes the normal range of the last `last` of these costs, which are oldest first. Returns `None` if there are
    /// fewer than `fewest`.
    pub fn of(costs: &[f64], last: usize, fewest: usize) -> Option<Self> {
        Self::with_step(costs, last, fewest, |scale| {
            SMALLEST.max(SCALES * scale).min(LARGEST)
        })
    }

    /// Like [`Self::of`], but `step` computes the step from the normal range to the limit, given the standard
    /// deviation.
    pub(crate) fn with_step(
        costs: &[f64],
        last: usize,
        fewest: usize,
        step: impl Fn(f64) -> f64,
    ) -> Option<Self> {
        let used = &costs[costs.len().saturating_sub(last)..];
        if used.len() < fewest.max(1) {
            return None;
        }
        let (used, level) = at_present_level(used);
        let ordered = sorted(&used);
        let scale = scale(&used)?;
        let newest = *used.last()?;
        let (low, high) = (quantile(&ordered, 0.05)?, quantile(&ordered, 0.95)?);
        let normal = newest.clamp(high, high + LARGEST);
        let best = newest.clamp(low - LARGEST, low);
        let limit = normal + step(scale);
        Some(Self {
            values: used.len(),
            median: median(&ordered)?,
            last: newest,
            scale,
            normal,
            limit,
            highest: *ordered.last()?,
            worst: limit.max(*ordered.last()?),
            better: best - step(scale),
            level,
        })
    }

    /// True if a cost is beyond the limit.
    pub fn suspects(&self, cost: f64) -> bool {
        cost > self.limit
    }

    /// True if a cost is beyond the limit, and higher than the last value by at least the step from the normal range to
    /// the limit.
    pub fn rises(&self, cost: f64) -> bool {
        self.suspects(cost) && cost > self.last + (self.limit - self.normal)
    }

    /// True if a cost is beyond the limit, and higher than every earlier value by more than this distance.
    pub fn is_above_all(&self, cost: f64, by: f64) -> bool {
        self.suspects(cost) && cost > self.highest + by
    }

    /// Returns the growth above the median, as a distance, that is detected with a probability of 0.9. This assumes
    /// that both a run and its confirmation run must exceed the limit. Growth that just reaches the limit exceeds it in
    /// half of the runs.
    pub fn detectable(&self) -> f64 {
        self.limit - self.median + BOTH * self.scale
    }

    /// Like [`Self::detectable`], but for a single run that must exceed every earlier value by more than this distance.
    pub fn detectable_above_all(&self, by: f64) -> f64 {
        let required = (self.highest.max(self.last) + by).max(self.limit);
        required - self.median + ALONE * self.scale
    }

    /// Returns the distance from the median to the limit.
    pub fn reach(&self) -> f64 {
        self.limit - self.median
    }

    /// True if even growth by 50% is within the limit, so that the history cannot gate anything.
    pub fn is_too_wide(&self) -> bool {
        self.reach() > 1.5f64.ln()
    }
}

/// Moves the costs before a level change to the current level. Returns all costs, and the newest level change.
fn at_present_level(costs: &[f64]) -> (Vec<f64>, Option<LevelStep>) {
    let (p, shortest, smallest) = LEVEL;
    let mut moved = costs.to_vec();
    let mut newest = None;
    for change in breaks(costs, p, shortest) {
        let step = change.after - change.before;
        if step.abs() > smallest {
            moved[..change.at].iter_mut().for_each(|cost| *cost += step);
            let values = costs.len() - change.at;
            newest = Some(LevelStep {
                now: change.after,
                before: change.before,
                values,
            });
        }
    }
    (moved, newest)
}

/// The normal range, in the metric's unit. For a metric that is judged relative to another scenario, the range is in
/// ratios.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BandReport {
    /// The number of earlier values that the range is computed from.
    pub values: usize,
    /// The median of the earlier values.
    pub median: f64,
    /// The worse end of the normal range.
    pub normal: f64,
    /// Worse values than this are suspected regressions.
    pub limit: f64,
}

/// The current level of a history that changed its level, in the metric's unit. The current value is judged against it.
/// For a metric that is judged relative to another scenario, the levels are ratios.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Level {
    /// The median at the current level.
    pub now: f64,
    /// The median at the previous level.
    pub before: f64,
    /// The number of earlier values at the current level.
    pub values: usize,
    /// The commit of the first value at the current level; absent if its row contains no commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Box<str>>,
}

impl Band {
    /// Returns the better and the worse end of the normal range, in the metric's unit. The step from the better end to
    /// [`Self::better`] is as large as the step from the worse end to the limit.
    pub fn normal_range(&self, direction: Direction) -> (f64, f64) {
        let best = self.better + (self.limit - self.normal);
        (value(direction, best), value(direction, self.normal))
    }

    /// Returns the form for reports, in the metric's unit.
    pub fn report(&self, direction: Direction) -> BandReport {
        let number = |cost| rounded(value(direction, cost));
        BandReport {
            values: self.values,
            median: number(self.median),
            normal: number(self.normal),
            limit: number(self.limit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_limit_of_a_quiet_history_is_five_percent() {
        let band = Band::of(&[1.0; 12], 30, 10).unwrap();
        assert!(!band.suspects(1.0 + 1.0499f64.ln()));
        assert!(band.suspects(1.0 + 1.0501f64.ln()));
        assert!(band.better < 1.0);
    }

    #[test]
    fn earlier_values_are_never_suspect() {
        let costs: Vec<f64> = (0..30).map(|run| f64::from(run % 5) * 0.1).collect();
        let band = Band::of(&costs, 30, 10).unwrap();
        assert!(costs.iter().all(|cost| !band.suspects(*cost)));
        assert!(band.detectable() > 0.3);
    }

    #[test]
    fn a_merged_level_is_normal_after_several_baselines() {
        let suspects = |merged: usize, by: f64| {
            let mut costs = vec![0.0; 27];
            costs.extend(vec![by; merged]);
            Band::of(&costs, 30, 10).unwrap().suspects(by)
        };
        assert_eq!(
            [0, 1, 2, 3].map(|merged| suspects(merged, 2f64.ln())),
            [true, true, true, false]
        );
        // A value hardly slower than the previous one did not rise.
        let mut costs = vec![0.0; 27];
        costs.push(2f64.ln());
        let band = Band::of(&costs, 30, 10).unwrap();
        assert!(
            band.suspects(2.05f64.ln()) && !band.rises(2.05f64.ln()) && band.rises(2.2f64.ln())
        );
        // A small step is normal at once.
        assert_eq!(
            [0, 1].map(|merged| suspects(merged, 1.2f64.ln())),
            [true, false]
        );
    }

    #[test]
    fn the_step_is_capped() {
        let costs: Vec<f64> = (0..30).map(|run| f64::from(run % 2)).collect();
        let band = Band::of(&costs, 30, 10).unwrap();
        assert!(
            (band.limit - band.normal - LARGEST).abs() < 1e-12,
            "{band:?}"
        );
    }

    #[test]
    fn only_the_last_values_count() {
        let mut costs = vec![5.0; 40];
        costs.extend([0.0; 30]);
        assert!((Band::of(&costs, 30, 10).unwrap().median).abs() < 1e-12);
        assert_eq!(Band::of(&[0.0; 9], 30, 10), None);
        assert_eq!(Band::of(&[], 30, 0), None);
    }

    #[test]
    fn a_change_of_level_leaves_the_noise() {
        let noise = |run: u32| f64::from((run * 7) % 5) * 0.004;
        let level = |step: f64| -> Vec<f64> {
            (0..30)
                .map(|run| noise(run) + if run < 22 { 0.0 } else { step })
                .collect()
        };
        let flat = Band::of(&level(0.0), 30, 10).unwrap();
        for step in [-0.7, -0.2, 0.2, 0.7] {
            let band = Band::of(&level(step), 30, 10).unwrap();
            assert!((band.median - flat.median - step).abs() < 0.01, "{band:?}");
            assert!(
                (band.reach() - flat.reach()).abs() < 0.01 && band.scale < 2.0 * flat.scale,
                "{band:?}"
            );
        }
        // Three runs do not make a level.
        let mut short = level(0.0);
        short[27..].iter_mut().for_each(|cost| *cost -= 0.7);
        assert!((Band::of(&short, 30, 10).unwrap().median - flat.median).abs() < 0.01);
    }

    proptest! {
        #[test]
        fn scaling_does_not_matter(costs in prop::collection::vec(-3f64..3.0, 10..40), by in -5f64..5.0, next in -4f64..4.0) {
            let moved: Vec<f64> = costs.iter().map(|cost| cost + by).collect();
            let (band, other) = (Band::of(&costs, 30, 10).unwrap(), Band::of(&moved, 30, 10).unwrap());
            prop_assume!((next - band.limit).abs() > 1e-9);
            prop_assert_eq!(band.suspects(next), other.suspects(next + by));
        }
    }
}
