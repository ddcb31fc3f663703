//! What started the workflow, as far as it decides what is compared.
//!
//! GitHub writes the payload; titles, bodies and names of branches in it are a stranger's and are not read.

use std::path::PathBuf;

use perf_cli::{Failure, file};
use perf_model::commit::CommitId;
use serde::{Deserialize, Deserializer};

use super::environment::variable;

/// The event's name and what its payload says.
#[derive(Debug, Default)]
pub(super) struct Event {
    pub(super) name: String,
    /// The commit that the workflow runs on; for a pull request, the trial merge.
    pub(super) sha: Option<CommitId>,
    payload: Payload,
}

#[derive(Debug, Default, Deserialize)]
struct Payload {
    pull_request: Option<Pull>,
    merge_group: Option<MergeGroup>,
    workflow_run: Option<WorkflowRun>,
    repository: Option<Repository>,
    #[serde(default, deserialize_with = "existing")]
    before: Option<CommitId>,
}

#[derive(Debug, Deserialize)]
struct Pull {
    number: u64,
    base: Position,
    head: Position,
}

#[derive(Debug, Deserialize)]
struct Position {
    sha: CommitId,
}

#[derive(Debug, Deserialize)]
struct MergeGroup {
    base_sha: CommitId,
}

#[derive(Debug, Deserialize)]
struct WorkflowRun {
    #[serde(default)]
    event: String,
    head_sha: Option<CommitId>,
    head_repository: Option<Named>,
}

#[derive(Debug, Deserialize)]
struct Named {
    full_name: String,
}

#[derive(Debug, Deserialize)]
struct Repository {
    default_branch: Option<String>,
}

/// A commit; `None` for anything else, such as the zeros that stand for no commit.
fn existing<'de, D: Deserializer<'de>>(field: D) -> Result<Option<CommitId>, D::Error> {
    let commit = Option::<String>::deserialize(field)?.and_then(|text| text.parse().ok());
    Ok(commit.filter(|commit: &CommitId| !commit.is_none()))
}

impl Event {
    /// Reads it where the workflow has it.
    ///
    /// # Errors
    /// A payload that cannot be read.
    pub(super) fn from_env() -> Result<Self, Failure> {
        let name = variable("GITHUB_EVENT_NAME").unwrap_or_default();
        let sha = variable("GITHUB_SHA").and_then(|sha| sha.parse().ok());
        let Some(path) = variable("GITHUB_EVENT_PATH").map(PathBuf::from) else {
            return Ok(Self { name, sha, ..Self::default() });
        };
        let cannot = || Failure::new(format!("cannot read the event `{name}` from GITHUB_EVENT_PATH"));
        let text = file::read_text(&path).map_err(|error| cannot().because(error))?;
        let payload = serde_json::from_str(&text).map_err(|error| cannot().because(error))?;
        Ok(Self { name, sha, payload })
    }

    /// The number of its pull request.
    pub(super) fn pull_request(&self) -> Option<u64> {
        self.payload.pull_request.as_ref().map(|pull| pull.number)
    }

    /// The commit that something is to be merged into.
    pub(super) fn base(&self) -> Option<CommitId> {
        let pull = self.payload.pull_request.as_ref().map(|pull| &pull.base.sha);
        pull.or(self.payload.merge_group.as_ref().map(|group| &group.base_sha)).cloned()
    }

    /// The tip of the branch before the push; of a new branch there is none.
    pub(super) fn before(&self) -> Option<CommitId> {
        self.payload.before.clone()
    }

    /// The commit that is to be merged, or that another workflow ran on.
    pub(super) fn head(&self) -> Option<CommitId> {
        let pull = self.payload.pull_request.as_ref().map(|pull| &pull.head.sha);
        pull.or(self.payload.workflow_run.as_ref().and_then(|run| run.head_sha.as_ref())).cloned()
    }

    /// Whether it is about a pull request by itself.
    pub(super) fn is_pull_request(&self) -> bool {
        matches!(self.name.as_str(), "pull_request" | "pull_request_target")
    }

    /// The default branch of the repository.
    pub(super) fn default_branch(&self) -> Option<&str> {
        self.payload.repository.as_ref()?.default_branch.as_deref()
    }

    /// True if it is of this branch.
    pub(super) fn is_on_branch(branch: &str) -> bool {
        variable("GITHUB_REF").is_some_and(|name| name == format!("refs/heads/{branch}"))
    }

    /// True if it is one of these events, on the default branch.
    pub(super) fn is_on_default_branch(&self, names: &[String]) -> bool {
        names.contains(&self.name) && self.default_branch().is_some_and(Self::is_on_branch)
    }

    /// True if another workflow ran before it, and measured.
    pub(super) fn is_after_workflow(&self) -> bool {
        self.name == "workflow_run"
    }

    /// The commit that another workflow measured, and its repository.
    pub(super) fn measured_elsewhere(&self) -> Option<(&CommitId, &str)> {
        let run = self.payload.workflow_run.as_ref()?;
        Some((run.head_sha.as_ref()?, &run.head_repository.as_ref()?.full_name))
    }

    /// Whether the run has the rights of the base while a pull request started it.
    pub(super) fn has_rights_of_base(&self) -> bool {
        let after_pull = || {
            let run = self.payload.workflow_run.as_ref();
            run.is_some_and(|run| run.event.starts_with("pull_request"))
        };
        self.name == "pull_request_target" || self.is_after_workflow() && after_pull()
    }
}
