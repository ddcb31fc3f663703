//! A metric: everything that is needed to show, store and compare its numbers.

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
    /// The unit, the better direction, and whether the values are exact counts.
    pub meaning: Meaning,
    /// The formula, if the metric is computed instead of read.
    pub formula: Option<Formula>,
    /// The metric for which this one is a fallback: this one is a result only if the other metric was not measured.
    pub fallback_for: Option<Name>,
    /// The metric whose spread this one describes, for example as the upper end of an interval. A spread is not a result.
    pub spread_of: Option<Name>,
    /// The metrics from which this one may be derived. If one of them was measured, this metric is not gated by default.
    pub derived_from: Vec<Name>,
    /// The number format. If it is `None`, the scale and the decimals are chosen to fit.
    pub format: Option<NumberFormat>,
    /// The noun for differences of exact counts: with `bytes`, "12 more bytes".
    pub noun: Option<String>,
    /// The number of decimals in the baseline. `None` keeps all digits.
    pub decimals: Option<u8>,
    /// The gate rule if the config contains no gates. `None` if the metric is not gated by default.
    pub default_gate: Option<GateRule>,
}

impl Metric {
    /// Whether this is a count of failures. Most tools print such a count only if it is not zero.
    pub fn is_omitted_if_zero(&self) -> bool {
        let words = words(&self.name);
        let last = words.last().map(String::as_str);
        self.meaning.exact && matches!(last, Some("errors" | "failures"))
    }

    /// Whether this is an amount that depends only on the program: an exact count, bytes per operation, allocated bytes
    /// or a size. The memory of a process is not such an amount, because it depends on the number of cores.
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

/// A metric as a benchmark tool declared it. The declaration overrides the meaning that the metric's name implies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The name for people. If it is `None`, the label is derived from the metric's name.
    pub label: Option<String>,
    /// The unit, the better direction, and whether the values are exact counts.
    pub meaning: Meaning,
}

/// A number format: values are divided by `divide`, rounded to `decimals`, and followed by `suffix`.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberFormat {
    /// The number by which values are divided.
    pub divide: f64,
    /// The number of digits after the decimal point.
    pub decimals: u8,
    /// Whether to separate groups of three digits.
    pub thousands: bool,
    /// The text after the number, with a leading space if there should be one.
    pub suffix: String,
}

/// The rule by which a gate fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum GateRule {
    /// Fails if the metric is worse by more than the limit, as a share of the baseline. At 0.33, it fails from 100 to below
    /// 67 per second, or from 100 to above 133 ms.
    #[serde(alias = "threshold")]
    Limit,
    /// Fails if the metric is worse at all.
    Exact,
    /// For counts that differ a little from build to build, such as instructions: fails if the count is more than 0.2 %
    /// higher and the increase is larger than the steps in the history.
    Count,
    /// Fails on any difference from the baseline, such as a changed number of calls in a deterministic program.
    Equal,
    /// Never fails: the metric is not gated.
    None,
}
