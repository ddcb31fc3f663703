//! The statistics that verdicts are based on: deterministic functions that are independent of benchmarks.
//!
//! Values are slices of `f64`. A *sorted* slice comes from [`order::sorted`]: it is in ascending order, so that values
//! that are not finite are at its ends. No function panics. Without a meaningful answer (for example, if there are no
//! values, or if a value is not finite), the result is `None` or the documented fallback, which never indicates a
//! regression.
//!
//! | module | methods |
//! |---|---|
//! | [`order`] | quantiles, median absolute deviation, robust scale |
//! | [`ranks`] | the Mann–Whitney U test |
//! | [`signed_rank`] | the sign test and the signed-rank test |
//! | [`means`] | Welch's and Student's t-tests |
//! | [`multiple`] | the Benjamini–Hochberg correction |
//! | [`serial`] | the autocorrelation of a series |
//! | [`shift`] | the Hodges–Lehmann estimate |
//! | [`breaks`] | change points of a series |
//! | [`bisection`] | noisy binary search |
//! | [`random`] | seeded random numbers |

pub mod bisection;
pub mod breaks;
pub mod means;
pub mod multiple;
pub mod order;
pub mod random;
pub mod ranks;
pub mod serial;
pub mod shift;
pub mod signed_rank;

/// The relative rounding error of a sum of probabilities. Comparisons with a limit ignore an excess up to this.
const ROUNDING: f64 = 1e-9;

/// Converts a count to a float.
#[expect(
    clippy::cast_precision_loss,
    reason = "no caller needs counts beyond 2⁵³ exactly"
)]
pub(crate) const fn real(count: usize) -> f64 {
    count as f64
}

/// Truncates a number to an integer. Negative numbers give zero.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "casts saturate, as intended"
)]
pub(crate) const fn whole(number: f64) -> usize {
    number as usize
}

/// True if a probability is at most `limit`, allowing for rounding errors.
fn at_most(p: f64, limit: f64) -> bool {
    p <= limit * (1.0 + ROUNDING)
}

/// Returns P[Z ≥ z] for the standard normal distribution.
fn normal_tail(z: f64) -> f64 {
    (0.5 * statrs::function::erf::erfc(z * std::f64::consts::FRAC_1_SQRT_2)).clamp(0.0, 1.0)
}

/// True if the slice is not empty and all values are finite.
fn usable(values: &[f64]) -> bool {
    !values.is_empty() && values.iter().all(|value| value.is_finite())
}
