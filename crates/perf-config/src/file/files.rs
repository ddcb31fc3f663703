//! What is measured, and where the results are.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What is measured and where the results are, for `perf-gate run`. Paths are relative to the working directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FilesSection {
    /// The command that runs the benchmark, started without a shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measure: Option<String>,
    /// The command that builds each side, where two commits are measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// The file or folder that the command leaves its results in. Left out: what it prints, or Criterion's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<PathBuf>,
    /// The baseline. Left out: `perf-baseline.csv`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<PathBuf>,
    /// The page whose marked section shows the numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<PathBuf>,
}

impl FilesSection {
    /// Whether it says nothing.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
