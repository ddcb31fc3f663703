//! Tail probabilities of the binomial distribution.

use statrs::function::beta::checked_beta_reg;

use super::normal_tail;

/// The maximum variance and number of trials for which the incomplete beta function is accurate enough: beyond, its
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
