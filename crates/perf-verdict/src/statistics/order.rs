//! Order statistics: robust estimates of location and scale, which one outlier hardly changes.

use super::{real, usable, whole};

/// The standard deviation of a normal distribution over its median absolute deviation: 1/Φ⁻¹(3/4).
pub const NORMAL: f64 = 1.4826;

/// The distance between the first and the ninth decile of a normal distribution in standard deviations.
pub const DECILES: f64 = 2.563;

/// Sorts the values in ascending order. Values that are not finite go to the ends, and the functions in this module
/// check the ends.
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// The smallest and the largest value. `None` without values.
pub fn range(values: &[f64]) -> Option<(f64, f64)> {
    let smallest = values.iter().copied().min_by(f64::total_cmp)?;
    let largest = values.iter().copied().max_by(f64::total_cmp)?;
    Some((smallest, largest))
}

/// The quantile `q`, interpolated linearly between the two nearest values: type 7 of Hyndman and Fan (1996,
/// doi:10.1080/00031305.1996.10473566). `None` without values, with one that is not finite, and for a `q` outside of 0
/// to 1.
pub fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let (first, last) = (sorted.first()?, sorted.last()?);
    if !(first.is_finite() && last.is_finite() && (0.0..=1.0).contains(&q)) {
        return None;
    }
    let position = q * real(sorted.len() - 1);
    let below = whole(position);
    let low = *sorted.get(below)?;
    let high = *sorted.get(below + 1).unwrap_or(last);
    Some(between(low, high, position - real(below)))
}

/// Interpolates linearly.
fn between(low: f64, high: f64, fraction: f64) -> f64 {
    let gap = high - low;
    // The difference of two large values of opposite sign overflows.
    let point = if gap.is_finite() {
        low + gap * fraction
    } else {
        low * (1.0 - fraction) + high * fraction
    };
    point.clamp(low, high)
}

/// The median. `None` as for [`quantile`].
pub fn median(sorted: &[f64]) -> Option<f64> {
    quantile(sorted, 0.5)
}

/// The median of values in any order. `None` as for [`quantile`].
pub fn middle(values: &[f64]) -> Option<f64> {
    median(&sorted(values))
}

/// The median after removing one occurrence of `value`, which must be among the values. `None` as for [`quantile`].
pub fn median_without(sorted: &[f64], value: f64) -> Option<f64> {
    let others = sorted.len().checked_sub(1).filter(|others| *others > 0)?;
    // Values not below the removed one move up by one.
    let at = |place: usize| {
        let is_below = sorted.get(place).is_some_and(|other| *other < value);
        sorted.get(place + usize::from(!is_below)).copied()
    };
    let upper = at(others / 2).filter(|middle| middle.is_finite());
    if others % 2 == 1 {
        upper
    } else {
        Some(f64::midpoint(at(others / 2 - 1)?, upper?))
    }
}

/// The median absolute deviation (Hampel 1974, doi:10.1080/01621459.1974.10482962), not scaled: see [`NORMAL`]. `None`
/// as for [`quantile`], and if a distance overflows.
pub fn mad(sorted: &[f64]) -> Option<f64> {
    let middle = median(sorted)?;
    let mut distances: Vec<f64> = sorted.iter().map(|value| (value - middle).abs()).collect();
    distances.sort_unstable_by(f64::total_cmp);
    median(&distances)
}

/// The absolute differences of neighbouring values.
pub fn steps(values: &[f64]) -> Vec<f64> {
    values
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).abs())
        .collect()
}

/// The standard deviation of a series: the largest of three robust estimates, from the median absolute deviation, the
/// differences of neighbours and the deciles. The first ignores a minority of bad runs, the second a slow drift; the
/// deciles see both. `None` for fewer than two values, and with one that is not finite.
pub fn scale(values_in_time_order: &[f64]) -> Option<f64> {
    if values_in_time_order.len() < 2 || !usable(values_in_time_order) {
        return None;
    }
    let ordered = sorted(values_in_time_order);
    let around = NORMAL * mad(&ordered)?;
    // Von Neumann (1941, doi:10.1214/aoms/1177731677): a difference of two values has √2 times the standard deviation of
    // one.
    let along = NORMAL * middle(&steps(values_in_time_order))? / std::f64::consts::SQRT_2;
    let across = (quantile(&ordered, 0.9)? - quantile(&ordered, 0.1)?) / DECILES;
    let scale = around.max(along).max(across);
    scale.is_finite().then_some(scale)
}
