//! Means: whether two samples differ in theirs, if what they scatter by is about normal.
//!
//! Both tests say something with a handful of values, where [`super::ranks`] cannot, and both lose their force to a
//! single outlier. Samples without any scatter differ surely (p = 0) or not at all (p = 1). All p-values are
//! two-sided; there is none (`None`) for a side with fewer than two values or with one that is not finite, nor for
//! values too large to square.

use statrs::function::beta::checked_beta_reg;

use super::{real, usable};

/// Welch's t-test (1947): the two sides may scatter differently.
///
/// With few values on a side it trusts their scatter too much: three that happen to be alike pass for sure.
pub fn welch(a: &[f64], b: &[f64]) -> Option<f64> {
    let (a, b) = (Sample::new(a)?, Sample::new(b)?);
    let (from_a, from_b) = (a.squares / (a.freedom() * a.size), b.squares / (b.freedom() * b.size));
    let error = from_a + from_b;
    // As shares of the error, whose squares cannot vanish.
    let (share_a, share_b) = (from_a / error, from_b / error);
    let freedom = 1.0 / (share_a * share_a / a.freedom() + share_b * share_b / b.freedom());
    p_value(a.mean - b.mean, error, freedom)
}

/// Student's t-test: both sides scatter alike, so all values tell how much.
///
/// Where the shorter side scatters more, it trusts the longer one too much.
pub fn student(a: &[f64], b: &[f64]) -> Option<f64> {
    let (a, b) = (Sample::new(a)?, Sample::new(b)?);
    let freedom = a.freedom() + b.freedom();
    let error = (a.squares + b.squares) / freedom * (1.0 / a.size + 1.0 / b.size);
    p_value(a.mean - b.mean, error, freedom)
}

/// How often Student's distribution is as far from zero as this gap, whose squared standard error is `error`.
fn p_value(gap: f64, error: f64, freedom: f64) -> Option<f64> {
    if !(gap.is_finite() && error.is_finite()) {
        return None;
    }
    if error <= 0.0 {
        return Some(if gap.abs() > 0.0 { 0.0 } else { 1.0 });
    }
    let t = gap / error.sqrt();
    // Beyond what squares can hold, it is as good as certain.
    let inside = freedom / t.mul_add(t, freedom);
    checked_beta_reg(freedom / 2.0, 0.5, inside).ok().map(|p| p.clamp(0.0, 1.0))
}

struct Sample {
    size: f64,
    mean: f64,
    /// The sum of the squared distances from the mean.
    squares: f64,
}

impl Sample {
    fn new(values: &[f64]) -> Option<Self> {
        if values.len() < 2 || !usable(values) {
            return None;
        }
        let (first, size) = (values[0], real(values.len()));
        // Relative to the first value, so that values that are all the same have exactly no scatter.
        let offset = values.iter().map(|value| value - first).sum::<f64>() / size;
        let squares = values.iter().map(|value| (value - first - offset).powi(2)).sum();
        Some(Self { size, mean: first + offset, squares })
    }

    fn freedom(&self) -> f64 {
        self.size - 1.0
    }
}
