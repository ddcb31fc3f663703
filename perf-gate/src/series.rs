//! Common parts of `bisect` and `backfill`: their options, commits, and the stored state of an unfinished command.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use measure::pairs::{PairsRequest, Tree};
use perf_cli::git::Git;
use perf_cli::load::ConfigArgs;
pub use perf_cli::load::git::short;
use perf_cli::{file, term};
use perf_config::Config;
use perf_model::date;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::run::{FOLDER, LaunchArgs, build_command, create_folder};

/// The options for the benchmark, its build, and the time limit.
#[derive(Args, Clone, Debug)]
pub struct SeriesArgs {
    #[command(flatten)]
    launch: LaunchArgs,

    /// Build each commit with this command first [default: `run.build` of the config]
    #[arg(long, value_name = "COMMAND", help_heading = "Benchmark")]
    build: Option<String>,

    /// Check out commits next to the working tree instead of at the working tree's path
    #[arg(long, help_heading = "Benchmark", hide_short_help = true)]
    two_paths: bool,

    /// Stop after this long, such as 30m; run the same command again to continue
    #[arg(long, value_name = "TIME", value_parser = perf_config::duration)]
    time_limit: Option<Duration>,

    #[command(flatten)]
    pub general: ConfigArgs,
}

impl SeriesArgs {
    /// Builds the measurement request. The caller sets the commits.
    ///
    /// # Errors
    /// Fails if the command is missing, or contains an unclosed quote.
    pub fn request(&self, config: &Config) -> anyhow::Result<PairsRequest> {
        Ok(PairsRequest {
            build: build_command(self.build.as_deref(), config)?,
            is_at_two_paths: self.two_paths,
            config: self.general.config.clone(),
            time_limit: None,
            budget: config.run().time_limit(),
            ..self.launch.with(config)?.pairs(Tree::Here, config)
        })
    }

    /// The time at which all measurements must end.
    pub fn deadline(&self) -> Option<Instant> {
        self.time_limit.map(|limit| Instant::now() + limit)
    }
}

/// Warns if the working tree has changes, which are not measured.
pub fn warn_of_uncommitted() {
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]);
    if changed.is_ok_and(|changed| !changed.is_empty()) {
        term::warn(
            "the working tree has uncommitted changes, which are not measured: this command measures commits",
        );
    }
}

/// Sets both commits in a request.
pub fn with_commits(request: &PairsRequest, base: &str, current: &str) -> PairsRequest {
    let mut request = request.clone();
    request.base.tree = Tree::Commit(base.to_owned());
    request.current.tree = Tree::Commit(current.to_owned());
    request
}

/// A commit with its description.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Commit {
    #[serde(rename = "commit")]
    pub id: String,
    pub subject: String,
    pub author: String,
    pub date: String,
    #[serde(skip)]
    pub parents: Vec<String>,
    /// The commit date in seconds since 1970, by which a history is ordered.
    #[serde(skip)]
    pub committed: Option<i64>,
}

impl Commit {
    /// Resolves a revision.
    ///
    /// # Errors
    /// Fails if git does not know the revision.
    pub fn resolve(name: &str) -> anyhow::Result<Self> {
        let commit = measure::commit_of(Path::new("."), name)?;
        let text = git(&[
            "log",
            "-1",
            "--no-show-signature",
            "--format=%P%n%ct%n%ad%n%an%n%s",
            "--date=short",
            &commit,
        ])?;
        let lines: Vec<&str> = text.lines().chain([""; 5]).collect();
        let text = |line: usize| term::printable_within(lines[line], 200);
        Ok(Self {
            id: commit,
            subject: text(4),
            author: text(3),
            date: text(2),
            parents: lines[0].split_whitespace().map(str::to_owned).collect(),
            committed: date::parse(lines[1]),
        })
    }

    /// The short ID and the subject, such as `3f2a91c8e1 parse: keep the whole line`.
    pub fn line(&self) -> String {
        format!("{} {}", short(&self.id), self.subject)
    }
}

/// Runs a git command and returns its output.
///
/// # Errors
/// Fails if the command fails.
pub fn git(arguments: &[&str]) -> anyhow::Result<String> {
    let name = arguments.first().copied().unwrap_or_default();
    Ok(perf_cli::git::run(
        &mut Git::here().inert().command(arguments),
        name,
    )?)
}

/// The file with the state of an unfinished command. `question` contains the command's settings.
#[derive(Debug)]
pub struct Resumption {
    path: PathBuf,
    question: serde_json::Value,
}

impl Resumption {
    /// Refers to the state of a command with these settings, without reading the file.
    pub fn new(name: &str, question: serde_json::Value) -> Self {
        Self {
            path: Path::new(FOLDER).join(format!("{name}.json")),
            question,
        }
    }

    /// Loads the state. Returns `None` if there is no file, or if it belongs to a command with other settings.
    pub fn load<T: DeserializeOwned>(&self) -> Option<T> {
        let (question, state): (serde_json::Value, T) =
            serde_json::from_str(&file::read_text(&self.path).ok()?).ok()?;
        (question == self.question).then_some(state)
    }

    /// Saves the state.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn save(&self, state: &impl Serialize) -> anyhow::Result<()> {
        create_folder()?;
        file::write_if_changed(&self.path, &serde_json::to_vec(&(&self.question, state))?).map(drop)
    }

    /// Removes the state of a finished command.
    pub fn finish(&self) {
        // A leftover file does no harm: the same command uses it, and a command with other settings overwrites it.
        let _ = std::fs::remove_file(&self.path);
    }
}
