//! The request: which report becomes which comment.

use std::io::Read;
use std::mem::take;
use std::path::{Path, PathBuf};

use perf_cli::actions::Level;
use perf_cli::{Failure, file, input, term};
use perf_github::{Actions, CommitId, Repo};

use crate::marker::Key;
use crate::plan::CommentMode;
use crate::regressions::{self, Regression};
use crate::summary;

/// The size of the largest report that is read, in bytes.
const MAX_BODY: u64 = file::MAX_TEXT;

/// A report, and the comment that is to show it.
#[derive(Clone, Debug)]
pub struct CommentRequest {
    /// The name of the comment.
    pub key: Key,
    /// The place of the comment.
    pub target: CommentTarget,
    /// The way in which a comment on a pull request is updated.
    pub mode: CommentMode,
    /// The file with the report, in Markdown; `-` is standard input. Only [`CommentMode::Delete`] needs none.
    pub body: Option<PathBuf>,
    /// The report in the job summary.
    pub summary: JobSummary,
    /// An annotation for each regression.
    pub annotations: Option<Annotations>,
    /// The repository; by default the workflow's.
    pub repo: Option<Repo>,
    /// The commit that was measured; by default the event's, else the pull request's newest.
    pub measured: Option<CommitId>,
    /// True to plan and to write nothing.
    pub dry_run: bool,
}

/// The place of a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommentTarget {
    /// A pull request; by default the event's.
    PullRequest(Option<u64>),
    /// A commit.
    Commit(CommitId),
    /// No comment: the report is in the job summary and in annotations alone.
    Nothing,
}

/// The report in the job summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobSummary {
    /// The report of the comment.
    Body,
    /// The report in another file, which may be longer.
    File(PathBuf),
    /// None.
    Nothing,
}

/// Annotations of regressions.
#[derive(Clone, Debug)]
pub struct Annotations {
    /// The level.
    pub level: Level,
    /// The report that `perf-gate compare --json` wrote.
    pub report: PathBuf,
}

impl CommentRequest {
    /// The report; empty when a comment is to be deleted.
    pub(crate) fn markdown(&self, actions: &Actions) -> anyhow::Result<String> {
        match &self.body {
            Some(path) => report_of(path, actions),
            None if self.mode == CommentMode::Delete => Ok(String::new()),
            None => Err(Failure::new("there is no report to post")
                .hint("pass it with `--body-file`, or delete the comment with `--mode delete`")
                .into()),
        }
    }

    /// The regressions of the report for programs, if there is one.
    pub(crate) fn regressions(&self, actions: &Actions) -> anyhow::Result<Vec<Regression>> {
        let Some(Annotations { report, .. }) = &self.annotations else { return Ok(Vec::new()) };
        let mut all = regressions::read(report)?;
        for text in all.iter_mut().flat_map(|regression| [&mut regression.title, &mut regression.text]) {
            *text = redacted(take(text), actions);
        }
        Ok(all)
    }

    /// Appends the report to the job summary.
    pub(crate) fn summarize(&self, actions: &Actions, markdown: &str) -> anyhow::Result<()> {
        let Some(path) = actions.summary.as_deref().filter(|_| !markdown.is_empty()) else { return Ok(()) };
        match &self.summary {
            JobSummary::Nothing => Ok(()),
            JobSummary::Body => summary::write(path, markdown),
            JobSummary::File(file) => summary::write(path, &report_of(file, actions)?),
        }
    }
}

/// A report, whole and without the token.
fn report_of(path: &Path, actions: &Actions) -> anyhow::Result<String> {
    let markdown = read(path)?;
    if markdown.trim().is_empty() {
        return Err(Failure::new(format!("nothing to post: `{}` is empty", term::shown(path)))
            .hint("delete the comment with `--mode delete` when there is nothing to report")
            .into());
    }
    Ok(redacted(markdown, actions))
}

/// A text without the token, whoever printed it.
fn redacted(text: String, actions: &Actions) -> String {
    match actions.token() {
        Ok(token) => token.redact(&text),
        Err(_) => text,
    }
}

fn read(path: &Path) -> anyhow::Result<String> {
    let mut input = input::open(path)?;
    let mut text = Vec::new();
    let read = input.by_ref().take(MAX_BODY + 1).read_to_end(&mut text);
    read.map_err(|error| input::cannot_read(&input.name, error))?;
    if text.len() as u64 > MAX_BODY {
        return Err(Failure::new(format!("`{}` is too large for a report", input.name)).into());
    }
    Ok(String::from_utf8(text).map_err(|error| file::not_utf8(Path::new(&input.name), &error))?)
}
