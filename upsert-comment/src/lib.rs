//! `upsert-pr-comment`: one comment on a pull request for each key, kept up to date.
//!
//! - A *key* names the comment; one pull request can have several.
//! - The *marker* is the hidden first line by which the comment is found; its *stamp* says what was measured.
//! - *Own* comments are those that have the marker and that we wrote ourselves; no other is ever touched.
//!
//! [`upsert`] turns a [`CommentRequest`] into a [`CommentReport`]; the program fills the one and shows the other.

mod command;
mod job;
mod jobs;
mod marker;
mod plan;
mod post;
pub mod regressed;
mod regressions;
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
pub use crate::report::CommentReport;
pub use crate::request::{Alarm, CommentRequest, CommentTarget};
pub use crate::settle::{CommentAction, PostedComment};

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
  perf-gate comment --key perf --body-file deltas.md
  perf-gate comment --key perf --body-file deltas.md \\
    --annotate warning --report report.json
  perf-gate comment --key perf --mode delete
  GH_TOKEN=$(gh auth token) perf-gate comment --key perf \\
    --body-file deltas.md --repo octo/quill --pr 5 --dry-run

In a workflow, repository, pull request, run and API come from the
environment; the token is GITHUB_TOKEN, else GH_TOKEN, and needs
`pull-requests: write`.

Standard output has one line each for comment-url=, comment-id= and
action= (created, updated, unchanged, deleted, outdated, skipped, planned).

Exit codes: 0 the comment is up to date, or none is possible (a fork, a locked
conversation: a notice says why); 2 something is wrong";

/// Runs the command.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let report = upsert(&cli.request, &Actions::from_env()?)?;
    report.show()?;
    term::stdout(&report.lines())?;
    Ok(Exit::Ok)
}

/// The check run text with a request's report, by which the jobs that share a comment find it.
pub fn check_text(
    request: &CommentRequest,
    actions: &Actions,
    commit: &CommitId,
) -> anyhow::Result<String> {
    let report = post::report(
        request,
        actions,
        commit.clone(),
        &request.markdown(actions)?,
    );
    Ok(text::comment(&request.key, &report))
}

/// Writes the report to the job summary, shows an annotation for each regression, and creates, updates or deletes the
/// comment.
///
/// # Errors
/// Everything that somebody has to fix; an expected read-only token is not an error.
pub fn upsert(request: &CommentRequest, actions: &Actions) -> anyhow::Result<CommentReport> {
    let markdown = request.markdown(actions)?;
    let regressions = request.regressions(actions)?;
    if !request.dry_run {
        request.summarize(actions, &markdown)?;
        if let Some(alarm) = request.annotate {
            regressions::tell(&regressions, alarm.into())?;
        }
    }
    let outcome = post::post(request, actions, &markdown)?;
    Ok(CommentReport::new(request, actions, outcome))
}
