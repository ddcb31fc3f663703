//! Sections about the benchmark, the measured commands, the project files, the baseline, and the action.

use std::path::PathBuf;
use std::time::Duration;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::PathPattern;

use crate::file::Spanned;
use crate::glob::is_match;

/// The benchmark: its command and its results. Paths are relative to the working directory.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RunSection {
    /// The command that runs the benchmark, started without a shell.
    pub command: Option<String>,
    /// The command that builds the benchmark before it runs. If two commits are measured, the command builds each of them.
    pub build: Option<String>,
    /// The file or folder that contains the command's results. Default: the command's output, or Criterion's folder.
    pub results: Option<PathBuf>,
    /// The format of the results. Default: detected.
    pub format: Option<String>,
    /// The time limit for measuring pairs, such as `90s` or `10m`. Default: 2 minutes, or the time for 16 pairs (at most 10
    /// minutes) if that is longer.
    pub time_limit: Option<Spanned<String>>,
    /// Whether the command is started unchanged. Default: `false`, so that comparisons of two commits, and runs with
    /// `measure = "quickest"`, add the benchmark tool's options for many short samples.
    pub as_is: bool,
    /// The number that represents a run. Default: the median of the run's samples.
    pub measure: Measured,
    /// The base that `perf-gate run` uses in a git checkout. Default: a commit, measured alternately with the checkout.
    pub compare: ComparedWith,
}

/// The base of `perf-gate run`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ComparedWith {
    /// A commit, measured alternately with the checkout.
    #[default]
    Pairs,
    /// The stored values in `files.baseline`.
    Baseline,
}

/// The number that represents a benchmark's run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Measured {
    /// The median of the run's samples.
    #[default]
    Median,
    /// The p10 of many short samples, which background load barely affects.
    Quickest,
    /// The time of the command itself, for a command that prints no results: the fastest of several process runs.
    Process,
}

impl RunSection {
    /// Returns the time limit for measuring pairs, if the config sets one.
    pub fn time_limit(&self) -> Option<Duration> {
        duration(self.time_limit.as_ref()?).ok()
    }
}

/// The profiles that show which functions caused a regression. The action adds them to its report if it measures pairs.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct WhySection {
    /// Whether regressions are profiled. Default: true.
    pub enabled: bool,
    /// The time limit for profiling, such as `90s`. Default: 30 s.
    pub time_limit: Option<Spanned<String>>,
}

impl Default for WhySection {
    fn default() -> Self {
        Self {
            enabled: true,
            time_limit: None,
        }
    }
}

impl WhySection {
    const LIMIT: Duration = Duration::from_secs(30);

    /// Returns the time limit for profiling, or `None` if profiling is disabled.
    pub fn limit(&self) -> Option<Duration> {
        if !self.enabled {
            return None;
        }
        let Some(text) = &self.time_limit else {
            return Some(Self::LIMIT);
        };
        duration(text).ok()
    }
}

/// Parses a duration such as `90s`, `10m` or `1h`. A number without a unit is in seconds.
///
/// ```
/// assert_eq!(perf_config::duration("1.5m"), Ok(std::time::Duration::from_secs(90)));
/// assert!(perf_config::duration("banana").is_err());
/// ```
pub fn duration(text: &str) -> Result<Duration, String> {
    for (unit, seconds) in [("s", 1.0), ("m", 60.0), ("h", 3600.0), ("", 1.0)] {
        if let Some(number) = text.strip_suffix(unit)
            && let Ok(number) = number.parse::<f64>()
            && number > 0.0
            && let Ok(duration) = Duration::try_from_secs_f64(number * seconds)
        {
            return Ok(duration);
        }
    }
    Err("a time such as 90s, 10m or 1h".to_owned())
}

/// The project files. Paths are relative to the working directory.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FilesSection {
    /// The baseline. Default: `perf-baseline.csv`.
    pub baseline: Option<PathBuf>,
    /// The page whose marked section shows the numbers.
    pub page: Option<PathBuf>,
    /// The manifest that lists the versions of the compared libraries, for the page.
    pub packages: Option<PathBuf>,
    /// The output files of confirmation runs, as patterns, for the action. Each file is one run; the files need not exist.
    pub confirm: Vec<String>,
    /// Whether the action describes its runner's hardware. Without the description, rows have no machine type and reports do
    /// not show the hardware. Default: true.
    pub machine_specs: Option<bool>,
    /// Whether the baseline keeps one row per measurement, with the median of its samples, instead of all samples.
    pub aggregate: bool,
}

/// Whether `text` is a URL such as `https://example.org/base.csv`, which is never a file name.
pub fn is_url(text: &str) -> bool {
    is_match(r"^[A-Za-z0-9+.-]{2,}://", text)
}

/// How refreshed files are committed.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RefreshSection {
    /// The files that the numbers depend on. If a push changes one of them during a refresh, the refresh stops in favour of
    /// the push's own refresh. Default: all files except documentation.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub affects: Vec<PathPattern>,
    /// The message of the action's commits. Default: `Refresh the performance numbers`.
    pub message: Option<String>,
    /// The workflow events that refresh the numbers on the default branch, such as `push`, `schedule` or
    /// `workflow_dispatch`. Default: `push`.
    pub events: Option<Vec<String>>,
    /// What a refresh does if the branch rejects its commit. Default: it opens a pull request.
    pub fallback: Option<Fallback>,
}

/// What a refresh does if the branch rejects its commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Fallback {
    /// Opens a pull request with the same commit.
    PullRequest,
    /// Leaves the numbers in the job summary.
    None,
}

/// The action's comments, annotations and statuses.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CommentSection {
    /// The people or teams that a comment mentions after a regression, such as `@octo/performance`.
    pub mention: Vec<Spanned<String>>,
    /// Whether a second comment shows the performance page's tables with the run's numbers.
    pub page: bool,
    /// Whether the measured commit gets a status. Default: only after `workflow_run`, because there is no other place to
    /// show the verdict.
    pub status: Option<bool>,
    /// How each regression is annotated. Default: as an error.
    pub annotate: Option<Annotate>,
}

/// How regressions are annotated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Annotate {
    /// As errors.
    #[default]
    Error,
    /// As warnings.
    Warning,
    /// Not at all.
    None,
}

/// How much of a run a baseline keeps, so that the file stays small. Rows measured in pairs are kept unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct BaselineSection {
    /// The approximate number of samples to keep per benchmark, evenly spaced by rank. 0 keeps all samples.
    pub samples: u32,
    /// How many digits of times and rates are kept.
    pub digits: Digits,
    /// Which rows are replaced when a baseline is refreshed.
    pub refresh: Refresh,
}

/// How many digits of times and rates are kept. Counts keep all digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Digits {
    /// Decimals down to a thousandth of the noise; seven significant digits if the noise is unknown.
    #[default]
    Noise,
    /// As many as needed to read back the same number.
    All,
}

/// Which rows are replaced when a baseline is refreshed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Refresh {
    /// All rows, so that the versions of the file form a history.
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

/// The protocol of all harnesses that `perf-gate measure window` measures. Its command-line options override these settings.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProtocolSection {
    /// The number of warm-up operations before a window.
    pub warm_up: u64,
    /// The length of a window in seconds.
    pub window: f64,
    /// The number of fresh processes that measure a cold start.
    pub cold: u32,
}

impl Default for ProtocolSection {
    fn default() -> Self {
        Self {
            warm_up: 10_000,
            window: 5.0,
            cold: 32,
        }
    }
}

/// How a harness, which runs operations on request, is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum HarnessMode {
    /// Measures operations over one continuous window.
    Window,
    /// Measures one operation in each of several fresh processes.
    Cold,
}

/// A benchmark. A command is timed by `perf-gate measure record` and `perf-gate measure compare` and counted by
/// `perf-gate measure count`, and a harness is measured by `perf-gate measure window`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MeasureEntry {
    /// The benchmark's name.
    pub name: String,
    /// The command that is measured, started without a shell.
    pub command: String,
    /// How the command is measured if it is a harness, which runs operations on request. Default: the command is timed.
    pub harness: Option<HarnessMode>,
    /// The number of warm-up operations before this harness's window, instead of the protocol's number.
    pub warm_up: Option<u64>,
    /// Another benchmark that runs only this command's setup. `perf-gate measure count` subtracts its instructions.
    pub setup: Option<String>,
    /// A command that runs untimed before each iteration.
    pub before: Option<String>,
    /// A command that runs untimed after each iteration.
    pub after: Option<String>,
    /// Environment variables for `command`, `before` and `after`.
    #[serde(default)]
    pub env: IndexMap<String, String>,
}
