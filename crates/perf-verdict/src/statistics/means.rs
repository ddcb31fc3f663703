//! Tests of means: whether the means of two samples with normal noise differ.
//!
//! Both tests can detect a difference between a handful of values, for which [`super::ranks`] has no power, but a
//! single outlier can hide the difference from them. All p-values are two-sided, and 0 or 1 if neither sample varies.
//! The functions return `None` if a sample has fewer than two values, if a value is not finite, or if values are too
//! large to square.

use statrs::function::beta::checked_beta_reg;

use super::{real, usable};

/// Returns the p-values of two tests: Welch's t-test (Welch 1947, doi:10.1093/biomet/34.1-2.28) for samples with
/// different variances, with Welch–Satterthwaite degrees of freedom, and Student's t-test (Student 1908,
/// doi:10.1093/biomet/6.1.1) for equal variances.
///
/// Welch's test is too liberal if a sample has few values that happen to be similar. Student's test is too liberal if
/// the smaller sample has the larger variance.
pub fn t_tests(a: &[f64], b: &[f64]) -> Option<[f64; 2]> {
    let (a, b) = (Sample::new(a)?, Sample::new(b)?);
    let gap = a.mean - b.mean;
    let (from_a, from_b) = (
        a.squares / (a.freedom() * a.size),
        b.squares / (b.freedom() * b.size),
    );
    let error = from_a + from_b;
    // Work with shares of the squared error, because the squares of tiny variances would underflow.
    let (share_a, share_b) = (from_a / error, from_b / error);
    let freedom = 1.0 / (share_a * share_a / a.freedom() + share_b * share_b / b.freedom());
    let welch = p_value(gap, error, freedom)?;
    let freedom = a.freedom() + b.freedom();
    let error = (a.squares + b.squares) / freedom * (1.0 / a.size + 1.0 / b.size);
    Some([welch, p_value(gap, error, freedom)?])
}

/// Returns the two-sided p-value of a difference in means, given its squared standard error and the degrees of freedom
/// of Student's t distribution.
fn p_value(gap: f64, error: f64, freedom: f64) -> Option<f64> {
    if !(gap.is_finite() && error.is_finite()) {
        return None;
    }
    if error <= 0.0 {
        return Some(if gap.abs() > 0.0 { 0.0 } else { 1.0 });
    }
    let t = gap / error.sqrt();
    // If squaring `t` overflows, this is 0.
    let inside = freedom / t.mul_add(t, freedom);
    checked_beta_reg(freedom / 2.0, 0.5, inside)
        .ok()
        .map(|p| p.clamp(0.0, 1.0))
}

struct Sample {
    size: f64,
    mean: f64,
    /// The sum of squared deviations from the mean.
    squares: f64,
}

impl Sample {
    fn new(values: &[f64]) -> Option<Self> {
        if values.len() < 2 || !usable(values) {
            return None;
        }
        let (first, size) = (values[0], real(values.len()));
        // Subtract the first value, so that equal values have a variance of exactly zero.
        let offset = values.iter().map(|value| value - first).sum::<f64>() / size;
        let squares = values
            .iter()
            .map(|value| (value - first - offset).powi(2))
            .sum();
        Some(Self {
            size,
            mean: first + offset,
            squares,
        })
    }

    fn freedom(&self) -> f64 {
        self.size - 1.0
    }
}
