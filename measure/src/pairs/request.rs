//! Request and report for a pairs measurement, for use by other programs.
//!
//! A program that must not run untrusted commands itself starts `perf-gate measure request` without its secrets. It passes the
//! request as JSON, and gets a JSON answer.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use perf_cli::{Exit, failure, term};
use perf_model::finding::Finding;
use perf_model::row::Row;
use perf_verdict::rules::pairs::LOOKS;
use serde::{Deserialize, Serialize};

use super::focus::Focus;
use super::{BUDGET, Session, measure};

/// Base and head, and how to measure them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "options, each with a name")]
pub struct PairsRequest {
    /// The base, with which the head is compared.
    pub base: SideRequest,
    /// The head, which is judged.
    pub current: SideRequest,
    /// Whether the base is the merge base of its commit and HEAD.
    pub is_merge_base: bool,
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
    /// Runs before each process run, untimed.
    pub prepare: Option<Vec<OsString>>,
    /// Runs after each process run, untimed.
    pub cleanup: Option<Vec<OsString>>,
    /// The measurement's time limit, not including builds. Default: two minutes, or as long as 16 pairs take, at most ten
    /// minutes.
    pub time_limit: Option<Duration>,
    /// When a measurement without time limit ends, but not before 16 pairs. Default: two minutes, or as long as 16 pairs take.
    pub budget: Option<Duration>,
    /// Time limit for a process run. Default: ten minutes.
    pub launch_limit: Option<Duration>,
    /// Seed of the random order. Default: a random seed.
    pub seed: Option<u64>,
    /// The processors to use.
    pub processors: Processors,
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
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SideRequest {
    /// The program and its arguments, started without a shell.
    pub command: Vec<OsString>,
    /// The source tree.
    #[serde(default)]
    pub tree: Tree,
}

/// The tree in which a side is built and runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// The paths of base and head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Paths {
    /// The directories in the request; no side is a commit.
    #[default]
    Given,
    /// Both at the checkout's path, each in its own overlay.
    Same,
    /// Both at the checkout's path, each in its own copy.
    SameByCopy,
    /// Commits in temporary worktrees.
    Two,
}

/// The processors for process runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Processors {
    /// Any processor; both sides in turn.
    #[default]
    Any,
    /// One processor, to which the whole process is pinned.
    One(usize),
    /// One processor per side; both sides at the same time.
    Two,
}

/// Rows of base and head, and their verdicts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PairsReport {
    /// The base's rows. Not in the JSON, but in the requested file.
    #[serde(skip)]
    pub base: Vec<Row>,
    /// The head's rows. Not in the JSON either.
    #[serde(skip)]
    pub current: Vec<Row>,
    /// The paths of base and head.
    pub paths: Paths,
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

/// An error with its hints, for another process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PairsFailure {
    /// The whole error on one line.
    pub message: String,
    /// The hints.
    pub hints: Vec<String>,
}

/// Reads a request from standard input, and prints `Result<PairsReport, PairsFailure>`, both as JSON.
///
/// # Errors
/// The request is invalid, or the measurement fails. The answer contains the latter as well.
pub fn serve() -> anyhow::Result<Exit> {
    let request: PairsRequest =
        serde_json::from_reader(io::stdin().lock()).context("invalid request")?;
    let measured = Session::start().and_then(|session| measure(&request, &session));
    let answer = measured.as_ref().map_err(|error| PairsFailure {
        message: failure::message(error),
        hints: failure::hints(error)
            .into_iter()
            .map(str::to_owned)
            .collect(),
    });
    term::stdout(&(serde_json::to_string(&answer)? + "\n"))?;
    measured.map(|_| Exit::Ok)
}
