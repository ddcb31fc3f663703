//! Formats a metric's values as table cells: in the config's format, or scaled and rounded to fit the column.

use std::collections::HashMap;

use perf_model::decimal::fixed;
use perf_model::metric::Unit;
use perf_model::metric::{Metric, NumberFormat};
use perf_model::row::{Name, Outcome, Value};

use crate::markdown::escape as markdown;
use crate::number::{Scale, scale_for, thousands};

/// The cell for a metric that the benchmark's row does not contain.
pub const UNMEASURED: &str = "n/a";

/// The cell for work that a library does not support.
pub const NOT_APPLICABLE: &str = "N/A";

/// The number format of each metric in a table. A metric's values share one scale, which makes a column easy to compare.
#[derive(Debug, Default)]
pub struct Formats(HashMap<Name, CellFormat>);

/// A metric's number format: from the config, scaled to a unit, or unscaled with a suffix.
#[derive(Debug)]
pub(crate) enum CellFormat {
    Given(NumberFormat),
    Scaled(Scale),
    Whole(&'static str),
}

impl Formats {
    /// Chooses the formats for a table that shows these values.
    pub fn new<'m>(values: impl IntoIterator<Item = (&'m Metric, Option<Value>)>) -> Self {
        let mut columns: HashMap<Name, (&Metric, Vec<Value>)> = HashMap::new();
        for (metric, value) in values {
            let column = columns
                .entry(Name::clone(&metric.name))
                .or_insert_with(|| (metric, Vec::new()));
            column.1.extend(value);
        }
        Self(
            columns
                .into_iter()
                .map(|(name, (metric, values))| (name, CellFormat::of(metric, &values)))
                .collect(),
        )
    }

    /// Formats a value as a cell whose text is safe in a table. Without a value, the cell is `n/a`.
    pub fn cell(&self, metric: &Metric, value: Option<Value>) -> String {
        let Some(value) = value else {
            return UNMEASURED.to_owned();
        };
        match self.0.get(&metric.name) {
            Some(format) => format.show(value),
            None => CellFormat::of(metric, &[value]).show(value),
        }
    }

    /// Like [`Self::cell`], but shows `skipped` or `failed` instead of `n/a` if the measurement was skipped or failed.
    pub fn cell_or(&self, metric: &Metric, value: Option<Value>, outcome: Outcome) -> String {
        match outcome {
            Outcome::Skipped | Outcome::Failed if value.is_none() => outcome.word().to_owned(),
            _ => self.cell(metric, value),
        }
    }
}

impl CellFormat {
    /// A number without a unit.
    pub(crate) const PLAIN: Self = Self::Scaled(Scale {
        divisor: 1.0,
        suffix: "",
        decimals: 3,
    });

    /// Chooses the format for these values: the config's, if the metric has one.
    pub(crate) fn of(metric: &Metric, values: &[Value]) -> Self {
        const DECIMALS: usize = 2;
        if let Some(format) = &metric.format {
            return Self::Given(format.clone());
        }
        match metric.meaning.unit {
            Unit::Bytes if metric.meaning.exact => Self::Whole(" B"),
            _ if metric.meaning.exact => Self::Whole(""),
            // Integers were counted, so they are shown in full.
            Unit::Count if values.iter().all(|value| matches!(value, Value::Int(_))) => {
                Self::Whole("")
            }
            Unit::Percent => Self::Given(NumberFormat {
                divide: 1.0,
                decimals: 2,
                thousands: true,
                suffix: "%".to_owned(),
            }),
            unit => {
                let numbers: Vec<f64> = values.iter().map(|value| value.as_f64()).collect();
                Self::Scaled(scale_for(unit, &numbers, DECIMALS))
            }
        }
    }

    /// Formats a value as text that is safe in a table.
    fn show(&self, value: Value) -> String {
        let plain = self.plain(value);
        if matches!(self, Self::Given(_)) {
            markdown::inline(&plain)
        } else {
            plain
        }
    }

    /// Formats a value as plain text, which is not escaped.
    pub(crate) fn plain(&self, value: Value) -> String {
        match self {
            Self::Whole(suffix) => thousands(&value.to_string()) + suffix,
            Self::Scaled(scale) => scale.format(value.as_f64()),
            Self::Given(format) => {
                let decimals = usize::from(format.decimals);
                let digits = match value {
                    // A float would lose the last digits of a count above 2^53.
                    Value::Int(whole)
                        if decimals == 0 && format.divide.to_bits() == 1_f64.to_bits() =>
                    {
                        whole.to_string()
                    }
                    value => fixed(value.as_f64() / format.divide, decimals),
                };
                let digits = if format.thousands {
                    thousands(&digits)
                } else {
                    digits
                };
                digits + &format.suffix
            }
        }
    }

    /// The number by which a value is divided before it is shown.
    pub(crate) fn divisor(&self) -> f64 {
        match self {
            Self::Whole(_) => 1.0,
            Self::Scaled(scale) => scale.divisor,
            Self::Given(format) => format.divide,
        }
    }

    /// The text after the digits: the unit with the space before it, or the config's suffix.
    pub(crate) fn unit(&self) -> String {
        match self {
            Self::Whole(suffix) => (*suffix).to_owned(),
            Self::Scaled(scale) => scale.unit(),
            Self::Given(format) => format.suffix.clone(),
        }
    }
}
