//! The arithmetic under the verdicts: deterministic, without random numbers, and nothing of benchmarks in it.
//!
//! Values come as slices of `f64`. A *sorted* slice is one that [`order::sorted`] made: ascending, whatever is not
//! finite at its ends. No function panics. Where an answer would mean nothing (no values, a value that is not
//! finite) it is `None`, or the value that the function's documentation names: always the one that accuses nobody.
//!
//! | module | answers |
//! |---|---|
//! | [`order`] | where the middle of some values lies, and how far they scatter |
//! | [`binomial`] | how often so many of so many successes come by chance |
//! | [`ranks`] | whether one sample lies above another |
//! | [`means`] | whether two samples differ in their means |
//! | [`multiple`] | which of many tests still mean something together |
//! | [`shift`] | by how much one sample lies above another |
//! | [`breaks`] | where a series changes its level |

pub mod binomial;
pub mod breaks;
mod energy;
pub mod means;
pub mod multiple;
pub mod order;
pub mod ranks;
pub mod shift;

/// How far above a limit a probability may lie and still count as equal to it, as a fraction of the limit: what
/// adding up many terms may round.
const ROUNDING: f64 = 1e-9;

/// A count as a number to calculate with.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts beyond 2⁵³ are not told apart by anything that uses this"
)]
const fn real(count: usize) -> f64 {
    count as f64
}

/// Whether a probability is at most a limit, but for rounding.
fn at_most(p: f64, limit: f64) -> bool {
    p <= limit * (1.0 + ROUNDING)
}

/// P[Z ≥ z] of the standard normal distribution.
fn normal_tail(z: f64) -> f64 {
    (0.5 * statrs::function::erf::erfc(z * std::f64::consts::FRAC_1_SQRT_2)).clamp(0.0, 1.0)
}

/// Whether there are values, and all of them finite.
fn usable(values: &[f64]) -> bool {
    !values.is_empty() && values.iter().all(|value| value.is_finite())
}
