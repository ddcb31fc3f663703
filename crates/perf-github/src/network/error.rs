//! API errors and their kinds.
//!
//! Each error is one line, `cannot DO: WHY`, and a hint that [`perf_cli`] prints below the line. Messages from the server
//! are made printable, and the token is removed from them.

use std::time::Duration;

use http::HeaderMap;
use perf_cli::Failure;

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApiErrorKind {
    /// The token is wrong or has expired (401).
    Authentication,
    /// The token is valid but may not do this (403).
    Permission,
    /// A repository setting forbids this for workflow tokens (403).
    Setting,
    /// A rate limit is reached (403, 429).
    RateLimited,
    /// The resource does not exist, or the token may not see it (404).
    NotFound,
    /// The repository was renamed (301, 302, 307, 308).
    Moved,
    /// The resource was disabled or permanently removed (410), or access to the repository is blocked (403, 451).
    Gone,
    /// The conversation is locked, or the repository is archived (403).
    Locked,
    /// GitHub rejected the request (400, 409, 422).
    Validation,
    /// The branch has moved since it was read.
    Conflict,
    /// Branch rules reject the commit (403, 409, 422).
    Protected,
    /// GitHub has an internal error (5xx).
    Server,
    /// There was no connection, or it was lost.
    Network,
    /// There was no response within the time limit, or GitHub reports a timeout (408).
    Timeout,
    /// The response does not match the API.
    Malformed,
}

impl ApiErrorKind {
    /// One line of advice for users.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Authentication => "check the token: it is wrong, revoked or expired",
            Self::Permission => {
                "give the token more permissions, in a workflow with `permissions:`; runs from forks and by Dependabot have none"
            }
            Self::Setting => {
                "allow it in the repository's or the organisation's settings: Actions, General, Workflow permissions"
            }
            Self::RateLimited => "try again later, or use a token with its own limit",
            Self::NotFound => {
                "check the repository and the number; this also happens if the token has no access"
            }
            Self::Moved => "use the repository's new name",
            Self::Gone => "it was disabled or permanently removed",
            Self::Locked => "unlock the conversation, or the repository",
            Self::Validation => "GitHub rejects the request; repeating it will not help",
            Self::Conflict => "the branch has moved; read it again",
            Self::Protected => {
                "let the token's owner bypass the rules, or go through a pull request"
            }
            Self::Server => "GitHub has a problem; see https://www.githubstatus.com",
            Self::Network => "check the connection, and GITHUB_API_URL for an enterprise server",
            Self::Timeout => {
                "try again later; PERF_GATE_TIMEOUT sets the timeout of each call in seconds"
            }
            Self::Malformed => {
                "check that GITHUB_API_URL is GitHub's API and that no proxy answers instead"
            }
        }
    }
}

/// The pause that a response's headers request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RequestedPause {
    /// The duration in the header `retry-after`.
    pub(crate) after: Option<Duration>,
    /// The time in the header `x-ratelimit-reset`, in seconds since 1970. `None` if requests remain.
    pub(crate) until: Option<u64>,
}

impl RequestedPause {
    /// Reads the headers. Invalid headers are ignored.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Self {
        let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<u64>().ok();
        let exhausted = number("x-ratelimit-remaining") == Some(0);
        Self {
            after: number("retry-after").map(Duration::from_secs),
            until: number("x-ratelimit-reset").filter(|_| exhausted),
        }
    }

    /// True if the headers state that a rate limit is reached.
    pub(crate) fn is_limit(self) -> bool {
        self.after.is_some() || self.until.is_some()
    }
}

/// The error of a failed call.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing}: {cause}")]
pub struct ApiError {
    /// The kind of failure.
    pub kind: ApiErrorKind,
    /// True if a write may have been executed although the call failed. Read before writing again. Always false for reads.
    pub maybe_done: bool,
    /// True if a write was not executed, and the pause before its next attempt is over. Read before trying again, because
    /// another run may have written meanwhile.
    pub is_due: bool,
    pub(crate) asked: RequestedPause,
    doing: String,
    #[source]
    cause: Failure,
}

impl ApiError {
    /// Creates an error with its hint. `doing` is the operation, such as `list the comments of #5`.
    pub(crate) fn new(kind: ApiErrorKind, doing: &str, why: &str) -> Self {
        let cause = Failure::new(why).hint(kind.hint());
        Self {
            kind,
            maybe_done: false,
            is_due: false,
            asked: RequestedPause::default(),
            doing: doing.into(),
            cause,
        }
    }

    /// Replaces the hint with the permission that the token needs.
    pub(crate) fn needing(mut self, permission: &str) -> Self {
        let hint =
            format!("the token needs `{permission}`: in a workflow, add it to `permissions:`");
        let others = "runs from forks and by Dependabot may not write";
        self.cause = Failure::new(self.cause.to_string()).hint(hint).hint(others);
        self
    }

    /// Adds to the message that there is no further attempt, because the requested pause is longer than the remaining
    /// waiting time.
    pub(crate) fn impatient(mut self, pause: Duration, left: Duration) -> Self {
        // Whole seconds, rounded up.
        let due = pause.as_secs() + u64::from(pause.subsec_nanos() > 0);
        let (cause, left) = (&self.cause, left.as_secs());
        let why = format!(
            "{cause}; the next attempt is due in {due} s, but only {left} s are left for waiting"
        );
        let patience = "PERF_GATE_PATIENCE sets the total waiting time of a run in seconds";
        self.cause = Failure::new(why).hint(self.kind.hint()).hint(patience);
        self
    }

    /// The reason of the failure without the operation, as one printable line.
    pub fn why(&self) -> String {
        self.cause.to_string()
    }

    /// True if two commits could not be compared because they have no common history.
    pub fn is_unrelated(&self) -> bool {
        self.kind == ApiErrorKind::NotFound && self.why().contains("No common ancestor")
    }

    /// True if the error is transient, so that the same call may succeed later.
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

/// Replaces the error for a resource that does not exist with `None`.
pub(crate) fn none_if_missing<T>(result: Result<T, ApiError>) -> Result<Option<T>, ApiError> {
    match result {
        Err(error) if error.kind == ApiErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::new(format!("cannot {}", error.doing)).because(error.cause)
    }
}
