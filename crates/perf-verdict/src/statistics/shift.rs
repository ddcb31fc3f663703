//! The shift between two samples, with confidence bounds that hold for any distribution.

use super::ranks::{EXACT_PAIRS, distribution};
use super::{at_most, order, real, usable, whole};

/// How much larger the current values are than the base values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// The median of the differences between each current and each base value.
    pub effect: f64,
    /// The lower confidence bound; −∞ if there are too few values.
    pub low: f64,
    /// The upper confidence bound; ∞ if there are too few values.
    pub high: f64,
}

/// Estimates the shift from the base to the current values (Hodges and Lehmann 1963, doi:10.1214/aoms/1177704172), with
/// a confidence interval.
///
/// The interval inverts the distribution of Mann and Whitney's U (Moses 1953; Lehmann 1963). It is exact for up to
/// [`EXACT_PAIRS`] pairs of values, and uses the normal approximation for more. With ties, it is conservative. Returns
/// `None` if a side is empty or contains a value that is not finite, if the effect overflows, or if the confidence is
/// not between 0 and 1.
pub fn hodges_lehmann(current: &[f64], base: &[f64], confidence: f64) -> Option<Shift> {
    if !(usable(current) && usable(base) && confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    let (current, base) = (order::sorted(current), order::sorted(base));
    let pairs = current.len().checked_mul(base.len())?;
    let difference = |rank| nth_difference(&current, &base, rank);
    let effect = f64::midpoint(difference((pairs - 1) / 2), difference(pairs / 2));
    let outside = outside(current.len(), base.len(), (1.0 - confidence) / 2.0);
    let (low, high) = match outside.checked_sub(1) {
        Some(rank) => (difference(rank), difference(pairs - 1 - rank)),
        None => (f64::NEG_INFINITY, f64::INFINITY),
    };
    effect.is_finite().then_some(Shift { effect, low, high })
}

/// Returns how many of the ordered differences are outside the interval on each side: the largest c with P[U < c] ≤
/// `side`.
fn outside(n: usize, m: usize, side: f64) -> usize {
    if n * m <= EXACT_PAIRS {
        return distribution(n, m)
            .iter()
            .take_while(|&&p| at_most(p, side))
            .count();
    }
    let (pairs, all) = (real(n * m), real(n + m));
    let deviation = (pairs * (all + 1.0) / 12.0).sqrt();
    let z = std::f64::consts::SQRT_2 * statrs::function::erf::erf_inv(1.0 - 2.0 * side);
    whole(pairs / 2.0 + 0.5 - z * deviation).min(n * m / 2)
}

/// Returns the difference with this rank (from zero) among the differences between each current and each base value.
/// Both slices must be sorted.
///
/// Bisects the range of floats: counting the differences up to a given float takes a single pass, and needs no memory
/// for the pairs.
fn nth_difference(current: &[f64], base: &[f64], rank: usize) -> f64 {
    let (mut low, mut high) = (key(f64::NEG_INFINITY), key(f64::INFINITY));
    while low < high {
        let middle = low.midpoint(high - 1);
        if at_most_count(current, base, number(middle)) > rank {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    // Turn minus zero into zero.
    number(low) + 0.0
}

/// Returns how many differences are at most `limit`.
fn at_most_count(current: &[f64], base: &[f64], limit: f64) -> usize {
    let mut count = 0;
    let mut start = 0;
    for &value in current {
        while base.get(start).is_some_and(|base| value - base > limit) {
            start += 1;
        }
        count += base.len() - start;
    }
    count
}

/// Maps floats to integers in the same order.
fn key(number: f64) -> u64 {
    let bits = number.to_bits();
    if number.is_sign_negative() {
        !bits
    } else {
        bits | 1 << 63
    }
}

fn number(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 {
        key & !(1 << 63)
    } else {
        !key
    })
}
