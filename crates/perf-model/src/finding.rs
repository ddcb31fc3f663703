//! Findings: defects in an input or a measurement that the verdict must take into account.
//!
//! Readers, the comparison and `measure` report findings. Only the verdict decides what a finding means, based on
//! [`FindingKind::effect`]. A warning that changes no verdict is a [`Diagnostic`](crate::diagnostic::Diagnostic).

use serde::{Deserialize, Serialize};

use crate::row::{Key, Name};

/// A defect in an input or a measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The kind, which decides the effect on the verdict.
    pub kind: FindingKind,
    /// The benchmark that the finding is about, if it is a single one.
    pub benchmark: Option<Name>,
    /// The platform and commit whose rows the finding is about, if it is not about all rows.
    pub rows: Option<FindingRows>,
    /// The index of the input among the inputs that were read together, from 0.
    #[serde(skip)]
    pub input: Option<usize>,
    /// The line in the input, from 1.
    pub line: Option<u64>,
    /// The message: a lowercase fragment without a final period, unescaped.
    pub text: String,
}

/// The platform and commit whose rows a finding is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FindingRows {
    /// The platform that the input states; empty if it states none.
    pub platform: Name,
    /// The commit that the input states; empty if it states none.
    pub commit: Name,
}

/// The kind of defect that a finding reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// The benchmark ran and failed, so its number is not a measurement.
    Failed,
    /// Some process runs of the benchmark failed, so only the successful ones are samples.
    PartlyFailed,
    /// A line that looks like a result could not be read.
    Unreadable,
    /// The tool announced more results than were read.
    TooFewResults,
    /// The number is ambiguous, or contradicts another number.
    Ambiguous,
    /// The unit is unknown, so its scale and better direction are uncertain.
    UnknownUnit,
    /// The result is older than the run.
    Stale,
    /// Several benchmarks lost most of their cost at once.
    Collapsed,
    /// The benchmark is slower, but executes the same code as before.
    Layout,
}

/// The consequence of a finding for the verdict, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FindingEffect {
    /// The benchmark is treated as missing. If the finding is about a whole input, that input is inconclusive.
    Missing,
    /// The benchmark is at best inconclusive. If the finding is not about a single benchmark, the whole input is.
    Inconclusive,
    /// The finding is listed in the headline, which then is not green.
    Listed,
}

impl FindingKind {
    /// The consequence of such a finding for the verdict.
    pub fn effect(self) -> FindingEffect {
        match self {
            Self::Failed => FindingEffect::Missing,
            Self::PartlyFailed
            | Self::Unreadable
            | Self::TooFewResults
            | Self::Ambiguous
            | Self::Layout => FindingEffect::Inconclusive,
            Self::UnknownUnit | Self::Stale | Self::Collapsed => FindingEffect::Listed,
        }
    }
}

impl Finding {
    /// Creates a finding about a whole input.
    pub fn about_input(kind: FindingKind, text: impl Into<String>) -> Self {
        Self {
            kind,
            benchmark: None,
            rows: None,
            input: None,
            line: None,
            text: text.into(),
        }
    }

    /// Creates a finding about one benchmark.
    pub fn about(kind: FindingKind, benchmark: Name, text: impl Into<String>) -> Self {
        Self {
            benchmark: Some(benchmark),
            ..Self::about_input(kind, text)
        }
    }

    /// Creates a finding about the rows with one key.
    pub fn about_rows(kind: FindingKind, key: &Key, text: impl Into<String>) -> Self {
        let rows = FindingRows {
            platform: Name::clone(&key.platform),
            commit: Name::clone(&key.commit),
        };
        Self {
            rows: Some(rows),
            ..Self::about(kind, Name::clone(&key.scenario), text)
        }
    }

    /// Whether the finding is about rows with this key.
    pub fn is_about(&self, key: &Key) -> bool {
        // If the input left the platform or the commit empty, a later step may have filled it in.
        let matches = |stated: &Name, one: &Name| stated.is_empty() || stated == one;
        let is_in_rows = |rows: &FindingRows| {
            matches(&rows.platform, &key.platform) && matches(&rows.commit, &key.commit)
        };
        self.benchmark.as_ref() == Some(&key.scenario) && self.rows.as_ref().is_none_or(is_in_rows)
    }

    /// Sets the line in the input.
    #[must_use]
    pub fn on_line(self, line: u64) -> Self {
        Self {
            line: Some(line),
            ..self
        }
    }
}
