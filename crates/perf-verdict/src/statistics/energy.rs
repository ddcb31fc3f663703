//! Energy statistics: where the values before and after a split of a series differ most.
//!
//! The *energy distance* (Székely and Rizzo 2004, 2013, doi:10.1016/j.jspi.2013.03.018) of two samples is twice the mean
//! distance between them, less the mean distances within each; zero for equal distributions. The E-divisive method
//! (Matteson and James 2014, with α = 1) splits where that distance, weighted by the sizes of both sides, is largest.

use super::real;

/// The index of the best split of `series` with at least `shortest` values on both sides; `None` where no such split
/// has a positive energy.
pub(super) fn split(series: &[f64], shortest: usize) -> Option<usize> {
    let sums = Sums::of(series);
    let splits = sums
        .into_iter()
        .filter(|sums| sums.left >= shortest && sums.right >= shortest);
    let best = splits
        .map(|sums| (sums.left, sums.weighted_energy()))
        .fold(None, first_larger);
    best.map(|(at, _)| at)
}

/// The split with more energy, the earlier one of equal ones; `None` without energy.
fn first_larger(best: Option<(usize, f64)>, next: (usize, f64)) -> Option<(usize, f64)> {
    if next.1 > best.map_or(0.0, |(_, energy)| energy) {
        Some(next)
    } else {
        best
    }
}

/// The sums of pairwise distances within and across the sides of a split.
#[derive(Clone, Copy)]
struct Sums {
    left: usize,
    right: usize,
    within_left: f64,
    within_right: f64,
    across: f64,
}

impl Sums {
    /// All splits from left to right, each updated from the previous one.
    fn of(series: &[f64]) -> Vec<Self> {
        // Close values less one of them are exact, and equal ones zero.
        let first = series.first().copied().unwrap_or_default();
        let series: Vec<f64> = series.iter().map(|value| value - first).collect();
        let distances = Distances::of(&series);
        let within = distances
            .iter()
            .map(|(left, right)| left + right)
            .sum::<f64>()
            / 2.0;
        let mut sums = Self {
            left: 0,
            right: series.len(),
            within_left: 0.0,
            within_right: within,
            across: 0.0,
        };
        let moves = distances.into_iter().map(|(to_left, to_right)| {
            sums.left += 1;
            sums.right -= 1;
            sums.within_left += to_left;
            sums.within_right -= to_right;
            sums.across += to_right - to_left;
            sums
        });
        moves.collect()
    }

    fn weighted_energy(&self) -> f64 {
        let (n, m) = (real(self.left), real(self.right));
        let energy = self.across / (n * m)
            - self.within_left / (n * (n - 1.0))
            - self.within_right / (m * (m - 1.0));
        2.0 * energy * (n * m / (n + m))
    }
}

/// The values added so far, by rank: their number and their sum up to each rank, in logarithmic time.
///
/// A binary indexed tree (Fenwick 1994, doi:10.1002/spe.4380240306).
struct Distances {
    tree: Vec<(f64, f64)>,
}

impl Distances {
    /// The sums of the distances of each value from those before it and from those behind it.
    fn of(series: &[f64]) -> Vec<(f64, f64)> {
        let mut sorted = series.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let below: Vec<f64> = std::iter::once(0.0)
            .chain(sorted.iter().scan(0.0, |sum, value| {
                *sum += value;
                Some(*sum)
            }))
            .collect();
        let (count, sum) = (real(sorted.len()), below[sorted.len()]);
        let mut before = Self {
            tree: vec![(0.0, 0.0); sorted.len() + 1],
        };
        let mut before_all = (0.0, 0.0);
        let from = |value: f64, lower: (f64, f64), all: (f64, f64)| {
            // Those up to the value, then those above it.
            (value * lower.0 - lower.1) + ((all.1 - lower.1) - value * (all.0 - lower.0))
        };
        let distances = series.iter().map(|value| {
            let rank = sorted.partition_point(|other| other.total_cmp(value).is_le());
            let to_left = from(*value, before.up_to(rank), before_all);
            let to_all = from(*value, (real(rank), below[rank]), (count, sum));
            before.add(rank, *value);
            before_all = (before_all.0 + 1.0, before_all.1 + value);
            (to_left, to_all - to_left)
        });
        distances.collect()
    }

    fn add(&mut self, rank: usize, value: f64) {
        let mut at = rank;
        while let Some((count, sum)) = self.tree.get_mut(at) {
            *count += 1.0;
            *sum += value;
            at += at & at.wrapping_neg();
        }
    }

    fn up_to(&self, rank: usize) -> (f64, f64) {
        let (mut at, mut all) = (rank, (0.0, 0.0));
        while at > 0 {
            all = (all.0 + self.tree[at].0, all.1 + self.tree[at].1);
            at &= at - 1;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, pair by pair.
    fn by_definition(series: &[f64], at: usize) -> f64 {
        let mean = |a: &[f64], b: &[f64], pairs: usize| {
            a.iter()
                .map(|x| b.iter().map(|y| (x - y).abs()).sum::<f64>())
                .sum::<f64>()
                / real(pairs)
        };
        let (a, b) = series.split_at(at);
        let (n, m) = (a.len(), b.len());
        let energy = 2.0 * mean(a, b, n * m) - mean(a, a, n * (n - 1)) - mean(b, b, m * (m - 1));
        energy * real(n * m) / real(n + m)
    }

    proptest! {
        #[test]
        fn sums_match_the_definition(series in prop::collection::vec(-1.0..1.0_f64, 4..30)) {
            for sums in Sums::of(&series) {
                if sums.left >= 2 && sums.right >= 2 {
                    let expected = by_definition(&series, sums.left);
                    prop_assert!((sums.weighted_energy() - expected).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn the_split_is_where_the_level_changes() {
        assert_eq!(split(&[1.0, 1.1, 0.9, 2.0, 2.1, 1.9, 2.0], 2), Some(3));
        assert_eq!(split(&[1.0, 1.1, 0.9, 2.0, 2.1, 1.9, 2.0], 4), None);
    }

    #[test]
    fn equal_values_have_no_split() {
        assert_eq!(split(&[1.0; 8], 2), None);
        assert_eq!(split(&[], 2), None);
    }
}
