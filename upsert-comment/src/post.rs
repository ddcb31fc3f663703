//! Posts a report as a comment, or finds the reason why there is none.

use perf_github::{Actions, Client, Kind, Settings, Trouble};

use crate::marker::Stamp;
use crate::plan::{Plan, Wanted, plan};
use crate::request::CommentRequest;
use crate::settle::{Settled, Thread};
use crate::skip::Skip;
use crate::{target, text};

/// The end of a request.
#[derive(Debug)]
pub(crate) enum Outcome {
    Settled(Settled),
    /// The plan of a dry run, with the number of the pull request.
    Planned(u64, Plan),
    Skipped(Skip),
}

/// Posts `markdown`, or says what it would do.
///
/// # Errors
/// Whatever somebody has to mend.
pub(crate) fn post(request: &CommentRequest, actions: &Actions, markdown: &str) -> anyhow::Result<Outcome> {
    let number = match target::number(request.pr, actions)? {
        Ok(number) => number,
        Err(skip) => return Ok(Outcome::Skipped(skip)),
    };
    let repo = actions.repo(request.repo.as_ref())?;
    let token = match actions.token() {
        Ok(token) => token,
        Err(_) if actions.run.is_some() => return Ok(Outcome::Skipped(Skip::NoToken)),
        Err(missing) => return Err(missing.into()),
    };
    let settings = Settings::from_env()?;
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
) -> Result<Outcome, Trouble> {
    let (comments, pull) = thread.look()?;
    if let Err(skip) = target::takes(&pull, &actions.event) {
        return Ok(Outcome::Skipped(skip));
    }
    let measured = target::measured(request.head.as_ref(), actions, pull.number);
    let stamp = Stamp { head: measured.unwrap_or_else(|| pull.head.sha.clone()), run: actions.run };
    let report = text::postable(markdown, &request.key, &stamp, actions.run_url().as_deref());
    let wanted = Wanted { key: request.key.clone(), mode: request.mode, report };
    let state = thread.state(&comments, &pull);
    if request.dry_run {
        return Ok(Outcome::Planned(thread.number, plan(&state, &wanted)));
    }
    thread.settle(&wanted, state).map(Outcome::Settled)
}

/// A refusal that was to be expected: nobody has to mend anything.
fn excused(trouble: Trouble, number: u64, actions: &Actions) -> Result<Outcome, Trouble> {
    match trouble.kind {
        Kind::Permission if actions.is_read_only() => Ok(Outcome::Skipped(Skip::ReadOnly(number))),
        Kind::Locked => Ok(Outcome::Skipped(Skip::Locked(number))),
        _ => Err(trouble),
    }
}
