//! Order statistics: where values lie, and how far they scatter, told by ranks, which one outlier hardly moves.

use super::usable;

/// What turns a median absolute deviation into the standard deviation of a normal distribution.
pub const NORMAL: f64 = 1.4826;

/// How many standard deviations of a normal distribution lie between its first and its ninth decile.
pub const DECILES: f64 = 2.563;

/// The values in ascending order. What is not finite goes to the ends, where every function of this module finds it
/// and answers `None`.
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// The value below which a fraction `q` of the values lies, interpolated linearly between the two nearest
/// (type 7 of Hyndman and Fan). `None` without values, with one that is not finite, and for a `q` outside of 0 to 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the position is between zero and the length"
)]
pub fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let (first, last) = (sorted.first()?, sorted.last()?);
    if !(first.is_finite() && last.is_finite() && (0.0..=1.0).contains(&q)) {
        return None;
    }
    let position = q * super::real(sorted.len() - 1);
    let below = position.floor();
    let low = *sorted.get(below as usize)?;
    let high = *sorted.get(below as usize + 1).unwrap_or(last);
    Some(between(low, high, position - below))
}

/// The point that divides the way from `low` to `high` at this fraction of it.
fn between(low: f64, high: f64, fraction: f64) -> f64 {
    let gap = high - low;
    // Two values of opposite sign may be further apart than a number can say.
    let point = if gap.is_finite() { low + gap * fraction } else { low * (1.0 - fraction) + high * fraction };
    point.clamp(low, high)
}

/// The middle value, or the mean of the two in the middle. `None` as for [`quantile`].
pub fn median(sorted: &[f64]) -> Option<f64> {
    quantile(sorted, 0.5)
}

/// The median of the absolute distances from the median, not scaled: see [`NORMAL`]. `None` as for [`quantile`],
/// and where a distance is too large for a number.
pub fn mad(sorted: &[f64]) -> Option<f64> {
    let middle = median(sorted)?;
    let mut distances: Vec<f64> = sorted.iter().map(|value| (value - middle).abs()).collect();
    distances.sort_unstable_by(f64::total_cmp);
    median(&distances)
}

/// How far each value is from the one before it: one fewer than there are values, none below zero.
pub fn steps(values: &[f64]) -> Vec<f64> {
    values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect()
}

/// How far the values of a series scatter, as a standard deviation: the largest of three robust estimates, from the
/// distances to the median, from the steps between neighbours, and from the deciles. Each is blind to something
/// that another sees: the first to a minority of bad runs, the second to a slow drift, the third to little else.
/// `None` for fewer than two values, and with one that is not finite.
pub fn scale(values_in_time_order: &[f64]) -> Option<f64> {
    if values_in_time_order.len() < 2 || !usable(values_in_time_order) {
        return None;
    }
    let ordered = sorted(values_in_time_order);
    let around = NORMAL * mad(&ordered)?;
    let along = noise(values_in_time_order)?;
    let across = (quantile(&ordered, 0.9)? - quantile(&ordered, 0.1)?) / DECILES;
    let scale = around.max(along).max(across);
    scale.is_finite().then_some(scale)
}

/// How far the values of a series scatter from one to the next, as a standard deviation of a single value: blind to
/// levels and drifts, so it tells the noise of a series whose level changes. `None` as for [`scale`].
pub fn noise(values_in_time_order: &[f64]) -> Option<f64> {
    // A difference of two values scatters √2 times as far as one of them.
    Some(NORMAL * median(&sorted(&steps(values_in_time_order)))? / std::f64::consts::SQRT_2)
}
