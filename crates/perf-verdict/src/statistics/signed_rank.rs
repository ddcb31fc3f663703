//! The sign test and the signed-rank test (Wilcoxon 1945, doi:10.2307/3001968): whether paired differences are larger
//! than a given number. The confidence interval of the typical difference follows from the same ranks.

use std::borrow::Cow;
use std::cmp::Ordering::{Equal, Greater, Less};
use std::sync::OnceLock;

use statrs::function::beta::checked_beta_reg;
use statrs::function::erf::erf_inv;

use super::{at_most, normal_tail, real, usable, whole};

/// How many differences are above a center, and how far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedRanks {
    /// The number of differences above the center.
    pub above: usize,
    /// The rank sum of the differences above the center. Ranks are by distance from the center; equal distances share
    /// their mean rank.
    pub ranks: f64,
}

/// Counts and ranks the differences above `center`. A difference equal to `center` is not above it.
pub fn signed_ranks(differences: &[f64], center: f64) -> SignedRanks {
    let mut distances: Vec<f64> = differences
        .iter()
        .map(|difference| difference - center)
        .collect();
    distances.sort_unstable_by(|one, other| one.abs().total_cmp(&other.abs()));
    let (mut above, mut ranks, mut first) = (0, 0.0, 0);
    for tied in distances.chunk_by(|one, other| one.abs().total_cmp(&other.abs()).is_eq()) {
        let count = tied.iter().filter(|distance| **distance > 0.0).count();
        ranks += real(count) * real(2 * first + tied.len() + 1) / 2.0;
        above += count;
        first += tied.len();
    }
    SignedRanks { above, ranks }
}

/// Returns P[X ≥ k], where X is the number of successes in `n` trials that each succeed with probability `p`.
///
/// Uses the regularised incomplete beta function (Abramowitz and Stegun 1964, 26.5.24), which is exact to about 9
/// digits up to a variance n·p·(1−p) of 2,500. A `p` outside of 0 to 1 is clamped. A `p` of NaN gives 1.
pub fn binomial_tail(n: usize, k: usize, p: f64) -> f64 {
    let p = p.clamp(0.0, 1.0);
    if k == 0 || p.is_nan() || (k <= n && p >= 1.0) {
        return 1.0;
    }
    if k > n || p <= 0.0 {
        return 0.0;
    }
    // Both parameters are at least one and `p` is between 0 and 1, so this cannot fail.
    checked_beta_reg(real(k), real(n - k + 1), p).map_or(1.0, |tail| tail.clamp(0.0, 1.0))
}

/// Returns the exact critical value: the smallest sum of positive ranks that `n` differences without a shift reach with
/// a probability of at most `p`. If no sum is that improbable, returns the sum of all ranks plus one.
pub fn critical_rank_sum(n: usize, p: f64) -> usize {
    let probabilities = sums(n);
    let mut tail = 0.0;
    let reached = probabilities.iter().rev().take_while(|probability| {
        tail += **probability;
        at_most(tail, p)
    });
    probabilities.len() - reached.count()
}

/// Like [`probabilities_of_sums`], but cached for up to [`EXACT`] differences.
fn sums(n: usize) -> Cow<'static, [f64]> {
    static COUNTED: [OnceLock<Vec<f64>>; EXACT + 1] = [const { OnceLock::new() }; EXACT + 1];
    match COUNTED.get(n) {
        Some(counted) => Cow::Borrowed(counted.get_or_init(|| probabilities_of_sums(n))),
        None => Cow::Owned(probabilities_of_sums(n)),
    }
}

/// Returns the probability of each sum of positive ranks of `n` differences without a shift.
fn probabilities_of_sums(n: usize) -> Vec<f64> {
    let all = n * (n + 1) / 2;
    // Add one rank after another. Each is positive with a probability of one half.
    let mut probabilities = vec![0.0; all + 1];
    probabilities[0] = 1.0;
    for rank in 1..=n {
        for sum in (rank..=all).rev() {
            probabilities[sum] = f64::midpoint(probabilities[sum], probabilities[sum - rank]);
        }
        probabilities[..rank.min(all + 1)]
            .iter_mut()
            .for_each(|probability| *probability *= 0.5);
    }
    probabilities
}

/// Returns the probability that the positive ranks of `n` differences without a shift sum to at least `ranks`. It is
/// exact for up to 60 differences, and otherwise from the normal approximation.
pub fn rank_sum_tail(n: usize, ranks: f64) -> f64 {
    if n > EXACT {
        let (count, middle) = (real(n), real(n * (n + 1)) / 4.0);
        let deviation = (middle * (2.0 * count + 1.0) / 6.0).sqrt();
        return normal_tail((ranks - 0.5 - middle) / deviation);
    }
    let sums = sums(n);
    let beyond = sums
        .iter()
        .enumerate()
        .filter(|(sum, _)| real(*sum) >= ranks);
    beyond.map(|(_, probability)| probability).sum()
}

/// The maximum number of differences for which rank sums are computed exactly. The work grows with the cube of their
/// number. For more differences, the normal approximation is off by at most 0.1% of the rank sum.
const EXACT: usize = 60;

/// Like [`critical_rank_sum`], but uses the normal approximation for more than 60 differences.
pub fn approximate_rank_sum(n: usize, p: f64) -> usize {
    if n <= EXACT {
        return critical_rank_sum(n, p);
    }
    let count = real(n);
    let deviation = (count * (count + 1.0) * (2.0 * count + 1.0) / 24.0).sqrt();
    let quantile = std::f64::consts::SQRT_2 * erf_inv(1.0 - 2.0 * p);
    whole((count * (count + 1.0) / 4.0 + 0.5 + quantile * deviation).ceil())
}

/// The typical difference, with a confidence bound on each side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Typical {
    /// The Hodges–Lehmann estimate: the median of the means of every two differences, including each difference paired
    /// with itself (Hodges and Lehmann 1963, doi:10.1214/aoms/1177704172).
    pub estimate: f64,
    /// The one-sided lower bound; `None` if there are too few differences.
    pub low: Option<f64>,
    /// The one-sided upper bound; `None` if there are too few differences.
    pub high: Option<f64>,
}

/// Estimates the typical difference. Each of its one-sided bounds has this confidence, and follows from the signed
/// ranks (Tukey 1949). Returns `None` if there are no differences, or if one is not finite.
pub fn typical(differences: &[f64], confidence: f64) -> Option<Typical> {
    if !usable(differences) {
        return None;
    }
    let pairs = differences.iter().enumerate();
    let mut means: Vec<f64> = pairs
        .flat_map(|(at, one)| {
            differences[at..]
                .iter()
                .map(move |other| f64::midpoint(*one, *other))
        })
        .collect();
    let all = means.len();
    let outside = (all + 1).checked_sub(approximate_rank_sum(differences.len(), 1.0 - confidence));
    let half = all / 2;
    let (below, middle, above) = means.select_nth_unstable_by(half, f64::total_cmp);
    let mut nth = |rank: usize| match rank.cmp(&half) {
        Less => *below.select_nth_unstable_by(rank, f64::total_cmp).1,
        Equal => *middle,
        Greater => {
            *above
                .select_nth_unstable_by(rank - half - 1, f64::total_cmp)
                .1
        }
    };
    let estimate = f64::midpoint(nth((all - 1) / 2), nth(all / 2));
    // The index of the lower bound among the sorted means. As many means are above the upper bound as are below the
    // lower one.
    let bound = outside
        .and_then(|outside| outside.checked_sub(1))
        .filter(|rank| 2 * rank < all);
    Some(Typical {
        estimate,
        low: bound.map(&mut nth),
        high: bound.map(|rank| nth(all - 1 - rank)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_above_a_number_are_summed_and_ties_shared() {
        assert_eq!(
            signed_ranks(&[1.0, -2.0, 3.0], 0.0),
            SignedRanks {
                above: 2,
                ranks: 4.0
            }
        );
        assert_eq!(
            signed_ranks(&[1.0, -1.0, 2.0, 0.0], 0.0),
            SignedRanks {
                above: 2,
                ranks: 6.5
            }
        );
        assert_eq!(
            signed_ranks(&[1.0, 2.0], 3.0),
            SignedRanks {
                above: 0,
                ranks: 0.0
            }
        );
    }

    #[test]
    fn critical_sums_match_published_tables() {
        // Conover 1999, table A12: one-sided 5, 2.5 and 0.5%, from the complement of the lower quantile.
        for (n, p, expected) in [
            (5, 0.05, 15),
            (10, 0.05, 45),
            (10, 0.025, 47),
            (20, 0.005, 173),
            (4, 0.05, 11),
        ] {
            assert_eq!(critical_rank_sum(n, p), expected, "{n} {p}");
        }
    }

    #[test]
    fn tails_are_those_of_the_critical_sums() {
        for (n, p) in [(16, 0.01), (40, 0.001), (60, 0.0001)] {
            let critical = real(critical_rank_sum(n, p));
            assert!(
                rank_sum_tail(n, critical) <= p * 1.02 && rank_sum_tail(n, critical - 2.0) > p,
                "{n} {p}"
            );
        }
    }

    #[test]
    fn many_differences_have_nearly_exact_critical_sums() {
        for (n, p) in [(61, 0.05), (90, 0.05), (140, 0.05), (140, 0.01)] {
            let (exact, near) = (
                real(critical_rank_sum(n, p)),
                real(approximate_rank_sum(n, p)),
            );
            assert!(
                (exact - near).abs() <= 0.001 * exact,
                "{n} {p}: {exact} {near}"
            );
        }
    }

    #[test]
    fn bounds_enclose_what_the_ranks_allow() {
        let differences = [0.1, 0.3, 0.2, 0.5, 0.4, 0.25, 0.15, 0.35];
        let found = typical(&differences, 0.95).unwrap();
        let (low, high) = (found.low.unwrap(), found.high.unwrap());
        assert!(low < found.estimate && found.estimate < high, "{found:?}");
        let critical = real(critical_rank_sum(8, 0.05));
        assert!(signed_ranks(&differences, low - 1e-9).ranks >= critical);
        assert!(signed_ranks(&differences, low + 1e-9).ranks < critical);
        assert_eq!(
            typical(&[1.0, 2.0], 0.95).map(|found| (found.estimate, found.low)),
            Some((1.5, None))
        );
        assert_eq!(typical(&[], 0.95), None);
        assert_eq!(typical(&[f64::NAN], 0.95), None);
    }
}
