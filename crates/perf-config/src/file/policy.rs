//! How far numbers are trusted: what else was measured with, how much history counts, what is excused.

use serde::{Deserialize, Serialize};

use crate::path_pattern::PathPattern;
use crate::spanned::Spanned;

/// The files of the benchmark itself, which are not the code that is measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HarnessSection {
    /// Paths of the benchmark itself, from the root of the repository: `*` and `?` within a name, `**` for any
    /// folders. Where one of them changed, times are not comparable.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub paths: Vec<PathPattern>,
    /// Paths of what says which toolchain builds, written alike. Where one of them changed, counts that a compiler
    /// decides, such as instructions, are not comparable; times are.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub toolchain: Vec<PathPattern>,
    /// Whose benchmark the base of pairs runs.
    pub from: HarnessFrom,
}

/// The files whose changes ask for a review of the numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ReviewSection {
    /// Paths of the hot path, from the root of the repository: `*` and `?` within a name, `**` for any folders. The report
    /// names those that changed since the baseline, with their owners in CODEOWNERS.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub paths: Vec<PathPattern>,
}

/// The side whose benchmark the base of pairs runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum HarnessFrom {
    /// The one that it has.
    #[default]
    Each,
    /// The one of the current side, so that a change of the benchmark itself is not taken for one of the code.
    Current,
}

/// How earlier baselines are used.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HistorySection {
    /// How many earlier baselines are looked at: the last ones.
    #[cfg_attr(feature = "schema", schemars(range(min = 5, max = 1000)))]
    pub last: Spanned<u32>,
    /// With how many of them what is normal is known; with fewer, the limit decides.
    #[cfg_attr(feature = "schema", schemars(range(min = 5, max = 1000)))]
    pub least: Spanned<u32>,
    /// The verdict on a number that is worse than is normal, but was not confirmed.
    pub suspects: Suspects,
    /// How much worse than the best sustained level fails, as a fraction below 1, so that slow creep does. Left
    /// out: nothing does.
    pub ratchet: Option<Spanned<f64>>,
}

impl Default for HistorySection {
    fn default() -> Self {
        Self {
            last: 30.into(),
            least: 10.into(),
            suspects: Suspects::default(),
            ratchet: None,
        }
    }
}

/// The verdict on a number that is worse than is normal, but was not confirmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Suspects {
    /// Inconclusive.
    #[default]
    Inconclusive,
    /// Regressed.
    Fail,
}

/// A regression that is known and excused for a while.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WaiverEntry {
    /// The key of the scenario; `*` stands for any text, `?` for one character.
    pub scenario: Spanned<String>,
    /// The metric, likewise. Left out: all of them, and that the scenario is missing.
    pub metric: Option<Spanned<String>>,
    /// Why it is excused.
    pub reason: Spanned<String>,
    /// Who excuses it.
    pub by: Spanned<String>,
    /// The last day on which it is excused, such as 2026-12-31.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "String", regex(pattern = "^\\d{4}-\\d{2}-\\d{2}$"))
    )]
    pub until: Spanned<toml::Value>,
    /// The largest change for the worse that it excuses, as a share of the baseline. Left out: any.
    pub up_to: Option<Spanned<f64>>,
}
