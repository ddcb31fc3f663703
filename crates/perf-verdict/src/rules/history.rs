//! What is normal, as earlier baselines tell: a band around their median, and the limit beyond it.
//!
//! The band is of costs (see [`crate::oriented`]). The limit lies above what was normal, the last value included, by
//! more than the machine's noise from run to run; noise within one run says nothing of that.

use perf_stats::order::{median, quantile, scale, sorted};

/// The smallest step beyond the normal that is suspect, however quiet the history: 5 % of the cost.
const SMALLEST: f64 = 0.048_790_164_169_432; // ln 1.05

/// How many scales of the noise a step must be beyond the normal. On three real histories the next run
/// confirms no more false alarms with 1.25 than with 1.5, and 4 points more of what costs half as much again is found;
/// with 1 the false alarms grow.
const SCALES: f64 = 1.25;

/// Scales of the noise that two runs in a row both stay within with a probability of nine tenths.
const BOTH: f64 = 1.632;

/// What a history says of the next value, as costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// How many earlier values it was made of.
    pub values: usize,
    /// The middle one.
    pub median: f64,
    /// The newest one.
    pub last: f64,
    /// How far values stray: the largest of three robust estimates of a standard deviation.
    pub scale: f64,
    /// The worst that is normal: the 95th percentile, or the last value when that is worse.
    pub normal: f64,
    /// Beyond this a value is suspect.
    pub limit: f64,
    /// Below this a value is better than noise can make it.
    pub better: f64,
}

impl Band {
    /// The band of the last `last` of these costs, oldest first; `None` when there are fewer than `fewest`.
    pub fn of(costs: &[f64], last: usize, fewest: usize) -> Option<Self> {
        let used = &costs[costs.len().saturating_sub(last)..];
        if used.len() < fewest.max(1) {
            return None;
        }
        let ordered = sorted(used);
        let scale = scale(used)?;
        let newest = *used.last()?;
        let normal = quantile(&ordered, 0.95)?.max(newest);
        let best = quantile(&ordered, 0.05)?.min(newest);
        let step = SMALLEST.max(SCALES * scale);
        Some(Self {
            values: used.len(),
            median: median(&ordered)?,
            last: newest,
            scale,
            normal,
            limit: normal + step,
            better: best - step,
        })
    }

    /// Whether a cost is beyond the limit.
    pub fn suspects(&self, cost: f64) -> bool {
        cost > self.limit
    }

    /// The growth above the median, as a distance, that is found nine times in ten, by this run and by one that
    /// confirms it. One that just reaches the limit is found half of the time.
    pub fn detectable(&self) -> f64 {
        self.limit - self.median + BOTH * self.scale
    }

    /// How far the limit is above the median, as a distance: what is less is never suspect.
    pub fn reach(&self) -> f64 {
        self.limit - self.median
    }

    /// Whether even half as much again would pass for noise, so that the history gates nothing.
    pub fn is_too_wide(&self) -> bool {
        self.reach() > 1.5f64.ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_quiet_history_suspects_five_percent() {
        let band = Band::of(&[1.0; 12], 30, 10).unwrap();
        assert!(!band.suspects(1.0 + 1.0499f64.ln()));
        assert!(band.suspects(1.0 + 1.0501f64.ln()));
        assert!(band.better < 1.0);
    }

    #[test]
    fn a_noisy_history_suspects_nothing_that_it_has_seen() {
        let costs: Vec<f64> = (0..30).map(|run| f64::from(run % 5) * 0.1).collect();
        let band = Band::of(&costs, 30, 10).unwrap();
        assert!(costs.iter().all(|cost| !band.suspects(*cost)));
        assert!(band.detectable() > 0.3);
    }

    #[test]
    fn a_new_level_that_was_accepted_is_normal() {
        let mut costs = vec![0.0; 20];
        assert!(Band::of(&costs, 30, 10).unwrap().suspects(0.3));
        costs.push(0.3);
        assert!(!Band::of(&costs, 30, 10).unwrap().suspects(0.3));
    }

    #[test]
    fn only_the_last_values_count_and_few_are_too_few() {
        let mut costs = vec![5.0; 40];
        costs.extend([0.0; 30]);
        assert!((Band::of(&costs, 30, 10).unwrap().median).abs() < 1e-12);
        assert_eq!(Band::of(&[0.0; 9], 30, 10), None);
        assert_eq!(Band::of(&[], 30, 0), None);
    }

    proptest! {
        #[test]
        fn scaling_a_metric_never_matters(costs in prop::collection::vec(-3f64..3.0, 10..40), by in -5f64..5.0, next in -4f64..4.0) {
            let moved: Vec<f64> = costs.iter().map(|cost| cost + by).collect();
            let (band, other) = (Band::of(&costs, 30, 10).unwrap(), Band::of(&moved, 30, 10).unwrap());
            prop_assume!((next - band.limit).abs() > 1e-9);
            prop_assert_eq!(band.suspects(next), other.suspects(next + by));
        }
    }
}
