//! The binomial and the hypergeometric distribution: tail probabilities.

use statrs::function::beta::checked_beta_reg;
use statrs::function::factorial::ln_binomial;

use super::normal_tail;

/// The largest variance and the most trials for which the incomplete beta function is exact enough: above them its
/// continued fraction and its logarithms lose digits.
const LARGEST_VARIANCE: f64 = 2_500.0;
const MOST_TRIALS: u64 = 10_000_000;

/// P[X ≥ k] for the number X of successes in `n` trials that each succeed with probability `p`.
///
/// Exact to some 9 digits up to a variance n·p·(1−p) of 2,500, from the regularised incomplete beta function
/// (Abramowitz and Stegun 1964, 26.5.24); beyond, and for more than ten million trials, a normal approximation with
/// corrections for continuity and skewness. A `p` outside of 0 to 1 is clamped; a `p` of NaN gives 1.
pub fn tail(n: u64, k: u64, p: f64) -> f64 {
    let p = p.clamp(0.0, 1.0);
    if k == 0 || p.is_nan() || (k <= n && p >= 1.0) {
        return 1.0;
    }
    if k > n || p <= 0.0 {
        return 0.0;
    }
    let variance = real(n) * p * (1.0 - p);
    if n > MOST_TRIALS || variance > LARGEST_VARIANCE {
        return approximate(n, k, p, variance);
    }
    // Both parameters are at least one and `p` is between 0 and 1, so this cannot fail.
    checked_beta_reg(real(k), real(n - k + 1), p).map_or(1.0, |tail| tail.clamp(0.0, 1.0))
}

/// The normal approximation with a continuity correction and the first term of the Edgeworth expansion (Feller 1971,
/// *An Introduction to Probability Theory* II, XVI.4).
fn approximate(n: u64, k: u64, p: f64, variance: f64) -> f64 {
    let deviation = variance.sqrt();
    let z = (real(k) - 0.5 - real(n) * p) / deviation;
    let density = (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
    let skewness = (1.0 - 2.0 * p) / deviation;
    (normal_tail(z) + skewness / 6.0 * (z * z - 1.0) * density).clamp(0.0, 1.0)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts beyond 2⁵³ are only approximated"
)]
const fn real(count: u64) -> f64 {
    count as f64
}

/// P[X ≥ k] for the number X of marked ones among `drawn` of `total`, of which `marked` are marked: the one-sided exact
/// test of Fisher (1922, doi:10.2307/2340521). 1 for numbers that no urn has.
pub fn hypergeometric_tail(k: usize, drawn: usize, marked: usize, total: usize) -> f64 {
    if k == 0 || drawn > total || marked > total {
        return 1.0;
    }
    let [drawn_of, marked_of, total_of] = [drawn, marked, total].map(|count| count as u64);
    let ways = |hits: u64| {
        if drawn_of - hits > total_of - marked_of {
            return 0.0;
        }
        let both =
            ln_binomial(marked_of, hits) + ln_binomial(total_of - marked_of, drawn_of - hits);
        (both - ln_binomial(total_of, drawn_of)).exp()
    };
    (k as u64..=marked_of.min(drawn_of))
        .map(ways)
        .sum::<f64>()
        .clamp(0.0, 1.0)
}

#[cfg(test)]
mod hypergeometric_tests {
    use super::*;

    /// `scipy.stats.hypergeom.sf(k - 1, total, marked, drawn)`.
    #[test]
    fn tails_are_those_of_scipy() {
        for (k, drawn, marked, total, expected) in [
            (5, 20, 5, 40, 0.023_562_023_562_023_564),
            (6, 24, 6, 48, 0.010_968_167_573_808_349),
            (3, 10, 4, 30, 0.095_238_095_238_095_22),
            (0, 10, 4, 30, 1.0),
            (5, 10, 4, 30, 0.0),
        ] {
            let found = hypergeometric_tail(k, drawn, marked, total);
            assert!(
                (found - expected).abs() < 1e-12,
                "{k} {drawn} {marked} {total}: {found}"
            );
        }
        assert!((hypergeometric_tail(1, 3, 3, 3) - 1.0).abs() < 1e-12);
        assert!((hypergeometric_tail(2, 9, 9, 5) - 1.0).abs() < 1e-12);
    }
}
