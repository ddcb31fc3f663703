//! The request for a pairs measurement, and its report.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use perf_model::finding::Finding;
use perf_model::row::{Name, Row};
use perf_verdict::rules::pairs::LOOKS;
use serde::Serialize;

use super::BUDGET;
use super::focus::Focus;

/// Base and head, and how to measure them.
#[derive(Clone, Default, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "options, each with a name")]
pub struct PairsRequest {
    /// The base, with which the head is compared.
    pub base: SideRequest,
    /// The head, which is judged.
    pub current: SideRequest,
    /// Whether to measure only the head, with a warning, if the base commit does not contain the benchmark.
    pub is_base_optional: bool,
    /// Whether commits are checked out in worktrees instead of at the working tree's path.
    pub is_at_two_paths: bool,
    /// Whether the head's `[harness]` files are copied to the base before it is built.
    pub is_harness_of_current: bool,
    /// Whether the command runs without additional options for its benchmark tool.
    pub is_as_is: bool,
    /// Whether to run only the head, once and at normal priority, as in `perf-gate run`. The base may still be built, so that
    /// heads can be built on top of it.
    pub is_single: bool,
    /// Whether the caller prints the verdicts and the warnings about the machine.
    pub is_silent: bool,
    /// The command that builds a side, in the side's directory.
    pub build: Option<Vec<OsString>>,
    /// The measurement's time limit, not including builds. Default: the time of 16 pairs, but at least two and at most ten
    /// minutes.
    pub time_limit: Option<Duration>,
    /// The time after which a measurement without time limit ends, if it has at least 16 pairs. Default: the time of 16
    /// pairs, but at least two minutes.
    pub budget: Option<Duration>,
    /// The time limit for a process run. Default: ten minutes.
    pub launch_limit: Option<Duration>,
    /// The seed of the random order. Default: a random seed.
    pub seed: Option<u64>,
    /// The output format's name. Default: the detected format.
    pub format: Option<String>,
    /// The file or directory to which the command writes its results, relative to the side's directory.
    pub output_of: Option<PathBuf>,
    /// The benchmark name, if the command prints no results.
    pub name: Option<String>,
    /// The config file. Default: the one in the working directory.
    pub config: Option<PathBuf>,
    /// The benchmark and metric in focus. Default: everything that is gated.
    pub focus: Option<Focus>,
    /// The file for the base's rows. It is written even if a process run fails.
    pub base_rows: Option<PathBuf>,
    /// The file for the head's rows.
    pub current_rows: Option<PathBuf>,
}

impl PairsRequest {
    /// Returns the time for all pairs. A measurement without a time limit may extend it.
    pub fn budget(&self) -> Duration {
        self.time_limit.or(self.budget).unwrap_or(BUDGET)
    }
}

/// Chooses the benchmarks to measure from all that base or head contains.
pub type Choose<'c> = dyn FnMut(&BTreeSet<Name>) -> anyhow::Result<BTreeSet<Name>> + 'c;

/// One side: its command and its source tree.
#[derive(Clone, Default, Serialize)]
pub struct SideRequest {
    /// The program and its arguments, started without a shell.
    pub command: Vec<OsString>,
    /// The source tree.
    pub tree: Tree,
}

/// The source tree in which a side is built and runs.
#[derive(Clone, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tree {
    /// The working directory as it is.
    #[default]
    Here,
    /// A directory, relative to the working directory.
    Folder(PathBuf),
    /// A commit in the working directory's repository.
    Commit(String),
}

/// The rows of base and head, and the verdicts.
#[derive(Default)]
pub struct PairsReport {
    /// The base's rows.
    pub base: Vec<Row>,
    /// The head's rows.
    pub current: Vec<Row>,
    /// The number of process runs per side; zero if the base was not measured.
    pub pairs: usize,
    /// The duration of the measurement, in seconds.
    pub seconds: f64,
    /// Whether every gated metric has a verdict.
    pub is_concluded: bool,
    /// Whether any metric regressed.
    pub is_regressed: bool,
    /// The minimum detectable slowdowns as text, such as `2.1% of CPU time, 9.3% of wall time`.
    pub detectable: Option<String>,
    /// The reason why the base was not measured, if that is not an error.
    pub missing_base: Option<String>,
    /// A file with code of the head that the base executed, if any. All verdicts are then inconclusive.
    pub shared_output: Option<String>,
    /// Findings about base and head.
    pub findings: [Vec<Finding>; 2],
}

impl PairsReport {
    /// Returns a sentence if the time limit was too short for a verdict, such as `only 3 of 8 pairs fit into 15 s`.
    pub fn shortage(&self) -> Option<String> {
        let needed = LOOKS[0].pairs;
        let (pairs, seconds) = (self.pairs, self.seconds);
        let is_short = pairs > 0 && pairs < needed;
        is_short.then(|| format!("only {pairs} of {needed} pairs fit into {seconds:.0} s"))
    }
}
