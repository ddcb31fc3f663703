//! Posts a report as a comment, or determines why that is not possible.

use perf_cli::term::printable;
use perf_github::{Actions, ApiError, ApiErrorKind, CommitId};

use crate::job::JobStamp;
use crate::marker::Stamp;
use crate::plan::WantedComment;
use crate::report::CommentReport;
use crate::request::CommentRequest;
use crate::settle::Thread;
use crate::target;
use crate::text::RunReport;

pub(crate) fn post(
    request: &CommentRequest,
    actions: &Actions,
    markdown: &str,
) -> anyhow::Result<CommentReport> {
    let skipped = |why: &str| Ok(CommentReport::skipped(request, actions, why));
    let Some(pull) = target::number(request.pr, actions)? else {
        let event = printable(&actions.event.name);
        return skipped(&format!("the event `{event}` has no pull request"));
    };
    if actions.token().is_err() && actions.run.is_some() {
        return skipped("GITHUB_TOKEN is not set");
    }
    let client = actions.client_of(request.repo.as_ref())?;
    let mut thread = Thread {
        client: &client,
        author: client.viewer()?,
        pull,
        key: request.key.clone(),
        has_checks: request.has_checks,
        action: None,
        created: None,
        gone: Vec::new(),
        forged: Vec::new(),
    };
    match post_on(&mut thread, request, actions, markdown) {
        Err(error) if error.kind == ApiErrorKind::Permission && actions.is_read_only() => skipped(
            &format!("read-only token, because #{pull} is from a fork or Dependabot"),
        ),
        Err(error) if error.kind == ApiErrorKind::Locked => skipped(&target::locked(pull)),
        posted => Ok(posted?),
    }
}

/// Reads the comments, then plans and applies the changes.
fn post_on(
    thread: &mut Thread<'_>,
    request: &CommentRequest,
    actions: &Actions,
    markdown: &str,
) -> Result<CommentReport, ApiError> {
    let (state, pull) = thread.read()?;
    let mut refusal = target::check(&pull, &actions.event).err();
    if refusal.is_none() && state.is_over(request.mode) {
        let number = pull.number;
        refusal = Some(format!("#{number} is closed, and has no comment to update"));
    }
    if let Some(why) = refusal {
        return Ok(CommentReport::skipped(request, actions, &why));
    }
    let measured = target::measured(request.head.as_ref(), actions, pull.number);
    let head = measured.unwrap_or_else(|| state.head.clone());
    let wanted = WantedComment {
        mode: request.mode,
        report: report(request, actions, head, markdown),
    };
    thread.settle(&wanted, state)
}

/// Builds the report in its posted form.
pub(crate) fn report(
    request: &CommentRequest,
    actions: &Actions,
    head: CommitId,
    markdown: &str,
) -> RunReport {
    let name = request.job.clone().or(request.ended.clone());
    let job = name.map(|name| JobStamp {
        of: request.jobs,
        ended: request.ended.is_some(),
        shard: request.shard.clone(),
        name,
    });
    let report = RunReport {
        key: request.key.clone(),
        stamp: Stamp {
            head,
            run: actions.run,
        },
        job,
        text: markdown.to_owned(),
    };
    report.postable(actions.run_url().as_deref())
}
