//! From a report to a comment, or to the reason why there is none.

use perf_github::{Actions, Client, Kind, Pull, Settings, Trouble};

use crate::Cli;
use crate::marker::Stamp;
use crate::plan::{Plan, Wanted, plan};
use crate::settle::{Settled, Thread};
use crate::skip::Skip;
use crate::{target, text};

/// What came of it.
#[derive(Debug)]
pub(crate) enum Outcome {
    Settled(Settled),
    /// What would be done, with the number of the pull request.
    Planned(u64, Plan),
    Skipped(Skip),
}

/// Posts `markdown`, or says what it would do.
///
/// # Errors
/// Whatever somebody has to mend.
pub(crate) fn post(cli: &Cli, actions: &Actions, markdown: &str) -> anyhow::Result<Outcome> {
    let number = match target::number(cli.pr, actions)? {
        Ok(number) => number,
        Err(skip) => return Ok(Outcome::Skipped(skip)),
    };
    let repo = actions.repo(cli.repo.as_ref())?;
    let token = match actions.token() {
        Ok(token) => token,
        Err(_) if actions.run.is_some() => return Ok(Outcome::Skipped(Skip::NoToken)),
        Err(missing) => return Err(missing.into()),
    };
    let settings = Settings::from_env()?;
    let clock = settings.clock.clone();
    let client = Client::new(&actions.api, repo, token, settings)?;
    let author = client.viewer()?;
    let thread = Thread { client: &client, number, author, key: cli.key.clone(), clock: &*clock };
    let outcome = on_thread(cli, actions, &thread, markdown);
    Ok(outcome.or_else(|trouble| excused(trouble, number, actions))?)
}

/// Looks, and then does or tells what is to be done.
fn on_thread(cli: &Cli, actions: &Actions, thread: &Thread<'_>, markdown: &str) -> Result<Outcome, Trouble> {
    let (comments, pull) = thread.look()?;
    if let Err(skip) = target::takes(&pull, &actions.event) {
        return Ok(Outcome::Skipped(skip));
    }
    let wanted = wanted(cli, actions, &pull, markdown);
    let state = thread.state(&comments, &pull);
    if cli.dry_run {
        return Ok(Outcome::Planned(thread.number, plan(&state, &wanted)));
    }
    thread.settle(&wanted, state).map(Outcome::Settled)
}

fn wanted(cli: &Cli, actions: &Actions, pull: &Pull, markdown: &str) -> Wanted {
    let measured = target::measured(cli.head.as_ref(), actions, pull.number);
    let stamp = Stamp { head: measured.unwrap_or_else(|| pull.head.sha.clone()), run: actions.run };
    let report = text::postable(markdown, &cli.key, &stamp, actions.run_url().as_deref());
    Wanted { key: cli.key.clone(), mode: cli.mode, report }
}

/// A refusal that was to be expected: nobody has to mend anything.
fn excused(trouble: Trouble, number: u64, actions: &Actions) -> Result<Outcome, Trouble> {
    match trouble.kind {
        Kind::Permission if actions.is_read_only() => Ok(Outcome::Skipped(Skip::ReadOnly(number))),
        Kind::Locked => Ok(Outcome::Skipped(Skip::Locked(number))),
        _ => Err(trouble),
    }
}
