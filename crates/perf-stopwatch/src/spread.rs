//! Median and extremes of a few numbers.

use std::fmt;

/// Median, minimum and maximum of some values in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub least: f64,
    pub median: f64,
    pub most: f64,
}

impl Spread {
    /// Computes the spread. Without values, all fields are zero.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let at = |index: usize| values.get(index).copied().unwrap_or(0.0);
        let last = values.len().saturating_sub(1);
        Self {
            least: at(0),
            median: f64::midpoint(at(last / 2), at(last.div_ceil(2))),
            most: at(last),
        }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} ({} to {})",
            Time(self.median),
            Time(self.least),
            Time(self.most)
        )
    }
}

/// A time in nanoseconds, which is displayed with at least three digits.
pub struct Time(pub f64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        let (scaled, unit) = match size {
            1e9.. => (self.0 / 1e9, "s"),
            1e6.. => (self.0 / 1e6, "ms"),
            1e3.. => (self.0 / 1e3, "us"),
            _ => (self.0, "ns"),
        };
        let decimals = if scaled.abs() < 10.0 { 3 } else { 1 };
        write!(f, "{scaled:.decimals$} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_lies_between_the_middle_two() {
        assert_eq!(
            Spread::of([4.0, 1.0, 2.0, 3.0]),
            Spread {
                least: 1.0,
                median: 2.5,
                most: 4.0
            }
        );
        assert_eq!(
            Spread::of([]),
            Spread {
                least: 0.0,
                median: 0.0,
                most: 0.0
            }
        );
        assert_eq!(
            Spread::of([0.25, 1500.0]).to_string(),
            "750.1 ns (0.250 ns to 1.500 us)"
        );
    }
}
