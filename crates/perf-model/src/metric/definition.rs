//! A metric: everything that showing, storing and comparing its numbers needs.

use serde::{Deserialize, Serialize};

use super::meaning::words;
use super::{Formula, Meaning, Unit};
use crate::row::Name;

/// A column of numbers.
#[derive(Clone, Debug)]
pub struct Metric {
    /// The name that rows use.
    pub name: Name,
    /// The name for people.
    pub label: String,
    /// Unit, direction, and whether it is counted.
    pub meaning: Meaning,
    /// The formula of a metric that is not read.
    pub formula: Option<Formula>,
    /// The metric in whose absence it is a result.
    pub fallback_for: Option<Name>,
    /// The metric whose spread this one says, such as the upper end of its interval: no result of its own.
    pub spread_of: Option<Name>,
    /// The metrics that this one is another form of: where one of them was measured too, it is not gated by itself.
    pub derived_from: Vec<Name>,
    /// The format of values; `None` scales and rounds them to fit.
    pub format: Option<NumberFormat>,
    /// The unit of differences.
    pub noun: Option<String>,
    /// Decimals in the baseline; `None` keeps the number.
    pub decimals: Option<u8>,
    /// The way in which it fails a change in a config without gates.
    pub default_gate: Option<GateRule>,
}

impl Metric {
    /// True for a count of failures, which most tools print only if there are any.
    pub fn is_omitted_if_zero(&self) -> bool {
        let words = words(&self.name);
        let last = words.last().map(String::as_str);
        self.meaning.exact && matches!(last, Some("errors" | "failures"))
    }

    /// True for an amount that the program decides alone: an exact one, bytes per operation, allocated bytes, or a size. The
    /// memory of a process depends on the number of cores.
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

/// A benchmark tool's declaration of a metric, beyond the meaning of its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The name for people; `None` takes the one that the name implies.
    pub label: Option<String>,
    /// Unit, direction, and whether it is counted.
    pub meaning: Meaning,
}

/// The format of values: `value / divide` rounded to `decimals`, then the suffix.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberFormat {
    /// The divisor of values.
    pub divide: f64,
    /// Digits behind the point.
    pub decimals: u8,
    /// True if groups of three digits are set apart.
    pub thousands: bool,
    /// The text behind the number, with its space.
    pub suffix: String,
}

/// How a gate fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum GateRule {
    /// Worse by more than the limit, as a share of the baseline: at 0.33, from 100 to under 67 per second, or from
    /// 100 to over 133 ms.
    #[serde(alias = "threshold")]
    Limit,
    /// Worse at all.
    Exact,
    /// For counts that differ a little from build to build, such as instructions: more by over 0.2 %, and by
    /// more than the history's steps.
    Count,
    /// Other than the baseline, in either direction, as the number of calls of a deterministic program.
    Equal,
    /// Never: the metric is not gated.
    None,
}
