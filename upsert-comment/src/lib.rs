//! `upsert-pr-comment`: keeps one comment per key on a pull request up to date.
//!
//! - A *key* identifies a comment. A pull request can have several.
//! - The *marker* is the comment's hidden first line. Its *stamp* contains the measured commit and the run.
//! - *Own* comments contain the marker and were written by our account. Other comments are never changed.
//!
//! [`upsert`] turns a [`CommentRequest`] into a [`CommentReport`]. The program fills the request and shows the report.

mod command;
mod job;
mod jobs;
mod marker;
mod plan;
mod post;
pub mod regressed;
mod report;
mod request;
mod settle;
mod shards;
mod target;
mod text;

use clap::Parser;
use perf_cli::{Common, Exit, term};
use perf_github::{Actions, CommitId};

pub use crate::command::{CommandCli, command};
pub use crate::job::{JobName, ShardStamp};
pub use crate::marker::CommentKey;
pub use crate::plan::UpsertMode;
pub use crate::report::{CommentAction, CommentReport};
pub use crate::request::CommentRequest;

/// Post a report on a pull request as one comment that is kept up to date, and in the job summary
#[derive(Parser)]
#[command(name = "upsert-pr-comment", version, after_help = EXAMPLES)]
pub struct Cli {
    #[command(flatten)]
    request: CommentRequest,

    #[command(flatten)]
    common: Common,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate ci comment --key perf --body-file deltas.md
  perf-gate ci comment --key perf --mode delete
  GH_TOKEN=$(gh auth token) perf-gate ci comment --key perf \\
    --body-file deltas.md --repo octo/quill --pr 5

In a workflow, repository, pull request, run and API come from the
environment. The token comes from GITHUB_TOKEN or GH_TOKEN, and needs
`pull-requests: write`.

Standard output contains one line each for comment-url=, comment-id= and
action= (created, updated, unchanged, deleted, outdated, skipped).

Exit codes: 0 the comment is up to date, or none is possible (a notice says
why, such as a fork or a locked conversation); 2 wrong usage or an error";

/// Runs the command.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let report = upsert(&cli.request, &Actions::from_env()?)?;
    report.show()?;
    term::stdout(&report.lines())?;
    Ok(Exit::Ok)
}

/// The text of a check run with the request's report, which other jobs that share the comment will read.
pub fn check_text(
    request: &CommentRequest,
    actions: &Actions,
    commit: &CommitId,
) -> anyhow::Result<String> {
    let markdown = request.markdown(actions)?;
    Ok(post::report(request, actions, commit.clone(), &markdown).to_string())
}

/// Writes the report to the job summary, and creates, updates or deletes the comment.
///
/// # Errors
/// If the report cannot be read or written. An expected read-only token is not an error.
pub fn upsert(request: &CommentRequest, actions: &Actions) -> anyhow::Result<CommentReport> {
    let markdown = summarize(request, actions)?;
    post::post(request, actions, &markdown)
}

/// Writes the report to the job summary, and returns it.
pub fn summarize(request: &CommentRequest, actions: &Actions) -> anyhow::Result<String> {
    let markdown = request.markdown(actions)?;
    request.summarize(actions, &markdown)?;
    Ok(markdown)
}
