//! The numbers of one sentence or one row: one scale, three significant digits, and the unit where it is needed.

use perf_model::metric::Metric;
use perf_model::row::Value;
use perf_verdict::MetricComparison;

use crate::cell::{CellFormat, UNMEASURED};
use crate::number::{Scale, significant};

/// The space between a number and its unit.
pub(crate) const NO_BREAK: char = '\u{a0}';

/// The significant digits of a number, and the most that are shown to tell two numbers apart.
const DIGITS: std::ops::Range<usize> = 3..8;

/// The format of the numbers of one sentence.
pub(crate) struct SentenceNumbers {
    format: CellFormat,
    digits: usize,
}

impl SentenceNumbers {
    /// For these judged numbers: the metric's own, or quotients.
    pub(crate) fn new(compared: &MetricComparison, numbers: &[f64]) -> Self {
        if compared.relative_to.is_some() {
            return Self::with(CellFormat::PLAIN, numbers);
        }
        Self::of_metric(compared, numbers)
    }

    /// For these numbers of the metric itself.
    pub(crate) fn of_metric(compared: &MetricComparison, numbers: &[f64]) -> Self {
        let values: Vec<Value> = numbers.iter().copied().filter_map(Value::new).collect();
        Self::with(format(&compared.metric, &values), numbers)
    }

    /// For a row of a table: always three significant digits.
    pub(crate) fn short(compared: &MetricComparison, numbers: &[f64]) -> Self {
        Self {
            digits: DIGITS.start,
            ..Self::new(compared, numbers)
        }
    }

    /// [`Self::short`] for values of the metric itself.
    pub(crate) fn of(metric: &Metric, values: &[Value]) -> Self {
        Self {
            format: format(metric, values),
            digits: DIGITS.start,
        }
    }

    /// The scale and the unit of the numbers.
    pub(crate) fn format(&self) -> &CellFormat {
        &self.format
    }

    /// With as many digits as tell different numbers apart.
    fn with(format: CellFormat, numbers: &[f64]) -> Self {
        let is_enough = |digits: &usize| {
            let said = |number: &f64| significant(*number, *digits);
            let all = |(at, one): (usize, &f64)| {
                numbers[at + 1..]
                    .iter()
                    .all(|other| one.to_bits() == other.to_bits() || said(one) != said(other))
            };
            numbers.iter().enumerate().all(all)
        };
        let digits = DIGITS.into_iter().find(is_enough).unwrap_or(DIGITS.start);
        Self { format, digits }
    }

    /// A number and its unit.
    pub(crate) fn full(&self, number: f64) -> String {
        Value::new(number).map_or_else(|| UNMEASURED.to_owned(), |value| self.value(value))
    }

    /// A value and its unit.
    pub(crate) fn value(&self, value: Value) -> String {
        let text = match &self.format {
            CellFormat::Scaled(scale) if scale.decimals > 0 => {
                let gap = if scale.suffix.is_empty() || scale.suffix.starts_with('/') {
                    ""
                } else {
                    " "
                };
                let digits = significant(value.as_f64() / scale.divisor, self.digits);
                format!("{digits}{gap}{}", scale.suffix)
            }
            format => format.plain(value),
        };
        unbroken(text)
    }

    /// A number without its unit, beside one that has it.
    pub(crate) fn bare(&self, number: f64) -> String {
        self.without_unit(&self.full(number))
    }

    fn without_unit(&self, full: &str) -> String {
        let unit = unbroken(self.format.unit());
        full.strip_suffix(&unit)
            .map_or(full, str::trim_end)
            .to_owned()
    }

    /// `12.1 → 16.0 ms`.
    pub(crate) fn arrow(&self, from: f64, to: f64) -> String {
        format!("{} → {}", self.bare(from), self.full(to))
    }

    /// The same for values: counts keep all digits.
    pub(crate) fn arrow_of(&self, from: Value, to: Value) -> String {
        format!(
            "{} → {}",
            self.without_unit(&self.value(from)),
            self.value(to)
        )
    }
}

/// The format of these values in the unit of the largest one, unless the smallest would not be readable in it.
fn format(metric: &Metric, values: &[Value]) -> CellFormat {
    let of_all = CellFormat::of(metric, values);
    let sizes = values
        .iter()
        .map(|value| value.as_f64().abs())
        .filter(|size| *size > 0.0);
    let smallest = sizes.clone().fold(f64::INFINITY, f64::min);
    let largest = values
        .iter()
        .copied()
        .max_by(|a, b| a.as_f64().abs().total_cmp(&b.as_f64().abs()));
    match (&of_all, largest) {
        // Whole numbers stay whole.
        (CellFormat::Scaled(scale @ Scale { decimals: 1.., .. }), Some(largest))
            if smallest > largest.as_f64().abs() / 1000.0 =>
        {
            match CellFormat::of(metric, &[largest]) {
                CellFormat::Scaled(coarse) => CellFormat::Scaled(Scale {
                    decimals: scale.decimals,
                    ..coarse
                }),
                other => other,
            }
        }
        _ => of_all,
    }
}

/// The text with no-break spaces.
fn unbroken(text: String) -> String {
    if text.contains(' ') {
        text.replace(' ', "\u{a0}")
    } else {
        text
    }
}
