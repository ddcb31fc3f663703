//! A metric's values as cells: in the config's format, or scaled and rounded to fit the column.

use std::collections::HashMap;

use perf_model::decimal::fixed;
use perf_model::metric::Unit;
use perf_model::metric::{Metric, NumberFormat};
use perf_model::row::{Name, Outcome, Value};

use crate::markdown::escape as markdown;
use crate::number::{Scale, scale_for, thousands};

/// The benchmark has a row, but the metric was not measured.
pub const UNMEASURED: &str = "n/a";

/// Not measured because the library does not support it.
pub const NOT_APPLICABLE: &str = "N/A";

/// The format of each metric's values in a table: one scale for each, which makes a column easy to compare.
#[derive(Debug, Default)]
pub struct Formats(HashMap<Name, CellFormat>);

/// A metric's number format: from the config, scaled to a unit, or whole with a suffix.
#[derive(Debug)]
pub(crate) enum CellFormat {
    Given(NumberFormat),
    Scaled(Scale),
    Whole(&'static str),
}

impl Formats {
    /// The formats for a table that shows these values.
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

    /// A value as a cell, safe in a table; `n/a` without a value.
    pub fn cell(&self, metric: &Metric, value: Option<Value>) -> String {
        let Some(value) = value else {
            return UNMEASURED.to_owned();
        };
        match self.0.get(&metric.name) {
            Some(format) => format.show(value),
            None => CellFormat::of(metric, &[value]).show(value),
        }
    }

    /// Like [`Self::cell`], but without a value, `skipped` or `failed` if the measurement was.
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

    /// The format that suits these values.
    pub(crate) fn of(metric: &Metric, values: &[Value]) -> Self {
        const DECIMALS: usize = 2;
        if let Some(format) = &metric.format {
            return Self::Given(format.clone());
        }
        match metric.meaning.unit {
            Unit::Bytes if metric.meaning.exact => Self::Whole(" B"),
            _ if metric.meaning.exact => Self::Whole(""),
            // Counted integers are shown in full.
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

    /// A value as text that is safe in a table.
    fn show(&self, value: Value) -> String {
        let plain = self.plain(value);
        if matches!(self, Self::Given(_)) {
            markdown::inline(&plain)
        } else {
            plain
        }
    }

    /// A value as plain text.
    pub(crate) fn plain(&self, value: Value) -> String {
        match self {
            Self::Whole(suffix) => thousands(&value.to_string()) + suffix,
            Self::Scaled(scale) => scale.format(value.as_f64()),
            Self::Given(format) => {
                let decimals = usize::from(format.decimals);
                let digits = match value {
                    // Not through a float: a count above 2^53 keeps its last digits.
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

    /// The number that a value is divided by to be shown.
    pub(crate) fn divisor(&self) -> f64 {
        match self {
            Self::Whole(_) => 1.0,
            Self::Scaled(scale) => scale.divisor,
            Self::Given(format) => format.divide,
        }
    }

    /// The text after the digits: a unit with the space before it, or the config's suffix.
    pub(crate) fn unit(&self) -> String {
        match self {
            Self::Whole(suffix) => (*suffix).to_owned(),
            Self::Scaled(scale) => scale.unit(),
            Self::Given(format) => format.suffix.clone(),
        }
    }
}
