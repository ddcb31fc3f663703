//! Posts a report as a comment, or finds the reason why there is none.

use perf_github::{Actions, Client, ClientSettings, Trouble, TroubleKind};

use crate::marker::Stamp;
use crate::plan::{CommentPlan, WantedComment, plan};
use crate::request::CommentRequest;
use crate::settle::{Settled, Thread};
use crate::skip::Skip;
use crate::{target, text};

/// The end of a request.
#[derive(Debug)]
pub(crate) enum CommentOutcome {
    Settled(Settled),
    /// The plan of a dry run, with the number of the pull request.
    Planned(u64, CommentPlan),
    Skipped(Skip),
}

/// Posts `markdown`, or says what it would do.
///
/// # Errors
/// Whatever somebody has to mend.
pub(crate) fn post(
    request: &CommentRequest,
    actions: &Actions,
    markdown: &str,
) -> anyhow::Result<CommentOutcome> {
    let number = match target::number(request.pr, actions)? {
        Ok(number) => number,
        Err(skip) => return Ok(CommentOutcome::Skipped(skip)),
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
    let thread = Thread { client: &client, number, author, key: request.key.clone(), clock: &*clock };
    let outcome = on_thread(request, actions, &thread, markdown);
    Ok(outcome.or_else(|trouble| excused(trouble, number, actions))?)
}

/// Looks, and then does or plans what is to be done.
fn on_thread(
    request: &CommentRequest,
    actions: &Actions,
    thread: &Thread<'_>,
    markdown: &str,
) -> Result<CommentOutcome, Trouble> {
    let (comments, pull) = thread.look()?;
    if let Err(skip) = target::takes(&pull, &actions.event) {
        return Ok(CommentOutcome::Skipped(skip));
    }
    let measured = target::measured(request.head.as_ref(), actions, pull.number);
    let stamp = Stamp { head: measured.unwrap_or_else(|| pull.head.sha.clone()), run: actions.run };
    let report = text::postable(markdown, &request.key, &stamp, actions.run_url().as_deref());
    let wanted = WantedComment { key: request.key.clone(), mode: request.mode, report };
    let state = thread.state(&comments, &pull);
    if request.dry_run {
        return Ok(CommentOutcome::Planned(thread.number, plan(&state, &wanted)));
    }
    thread.settle(&wanted, state).map(CommentOutcome::Settled)
}

/// A refusal that was to be expected: nobody has to mend anything.
fn excused(trouble: Trouble, number: u64, actions: &Actions) -> Result<CommentOutcome, Trouble> {
    match trouble.kind {
        TroubleKind::Permission if actions.is_read_only() => {
            Ok(CommentOutcome::Skipped(Skip::ReadOnly(number)))
        }
        TroubleKind::Locked => Ok(CommentOutcome::Skipped(Skip::Locked(number))),
        _ => Err(trouble),
    }
}
