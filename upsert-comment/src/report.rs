//! The report of a request: what happened to the comment, for programs and for people.

use perf_cli::actions::{Level, annotate};
use perf_cli::term::{self, printable};
use perf_github::Actions;

use crate::dry_run;
use crate::marker::CommentKey;
use crate::plan::Newer;
use crate::post::CommentOutcome;
use crate::request::CommentRequest;
use crate::settle::{CommentAction, PostedComment};

/// The result of a request for a comment.
#[derive(Debug)]
pub struct CommentReport {
    key: CommentKey,
    outcome: CommentOutcome,
    /// True if the report is in the job summary.
    is_summarized: bool,
    in_workflow: bool,
}

impl CommentReport {
    pub(crate) fn new(request: &CommentRequest, actions: &Actions, outcome: CommentOutcome) -> Self {
        let is_wanted = !request.no_summary && !request.dry_run && request.body_file.is_some();
        Self {
            key: request.key.clone(),
            outcome,
            is_summarized: is_wanted && actions.summary.is_some(),
            in_workflow: actions.run.is_some(),
        }
    }

    /// The effect on the comment.
    pub fn action(&self) -> CommentAction {
        match &self.outcome {
            CommentOutcome::Settled(settled) => settled.action,
            CommentOutcome::Planned(..) => CommentAction::Planned,
            CommentOutcome::Skipped(_) => CommentAction::Skipped,
        }
    }

    /// The comment that is there now.
    pub fn comment(&self) -> Option<&PostedComment> {
        match &self.outcome {
            CommentOutcome::Settled(settled) => settled.comment.as_ref(),
            _ => None,
        }
    }

    /// The fault of the shards that reported: one that did twice, or that divided another suite.
    pub fn faults(&self) -> &[String] {
        match &self.outcome {
            CommentOutcome::Settled(settled) => &settled.faults,
            _ => &[],
        }
    }

    /// The jobs that have ended without a report, in sentences.
    pub fn lost(&self) -> &[String] {
        match &self.outcome {
            CommentOutcome::Settled(settled) => &settled.lost,
            _ => &[],
        }
    }

    /// The lines that a workflow reads.
    pub fn lines(&self) -> String {
        let (id, url) = self
            .comment()
            .map_or_else(Default::default, |comment| (comment.id.to_string(), printable(&comment.url)));
        format!("comment-url={url}\ncomment-id={id}\naction={}\n", self.action().word())
    }

    /// Says what happened, on standard error or as a notice of the workflow; a plan goes to standard output.
    ///
    /// # Errors
    /// When standard output cannot take it.
    pub fn show(&self) -> anyhow::Result<()> {
        match &self.outcome {
            CommentOutcome::Settled(settled) => term::note(&self.sentence(settled.outdated_by.as_ref())),
            CommentOutcome::Planned(place, plan) => term::stdout(&dry_run::described(place, plan))?,
            CommentOutcome::Skipped(skip) => {
                let instead = if self.is_summarized { "; the report is in the job summary" } else { "" };
                let text = format!("no comment `{}`: {skip}{instead}", self.key);
                if self.in_workflow {
                    return annotate(Level::Notice, "No comment", &text);
                }
                term::note(&text);
            }
        }
        Ok(())
    }

    fn sentence(&self, outdated_by: Option<&Newer>) -> String {
        let key = &self.key;
        let url = self.comment().map_or_else(String::new, |comment| format!(": {}", printable(&comment.url)));
        match outdated_by {
            Some(Newer::Commit(head)) => {
                format!("no comment `{key}`: the run of the newest commit {} will report", head.short())
            }
            Some(Newer::Report(stamp)) => format!(
                "the comment `{key}` shows a newer report, of {}, and was left as it is{url}",
                stamp.head.short()
            ),
            None => format!("the comment `{key}` is {}{url}", self.action().word()),
        }
    }
}
