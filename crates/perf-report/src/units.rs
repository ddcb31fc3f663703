//! Formats a series of numbers in one unit, with three significant digits.

use perf_config::Plus;
use perf_model::metric::Metric;
use perf_model::row::Value;

use crate::cell::CellFormat;
use crate::subject::{SentenceNumbers, signed};

/// A series' unit.
pub struct Units(SentenceNumbers);

impl Units {
    /// Chooses the unit that fits these values.
    pub fn of(metric: &Metric, values: &[Value]) -> Self {
        Self(SentenceNumbers::of(metric, values))
    }

    /// Formats a number with its unit. The number is first rounded to twelve digits, because a computed number may differ
    /// from a whole number in its last digits.
    pub fn text(&self, number: f64) -> String {
        self.0
            .full(format!("{number:.11e}").parse().unwrap_or(number))
    }

    /// The number by which a value is divided before it is shown.
    pub fn divisor(&self) -> f64 {
        self.0.format().divisor()
    }

    /// The unit after the digits, with the no-break space before it.
    pub fn suffix(&self) -> String {
        self.0.format().unit().replace(' ', "\u{a0}")
    }

    /// The number of decimals, or `None` for three significant digits.
    pub fn decimals(&self) -> Option<usize> {
        match self.0.format() {
            CellFormat::Scaled(scale) => (scale.decimals == 0).then_some(0),
            CellFormat::Whole(_) => Some(0),
            CellFormat::Given(format) => Some(usize::from(format.decimals)),
        }
    }
}

/// Formats a metric's raw change without a word: `+32%`, `−0.05%`. Only a change of zero is shown as zero.
pub fn change(metric: &Metric, plus: Plus, change: f64) -> String {
    signed(metric, plus, change, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metric(name: &str) -> Metric {
        perf_model::metric::metric(name)
    }

    #[test]
    fn numbers_have_the_unit_of_the_series() {
        let values = |numbers: &[f64]| {
            numbers
                .iter()
                .copied()
                .filter_map(Value::new)
                .collect::<Vec<_>>()
        };
        let rate = Units::of(
            &metric("rowsPerSecond"),
            &values(&[9_880_000.0, 5_730_000.5]),
        );
        assert_eq!(rate.text(5_730_000.5), "5.73\u{a0}M/s");
        assert_eq!(
            (rate.divisor(), &*rate.suffix(), rate.decimals()),
            (1e6, "\u{a0}M/s", None)
        );
        let count = Units::of(&metric("allocations"), &values(&[1234.0]));
        assert_eq!((&*count.text(1234.0), count.decimals()), ("1,234", Some(0)));
        assert_eq!(
            Units::of(&metric("allocations"), &values(&[14.0])).text(13.999_999_999_999_996),
            "14"
        );
    }

    #[test]
    fn changes_have_one_sign() {
        let time = metric("wallNs");
        let shown =
            [-0.42, 0.0, 0.322, 0.000_04, 1.5].map(|share| change(&time, Plus::Larger, share));
        assert_eq!(shown, ["−42%", "0%", "+32%", "+0.004%", "+150%"]);
    }
}
