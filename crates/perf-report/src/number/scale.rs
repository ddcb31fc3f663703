//! One unit for a whole column, so its cells are easy to compare.

use perf_model::decimal::is_zero;
use perf_model::metric::{Unit, UnitFamily};

use super::{fixed, significant, thousands};

/// The units for a column, finest to coarsest, each with its divisor.
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

/// The divisor for a unit that fits `parts` times into the values' unit. Whole parts stay whole despite binary
/// fractions such as `1e-3`.
fn divisor(parts: f64) -> f64 {
    let whole = parts.round();
    let parts = if (parts - whole).abs() <= parts * 1e-12 {
        whole
    } else {
        parts
    };
    1.0 / parts
}

/// The format of the cells of one column: divided by `divisor`, with `decimals` places, followed by `suffix`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// The number that each value is divided by.
    pub divisor: f64,
    /// The unit, without a space before it; may be empty.
    pub suffix: &'static str,
    /// The decimal places of each cell.
    pub decimals: usize,
}

impl Scale {
    /// `value` in this scale, such as `1,234.50 ms`, `1.20 M/s` or `7/s`.
    ///
    /// A small value among large ones is never shown as zero or with one digit: if the decimals are too few for two
    /// digits, three significant digits are shown. NaN is `n/a` without a unit.
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

    /// The unit with the space before it: `12 K/s` needs one, `12/s` does not.
    pub(crate) fn unit(&self) -> String {
        if self.suffix.is_empty() || self.suffix.starts_with('/') {
            self.suffix.to_owned()
        } else {
            format!(" {}", self.suffix)
        }
    }

    /// The smallest value with two visible digits, or with one if there are fewer than two places.
    fn least(&self) -> f64 {
        match i32::try_from(self.decimals) {
            Ok(decimals @ ..2) => 0.5 * 10f64.powi(-decimals),
            Ok(decimals) => 0.0995 * 10f64.powi(2 - decimals),
            Err(_) => 0.0,
        }
    }
}

/// The scale for a column of `values` that is shown with `decimals` places.
///
/// The unit is the coarsest in which the median magnitude is at least one, and finer if the smallest value would be shown
/// as zero. Zeros and NaN do not influence it; a column with nothing else keeps its unit. Whole numbers have no decimals.
pub fn scale_for(unit: Unit, values: &[f64], decimals: usize) -> Scale {
    let steps = steps(unit);
    let mut sizes: Vec<f64> = values
        .iter()
        .map(|v| v.abs())
        .filter(|v| *v > 0.0 && v.is_finite())
        .collect();
    sizes.sort_unstable_by(f64::total_cmp);
    // The lower median, which is itself one of the values.
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

/// True if `value` is an integer, ignoring the error of a division by a binary fraction such as `1e-6`.
fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() <= value * 2.0 * f64::EPSILON
}
