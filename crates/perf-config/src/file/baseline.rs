//! The part of a run that a baseline keeps.

use serde::{Deserialize, Serialize};

/// The part of a run that a baseline keeps, so that it stays small. Rows that were measured in pairs are kept as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct BaselineSection {
    /// About how many samples of a benchmark are kept, at its quantiles; 0 keeps all.
    pub samples: u32,
    /// The digits of times and rates that are kept.
    pub digits: Digits,
    /// The rows that are replaced when a baseline is refreshed.
    pub refresh: Refresh,
}

/// The digits of times and rates that are kept. Counts keep all of theirs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Digits {
    /// Decimals down to a thousandth of the noise; where the noise is unknown, seven significant digits.
    #[default]
    Noise,
    /// All that it takes to read the same number back.
    All,
}

/// The rows that are replaced when a baseline is refreshed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Refresh {
    /// All, so that the versions of the file are a history.
    #[default]
    All,
    /// The rows of benchmarks that changed by more than the tolerance and their noise. The others keep their rows and
    /// their commit.
    Moved,
}

impl Default for BaselineSection {
    fn default() -> Self {
        Self {
            samples: 30,
            digits: Digits::default(),
            refresh: Refresh::default(),
        }
    }
}
