//! Change points in the level of a series.
//!
//! The method is hierarchical E-divisive means (Matteson and James 2014, doi:10.1080/01621459.2013.849605): split the
//! series where the energy distance between the values before and after is largest, then split both parts in the same
//! way. The original significance test uses random permutations. Here, as in Hunter (Fleming et al. 2023,
//! doi:10.1145/3578244.3583719; now Apache Otava), the test compares neighbouring levels. Splits are first accepted on
//! weak evidence, because a temporary level looks weak until both of its ends are found. Then the weakest split is
//! undone and its neighbours are tested again, until all remaining splits are significant.
//!
//! Hunter uses Welch's t-test. Used alone, that test is too liberal, because the best of many splits is tested. With
//! p-values up to 0.001, it finds a change in several of a hundred flat series of 60 values, and in more series if the
//! noise is skewed or rounded. On the other hand, a single outlier hides a real step from it. So two corrections apply:
//!
//! - The p-value is twice the smaller of two p-values (Bonferroni). One is from the exact Mann–Whitney rank test, which
//!   is robust, but weak for short levels. The other one is the larger of Welch's and Student's p-values, which helps
//!   with short levels. Each t-test alone is too liberal if the variance of a short level happens to be small or large.
//! - The p-value is multiplied by the number of possible splits between the neighbouring change points.

use std::ops::Range;

use super::{means, order, ranks, real, usable};

/// Splits are tried up to this p-value, which is not corrected for the choice of the split.
const CANDIDATE: f64 = 0.05;

/// Levels with fewer values are treated as outliers.
const SHORTEST: usize = 3;

/// Only this many of the latest values are searched.
const LONGEST: usize = 2_000;

/// A change point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Break {
    /// The index of the first value at the new level.
    pub at: usize,
    /// The median of the previous level.
    pub before: f64,
    /// The median of the new level.
    pub after: f64,
    /// The corrected p-value.
    pub p: f64,
}

/// Returns the change points of a series in time order. Their corrected p-values are at most `p`, and each level has at
/// least `shortest` values (at least three in any case). Only the latest 2,000 values are searched. Returns nothing if
/// a value is not finite, or if `p` is NaN.
pub fn breaks(values: &[f64], p: f64, shortest: usize) -> Vec<Break> {
    let skipped = values.len().saturating_sub(LONGEST);
    let values = &values[skipped..];
    let largest = values
        .iter()
        .fold(0.0_f64, |largest, value| largest.max(value.abs()));
    if !usable(values) || largest <= 0.0 || p.is_nan() {
        return Vec::new();
    }
    // Scale the values to between −1 and 1, so that no sum or square overflows.
    let scaled: Vec<f64> = values.iter().map(|value| value / largest).collect();
    let mut search = Search {
        series: &scaled,
        shortest: shortest.max(SHORTEST),
        places: vec![0],
    };
    search.split(0..values.len(), p.max(CANDIDATE));
    search.places.push(values.len());
    let p_values = search.keep(p);
    let mut found = Vec::with_capacity(p_values.len());
    for (split, p) in p_values.into_iter().enumerate() {
        let (before, after) = search.levels(split);
        let middle = |level: Range<usize>| order::middle(&values[level]).unwrap_or_default();
        found.push(Break {
            at: after.start + skipped,
            before: middle(before),
            after: middle(after),
            p,
        });
    }
    found
}

struct Search<'a> {
    series: &'a [f64],
    shortest: usize,
    /// The start of each level in ascending order, followed by the end of the series.
    places: Vec<usize>,
}

impl Search<'_> {
    /// Splits a part of the series recursively, accepting weak evidence.
    fn split(&mut self, part: Range<usize>, candidate: f64) {
        // Handle the leftmost part first, so that `places` is ascending.
        let mut waiting = vec![part];
        while let Some(part) = waiting.pop() {
            let split = best_split(&self.series[part.clone()], self.shortest);
            let at = split.map(|at| part.start + at);
            match at {
                Some(at)
                    if differ(&self.series[part.start..at], &self.series[at..part.end])
                        <= candidate =>
                {
                    waiting.extend([at..part.end, part.start..at]);
                }
                _ if part.start > 0 => self.places.push(part.start),
                _ => {}
            }
        }
    }

    /// Undoes the weakest split until all p-values are at most `p`. Returns the p-value of each remaining split.
    fn keep(&mut self, p: f64) -> Vec<f64> {
        loop {
            let splits = 0..self.places.len() - 2;
            let p_values: Vec<f64> = splits.map(|split| self.p_value(split)).collect();
            let all = p_values.iter().copied().enumerate();
            match all.max_by(|a, b| a.1.total_cmp(&b.1)) {
                Some((weakest, worst)) if worst > p => self.places.remove(weakest + 1),
                _ => return p_values,
            };
        }
    }

    /// Returns the levels before and after a split.
    fn levels(&self, split: usize) -> (Range<usize>, Range<usize>) {
        let at = self.places[split + 1];
        (self.places[split]..at, at..self.places[split + 2])
    }

    /// Returns the split's p-value, corrected for the number of possible splits.
    fn p_value(&self, split: usize) -> f64 {
        let (before, after) = self.levels(split);
        let places = before.len() + after.len() - 2 * self.shortest + 1;
        (differ(&self.series[before], &self.series[after]) * real(places)).min(1.0)
    }
}

/// Returns the index at which to split `series`, with at least `shortest` values on both sides. Returns `None` if no
/// such split has a positive energy distance.
///
/// The energy distance (Székely and Rizzo 2013, doi:10.1016/j.jspi.2013.03.018) is twice the mean distance between the
/// values of two samples, minus the mean distances within each sample. Here, it is weighted by the sizes of both
/// samples.
fn best_split(series: &[f64], shortest: usize) -> Option<usize> {
    let distances = |value: f64, others: &[f64]| -> f64 {
        others.iter().map(|other| (value - other).abs()).sum()
    };
    let mut within_left = 0.0;
    let mut within_right: f64 = 0.0;
    for (at, value) in series.iter().enumerate() {
        within_right += distances(*value, &series[at + 1..]);
    }
    let mut across = 0.0;
    let mut best = None;
    let mut most = 0.0;
    for (at, value) in series.iter().enumerate() {
        // Move the value from the right side to the left one.
        let to_left = distances(*value, &series[..at]);
        let to_right = distances(*value, &series[at + 1..]);
        within_left += to_left;
        within_right -= to_right;
        across += to_right - to_left;
        let (left, right) = (at + 1, series.len() - at - 1);
        if left < shortest || right < shortest {
            continue;
        }
        let (n, m) = (real(left), real(right));
        let distance =
            across / (n * m) - within_left / (n * (n - 1.0)) - within_right / (m * (m - 1.0));
        let energy = 2.0 * distance * (n * m / (n + m));
        if energy > most {
            (best, most) = (Some(left), energy);
        }
    }
    best
}

/// Returns the p-value for the difference between two levels, not corrected for the choice of the split.
fn differ(before: &[f64], after: &[f64]) -> f64 {
    let ranks = ranks::mann_whitney_two_sided(before, after).unwrap_or(1.0);
    let [welch, student] = means::t_tests(before, after).unwrap_or([1.0; 2]);
    (2.0 * ranks.min(welch.max(student))).min(1.0)
}

/// Changes in the level are reported up to this p-value.
const LEVEL_P: f64 = 0.001;
/// The minimum number of values in a level.
pub const SHORTEST_LEVEL: usize = 4;
/// Smaller changes are not reported: 2% of the cost.
const SMALLEST_CHANGE: f64 = 0.019_802_627_296_179_7; // ln 1.02

/// Returns the level changes in a series of costs, oldest first.
pub fn changes(costs: &[f64]) -> Vec<Break> {
    let mut found = breaks(costs, LEVEL_P, SHORTEST_LEVEL);
    found.retain(|change| (change.after - change.before).abs() > SMALLEST_CHANGE);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_level_is_found() {
        let noise = |run: u32| f64::from((run * 7) % 5) * 0.002;
        let costs: Vec<f64> = (0..30)
            .map(|run| noise(run) + if run < 18 { 0.0 } else { 0.1 })
            .collect();
        let change = changes(&costs).pop().unwrap();
        assert!(
            (17..=19).contains(&change.at) && change.after > change.before,
            "{change:?}"
        );
        assert_eq!(changes(&(0..30).map(noise).collect::<Vec<_>>()), []);
    }

    #[test]
    fn best_split_is_at_the_change_of_level() {
        let series = [1.0, 1.1, 0.9, 2.0, 2.1, 1.9, 2.0];
        assert_eq!(best_split(&series, 2), Some(3));
        assert_eq!(best_split(&series, 4), None);
    }

    #[test]
    fn equal_values_have_no_split() {
        assert_eq!(best_split(&[1.0; 8], 2), None);
        assert_eq!(best_split(&[], 2), None);
    }
}
