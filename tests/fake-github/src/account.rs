//! Tokens, their accounts and their permissions.
//!
//! An account is a login. A login that ends in `[bot]` is an app.

use std::collections::BTreeMap;

/// A workflow token with all permissions.
pub const WORKFLOW: &str = "ghs_workflow";
/// A read-only workflow token, as for a pull request from a fork.
pub const READ_ONLY: &str = "ghs_read_only";
/// The token of the app `perf-gate[bot]`, which bypasses branch protection.
pub const APP: &str = "ghs_app";
/// The token of the user `ada` with all permissions.
pub const USER: &str = "ghp_ada";
/// The token of the user `mallory`, who has no access to the repository.
pub const STRANGER: &str = "ghp_mallory";
/// An expired token.
pub const EXPIRED: &str = "ghs_expired";

/// The login of workflow tokens.
pub const ACTIONS: &str = "github-actions[bot]";

/// The account and permissions of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The account.
    pub login: String,
    /// Whether it can read the repository if that is private.
    pub reads: bool,
    /// The write permissions.
    pub writes: Vec<Permission>,
    /// Whether it bypasses branch protection.
    pub bypasses: bool,
}

/// A write permission in a workflow's `permissions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// Commits and branches.
    Contents,
    /// Comments.
    Issues,
    /// Pull requests, and comments on them.
    PullRequests,
    /// Commit statuses.
    Statuses,
    /// Check runs. No default token has this permission.
    Checks,
}

impl Token {
    /// A token of `login` with all permissions.
    pub fn new(login: &str) -> Self {
        let writes = vec![
            Permission::Contents,
            Permission::Issues,
            Permission::PullRequests,
            Permission::Statuses,
        ];
        Self {
            login: login.into(),
            reads: true,
            writes,
            bypasses: false,
        }
    }

    /// Removes all write permissions.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.writes.clear();
        self
    }

    pub(crate) fn is_app(&self) -> bool {
        self.login.ends_with("[bot]")
    }

    /// The error message for a missing permission.
    pub(crate) fn refusal(&self) -> String {
        let kind = if self.is_app() {
            "integration"
        } else {
            "personal access token"
        };
        format!("Resource not accessible by {kind}")
    }
}

/// The tokens of the default world.
pub(crate) fn defaults() -> BTreeMap<String, Token> {
    let stranger = Token {
        reads: false,
        ..Token::new("mallory").read_only()
    };
    [
        (WORKFLOW, Token::new(ACTIONS)),
        (READ_ONLY, Token::new(ACTIONS).read_only()),
        (
            APP,
            Token {
                bypasses: true,
                ..Token::new("perf-gate[bot]")
            },
        ),
        (USER, Token::new("ada")),
        (STRANGER, stranger),
    ]
    .map(|(text, token)| (text.into(), token))
    .into()
}

/// The ID of an account or a repository: GitHub's own for its bots, a hash for others.
pub fn id(login: &str) -> u64 {
    match login {
        ACTIONS => 41_898_282,
        "dependabot[bot]" => 49_699_333,
        "web-flow" => 19_864_447,
        other => {
            // FNV-1a, shortened to the 53 bits that JavaScript can read: enough to avoid collisions.
            let mix = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            other.bytes().fold(0xcbf2_9ce4_8422_2325, mix) >> 11
        }
    }
}

/// A GraphQL ID.
pub(crate) fn node_id(kind: &str, number: u64) -> String {
    format!("{kind}_kw{number:08}")
}
