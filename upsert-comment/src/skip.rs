//! The reasons for which there is no comment although nobody did anything wrong.

use std::fmt;

use perf_github::CommitId;

/// A reason that is no failure: the report is in the job summary, and the run goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Skip {
    /// The request wants none.
    NoTarget,
    /// The environment has no token.
    NoToken,
    /// The workflow was started by this event, which is about no pull request.
    NoPull(String),
    /// Only people may comment.
    Locked(u64),
    /// GitHub gives runs of forks and of Dependabot a token that may only read.
    ReadOnly(u64),
    /// The commit that the other workflow measured is not the head of the pull request.
    NotItsHead { pull: u64, measured: Option<CommitId> },
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTarget => write!(f, "none is wanted"),
            Self::NoToken => write!(f, "GITHUB_TOKEN is not set"),
            Self::NoPull(event) => write!(f, "the event `{event}` has no pull request"),
            Self::Locked(pull) => write!(f, "the conversation of #{pull} is locked"),
            Self::ReadOnly(pull) => {
                write!(f, "read-only token, as #{pull} comes from a fork or from Dependabot")
            }
            Self::NotItsHead { pull, measured } => {
                let measured = measured.as_ref().map_or("of the other workflow", CommitId::short);
                write!(f, "the measured commit {measured} is not the head of #{pull}")
            }
        }
    }
}
