//! The command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use perf_cli::Common;
use perf_cli::actions::Level;
use perf_github::{CommitId, Repo};

use crate::marker::Key;
use crate::plan::CommentMode;
use crate::request::{Annotations, CommentRequest, CommentTarget, JobSummary};

/// Post a report on a pull request as one comment that is kept up to date, and in the job summary
#[derive(Parser)]
#[command(name = "upsert-pr-comment", version, after_help = EXAMPLES)]
pub struct Cli {
    /// The name of the comment: a pull request can have one for each key
    #[arg(short, long, value_name = "NAME", help_heading = "Comment")]
    key: Key,

    /// The report, in Markdown; `-` is standard input
    #[arg(short, long, value_name = "MD", help_heading = "Comment")]
    body_file: Option<PathBuf>,

    /// The report for the job summary, which may be longer [default: that of --body-file]
    #[arg(
        long,
        value_name = "MD",
        requires = "body_file",
        conflicts_with = "no_summary",
        help_heading = "Job",
        hide_short_help = true
    )]
    summary_file: Option<PathBuf>,

    /// The repository [default: the workflow's]
    #[arg(long, value_name = "OWNER/NAME", help_heading = "Target", hide_short_help = true)]
    repo: Option<Repo>,

    /// The pull request [default: the event's]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Target")]
    pr: Option<u64>,

    /// The commit that was measured [default: the event's, else the pull request's newest]
    #[arg(long, value_name = "SHA", help_heading = "Target", hide_short_help = true)]
    head: Option<CommitId>,

    /// How the comment is updated
    #[arg(long, value_enum, default_value_t = CommentMode::Update, help_heading = "Comment")]
    mode: CommentMode,

    /// Print what would be done, and write nothing
    #[arg(long)]
    dry_run: bool,

    /// Do not append the report to the job summary
    #[arg(long, help_heading = "Job", hide_short_help = true)]
    no_summary: bool,

    /// Show an annotation for each regression
    #[arg(long, value_enum, value_name = "LEVEL", requires = "report", help_heading = "Job")]
    annotate: Option<Alarm>,

    /// The report that `render-perf-deltas --json` wrote, for `--annotate`
    #[arg(long, value_name = "JSON", help_heading = "Job")]
    report: Option<PathBuf>,

    #[command(flatten)]
    common: Common,
}

/// The level of the annotation of a regression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Alarm {
    /// Yellow
    Warning,
    /// Red
    Error,
}

const EXAMPLES: &str = "\
Examples:
  upsert-pr-comment --key perf --body-file deltas.md
  upsert-pr-comment --key perf --body-file deltas.md \\
    --annotate warning --report report.json
  upsert-pr-comment --key perf --mode delete
  GH_TOKEN=$(gh auth token) upsert-pr-comment --key perf \\
    --body-file deltas.md --repo octo/quill --pr 5 --dry-run

In a workflow, repository, pull request, run and API come from the
environment; the token is GITHUB_TOKEN, else GH_TOKEN, and needs
`pull-requests: write`.

Standard output has one line each for comment-url=, comment-id= and
action= (created, updated, unchanged, deleted, outdated, skipped, planned).

Exit codes: 0 the comment is up to date, or none is possible (a fork, a closed
pull request: a notice says why); 2 something is wrong";

impl Cli {
    /// The request that the command line makes.
    pub(crate) fn request(&self) -> CommentRequest {
        let level = |alarm| match alarm {
            Alarm::Warning => Level::Warning,
            Alarm::Error => Level::Error,
        };
        let annotations = self.annotate.zip(self.report.clone());
        CommentRequest {
            key: self.key.clone(),
            target: CommentTarget::PullRequest(self.pr),
            mode: self.mode,
            body: self.body_file.clone(),
            summary: match &self.summary_file {
                _ if self.no_summary => JobSummary::Nothing,
                Some(file) => JobSummary::File(file.clone()),
                None => JobSummary::Body,
            },
            annotations: annotations.map(|(alarm, report)| Annotations { level: level(alarm), report }),
            repo: self.repo.clone(),
            measured: self.head.clone(),
            dry_run: self.dry_run,
        }
    }
}
