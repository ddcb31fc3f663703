//! Sections about trust in numbers: the benchmark files, the history, waivers, and the verdicts that fail a change.

use std::fmt;
use std::str::FromStr;

use perf_model::suggest::suggest;
use serde::{Deserialize, Serialize};

use crate::file::Spanned;
use crate::glob::PathPattern;

/// The benchmark files, as opposed to the measured code.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HarnessSection {
    /// The paths of the benchmark files, from the root of the repository. `*` and `?` match within a name, `**` matches any
    /// folders. If one of the files changed, times are not comparable.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub paths: Vec<PathPattern>,
    /// The paths of the files that select the toolchain, with the same wildcards. If one of the files changed, counts that
    /// depend on the compiler, such as instructions, are not comparable. Times still are.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub toolchain: Vec<PathPattern>,
    /// Which commit's benchmark files the base of pairs uses.
    pub from: HarnessFrom,
}

/// The files whose changes require a review of the numbers.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ReviewSection {
    /// The paths of performance-critical files, from the root of the repository. `*` and `?` match within a name, `**`
    /// matches any folders. The report lists the files that changed since the baseline, with their owners in CODEOWNERS.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub paths: Vec<PathPattern>,
}

/// Which commit's benchmark files the base of pairs uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum HarnessFrom {
    /// Base and head each use their own files.
    #[default]
    Each,
    /// The base uses the head's files, so that a change in the benchmark is not mistaken for a change in the code.
    Current,
}

/// How earlier baselines are used.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HistorySection {
    /// The maximum number of earlier baselines; the latest are used.
    #[cfg_attr(feature = "schema", schemars(range(min = 5, max = 1000)))]
    pub last: Spanned<u32>,
    /// The number of earlier values that a normal range requires. With fewer values, the limit decides.
    #[cfg_attr(feature = "schema", schemars(range(min = 5, max = 1000)))]
    pub least: Spanned<u32>,
    /// The verdict on a suspected regression that was not confirmed.
    pub suspects: Suspects,
}

impl Default for HistorySection {
    fn default() -> Self {
        Self {
            last: 30.into(),
            least: 10.into(),
            suspects: Suspects::default(),
        }
    }
}

/// The verdict on a suspected regression that was not confirmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Suspects {
    /// The verdict is inconclusive.
    #[default]
    Inconclusive,
    /// The verdict is regressed.
    Fail,
}

/// A known regression, excused until a date.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WaiverEntry {
    /// The scenario's key; `*` matches any text, `?` one character.
    pub scenario: Spanned<String>,
    /// The metric, with the same wildcards. Default: all metrics; the waiver then also excuses a missing scenario.
    pub metric: Option<Spanned<String>>,
    /// Why the regression is excused.
    pub reason: Spanned<String>,
    /// The person who excuses the regression.
    pub by: Spanned<String>,
    /// The last day of the waiver: a date such as 2026-12-31, with or without quotes.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "String", regex(pattern = "^\\d{4}-\\d{2}-\\d{2}$"))
    )]
    pub until: Spanned<toml::Value>,
    /// The largest change for the worse that is excused, as a fraction of the baseline: `0.5` for 50%. Default: any change.
    pub up_to: Option<Spanned<f64>>,
}

/// A verdict that may fail a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FailOn {
    /// A number got worse by more than its gate allows.
    Regressed,
    /// A scenario in the baseline was not measured.
    Missing,
    /// The data is inconclusive.
    Inconclusive,
    /// Base and head were measured, but in different ways.
    NotComparable,
    /// A gated metric in the baseline no longer has a value.
    Unmeasured,
    /// The baseline does not contain the scenario.
    New,
    /// A number changed by more than the tolerance.
    Moved,
    /// A number improved, so the baseline is out of date.
    Improved,
}

/// The verdicts that fail a change; if it is empty, nothing fails.
pub type FailOnList = Vec<FailOn>;

impl FailOn {
    /// All verdicts, starting with the most severe.
    pub const ALL: [Self; 8] = [
        Self::Regressed,
        Self::Missing,
        Self::Inconclusive,
        Self::NotComparable,
        Self::Unmeasured,
        Self::New,
        Self::Moved,
        Self::Improved,
    ];

    /// The word in the config and in result lines.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Regressed => "regressed",
            Self::Missing => "missing",
            Self::Inconclusive => "inconclusive",
            Self::NotComparable => "not-comparable",
            Self::Unmeasured => "unmeasured",
            Self::New => "new",
            Self::Moved => "moved",
            Self::Improved => "improved",
        }
    }

    /// Parses a list such as `regressed, missing`, or `none` for an empty one.
    ///
    /// # Errors
    /// Fails if a word is not a verdict. The error contains the first such word, and a hint on a second line.
    pub fn parse_list(text: &str) -> Result<FailOnList, String> {
        if text.trim() == "none" {
            return Ok(Vec::new());
        }
        text.split(',').map(|word| word.trim().parse()).collect()
    }
}

impl fmt::Display for FailOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        for verdict in Self::ALL {
            if verdict.word() == text {
                return Ok(verdict);
            }
        }
        let hint = suggest(text, Self::ALL.map(Self::word)).unwrap_or_default();
        Err(format!("no verdict is called `{text}`\nhint: {hint}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_is_read_as_it_is_written() {
        for verdict in FailOn::ALL {
            assert_eq!(verdict.word().parse(), Ok(verdict));
            assert_eq!(
                toml::Value::try_from(verdict).unwrap().as_str(),
                Some(verdict.word())
            );
        }
    }

    #[test]
    fn lists_may_contain_spaces_and_none_stands_alone() {
        let both = Ok(vec![FailOn::Regressed, FailOn::Missing]);
        assert_eq!(FailOn::parse_list("regressed, missing"), both);
        assert_eq!(FailOn::parse_list("none"), Ok(vec![]));
        for wrong in ["none,new", "", "regressed,"] {
            let error = FailOn::parse_list(wrong).unwrap_err();
            assert!(error.starts_with("no verdict is called `"), "{error}");
        }
    }

    #[test]
    fn unknown_verdict_is_reported_with_the_closest_name() {
        let error_text = |text: &str| text.parse::<FailOn>().unwrap_err();
        insta::assert_snapshot!(error_text("regresed"), @"
        no verdict is called `regresed`
        hint: did you mean `regressed`?
        ");
        insta::assert_snapshot!(error_text("Red"), @"
        no verdict is called `Red`
        hint: known names: `regressed`, `missing`, `inconclusive`, `not-comparable`, `unmeasured`, `new`, `moved`, `improved`
        ");
    }
}
