//! What is measured, and where the results are.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::PathPattern;

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
    /// The manifest of compared libraries, whose versions the page shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packages: Option<PathBuf>,
    /// Whether the baseline keeps one row for each measurement, the median of its samples, instead of all samples.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub aggregate: bool,
}

/// Whether a text is an address, such as `https://example.org/base.csv`, which no file has as its name.
pub fn is_url(text: &str) -> bool {
    let is_scheme = |scheme: &str| {
        scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    text.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme))
}

impl FilesSection {
    /// The files, those that are left out excepted.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        [&self.output, &self.baseline, &self.page, &self.packages].into_iter().flatten().map(PathBuf::as_path)
    }

    /// Whether it says nothing.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// How refreshed files are committed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RefreshSection {
    /// What the numbers depend on: a push that changes one of these during a refresh refreshes by itself. Left out:
    /// everything but documentation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub affects: Vec<PathPattern>,
    /// The message of the commit. Left out: `Refresh the performance numbers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What to do when the branch takes no commits. Left out: a pull request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Fallback>,
    /// How many attempts to commit while others push. Left out: 20.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 100)))]
    pub attempts: Option<u8>,
}

/// What a refresh does when the branch takes no commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Fallback {
    /// It opens a pull request with the same commit.
    PullRequest,
    /// It leaves the numbers in the job summary.
    None,
}

impl RefreshSection {
    /// Whether it says nothing.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What comments show besides the report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CommentSection {
    /// Whom a comment mentions when something regressed, such as `@octo/performance`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub mention: Vec<Spanned<String>>,
    /// Whether a second comment shows the tables of the performance page with the numbers of the run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub page: bool,
    /// Whether the report on a push is a comment on its commit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub commit: bool,
}

impl CommentSection {
    /// Whether it says nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.mention.is_empty() && !self.page && !self.commit
    }
}
