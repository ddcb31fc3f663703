//! Environment shifts: nearly all benchmarks move in the same direction at once, which a code change rarely causes.

use crate::statistics::order::{median, median_without, quantile};
use crate::statistics::{real, whole};
use serde::{Deserialize, Serialize};

use super::band::Band;

/// The smallest standard deviation that a distance is divided by: 1% of the cost.
const FINEST: f64 = 0.01;
/// A shift requires that the median of the rows' distances is more than this many standard deviations.
const FAR: f64 = 1.5;
/// A shift requires that more than this share of rows move in the same direction.
const SHARE: f64 = 0.8;
/// The minimum number of rows for a shift.
const ROWS: usize = 10;
/// A larger slowdown of all rows is caused by the code, not by the machine: 60%. The largest slowdown of unchanged code
/// on real machines was 44%.
const LARGEST: f64 = 0.470_003_629_245_735_5; // ln 1.6
/// The percentiles that bound [`Shift::range`].
const TYPICAL: [f64; 2] = [0.1, 0.9];

/// A shift: nearly all rows moved in the same direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "ShiftReport")
)]
pub struct Shift {
    /// The median of the rows' distances from their histories, each in standard deviations of the row. A positive value
    /// is worse.
    pub distance: f64,
    /// The share of rows that moved in this direction.
    pub share: f64,
    /// The number of rows with a history.
    pub rows: usize,
    /// The median change of the cost, as a share.
    pub median: f64,
    /// The range of the changes in cost, as shares: the 10th and the 90th percentile of the rows that moved in this
    /// direction.
    pub range: [f64; 2],
}

impl Shift {
    /// True if the machine can be the cause. A slowdown beyond 60% is caused by the code.
    pub fn is_by_machine(&self) -> bool {
        self.median <= LARGEST.exp_m1()
    }

    /// Returns the number of rows that moved in this direction.
    pub fn moved(&self) -> usize {
        whole((self.share * real(self.rows)).round())
    }
}

/// A row's distance from its history.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Distance {
    /// The distance in standard deviations of the row.
    pub scales: f64,
    /// The distance as a difference between costs.
    pub cost: f64,
}

/// Returns the distance of a cost from the median of its history or from the last value, whichever is nearer. Between
/// the two, the distance is zero. If the machine changed some commits ago, the last value also changed. Such a change
/// must not make all later verdicts inconclusive until half of the history is newer than the change.
pub fn distance(cost: f64, band: &Band) -> Distance {
    let (low, high) = (band.median.min(band.last), band.median.max(band.last));
    let cost = cost - cost.clamp(low, high);
    Distance {
        scales: cost / band.scale.max(FINEST),
        cost,
    }
}

/// The distances of all rows in a scope from their histories.
#[derive(Clone, Debug, Default)]
pub struct Distances {
    /// The distances in standard deviations of each row, in ascending order.
    pub scales: Vec<f64>,
    /// The distances as differences between costs, in ascending order.
    pub costs: Vec<f64>,
}

impl Distances {
    /// Collects and sorts the distances. Distances that are not finite are ignored.
    pub fn new(distances: impl IntoIterator<Item = Distance>) -> Self {
        let mut all = Self::default();
        for distance in distances {
            if distance.scales.is_finite() {
                all.scales.push(distance.scales);
                all.costs.push(distance.cost);
            }
        }
        all.scales.sort_unstable_by(f64::total_cmp);
        all.costs.sort_unstable_by(f64::total_cmp);
        all
    }

    /// True if there are enough rows to detect a shift.
    pub fn has_enough_rows(&self) -> bool {
        self.scales.len() >= ROWS
    }

    /// Returns the shift of all rows, if there is one.
    pub fn shift(&self) -> Option<Shift> {
        let (middle, cost) = (median(&self.scales)?, median(&self.costs)?);
        self.of(middle, cost, sides(&self.scales), self.scales.len())
    }

    /// Returns the shift of all rows except the one with this distance: a row's own improvement must not end the shift
    /// under which the row is judged. The range still includes all rows.
    pub fn shift_without(&self, own: Distance) -> Option<Shift> {
        let (worse, better) = sides(&self.scales);
        let worse = worse.saturating_sub(usize::from(own.scales > 0.0));
        let better = better.saturating_sub(usize::from(own.scales < 0.0));
        let [middle, cost] = [
            median_without(&self.scales, own.scales)?,
            median_without(&self.costs, own.cost)?,
        ];
        self.of(middle, cost, (worse, better), self.scales.len() - 1)
    }

    fn of(
        &self,
        middle: f64,
        cost: f64,
        (worse, better): (usize, usize),
        rows: usize,
    ) -> Option<Shift> {
        let same = if middle > 0.0 { worse } else { better };
        let share = real(same) / real(rows);
        if rows < ROWS || middle.abs() <= FAR || share <= SHARE {
            return None;
        }
        let first_worse = self.costs.partition_point(|cost| *cost <= 0.0);
        let first_zero = self.costs.partition_point(|cost| *cost < 0.0);
        let moved = if middle > 0.0 {
            &self.costs[first_worse..]
        } else {
            &self.costs[..first_zero]
        };
        let range = TYPICAL.map(|part| quantile(moved, part).unwrap_or(cost).exp_m1());
        Some(Shift {
            distance: middle,
            share,
            rows,
            median: cost.exp_m1(),
            range,
        })
    }
}

/// Returns how many of the ordered distances are worse than zero, and how many are better.
fn sides(ordered: &[f64]) -> (usize, usize) {
    let better = ordered.partition_point(|distance| *distance < 0.0);
    let worse = ordered.len() - ordered.partition_point(|distance| *distance <= 0.0);
    (worse, better)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of_row(scales: f64) -> Distance {
        Distance {
            scales,
            cost: scales / 10.0,
        }
    }

    fn of_rows(distances: impl IntoIterator<Item = f64>) -> Distances {
        Distances::new(distances.into_iter().map(of_row))
    }

    #[test]
    fn a_common_slowdown_beyond_60_percent_is_the_code() {
        let is_by_machine = |scales| of_rows([scales; 20]).shift().unwrap().is_by_machine();
        assert!(is_by_machine(4.69) && !is_by_machine(4.71) && is_by_machine(-90.0));
        assert!(
            !of_rows([4.71; 20])
                .shift_without(of_row(4.71))
                .unwrap()
                .is_by_machine()
        );
    }

    #[test]
    fn the_range_is_that_of_the_rows_that_moved() {
        let shift = of_rows((0..20).map(|row| {
            if row == 0 {
                -9.0
            } else {
                2.5 + f64::from(row) / 10.0
            }
        }))
        .shift();
        assert_eq!(
            shift.unwrap().range.map(|share| format!("{share:.3}")),
            ["0.320", "0.525"]
        );
    }

    #[test]
    fn nearly_all_rows_make_a_shift() {
        let distances = of_rows([3.0; 20]);
        let share = 0.3f64.exp_m1();
        let expected = Shift {
            distance: 3.0,
            share: 1.0,
            rows: 20,
            median: share,
            range: [share; 2],
        };
        assert_eq!(distances.shift(), Some(expected));
        assert_eq!(of_rows([3.0; 9]).shift(), None);
        let one = of_rows((0..20).map(|row| {
            if row == 0 {
                50.0
            } else {
                f64::from(row % 3) - 1.0
            }
        }));
        assert_eq!(one.shift(), None);
    }

    #[test]
    fn the_share_is_exclusive() {
        let rows = |worse: u32| of_rows((0..20).map(|row| if row < worse { 4.0 } else { -4.0 }));
        assert_eq!(rows(16).shift(), None);
        assert!(rows(17).shift().is_some());
        assert!(
            of_rows([-3.0; 10])
                .shift()
                .is_some_and(|shift| shift.distance < 0.0)
        );
    }

    #[test]
    fn costs_between_median_and_last_value_are_normal() {
        let mut costs = vec![0.0; 20];
        costs.push(0.3);
        let band = Band::of(&costs, 30, 10).unwrap();
        let of = |cost| distance(cost, &band).scales;
        assert!([0.3, 0.1, 0.0].iter().all(|cost| of(*cost).abs() < 1e-12));
        assert!((of(0.4) - 10.0).abs() < 1e-9 && (of(-0.1) + 10.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn a_row_left_out_does_not_count(
            distances in prop::collection::vec(-4i8..8, 1..40),
            which in any::<prop::sample::Index>(),
        ) {
            let mut distances: Vec<f64> = distances.into_iter().map(f64::from).collect();
            let all = of_rows(distances.clone());
            let own = distances.swap_remove(which.index(distances.len()));
            let (found, expected) = (all.shift_without(of_row(own)), of_rows(distances).shift());
            // The range covers all rows.
            prop_assert_eq!(found.map(|shift| Shift { range: [0.0; 2], ..shift }), expected.map(|shift| Shift { range: [0.0; 2], ..shift }));
        }
    }
}
