//! Budgets: absolute limits, independent of the baseline.

use perf_config::Reference;
use perf_model::row::Value;
use serde::{Deserialize, Serialize};

/// The allowed range, in the metric's unit or as a ratio.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Budget {
    /// The maximum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// The minimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
}

impl Budget {
    /// The bound that a number exceeds.
    pub(crate) fn exceeded(&self, number: f64) -> Option<Bound> {
        let over = self.max.filter(|max| number > *max).map(Bound::Max);
        over.or(self.min.filter(|min| number < *min).map(Bound::Min))
    }

    /// A number that fails.
    pub(crate) fn beyond(&self) -> Option<Value> {
        let number = self
            .max
            .map(|max| 10.0 * max + 1.0)
            .or(self.min.map(|min| min / 10.0))?;
        Value::new(number)
    }
}

/// A budget, and the numbers that it applies to.
#[derive(Clone, Debug, PartialEq)]
pub struct Budgeted {
    /// The budget.
    pub budget: Budget,
    /// The scenarios that its numbers are relative to.
    pub reference: Reference,
    /// True if the gate's rule compares the same numbers.
    pub is_judged: bool,
    /// The baseline's number.
    pub baseline: Option<Value>,
    /// The current number.
    pub current: Option<Value>,
}

/// One end of a budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// At most this.
    Max(f64),
    /// At least this.
    Min(f64),
}

impl Bound {
    /// The number.
    pub fn number(self) -> f64 {
        match self {
            Self::Max(number) | Self::Min(number) => number,
        }
    }
}
