//! The range of numbers that a chart covers.

/// The lowest and the highest number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// True if all numbers are the same, and lie in the middle.
    pub(crate) is_flat: bool,
}

impl Range {
    /// The range of the finite ones among these numbers; `None` without any.
    pub(crate) fn of(numbers: impl IntoIterator<Item = f64>) -> Option<Self> {
        let finite = numbers.into_iter().filter(|number| number.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| {
            (low.min(number), high.max(number))
        });
        if low > high {
            return None;
        }
        if low < high {
            return Some(Self {
                low,
                high,
                is_flat: false,
            });
        }
        let around = if low == 0.0 { 1.0 } else { low.abs() / 2.0 };
        Some(Self {
            low: (low - around).max(f64::MIN),
            high: (high + around).min(f64::MAX),
            is_flat: true,
        })
    }

    /// The distance of a number from the top, as a share of the range.
    pub(crate) fn depth(&self, number: f64) -> f64 {
        // Halves, so that the range is finite however far apart its ends are.
        let share = (self.high / 2.0 - number / 2.0) / (self.high / 2.0 - self.low / 2.0);
        share.clamp(0.0, 1.0)
    }
}
