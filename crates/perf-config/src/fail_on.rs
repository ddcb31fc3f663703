//! The verdicts that can fail a change.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use perf_model::suggest::suggest;

/// A verdict that may fail a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FailOn {
    /// A number got worse by more than its gate allows.
    Regressed,
    /// A scenario of the baseline was not measured.
    Missing,
    /// The data are not conclusive.
    Inconclusive,
    /// Both sides were measured, but not alike.
    NotComparable,
    /// A gated metric of the baseline has no value any more.
    Unmeasured,
    /// The baseline has no such scenario.
    New,
    /// A number went further than the tolerance.
    Moved,
    /// A number got better, so that the baseline is out of date.
    Improved,
}

impl FailOn {
    /// All of them, the gravest first.
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

    /// The word for it in the config and in result lines.
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
}

impl fmt::Display for FailOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|verdict| verdict.word() == text)
            .ok_or_else(|| {
                let hint =
                    suggest(text, Self::ALL.map(Self::word)).map(|hint| format!("\nhint: {hint}"));
                format!("no verdict is called `{text}`{}", hint.unwrap_or_default())
            })
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
    fn a_word_for_no_verdict_is_reported_with_the_nearest() {
        let error_text = |text: &str| text.parse::<FailOn>().unwrap_err();
        insta::assert_snapshot!(error_text("regresed"), @"
        no verdict is called `regresed`
        hint: did you mean `regressed`?
        ");
        insta::assert_snapshot!(error_text("Red"), @"
        no verdict is called `Red`
        hint: known here: `regressed`, `missing`, `inconclusive`, `not-comparable`, `unmeasured`, `new`, `moved`, `improved`
        ");
    }
}
