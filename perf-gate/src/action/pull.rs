//! A pull request that the event does not name, looked up by its number.

#[cfg(not(feature = "github"))]
use perf_cli::Failure;
#[cfg(feature = "github")]
use perf_github::{Actions, Client, Settings};

use super::event::Event;
use perf_model::commit::CommitId;

/// The two sides of a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pull {
    /// The tip of the branch that it is to be merged into.
    pub(super) base: CommitId,
    /// Its newest commit.
    pub(super) head: CommitId,
    /// The repository of its head; `None` when the fork is gone.
    repository: Option<String>,
}

impl Pull {
    /// True if another workflow measured another commit than its newest, or one of another repository or of one that is
    /// gone: the number, which may be a stranger's word, must not lead to somebody else's pull request.
    pub(super) fn is_outdated(&self, event: &Event) -> bool {
        let is_measured = |(commit, repository): (&CommitId, &str)| {
            *commit == self.head && self.repository.as_deref() == Some(repository)
        };
        event.is_after_workflow() && !event.measured_elsewhere().is_some_and(is_measured)
    }
}

/// Asks GitHub.
///
/// # Errors
/// A pull request that there is not, or that the token may not read.
#[cfg(feature = "github")]
pub(super) fn find(number: u64) -> anyhow::Result<Pull> {
    let actions = Actions::from_env()?;
    let client = Client::new(&actions.api, actions.repo(None)?, actions.token()?, Settings::from_env()?)?;
    let pull = client.pull(number)?;
    Ok(Pull {
        base: pull.base.sha,
        head: pull.head.sha,
        repository: pull.head.repo.map(|repository| repository.to_string()),
    })
}

/// In a program that was built without GitHub's API.
///
/// # Errors
/// Always.
#[cfg(not(feature = "github"))]
pub(super) fn find(number: u64) -> anyhow::Result<Pull> {
    Err(Failure::new(format!("cannot look up the pull request {number}: built without the feature `github`"))
        .into())
}
