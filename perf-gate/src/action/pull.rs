//! A pull request that the event does not name, looked up by its number.

use std::collections::BTreeSet;

#[cfg(not(feature = "github"))]
use perf_cli::Failure;
#[cfg(feature = "github")]
use perf_github::{Actions, Client, ClientSettings};
use perf_github::{Event, Pull};
use perf_model::commit::CommitId;
#[cfg(feature = "github")]
use upsert_pr_comment::{JobName, regressed};

use super::inputs::ActionInputs;
#[cfg(feature = "github")]
use super::job::Job;

/// True if another workflow measured another commit than the newest of the pull request, or one of another repository or
/// of one that is gone: the number, which may be a stranger's word, must not lead to somebody else's pull request.
pub(super) fn is_outdated(pull: &Pull, event: &Event) -> bool {
    let is_measured = event.workflow_run.as_ref().is_some_and(|run| {
        run.head_sha.as_ref() == Some(&pull.head.sha)
            && run.head_repo.is_some()
            && run.head_repo == pull.head.repo
    });
    event.is_after_workflow() && !is_measured
}

/// Asks GitHub.
///
/// # Errors
/// A pull request that there is not, or that the token may not read.
#[cfg(feature = "github")]
pub(super) fn find(number: u64) -> anyhow::Result<Pull> {
    let actions = Actions::from_env()?;
    let client =
        Client::new(&actions.api, actions.repo(None)?, actions.token()?, ClientSettings::from_env()?)?;
    Ok(client.pull(number)?)
}

/// The commit at which `head` left `base`, where the checkout does not have the history: GitHub knows it.
#[cfg(feature = "github")]
pub(super) fn origin(base: &CommitId, head: &CommitId) -> Option<CommitId> {
    let actions = Actions::from_env().ok()?;
    let (repo, token) = (actions.repo(None).ok()?, actions.token().ok()?);
    let client = Client::new(&actions.api, repo, token, ClientSettings::from_env().ok()?).ok()?;
    client.compare(base, head).ok()?.origin
}

/// The benchmarks that the attempt before has left open, where this is a further attempt of a run; all are measured where
/// nothing says so.
#[cfg(feature = "github")]
pub(super) fn left(inputs: &ActionInputs, number: u64, commit: &CommitId) -> Option<BTreeSet<String>> {
    let actions = Actions::from_env().ok()?;
    let run = actions.run.filter(|run| run.attempt > 1)?;
    let (repo, token) = (actions.repo(None).ok()?, actions.token().ok()?);
    let client = Client::new(&actions.api, repo, token, ClientSettings::from_env().ok()?).ok()?;
    let job = Job::from_env(inputs).map(|job| JobName::new(&job.workflow, &job.name, &job.values));
    regressed::left(&client, &inputs.name.parse().ok()?, number, job.as_ref(), (commit, run)).ok()?
}

#[cfg(not(feature = "github"))]
pub(super) fn left(_: &ActionInputs, _: u64, _: &CommitId) -> Option<BTreeSet<String>> {
    None
}

#[cfg(not(feature = "github"))]
pub(super) fn origin(_: &CommitId, _: &CommitId) -> Option<CommitId> {
    None
}

/// The error of a program that was built without GitHub's API.
///
/// # Errors
/// Always.
#[cfg(not(feature = "github"))]
pub(super) fn find(number: u64) -> anyhow::Result<Pull> {
    Err(Failure::new(format!("cannot look up the pull request {number}: built without the feature `github`"))
        .into())
}
