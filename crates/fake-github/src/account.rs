//! Who may do what.
//!
//! A *token* acts for an account. What it may write is told apart by *permission*, as in a workflow's `permissions`.
//! Accounts are their logins: whoever ends in `[bot]` is an app, whose token may not ask who it is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A workflow's token that may write everything.
pub const WORKFLOW: &str = "ghs_workflow";
/// A workflow's token that may only read, as a pull request from a fork gets it.
pub const READ_ONLY: &str = "ghs_read_only";
/// The token of the app `perf-gate[bot]`, which branch protection lets pass.
pub const APP: &str = "ghs_app";
/// The token of the user `ada`, who may write everything that is not protected.
pub const USER: &str = "ghp_ada";
/// The token of the user `mallory`, who has nothing to do with the repository.
pub const STRANGER: &str = "ghp_mallory";
/// A token that GitHub does not take any more.
pub const EXPIRED: &str = "ghs_expired";

/// The login that a workflow's own token acts for.
pub const ACTIONS: &str = "github-actions[bot]";

/// What a token is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// Whom it acts for.
    pub login: String,
    /// Whether it finds the repository although that is private.
    #[serde(default = "yes")]
    pub reads: bool,
    /// What it may write.
    #[serde(default)]
    pub writes: Vec<Permission>,
    /// Whether protected branches take its commits.
    #[serde(default)]
    pub bypasses: bool,
}

/// What a token may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// Commits and branches.
    Contents,
    /// Comments.
    Issues,
    /// Pull requests, and comments on them.
    PullRequests,
}

impl Token {
    /// A token of `login` that may write everything.
    pub fn new(login: &str) -> Self {
        let writes = vec![Permission::Contents, Permission::Issues, Permission::PullRequests];
        Self { login: login.into(), reads: true, writes, bypasses: false }
    }

    /// The same, but it may write nothing.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.writes.clear();
        self
    }

    /// The same, and protected branches take its commits.
    #[must_use]
    pub fn bypassing(mut self) -> Self {
        self.bypasses = true;
        self
    }

    pub(crate) fn is_app(&self) -> bool {
        self.login.ends_with("[bot]")
    }
}

pub(crate) fn of_each_kind() -> BTreeMap<String, Token> {
    let stranger = Token { reads: false, ..Token::new("mallory").read_only() };
    [
        (WORKFLOW, Token::new(ACTIONS)),
        (READ_ONLY, Token::new(ACTIONS).read_only()),
        (APP, Token::new("perf-gate[bot]").bypassing()),
        (USER, Token::new("ada")),
        (STRANGER, stranger),
    ]
    .map(|(text, token)| (text.into(), token))
    .into()
}

/// The number of an account: GitHub's own for its bots, made up for others.
pub fn id(login: &str) -> u64 {
    match login {
        ACTIONS => 41_898_282,
        "dependabot[bot]" => 49_699_333,
        "web-flow" => 19_864_447,
        other => {
            let hash = other
                .bytes()
                .fold(2_166_136_261_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619));
            1000 + u64::from(hash % 90_000_000)
        }
    }
}

fn yes() -> bool {
    true
}
