//! Posts a report as a comment, or determines why that is not possible.

use perf_cli::term::printable;
use perf_github::{
    Actions, ApiError, ApiErrorKind, Client, ClientSettings, CommitId, Conversation,
};

use crate::job::JobStamp;
use crate::marker::{EndMarker, Stamp};
use crate::plan::WantedComment;
use crate::request::{CommentRequest, CommentTarget};
use crate::settle::{Settled, Thread};
use crate::target::{self, Skip};
use crate::text::{self, RunReport};

/// The outcome of a request.
#[derive(Debug)]
pub(crate) enum CommentOutcome {
    Settled(Settled),
    Skipped(Skip),
}

/// Posts `markdown`.
pub(crate) fn post(
    request: &CommentRequest,
    actions: &Actions,
    markdown: &str,
) -> anyhow::Result<CommentOutcome> {
    let place = match &request.target {
        CommentTarget::Nothing => return Ok(CommentOutcome::Skipped(Skip::NoTarget)),
        CommentTarget::Commit(commit) => Conversation::Commit(commit.clone()),
        CommentTarget::PullRequest => match target::number(request.pr, actions)? {
            Some(number) => Conversation::Pull(number),
            None => {
                return Ok(CommentOutcome::Skipped(Skip::NoPull(printable(
                    &actions.event.name,
                ))));
            }
        },
    };
    let repo = actions.repo(request.repo.as_ref())?;
    let token = match actions.token() {
        Ok(token) => token,
        Err(_) if actions.run.is_some() => return Ok(CommentOutcome::Skipped(Skip::NoToken)),
        Err(missing) => return Err(missing.into()),
    };
    let settings = ClientSettings::from_env()?;
    let clock = settings.clock.clone();
    let client = Client::new(&actions.api, repo, token, settings)?;
    let author = client.viewer()?;
    let thread = Thread {
        client: &client,
        place,
        author,
        key: request.key.clone(),
        clock: &*clock,
        has_checks: request.has_checks,
    };
    let outcome = on_thread(request, actions, &thread, markdown);
    Ok(outcome.or_else(|error| skip_if_expected(error, &thread.place, actions))?)
}

/// Reads the comments, then plans and applies the changes.
fn on_thread(
    request: &CommentRequest,
    actions: &Actions,
    thread: &Thread<'_>,
    markdown: &str,
) -> Result<CommentOutcome, ApiError> {
    let snapshot = thread.read()?;
    let state = thread.state(&snapshot);
    let mut measured = None;
    if let Some(pull) = &snapshot.pull {
        if let Err(skip) = target::check(pull, &actions.event) {
            return Ok(CommentOutcome::Skipped(skip));
        }
        if state.is_over(request.mode) {
            return Ok(CommentOutcome::Skipped(Skip::Closed(pull.number)));
        }
        measured = target::measured(request.head.as_ref(), actions, pull.number);
    }
    let report = report(
        request,
        actions,
        measured.unwrap_or_else(|| snapshot.head.clone()),
        markdown,
    );
    let ended = request
        .ended
        .clone()
        .zip(actions.run)
        .map(|(job, run)| EndMarker { run, job });
    let wanted = WantedComment {
        key: request.key.clone(),
        mode: request.mode,
        report,
        ended,
    };
    thread.settle(&wanted, state).map(CommentOutcome::Settled)
}

/// Builds the report in its posted form.
pub(crate) fn report(
    request: &CommentRequest,
    actions: &Actions,
    head: CommitId,
    markdown: &str,
) -> RunReport {
    let job = request.job.clone().map(|name| JobStamp {
        of: request.jobs,
        shard: request.shard.clone(),
        name,
    });
    let stamp = Stamp {
        head,
        run: actions.run,
    };
    text::postable(
        markdown,
        &request.key,
        (stamp, job),
        actions.run_url().as_deref(),
    )
}

/// Converts expected refusals, such as a read-only token, to a skipped comment.
fn skip_if_expected(
    error: ApiError,
    place: &Conversation,
    actions: &Actions,
) -> Result<CommentOutcome, ApiError> {
    match (error.kind, place) {
        (ApiErrorKind::Permission, Conversation::Pull(number)) if actions.is_read_only() => {
            Ok(CommentOutcome::Skipped(Skip::ReadOnly(*number)))
        }
        (ApiErrorKind::Locked, Conversation::Pull(number)) => {
            Ok(CommentOutcome::Skipped(Skip::Locked(*number)))
        }
        _ => Err(error),
    }
}
