//! Energy statistics: the place in a series where the values before and after it differ most.
//!
//! The *energy distance* of two samples is twice the mean distance of a value of the one to a value of the other,
//! less the mean distances within each; zero for samples of one distribution, whatever it is. The split of the
//! E-divisive method (Matteson and James 2014, with the exponent α = 1) is where that distance is largest, weighted by
//! the sizes of the two sides.

use super::real;

/// The number of values before the best split of `series`, both sides having at least `shortest` values;
/// `None` when there is no such split, or none where the sides differ.
pub(super) fn split(series: &[f64], shortest: usize) -> Option<usize> {
    let sums = Sums::of(series);
    let splits = sums.into_iter().filter(|sums| sums.left >= shortest && sums.right >= shortest);
    let best = splits.map(|sums| (sums.left, sums.weighted_energy())).fold(None, first_larger);
    best.map(|(at, _)| at)
}

/// Of two splits the one with more energy; the earlier one if they are alike, and none that has no energy.
fn first_larger(best: Option<(usize, f64)>, next: (usize, f64)) -> Option<(usize, f64)> {
    if next.1 > best.map_or(0.0, |(_, energy)| energy) { Some(next) } else { best }
}

/// The sums of the distances of values, by where the two values of a pair are.
#[derive(Clone, Copy)]
struct Sums {
    left: usize,
    right: usize,
    within_left: f64,
    within_right: f64,
    across: f64,
}

impl Sums {
    /// Every split of the series from left to right, each from the one before by moving one value across.
    fn of(series: &[f64]) -> Vec<Self> {
        let mut sums =
            Self { left: 0, right: series.len(), within_left: 0.0, within_right: 0.0, across: 0.0 };
        for (index, value) in series.iter().enumerate() {
            sums.within_right += distance(&series[index + 1..], *value);
        }
        let moves = series.iter().enumerate().map(|(index, value)| {
            let to_left = distance(&series[..index], *value);
            let to_right = distance(&series[index + 1..], *value);
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
        let energy =
            self.across / (n * m) - self.within_left / (n * (n - 1.0)) - self.within_right / (m * (m - 1.0));
        2.0 * energy * (n * m / (n + m))
    }
}

fn distance(values: &[f64], from: f64) -> f64 {
    values.iter().map(|value| (value - from).abs()).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same by its definition, pair by pair.
    fn by_definition(series: &[f64], at: usize) -> f64 {
        let mean = |a: &[f64], b: &[f64], pairs: usize| {
            a.iter().map(|x| b.iter().map(|y| (x - y).abs()).sum::<f64>()).sum::<f64>() / real(pairs)
        };
        let (a, b) = series.split_at(at);
        let (n, m) = (a.len(), b.len());
        let energy = 2.0 * mean(a, b, n * m) - mean(a, a, n * (n - 1)) - mean(b, b, m * (m - 1));
        energy * real(n * m) / real(n + m)
    }

    proptest! {
        #[test]
        fn sums_are_what_the_definition_says(series in prop::collection::vec(-1.0..1.0_f64, 4..30)) {
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
    fn what_does_not_differ_is_not_split() {
        assert_eq!(split(&[1.0; 8], 2), None);
        assert_eq!(split(&[], 2), None);
    }
}
