//! Request and report for a pairs measurement.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use perf_model::finding::Finding;
use perf_model::row::Row;
use perf_verdict::rules::pairs::LOOKS;
use serde::Serialize;

use super::BUDGET;
use super::focus::Focus;

/// Base and head, and how to measure them.
#[derive(Clone, Debug, Default, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "options, each with a name")]
pub struct PairsRequest {
    /// The base, with which the head is compared.
    pub base: SideRequest,
    /// The head, which is judged.
    pub current: SideRequest,
    /// Whether to measure only the head, with a warning, if the base commit does not contain the benchmark.
    pub is_base_optional: bool,
    /// Whether commits are checked out in worktrees instead of at the path of the working tree.
    pub is_at_two_paths: bool,
    /// Whether the base gets the head's `[harness]` files before it is built.
    pub is_harness_of_current: bool,
    /// Whether the command runs without additional options for its benchmark tool.
    pub is_as_is: bool,
    /// Whether to run only the head, once, as in `perf-gate run`. The base is at most built, so that heads can be built on top
    /// of it.
    pub is_single: bool,
    /// Whether processes run at normal priority, as in `perf-gate run`.
    pub has_normal_priority: bool,
    /// Whether the caller prints verdicts and warnings about the machine.
    pub is_silent: bool,
    /// Builds a side, in its directory.
    pub build: Option<Vec<OsString>>,
    /// The measurement's time limit, not including builds. Default: two minutes, or as long as 16 pairs take, at most ten
    /// minutes.
    pub time_limit: Option<Duration>,
    /// When a measurement without time limit ends, but not before 16 pairs. Default: two minutes, or as long as 16 pairs take.
    pub budget: Option<Duration>,
    /// Time limit for a process run. Default: ten minutes.
    pub launch_limit: Option<Duration>,
    /// Seed of the random order. Default: a random seed.
    pub seed: Option<u64>,
    /// Name of the output format. Default: detected.
    pub format: Option<String>,
    /// File or directory to which the command writes its results, relative to the side's directory.
    pub output_of: Option<PathBuf>,
    /// Benchmark name, if the command prints no results.
    pub name: Option<String>,
    /// The config file. Default: the one in the working directory.
    pub config: Option<PathBuf>,
    /// The benchmarks to run and compare, if the tool can select them. Empty for all.
    pub chosen: Vec<String>,
    /// The benchmark and metric that the measurement is about. Default: everything gated.
    pub focus: Option<Focus>,
    /// File for the base's rows. It is written even if a process run fails.
    pub base_rows: Option<PathBuf>,
    /// File for the head's rows.
    pub current_rows: Option<PathBuf>,
}

impl PairsRequest {
    /// The time for all pairs, if [`super::FEWEST`] pairs fit into it.
    pub(super) fn budget(&self) -> Duration {
        self.time_limit.or(self.budget).unwrap_or(BUDGET)
    }
}

/// One side: its command and its source tree.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SideRequest {
    /// The program and its arguments, started without a shell.
    pub command: Vec<OsString>,
    /// The source tree.
    pub tree: Tree,
}

/// The tree in which a side is built and runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
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

/// Rows of base and head, and their verdicts.
#[derive(Clone, Debug, Default)]
pub struct PairsReport {
    /// The base's rows.
    pub base: Vec<Row>,
    /// The head's rows.
    pub current: Vec<Row>,
    /// Process runs per side; zero if the base was not measured.
    pub pairs: usize,
    /// Duration of the measurement, in seconds.
    pub seconds: f64,
    /// Whether every gated metric has a verdict.
    pub is_concluded: bool,
    /// Whether something regressed.
    pub is_regressed: bool,
    /// The minimum detectable slowdowns as text, such as `2.1% of CPU time, 9.3% of wall time`.
    pub detectable: Option<String>,
    /// The reason why the base was not measured, if that is not an error.
    pub missing_base: Option<String>,
    /// A file with the head's code that the base executed. Everything is inconclusive then.
    pub shared_output: Option<String>,
    /// Findings about base and head.
    pub findings: [Vec<Finding>; 2],
}

impl PairsReport {
    /// A sentence about a time limit that was too short for a verdict, such as `only 3 of 8 pairs fit into 15 s`.
    pub fn shortage(&self) -> Option<String> {
        let needed = LOOKS[0].pairs;
        let (pairs, seconds) = (self.pairs, self.seconds);
        let is_short = pairs > 0 && pairs < needed;
        is_short.then(|| format!("only {pairs} of {needed} pairs fit into {seconds:.0} s"))
    }
}
