//! Chooses one unit for a whole column, so that its cells are easy to compare.

use perf_model::decimal::is_zero;
use perf_model::metric::{Unit, UnitFamily};

use super::{fixed, significant, thousands};

/// Returns the units that a column may have, finest first, each with its divisor.
fn steps(unit: Unit) -> Vec<(f64, &'static str)> {
    if let Some(own) = unit.seconds() {
        let shown = Unit::shown(UnitFamily::Time);
        return shown
            .map(|(seconds, suffix)| (divisor(own / seconds), suffix))
            .collect();
    }
    let (base, suffixes) = match unit {
        Unit::Bytes => (1024.0_f64, ["B", "KiB", "MiB", "GiB"]),
        Unit::BytesPerSecond => (1024.0, ["B/s", "KiB/s", "MiB/s", "GiB/s"]),
        Unit::PerSecond => (1000.0, ["/s", "K/s", "M/s", "G/s"]),
        _ => (1000.0, ["", "K", "M", "G"]),
    };
    (0..).map(|power| base.powi(power)).zip(suffixes).collect()
}

/// Returns the divisor for values that are shown in another unit. `parts` is the number of shown units in one unit of
/// the values: 1000 for seconds shown in milliseconds. It is rounded to a whole number if only the rounding error of a
/// float such as `1e-3` made it inexact.
fn divisor(parts: f64) -> f64 {
    let whole = parts.round();
    let parts = if (parts - whole).abs() <= parts * 1e-12 {
        whole
    } else {
        parts
    };
    1.0 / parts
}

/// The format of a column's cells: each value is divided by `divisor`, and shown with `decimals` decimals and `suffix`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// The number by which each value is divided.
    pub divisor: f64,
    /// The unit, without the space before it; may be empty.
    pub suffix: &'static str,
    /// The number of decimals in each cell.
    pub decimals: usize,
}

impl Scale {
    /// Formats `value` in this scale: `1,234.50 ms`, `1.20 M/s` or `7/s`.
    ///
    /// A small value among large ones is never shown as zero or with one digit: if the decimals are too few for two digits,
    /// three significant digits are shown. NaN is shown as `n/a` without a unit.
    pub fn format(&self, value: f64) -> String {
        let scaled = value / self.divisor;
        let mut text = fixed(scaled, self.decimals);
        if !scaled.is_finite() {
            return text;
        }
        let too_small = scaled != 0.0 && scaled.abs() < self.least();
        text = if too_small {
            significant(scaled, 3)
        } else {
            thousands(&text)
        };
        text + &self.unit()
    }

    /// Returns the unit, with a space before it if it needs one: `12 K/s` does, `12/s` does not.
    pub(crate) fn unit(&self) -> String {
        if self.suffix.is_empty() || self.suffix.starts_with('/') {
            self.suffix.to_owned()
        } else {
            format!(" {}", self.suffix)
        }
    }

    /// Returns the smallest value that shows two digits, or one digit if there are fewer than two decimals.
    fn least(&self) -> f64 {
        match i32::try_from(self.decimals) {
            Ok(decimals @ ..2) => 0.5 * 10f64.powi(-decimals),
            Ok(decimals) => 0.0995 * 10f64.powi(2 - decimals),
            Err(_) => 0.0,
        }
    }
}

/// Chooses the scale for a column of `values` that is shown with `decimals` decimals.
///
/// The unit is the coarsest in which the median magnitude is at least one, or a finer one if the smallest value would
/// be shown as zero. Zeros and NaN have no influence, and a column without other values keeps its unit. If all values
/// are whole numbers in the chosen unit, no decimals are shown.
pub fn scale_for(unit: Unit, values: &[f64], decimals: usize) -> Scale {
    let steps = steps(unit);
    let mut sizes: Vec<f64> = values
        .iter()
        .map(|v| v.abs())
        .filter(|v| *v > 0.0 && v.is_finite())
        .collect();
    sizes.sort_unstable_by(f64::total_cmp);
    // Use the lower median, because it is always one of the values.
    let middle = sizes.len().saturating_sub(1) / 2;
    let typical = sizes.get(middle).copied().unwrap_or(1.0);
    let smallest = sizes.first().copied().unwrap_or(typical);
    let largest = sizes.last().copied().unwrap_or(typical);
    let mut at = steps
        .iter()
        .rposition(|(divisor, _)| typical >= *divisor)
        .unwrap_or(0);
    while at > 0
        && is_zero(&fixed(smallest / steps[at].0, decimals))
        && (largest / steps[at - 1].0).is_finite()
    {
        at -= 1;
    }
    let (divisor, suffix) = steps[at];
    let whole = sizes.iter().all(|size| is_whole(size / divisor));
    Scale {
        divisor,
        suffix,
        decimals: if whole { 0 } else { decimals },
    }
}

/// True if `value` is an integer, ignoring the rounding error of a division by a float such as `1e-6`.
fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() <= value * 2.0 * f64::EPSILON
}
