//! A pull request that the event does not name, looked up by its number.

#[cfg(not(feature = "github"))]
use perf_cli::Failure;
#[cfg(feature = "github")]
use perf_github::{Actions, Client, ClientSettings};
use perf_github::{Event, Pull};
use perf_model::commit::CommitId;

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
