//! A metric: all that is needed to show, store and compare its numbers.

use serde::{Deserialize, Serialize};

use super::meaning::words;
use super::{Formula, Meaning, Unit};
use crate::row::Name;

/// A column of numbers.
#[derive(Clone, Debug)]
pub struct Metric {
    /// The name in rows.
    pub name: Name,
    /// The name for people.
    pub label: String,
    /// Unit, direction, and whether it is an exact count.
    pub meaning: Meaning,
    /// The formula, if the metric is computed instead of read.
    pub formula: Option<Formula>,
    /// The metric that this one replaces if it was not measured.
    pub fallback_for: Option<Name>,
    /// The metric whose spread this one describes, such as an interval's upper end: it is not a result.
    pub spread_of: Option<Name>,
    /// The metrics that this one is derived from: if one of them was measured, this one is not gated by default.
    pub derived_from: Vec<Name>,
    /// The number format; `None` picks scale and decimals to fit.
    pub format: Option<NumberFormat>,
    /// The unit of differences.
    pub noun: Option<String>,
    /// Decimals in the baseline; `None` keeps all digits.
    pub decimals: Option<u8>,
    /// The gate rule if the config contains no gates.
    pub default_gate: Option<GateRule>,
}

impl Metric {
    /// Whether this is a count of failures, which most tools print only if there are any.
    pub fn is_omitted_if_zero(&self) -> bool {
        let words = words(&self.name);
        let last = words.last().map(String::as_str);
        self.meaning.exact && matches!(last, Some("errors" | "failures"))
    }

    /// Whether this is an amount that depends only on the program: an exact count, bytes per operation, allocated
    /// bytes or a size. A process's memory is not one: it depends on the number of cores.
    pub fn is_same_on_any_machine(&self) -> bool {
        const MEMORY: [&str; 7] = ["heap", "memory", "mem", "rss", "resident", "stack", "pool"];
        let words = words(&self.name);
        let has = |word: &str| words.iter().any(|one| one == word);
        let is_amount = matches!(self.meaning.unit, Unit::Bytes | Unit::Count);
        let is_of_program = words.ends_with(&["per".to_owned(), "op".to_owned()])
            || ["alloc", "allocated", "size"].into_iter().any(has);
        is_amount && (self.meaning.exact || is_of_program && !MEMORY.into_iter().any(has))
    }
}

/// A metric as declared by a benchmark tool, beyond the meaning of its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The name for people; `None` derives it from the metric's name.
    pub label: Option<String>,
    /// Unit, direction, and whether it is an exact count.
    pub meaning: Meaning,
}

/// A number format: `value / divide`, rounded to `decimals`, then the suffix.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberFormat {
    /// The divisor of values.
    pub divide: f64,
    /// Digits after the decimal point.
    pub decimals: u8,
    /// Whether to separate groups of three digits.
    pub thousands: bool,
    /// The text after the number, including a space if wanted.
    pub suffix: String,
}

/// When a gate fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum GateRule {
    /// Fails if worse by more than the limit, as a share of the baseline: at 0.33, from 100 to below 67 per second,
    /// or from 100 to above 133 ms.
    #[serde(alias = "threshold")]
    Limit,
    /// Fails if worse at all.
    Exact,
    /// For counts that differ a little from build to build, such as instructions: fails if more than 0.2 % higher and
    /// the increase is larger than the steps in the history.
    Count,
    /// Fails on any difference from the baseline, such as a changed number of calls in a deterministic program.
    Equal,
    /// Never fails: the metric is not gated.
    None,
}
