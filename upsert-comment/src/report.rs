//! Reports the outcome of a request, for programs and for users.

use perf_cli::actions::{Level, annotate};
use perf_cli::term::{self, printable};
use perf_github::{Actions, Comment};

use crate::marker::CommentKey;
use crate::plan::{CommentPlan, Newer};
use crate::request::CommentRequest;

/// The effect of a request on the comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentAction {
    /// A comment was created.
    Created,
    /// The comment's text was changed.
    Updated,
    /// The comment was up to date, or did not exist and is not wanted.
    Unchanged,
    /// The comment was deleted.
    Deleted,
    /// A newer report exists or is expected.
    Outdated,
    /// No comment is possible.
    Skipped,
}

impl CommentAction {
    /// The word in result lines.
    fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Unchanged => "unchanged",
            Self::Deleted => "deleted",
            Self::Outdated => "outdated",
            Self::Skipped => "skipped",
        }
    }
}

/// The outcome of a request for a comment.
#[derive(Debug)]
pub struct CommentReport {
    /// The effect on the comment.
    pub action: CommentAction,
    /// The current comment, if it exists.
    pub comment: Option<Comment>,
    /// Inconsistencies among shards, such as one that reported twice, as sentences.
    pub faults: Vec<String>,
    /// Sentences about jobs that ended without a report.
    pub lost: Vec<String>,
    pub(crate) sentence: String,
    /// Whether the workflow gets a notice, because no comment is possible.
    pub(crate) is_notice: bool,
}

impl CommentReport {
    /// A request without a comment, for a reason that is not an error.
    pub(crate) fn skipped(request: &CommentRequest, actions: &Actions, why: &str) -> Self {
        let mut sentence = format!("no comment `{}`: {why}", request.key);
        if !request.no_summary && request.body_file.is_some() && actions.summary.is_some() {
            sentence += "; the report is in the job summary";
        }
        Self {
            action: CommentAction::Skipped,
            comment: None,
            faults: Vec::new(),
            lost: Vec::new(),
            sentence,
            is_notice: actions.run.is_some(),
        }
    }

    /// The result lines for a workflow.
    pub(crate) fn lines(&self) -> String {
        let (id, url) = match &self.comment {
            Some(comment) => (comment.id.to_string(), printable(&comment.url)),
            None => Default::default(),
        };
        let action = self.action.word();
        format!("comment-url={url}\ncomment-id={id}\naction={action}\n")
    }

    /// Prints the outcome to standard error or as a workflow notice.
    pub fn show(&self) -> anyhow::Result<()> {
        if self.is_notice {
            return annotate(Level::Notice, "No comment", &self.sentence);
        }
        term::note(&self.sentence);
        Ok(())
    }
}

pub(crate) fn sentence(
    key: &CommentKey,
    action: CommentAction,
    comment: Option<&Comment>,
    plan: &CommentPlan,
) -> String {
    let url = comment.map_or_else(String::new, |comment| {
        format!(": {}", printable(&comment.url))
    });
    match &plan.outdated_by {
        Some(Newer::Commit(head)) => {
            let head = head.short();
            format!("no comment `{key}`: the newest commit {head} has its own run")
        }
        Some(Newer::Report(stamp)) => {
            let head = stamp.head.short();
            format!("the comment `{key}` already shows a newer report, for {head}{url}")
        }
        None => format!("the comment `{key}` is {}{url}", action.word()),
    }
}
