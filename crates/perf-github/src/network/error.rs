//! The errors of a call, by kind.
//!
//! Each error is one line, `cannot DO: WHY`, and a hint that [`perf_cli`] finds and prints below. Words of the server
//! are made harmless first, and the token is taken out of them.

use std::time::Duration;

use perf_cli::Failure;

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApiErrorKind {
    /// The token is wrong or has expired (401).
    Authentication,
    /// The token is good but may not do this (403).
    Permission,
    /// A repository setting forbids this for workflow tokens (403).
    Setting,
    /// Too many requests, and waiting for more would take too long (403, 429).
    RateLimited,
    /// The thing does not exist, or the token may not see it (404).
    NotFound,
    /// The repository has another name now (301, 302, 307, 308).
    Moved,
    /// The thing was switched off or removed for good (410).
    Gone,
    /// A conversation is locked, or a repository archived (403).
    Locked,
    /// GitHub understood the request and does not take it (400, 409, 422).
    Validation,
    /// The branch has moved since it was read.
    Conflict,
    /// Rules of the branch keep the commit out.
    Protected,
    /// GitHub failed (5xx).
    Server,
    /// No connection, or one that broke.
    Network,
    /// No answer in time.
    Timeout,
    /// A response that does not match the API.
    Malformed,
}

impl ApiErrorKind {
    /// The advice on what to do, one line.
    pub(crate) fn hint(self) -> &'static str {
        match self {
            Self::Authentication => "check the token: it is wrong, revoked or expired",
            Self::Permission => {
                "give the token more rights, in a workflow with `permissions:`; runs for forks and by Dependabot have none"
            }
            Self::Setting => {
                "allow it in the repository's or the organisation's settings: Actions, General, Workflow permissions"
            }
            Self::RateLimited => "try again later, or use a token with its own limit",
            Self::NotFound => {
                "check the repository and the number; a token without access sees nothing either"
            }
            Self::Moved => "use the repository's new name",
            Self::Gone => "it was switched off or removed for good",
            Self::Locked => "unlock the conversation, or the repository",
            Self::Validation => "GitHub rejects the request; repeating it will not help",
            Self::Conflict => "the branch has moved; read it again",
            Self::Protected => {
                "let the token's owner bypass the rules, or go through a pull request"
            }
            Self::Server => "GitHub has a problem; see https://www.githubstatus.com",
            Self::Network => "check the connection, and GITHUB_API_URL for a server of your own",
            Self::Timeout => {
                "try again later; PERF_GATE_TIMEOUT sets how many seconds a call may take"
            }
            Self::Malformed => {
                "check that GITHUB_API_URL is GitHub's API and no proxy answers in its place"
            }
        }
    }
}

/// A call that failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing}: {cause}")]
pub struct ApiError {
    /// The kind of failure.
    pub kind: ApiErrorKind,
    maybe_done: bool,
    is_due: bool,
    doing: String,
    #[source]
    cause: Failure,
}

impl ApiError {
    /// An error of that kind while doing something (`list the comments of #5`), with its hint.
    pub(crate) fn new(kind: ApiErrorKind, doing: &str, why: &str) -> Self {
        let cause = Failure::new(why).hint(kind.hint());
        Self {
            kind,
            maybe_done: false,
            is_due: false,
            doing: doing.into(),
            cause,
        }
    }

    /// The same error with the missing permission, if known.
    pub(crate) fn needing(mut self, permission: Option<&str>) -> Self {
        if let Some(permission) = permission {
            let hint =
                format!("the token needs `{permission}`: in a workflow, add it to `permissions:`");
            let others = "runs for forks and by Dependabot may not write";
            self.cause = Failure::new(self.cause.to_string()).hint(hint).hint(others);
        }
        self
    }

    /// The same, of a write that may have happened, if so.
    pub(crate) fn of_write(self, maybe_done: bool) -> Self {
        Self { maybe_done, ..self }
    }

    /// The same, after the pause that it asks for.
    pub(crate) fn after_pause(self) -> Self {
        Self {
            is_due: true,
            ..self
        }
    }

    /// The same error, without another attempt because the required pause is longer than the remaining time.
    pub(crate) fn impatient(mut self, pause: Duration, left: Duration) -> Self {
        // Whole seconds, none of them cut off.
        let due = pause.as_secs() + u64::from(pause.subsec_nanos() > 0);
        let (cause, left) = (&self.cause, left.as_secs());
        let why = format!(
            "{cause}; the next attempt is due in {due} s, and {left} s are left for waiting"
        );
        let patience = "PERF_GATE_PATIENCE sets how many seconds a run may wait in all";
        self.cause = Failure::new(why).hint(self.kind.hint()).hint(patience);
        self
    }

    /// The reason without the operation; one harmless line.
    pub fn why(&self) -> String {
        self.cause.to_string()
    }

    /// True if the write may have happened although the call failed: look before you write again. Never for a read.
    pub fn maybe_done(&self) -> bool {
        self.maybe_done
    }

    /// True if the write did not happen, the pause that GitHub asks for is over, and it may be tried again after another
    /// look: somebody else may have written in between.
    pub fn is_due(&self) -> bool {
        self.is_due
    }

    /// True if two commits have no history in common.
    pub fn is_unrelated(&self) -> bool {
        self.kind == ApiErrorKind::NotFound && self.why().contains("No common ancestor")
    }

    /// The advice on what to do, one line.
    pub fn hint(&self) -> &'static str {
        self.kind.hint()
    }

    /// True for a transient error: the same call may succeed later.
    pub fn is_passing(&self) -> bool {
        matches!(
            self.kind,
            ApiErrorKind::RateLimited
                | ApiErrorKind::Server
                | ApiErrorKind::Network
                | ApiErrorKind::Timeout
        )
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::new(format!("cannot {}", error.doing)).because(error.cause)
    }
}
