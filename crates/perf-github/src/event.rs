//! The event that started a workflow, read from `GITHUB_EVENT_PATH`.
//!
//! Titles, bodies and branch names in a payload are untrusted text.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use perf_cli::Failure;
use perf_cli::term::{printable, shown};
use perf_model::commit::CommitId;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::names;
use crate::names::Repo;
use crate::pull::{Comment, Pull};

/// The events that cannot be handled without their payload. Reading one fails if `GITHUB_EVENT_PATH` is not set.
const DECIDING: [&str; 4] = [
    "pull_request",
    "pull_request_target",
    "push",
    "workflow_run",
];

/// The event that started a workflow. Only the used parts of the payload are read. A field is `None` if the event's payload
/// does not contain it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Event {
    /// The event's name, such as `pull_request`. Empty outside of a workflow.
    #[serde(skip)]
    pub name: String,
    /// The commit that the workflow runs on. For a `pull_request` event, this is the trial merge.
    #[serde(skip)]
    pub sha: Option<CommitId>,
    /// The pull request at the time of the event. It may have changed since.
    pub pull_request: Option<Box<Pull>>,
    /// The run of another workflow, whose end started this workflow.
    pub workflow_run: Option<WorkflowRun>,
    /// The branch's tip before a push, or `None` if the push created the branch.
    #[serde(deserialize_with = "existing")]
    pub before: Option<CommitId>,
    /// The branch's tip after a push, or `None` if the push deleted the branch.
    #[serde(deserialize_with = "existing")]
    pub after: Option<CommitId>,
    /// The comment that the event is about.
    pub comment: Option<Comment>,
    issue: Option<Numbered>,
    merge_group: Option<MergeGroup>,
    repository: Value,
    #[serde(rename = "ref")]
    reference: Option<String>,
}

/// A workflow run that has ended. Its artifacts are untrusted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct WorkflowRun {
    /// The event that started the run, such as `pull_request`.
    pub event: String,
    /// The commit that the workflow ran on.
    pub head_sha: Option<CommitId>,
    /// The repository of `head_sha`, or `None` if it was a fork that has been deleted.
    #[serde(rename = "head_repository", deserialize_with = "names::full_name")]
    pub head_repo: Option<Repo>,
    /// The pull requests that the run belongs to. GitHub lists none for commits in forks.
    #[serde(rename = "pull_requests")]
    pub pulls: Vec<Numbered>,
}

impl WorkflowRun {
    /// True if the workflow ran on the pull request's head: the same commit in the same repository. Check this if the pull
    /// request's number comes from the run's artifacts, because those are untrusted.
    pub fn is_of_head(&self, pull: &Pull) -> bool {
        self.head_sha.as_ref() == Some(&pull.head.sha)
            && self.head_repo.is_some()
            && self.head_repo == pull.head.repo
    }

    /// True if a pull request event started the run.
    pub fn is_of_pull_request(&self) -> bool {
        self.event.starts_with("pull_request")
    }
}

/// An issue or a pull request in a payload.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Numbered {
    /// The number, which issues and pull requests share.
    pub number: u64,
    /// False for an issue that is not a pull request.
    #[serde(
        default,
        rename = "pull_request",
        deserialize_with = "names::is_not_null"
    )]
    is_pull: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct MergeGroup {
    base_sha: CommitId,
}

/// Deserializes a commit hash. Any other text becomes `None`, including the zeros that stand for no commit.
fn existing<'de, D: Deserializer<'de>>(field: D) -> Result<Option<CommitId>, D::Error> {
    let commit = Option::<String>::deserialize(field)?.and_then(|text| text.parse().ok());
    Ok(commit.filter(|commit: &CommitId| !commit.is_none()))
}

impl Event {
    /// Reads the event from the environment variables that `variable` returns, and from the payload's file.
    pub(crate) fn read(variable: &Variable<'_>) -> Result<Self, Failure> {
        let name = variable("GITHUB_EVENT_NAME").unwrap_or_default();
        let mut event = match variable("GITHUB_EVENT_PATH") {
            Some(path) => {
                let path = Path::new(&path);
                let cannot = Failure::new(format!(
                    "cannot read the event `{name}` from GITHUB_EVENT_PATH"
                ));
                let payload = match perf_cli::file::read_text(path) {
                    Ok(payload) => payload,
                    Err(error) => return Err(cannot.because(error)),
                };
                Self::parse(&name, &payload).map_err(|error| {
                    let error = printable(&error.to_string());
                    cannot.because(Failure::new(format!("`{}`: {error}", shown(path))))
                })?
            }
            None if DECIDING.contains(&name.as_str()) => {
                let message =
                    format!("GITHUB_EVENT_NAME is `{name}`, but GITHUB_EVENT_PATH is not set");
                return Err(Failure::new(message).hint("unset both to work outside of a workflow"));
            }
            None => Self {
                name,
                ..Self::default()
            },
        };
        event.sha = parsed(variable, "GITHUB_SHA")?;
        event.reference = variable("GITHUB_REF").or(event.reference);
        Ok(event)
    }

    /// Parses the payload of the event `name`.
    pub fn parse(name: &str, payload: &str) -> Result<Self, serde_json::Error> {
        let mut event: Self = serde_json::from_str(payload)?;
        event.name = name.into();
        Ok(event)
    }

    /// True for a `pull_request` or `pull_request_target` event.
    pub fn is_pull_request(&self) -> bool {
        matches!(self.name.as_str(), "pull_request" | "pull_request_target")
    }

    /// True for a `workflow_run` event: another workflow has measured the benchmarks, and its end started this one.
    pub fn is_after_workflow(&self) -> bool {
        self.name == "workflow_run"
    }

    /// The repository's default branch, or `None` if the payload does not contain it.
    pub fn default_branch(&self) -> Option<&str> {
        self.repository["default_branch"].as_str()
    }

    /// True if the workflow runs on the default branch.
    pub fn is_on_default_branch(&self) -> bool {
        self.default_branch().is_some() && self.default_branch() == self.branch()
    }

    /// True if the repository is a fork. Its workflows often have read-only tokens.
    pub fn is_in_fork(&self) -> bool {
        self.repository["fork"] == true
    }

    /// True if a pull request started the run, but the run has the base repository's permissions.
    pub fn has_rights_of_base(&self) -> bool {
        let run = self.workflow_run.as_ref();
        self.name == "pull_request_target"
            || self.is_after_workflow() && run.is_some_and(WorkflowRun::is_of_pull_request)
    }

    /// The number of the pull request that the new comment is on. `None` for other events and for comments on issues.
    pub fn commented_pull(&self) -> Option<u64> {
        let issue = self.issue.as_ref()?;
        (issue.is_pull && self.name == "issue_comment").then_some(issue.number)
    }

    /// The branch that was pushed or that the workflow runs on, or `None` for a tag.
    pub fn branch(&self) -> Option<&str> {
        self.reference.as_deref()?.strip_prefix("refs/heads/")
    }

    /// The base commit of a pull request or merge group.
    pub fn base(&self) -> Option<&CommitId> {
        match (&self.pull_request, &self.merge_group) {
            (Some(pull), _) => Some(&pull.base.sha),
            (None, group) => group.as_ref().map(|group| &group.base_sha),
        }
    }

    /// The head commit of a pull request, or the commit that another workflow ran on.
    pub fn head(&self) -> Option<&CommitId> {
        match (&self.pull_request, &self.workflow_run) {
            (Some(pull), _) => Some(&pull.head.sha),
            (None, run) => run.as_ref()?.head_sha.as_ref(),
        }
    }
}

/// Returns the value of an environment variable, or `None` if the variable is unset or empty.
pub(crate) type Variable<'v> = dyn Fn(&str) -> Option<String> + 'v;

/// Parses an environment variable. Returns `None` if the variable is unset or empty, and fails if its value is invalid.
pub(crate) fn parsed<T>(variable: &Variable<'_>, name: &str) -> Result<Option<T>, Failure>
where
    T: FromStr,
    T::Err: fmt::Display,
{
    let Some(value) = variable(name) else {
        return Ok(None);
    };
    let why = |error| Failure::new(format!("{name} is set to `{}`: {error}", printable(&value)));
    value.trim().parse().map(Some).map_err(why)
}
