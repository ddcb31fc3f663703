//! What started a workflow, as far as it decides what a program does.

use serde::Deserialize;

use crate::names::{Repo, Sha};
use crate::pulls::{Pull, WirePull};

/// What started the workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// `pull_request` or `pull_request_target`.
    PullRequest {
        /// The pull request as it was then; it may have moved on.
        pull: Box<Pull>,
        /// Whether it is `pull_request_target`, which runs with the rights of the base.
        target: bool,
    },
    /// `push`.
    Push(Push),
    /// `workflow_run`: another workflow has come to its end.
    WorkflowRun(WorkflowRun),
    /// Any other, by its name; empty outside of a workflow.
    Other(String),
}

/// Commits that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// The branch; `None` for a tag.
    pub branch: Option<String>,
    /// The head before; [`Sha::is_none`] for a new branch.
    pub before: Sha,
    /// The head now; [`Sha::is_none`] for a deleted branch.
    pub after: Sha,
    /// The repository's default branch.
    pub default_branch: String,
    /// Whether the repository is a fork, whose workflows often may only read.
    pub is_fork: bool,
}

impl Push {
    /// Whether it went to the default branch.
    pub fn is_to_default_branch(&self) -> bool {
        self.branch.as_deref() == Some(&self.default_branch)
    }
}

/// A workflow that came to its end. What its artifacts say is its author's word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowRun {
    /// The run's number.
    pub id: u64,
    /// What had started it, `pull_request` for one.
    pub event: String,
    /// The commit that it ran on.
    pub head_sha: Sha,
    /// Where that commit came from; `None` when the fork is gone.
    pub head_repo: Option<Repo>,
    /// The branch that it ran on.
    pub head_branch: Option<String>,
    /// How it ended, such as `success`.
    pub conclusion: Option<String>,
    /// Pull requests of the same repository; empty for forks.
    pub pulls: Vec<u64>,
}

impl Event {
    /// Whether the event's payload is looked at.
    pub(crate) fn has_payload(name: &str) -> bool {
        matches!(name, "pull_request" | "pull_request_target" | "push" | "workflow_run")
    }

    /// The event `name` with its payload as GitHub writes it.
    ///
    /// # Errors
    /// When the payload lacks what that event has.
    pub fn parse(name: &str, payload: &str) -> Result<Self, serde_json::Error> {
        Ok(match name {
            "pull_request" | "pull_request_target" => {
                let wire: WirePullEvent = serde_json::from_str(payload)?;
                Self::PullRequest { pull: Box::new(wire.pull_request.into()), target: name != "pull_request" }
            }
            "push" => Self::Push(serde_json::from_str::<WirePush>(payload)?.into()),
            "workflow_run" => {
                Self::WorkflowRun(serde_json::from_str::<WireRunEvent>(payload)?.workflow_run.into())
            }
            _ => Self::Other(name.into()),
        })
    }
}

#[derive(Deserialize)]
struct WirePullEvent {
    pull_request: WirePull,
}

#[derive(Deserialize)]
struct WirePush {
    #[serde(rename = "ref")]
    reference: String,
    before: Sha,
    after: Sha,
    repository: WireDefault,
}

#[derive(Deserialize)]
struct WireDefault {
    default_branch: String,
    #[serde(default)]
    fork: bool,
}

impl From<WirePush> for Push {
    fn from(wire: WirePush) -> Self {
        Self {
            branch: wire.reference.strip_prefix("refs/heads/").map(Into::into),
            before: wire.before,
            after: wire.after,
            default_branch: wire.repository.default_branch,
            is_fork: wire.repository.fork,
        }
    }
}

#[derive(Deserialize)]
struct WireRunEvent {
    workflow_run: WireRun,
}

#[derive(Deserialize)]
struct WireRun {
    id: u64,
    event: String,
    head_sha: Sha,
    head_repository: Option<WireNamed>,
    head_branch: Option<String>,
    conclusion: Option<String>,
    #[serde(default)]
    pull_requests: Vec<WireNumbered>,
}

#[derive(Deserialize)]
struct WireNamed {
    full_name: Repo,
}

#[derive(Deserialize)]
struct WireNumbered {
    number: u64,
}

impl From<WireRun> for WorkflowRun {
    fn from(wire: WireRun) -> Self {
        Self {
            id: wire.id,
            event: wire.event,
            head_sha: wire.head_sha,
            head_repo: wire.head_repository.map(|repository| repository.full_name),
            head_branch: wire.head_branch,
            conclusion: wire.conclusion,
            pulls: wire.pull_requests.into_iter().map(|pull| pull.number).collect(),
        }
    }
}
