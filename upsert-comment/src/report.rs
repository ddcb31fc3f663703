//! Reports the outcome of a request, for programs and for users.

use perf_cli::actions::{Level, annotate};
use perf_cli::term::{self, printable};
use perf_github::Actions;

use crate::marker::CommentKey;
use crate::plan::Newer;
use crate::post::CommentOutcome;
use crate::request::CommentRequest;
use crate::settle::{CommentAction, PostedComment, Settled};

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
    pub(crate) fn new(
        request: &CommentRequest,
        actions: &Actions,
        outcome: CommentOutcome,
    ) -> Self {
        let is_wanted = !request.no_summary && request.body_file.is_some();
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
            CommentOutcome::Skipped(_) => CommentAction::Skipped,
        }
    }

    fn settled(&self) -> Option<&Settled> {
        if let CommentOutcome::Settled(settled) = &self.outcome {
            Some(settled)
        } else {
            None
        }
    }

    /// The current comment, if it exists.
    pub fn comment(&self) -> Option<&PostedComment> {
        self.settled()?.comment.as_ref()
    }

    /// Inconsistencies among shards, such as one that reported twice, as plain sentences.
    pub fn faults(&self) -> Vec<String> {
        self.settled()
            .map_or_else(Vec::new, |settled| plain(&settled.faults))
    }

    /// Plain sentences about jobs that ended without a report.
    pub fn lost(&self) -> Vec<String> {
        self.settled()
            .map_or_else(Vec::new, |settled| plain(&settled.lost))
    }

    /// The result lines for a workflow.
    pub fn lines(&self) -> String {
        let (id, url) = self.comment().map_or_else(Default::default, |comment| {
            (comment.id.to_string(), printable(&comment.url))
        });
        format!(
            "comment-url={url}\ncomment-id={id}\naction={}\n",
            self.action().word()
        )
    }

    /// Prints the outcome to standard error or as a workflow notice.
    pub fn show(&self) -> anyhow::Result<()> {
        match &self.outcome {
            CommentOutcome::Settled(settled) => {
                term::note(&self.sentence(settled.outdated_by.as_ref()));
            }
            CommentOutcome::Skipped(skip) => {
                let instead = if self.is_summarized {
                    "; the report is in the job summary"
                } else {
                    ""
                };
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
        let url = self.comment().map_or_else(String::new, |comment| {
            format!(": {}", printable(&comment.url))
        });
        match outdated_by {
            Some(Newer::Commit(head)) => {
                format!(
                    "no comment `{key}`: the newest commit {} has its own run",
                    head.short()
                )
            }
            Some(Newer::Report(stamp)) => format!(
                "the comment `{key}` already shows a newer report, for {}{url}",
                stamp.head.short()
            ),
            None => format!("the comment `{key}` is {}{url}", self.action().word()),
        }
    }
}

/// Replaces HTML in sentences from a comment.
fn plain(sentences: &[String]) -> Vec<String> {
    let mut plain = Vec::new();
    for sentence in sentences {
        plain.push(sentence.replace("<code>", "`").replace("</code>", "`"));
    }
    plain
}
