//! `upsert-pr-comment`: one comment on a pull request for each key, kept up to date.
//!
//! - A *key* names the comment; one pull request can have several.
//! - The *marker* is the hidden first line by which the comment is found; its *stamp* says what was measured.
//! - *Own* comments are those that have the marker and that we wrote ourselves; no other is ever touched.
//!
//! [`upsert`] turns a [`CommentRequest`] into a [`CommentReport`]; the program fills the one and shows the other.

mod command;
mod dry_run;
mod job;
mod jobs;
mod marker;
mod options;
mod plan;
mod post;
pub mod regressed;
mod regressions;
mod report;
mod request;
mod settle;
mod shards;
mod skip;
mod summary;
mod target;
mod text;

use perf_cli::{Exit, term};
use perf_github::{Actions, CommitId};

pub use crate::command::{CommandCli, command};
pub use crate::job::{JobName, ShardStamp};
pub use crate::marker::CommentKey;
pub use crate::options::Cli;
pub use crate::plan::UpsertMode;
pub use crate::report::CommentReport;
pub use crate::request::{Alarm, CommentRequest, CommentTarget};
pub use crate::settle::{CommentAction, PostedComment};

/// Runs the command.
///
/// # Errors
/// What keeps it from doing its work.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let report = upsert(&cli.request, &Actions::from_env()?)?;
    report.show()?;
    term::stdout(&report.lines())?;
    Ok(Exit::Ok)
}

/// The text of a check run that has the report of a request, by which the jobs that share a comment find it.
///
/// # Errors
/// A report that cannot be read.
pub fn check_text(request: &CommentRequest, actions: &Actions, commit: &CommitId) -> anyhow::Result<String> {
    let report = post::report(request, actions, commit.clone(), &request.markdown(actions)?);
    Ok(jobs::checked(&request.key, &report))
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
