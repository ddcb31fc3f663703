//! The options of `pairs`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use perf_config::duration;
use perf_readers::Format;

use super::request::{PairsRequest, SideRequest, Tree};
use crate::process::words;

/// Run base and head alternately until every gated benchmark has a verdict
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, next_help_heading = "Base and head")]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub struct Args {
    /// The command to measure
    #[arg(
        last = true,
        required_unless_present = "current",
        help_heading = None
    )]
    command: Vec<OsString>,

    /// The base's command, started without a shell
    #[arg(long, value_name = "COMMAND", requires = "current", value_parser = NonEmptyStringValueParser::new())]
    base: Option<String>,

    /// The head's command
    #[arg(long, value_name = "COMMAND", requires = "base", conflicts_with = "command", value_parser = NonEmptyStringValueParser::new())]
    current: Option<String>,

    /// Take the base from this commit, checked out at the working tree's path
    #[arg(short = 'r', long, value_name = "REF", conflicts_with = "base_dir")]
    base_ref: Option<String>,

    /// Take the head from this commit [default: the working tree with its uncommitted changes]
    #[arg(long, value_name = "REF", hide_short_help = true)]
    current_ref: Option<String>,

    /// Check out commits in temporary worktrees instead of at the working tree's path
    #[arg(long, requires = "base_ref", hide_short_help = true)]
    two_paths: bool,

    /// Run the head's benchmark files (listed in `[harness]`) in the base too; they are copied before the build
    #[arg(long, value_name = "SIDE", value_parser = ["current"], requires = "base_ref", hide_short_help = true)]
    harness_from: Option<String>,

    /// Run the command as given: add no options for many short samples, and do not select undecided benchmarks
    #[arg(long, help_heading = "Process runs", hide_short_help = true)]
    as_is: bool,

    /// The base's folder
    #[arg(long, value_name = "FOLDER", hide_short_help = true)]
    base_dir: Option<PathBuf>,

    /// Build base and head with this command first
    #[arg(long, value_name = "COMMAND")]
    build: Option<String>,

    /// If the base commit does not contain the benchmark yet, measure only the head, with a warning
    #[arg(long)]
    base_may_lack: bool,

    /// Stop measuring after this time (not including builds), such as 90s or 10m [default: the time of 16 pairs, but at
    /// least 2m and at most 10m]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Process runs")]
    time_limit: Option<Duration>,

    /// End a process run that takes longer
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration, help_heading = "Process runs", hide_short_help = true)]
    timeout: Duration,

    /// Seed of the random order [default: a random seed]
    #[arg(
        long,
        value_name = "N",
        help_heading = "Process runs",
        hide_short_help = true
    )]
    seed: Option<u64>,

    /// Format of the command's output [default: detected]
    #[arg(short, long, value_name = "NAME", value_parser = perf_cli::load::format_name, help_heading = "Output", hide_short_help = true)]
    format: Option<&'static Format>,

    /// File or folder to which the command writes its results
    #[arg(long, value_name = "PATH", help_heading = "Output")]
    output_of: Option<PathBuf>,

    /// Benchmark name, if the command prints no results [default: the command]
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    name: Option<String>,

    /// The config [default: perf-gate.toml or .github/perf-gate.toml]
    #[arg(
        short,
        long,
        value_name = "FILE",
        help_heading = "Output",
        hide_short_help = true
    )]
    config: Option<PathBuf>,

    /// File for the base's rows
    #[arg(
        long,
        value_name = "CSV",
        default_value = "base.csv",
        help_heading = "Output"
    )]
    output_base: PathBuf,

    /// File for the head's rows
    #[arg(
        long,
        value_name = "CSV",
        default_value = "current.csv",
        help_heading = "Output"
    )]
    output_current: PathBuf,

    /// Exit with 1 when something regressed
    #[arg(short, long, help_heading = "Output")]
    pub exit_code: bool,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate measure pairs --base './old in.csv' --current './new in.csv'
  perf-gate measure pairs --base-ref origin/main --build 'cargo bench --no-run' \\
    -- cargo bench --bench parse
  perf-gate measure pairs --base-dir ../main -- ./bench --benchmark_format=json

Then: perf-gate compare --input current.csv --baseline base.csv --paired

Standard output contains one line each for pairs= (process runs per side),
seconds=, concluded= and regressed= (true or false).

Exit codes: 0 measured; 1 with --exit-code, something regressed; 2 nothing was
measured, or too many process runs failed (the rows so far are written)";

impl Args {
    /// Converts the options to a request.
    ///
    /// # Errors
    /// Fails if a command has an unclosed quote.
    pub fn request(&self) -> anyhow::Result<PairsRequest> {
        let split = |command: &Option<String>| command.as_deref().map(words).transpose();
        // A side runs its own command or, if it has none, the command after `--`.
        let side = |own, commit: &Option<String>, folder: &Option<PathBuf>| {
            let tree = match (commit, folder) {
                (Some(commit), _) => Tree::Commit(commit.clone()),
                (None, Some(folder)) => Tree::Folder(folder.clone()),
                (None, None) => Tree::Here,
            };
            anyhow::Ok(SideRequest {
                command: split(own)?.unwrap_or_else(|| self.command.clone()),
                tree,
            })
        };
        Ok(PairsRequest {
            base: side(&self.base, &self.base_ref, &self.base_dir)?,
            current: side(&self.current, &self.current_ref, &None)?,
            is_base_optional: self.base_may_lack,
            is_at_two_paths: self.two_paths,
            is_harness_of_current: self.harness_from.is_some(),
            is_as_is: self.as_is,
            build: split(&self.build)?,
            time_limit: self.time_limit,
            launch_limit: Some(self.timeout),
            seed: self.seed,
            format: self.format.map(|format| format.name.to_owned()),
            output_of: self.output_of.clone(),
            name: self.name.clone(),
            config: self.config.clone(),
            base_rows: Some(self.output_base.clone()),
            current_rows: Some(self.output_current.clone()),
            ..PairsRequest::default()
        })
    }
}
