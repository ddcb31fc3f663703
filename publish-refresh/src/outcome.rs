//! The outcome of a refresh.

use perf_github::CommitId;

use crate::origin::PublishedRefresh;

/// The result of a refresh, with its details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RefreshOutcome {
    /// The numbers were committed to the branch.
    Committed { commit: CommitId },
    /// The branch already contains these numbers.
    Unchanged,
    /// The numbers are in a pull request because the branch accepts no commits.
    Proposed {
        url: String,
        commit: CommitId,
        /// Whether auto-merge is enabled, or the reason why not.
        auto_merge: Result<(), String>,
    },
    /// The branch, or the pull request with this number, contains numbers that outrank these.
    Outranked {
        refresh: PublishedRefresh,
        pull: Option<u64>,
    },
    /// The branch no longer contains the measured commit, such as after a force push.
    Stale,
    /// The measured code has changed on the branch since. `by` is a changed file, if known.
    Superseded { by: Option<String> },
    /// The repository does not accept the numbers. `expected` is true if that is not an error, such as in a fork.
    Unpublished {
        why: String,
        hints: Vec<String>,
        expected: bool,
    },
}
