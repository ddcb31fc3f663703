//! Order statistics: robust estimates of location and scale, which a single outlier barely changes.

use super::{real, usable, whole};

/// The ratio of a normal distribution's standard deviation to its median absolute deviation: 1/Φ⁻¹(3/4).
pub const NORMAL: f64 = 1.4826;

/// The distance between the first and the ninth decile of a normal distribution, in standard deviations.
pub const DECILES: f64 = 2.563;

/// Sorts the values in ascending order. Values that are not finite end up at the ends, and the functions in this module
/// look for them there.
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// Returns the smallest and the largest value, or `None` for an empty slice.
pub fn range(values: &[f64]) -> Option<(f64, f64)> {
    let smallest = values.iter().copied().min_by(f64::total_cmp)?;
    let largest = values.iter().copied().max_by(f64::total_cmp)?;
    Some((smallest, largest))
}

/// Returns the quantile `q`, interpolated linearly between the two nearest values: type 7 of Hyndman and Fan (1996,
/// doi:10.1080/00031305.1996.10473566). Returns `None` if the slice is empty, if a value is not finite, or if `q` is
/// not between 0 and 1.
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

/// Interpolates linearly between two values.
fn between(low: f64, high: f64, fraction: f64) -> f64 {
    let gap = high - low;
    // The difference between two large values of opposite sign overflows.
    let point = if gap.is_finite() {
        low + gap * fraction
    } else {
        low * (1.0 - fraction) + high * fraction
    };
    point.clamp(low, high)
}

/// Returns the median, or `None` under the same conditions as [`quantile`].
pub fn median(sorted: &[f64]) -> Option<f64> {
    quantile(sorted, 0.5)
}

/// Returns the median of values in any order, or `None` under the same conditions as [`quantile`].
pub fn middle(values: &[f64]) -> Option<f64> {
    median(&sorted(values))
}

/// Returns the median of the other values after removing one occurrence of `value`, which must be among the sorted
/// values. Returns `None` if no other value remains. Unlike [`median`], this does not check that all values are finite.
pub fn median_without(sorted: &[f64], value: f64) -> Option<f64> {
    let others = sorted.len().checked_sub(1).filter(|others| *others > 0)?;
    // Removing a value moves all later values down by one index.
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

/// Returns the median absolute deviation (Hampel 1974, doi:10.1080/01621459.1974.10482962), which [`NORMAL`] scales to
/// a standard deviation. Returns `None` under the same conditions as [`quantile`], and if a deviation overflows.
pub fn mad(sorted: &[f64]) -> Option<f64> {
    let middle = median(sorted)?;
    let mut distances: Vec<f64> = sorted.iter().map(|value| (value - middle).abs()).collect();
    distances.sort_unstable_by(f64::total_cmp);
    median(&distances)
}

/// Returns the absolute differences between consecutive values.
pub fn steps(values: &[f64]) -> Vec<f64> {
    values
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).abs())
        .collect()
}

/// Estimates the standard deviation of a series. Returns the largest of three robust estimates: from the median
/// absolute deviation, which ignores a minority of bad runs; from the differences between consecutive values, which
/// ignore slow drift; and from the deciles, which include both. Returns `None` if there are fewer than two values, or
/// if a value is not finite.
pub fn scale(values_in_time_order: &[f64]) -> Option<f64> {
    if values_in_time_order.len() < 2 || !usable(values_in_time_order) {
        return None;
    }
    let ordered = sorted(values_in_time_order);
    let around = NORMAL * mad(&ordered)?;
    // Von Neumann (1941, doi:10.1214/aoms/1177731677): the difference between two values has √2 times the standard
    // deviation of a single value.
    let along = NORMAL * middle(&steps(values_in_time_order))? / std::f64::consts::SQRT_2;
    let across = (quantile(&ordered, 0.9)? - quantile(&ordered, 0.1)?) / DECILES;
    let scale = around.max(along).max(across);
    scale.is_finite().then_some(scale)
}
