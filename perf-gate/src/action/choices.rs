//! What inputs can be, where they are one of a few words.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// What the run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(super) enum Mode {
    Auto,
    PullRequest,
    Refresh,
    Report,
}

/// Whose config file counts on a pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(super) enum Side {
    Base,
    Head,
}

/// Where the baseline is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(super) enum Store {
    /// In the commits of the branch.
    Commit,
    /// On a branch of its own.
    Branch,
    /// In the cache of the workflow.
    Cache,
    /// In a file that an earlier step left in the workspace.
    Workspace,
}

/// When a pull request gets a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(super) enum When {
    Always,
    Changed,
    Regressed,
    Never,
}

/// What happens to an earlier comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(super) enum CommentMode {
    Update,
    Recreate,
    HideAndRecreate,
    OnlyUpdate,
    Append,
}

/// How regressions are annotated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(super) enum Annotate {
    Error,
    Warning,
    None,
}

/// What a refresh does when the branch takes no commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(super) enum Protected {
    PullRequest,
    None,
}

/// What can fail a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    Regressed,
    Missing,
    Inconclusive,
    NotComparable,
    Unmeasured,
    New,
    Moved,
    Improved,
    Comment,
    None,
}
