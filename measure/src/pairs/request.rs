//! The request for pairs and the report of them, as types that other programs fill and read.
//!
//! A program that must not run a stranger's command itself writes the request as JSON to `perf-gate measure request`, in a
//! process without its secrets, and reads the answer as JSON from there.

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

/// Two sides, and how they are measured in turn.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "options, each with a name")]
pub struct PairsRequest {
    /// The side that the current one is compared with.
    pub base: SideRequest,
    /// The side that is judged.
    pub current: SideRequest,
    /// True if the base is where HEAD left the branch that its commit names.
    pub is_merge_base: bool,
    /// True if a base commit without the benchmark's own files is a warning: then the current side is measured alone.
    pub is_base_optional: bool,
    /// True if a commit is checked out beside the working tree, not shown at its path.
    pub is_at_two_paths: bool,
    /// True if the base gets the current side's files of `[harness]` before it is built.
    pub is_harness_of_current: bool,
    /// True if the command is launched as it is, without options for its benchmark tool.
    pub is_as_is: bool,
    /// True if the current side is launched once, as by `perf-gate run`, and the base is at most built, for other current sides
    /// to be built on top of it.
    pub is_single: bool,
    /// True if launches have the priority of other programs, as those of `perf-gate run` have.
    pub has_normal_priority: bool,
    /// True if verdicts and the state of the machine are not printed, as the caller does.
    pub is_silent: bool,
    /// Builds a side, in the folder of each.
    pub build: Option<Vec<OsString>>,
    /// Runs before each launch, untimed.
    pub prepare: Option<Vec<OsString>>,
    /// Runs after each launch, untimed.
    pub cleanup: Option<Vec<OsString>>,
    /// The measurement ends after this long, builds not counted. Without one, after two minutes, or as long as 16 pairs
    /// take, and at most ten minutes.
    pub time_limit: Option<Duration>,
    /// The time after which a measurement without a limit ends, though not before 16 pairs; two minutes, or as long as 16
    /// pairs take, unless it is given.
    pub budget: Option<Duration>,
    /// The time beyond it for benchmarks that look slower; one minute, unless it is given.
    pub extension: Option<Duration>,
    /// A launch that takes longer is ended; ten minutes, unless it is given.
    pub launch_limit: Option<Duration>,
    /// The seed of the random order; without one, another each time.
    pub seed: Option<u64>,
    /// The processors that launches run on.
    pub processors: Processors,
    /// The name of the format of the results, where it is not detected.
    pub format: Option<String>,
    /// The file or folder that the command leaves its results in, relative to the folder of a side.
    pub output_of: Option<PathBuf>,
    /// The benchmark's name, where the command prints no results of its own.
    pub name: Option<String>,
    /// The config file; without one, that of the working directory.
    pub config: Option<PathBuf>,
    /// The benchmarks to launch and to compare, as far as the tool can select them; without any, all.
    pub chosen: Vec<String>,
    /// The benchmark and metric that the measurement is about; without it, all that is gated.
    pub focus: Option<Focus>,
    /// The file for the rows of the base, which is also written when a launch fails.
    pub base_rows: Option<PathBuf>,
    /// The file for the rows of the current side.
    pub current_rows: Option<PathBuf>,
}

impl PairsRequest {
    /// The time for all pairs, where it holds the fewest that say something.
    pub(super) fn budget(&self) -> Duration {
        self.time_limit.or(self.budget).unwrap_or(BUDGET)
    }
}

/// One side: its command, and the tree that it runs in.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SideRequest {
    /// The program and its arguments, started without a shell.
    pub command: Vec<OsString>,
    /// The tree.
    #[serde(default)]
    pub tree: Tree,
}

/// The tree that a side is built and launched in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tree {
    /// The working directory as it is.
    #[default]
    Here,
    /// A folder, relative to the working directory.
    Folder(PathBuf),
    /// A commit of the repository that the working directory is in.
    Commit(String),
}

/// The paths at which the two sides are built and launched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Paths {
    /// The folders of the request; no side is a commit.
    #[default]
    Given,
    /// Both at the path of the checkout, which each side sees through an overlay of its own.
    Same,
    /// Both at the path of the checkout, which each side sees as a copy of its own.
    SameByCopy,
    /// Commits in worktrees beside the checkout.
    Two,
}

/// The processors that launches run on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Processors {
    /// Any; one side after the other.
    #[default]
    Any,
    /// This one, to which the whole process is pinned.
    One(usize),
    /// One for each side, and both sides at the same time.
    Two,
}

/// Rows of both sides, and what they say.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PairsReport {
    /// The rows of the base; as JSON they are left out, as they are in the file of the request.
    #[serde(skip)]
    pub base: Vec<Row>,
    /// The rows of the current side.
    #[serde(skip)]
    pub current: Vec<Row>,
    /// The paths of the sides.
    pub paths: Paths,
    /// Launches of each side; none if the base was not measured.
    pub pairs: usize,
    /// The seconds that the measurement took.
    pub seconds: f64,
    /// True if more pairs would change no verdict.
    pub is_concluded: bool,
    /// True if something regressed.
    pub is_regressed: bool,
    /// The smallest slowdowns that these pairs find, in words, such as `2.1% of CPU time, 9.3% of wall time`.
    pub detectable: Option<String>,
    /// The reason the base was not measured, where that is no error.
    pub missing_base: Option<String>,
    /// A file with the current side's code that the base ran, so that nothing is concluded.
    pub shared_output: Option<String>,
    /// The findings about the results of each side, the base first.
    pub findings: [Vec<Finding>; 2],
}

impl PairsReport {
    /// A sentence about a time limit that was too short for a verdict, such as `only 3 of 8 pairs fit into 15 s`.
    pub fn shortage(&self) -> Option<String> {
        let needed = LOOKS[0].pairs;
        let (pairs, seconds) = (self.pairs, self.seconds);
        let is_short = pairs > 0 && pairs < needed && !self.is_concluded;
        is_short.then(|| format!("only {pairs} of {needed} pairs fit into {seconds:.0} s"))
    }
}

/// An error with its advice, as another process reads it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PairsFailure {
    /// The whole error on one line.
    pub message: String,
    /// The advice.
    pub hints: Vec<String>,
}

/// Answers a request on standard input with `Result<PairsReport, PairsFailure>` on standard output, both as JSON.
///
/// # Errors
/// No request, and those of the measurement, which are also in the answer.
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
