//! What there is: one repository with its settings, who may do what, pull requests and comments.
//!
//! As JSON, for the binary, every key may be left out:
//!
//! ```
//! let world: fake_github::World = serde_json::from_str(r#"{
//!     "repository": "octo/quill",
//!     "default_branch": "main",
//!     "private": false,
//!     "protected": ["main"],
//!     "allow_auto_merge": true,
//!     "merge_methods": ["merge", "squash", "rebase"],
//!     "actions_may_propose": true,
//!     "links_by_id": true,
//!     "public_url": "http://127.0.0.1:4010",
//!     "tokens": {
//!         "ghs_workflow": { "login": "github-actions[bot]", "writes": ["contents", "issues", "pull_requests"] },
//!         "ghp_ada": { "login": "ada", "writes": ["issues"], "bypasses": true }
//!     },
//!     "pulls": [
//!         { "number": 5, "title": "Faster", "author": "ada", "head": { "branch": "topic" } },
//!         { "number": 6, "head": { "branch": "patch-1", "repository": "mallory/quill", "sha": "89abcdef89abcdef89abcdef89abcdef89abcdef" } }
//!     ],
//!     "comments": [{ "pull": 5, "author": "ada", "body": "Nice.", "minimized": "outdated" }]
//! }"#)?;
//! # assert_eq!(world.pulls.len(), 2);
//! # Ok::<(), serde_json::Error>(())
//! ```

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::account::{Permission, Token};
pub use crate::pull::{Pull, Side, State};

/// One less than the first comment's number, when that is not given.
const BEFORE_COMMENTS: u64 = 1_000_000;

/// Everything but the Git side. Change it as you like: the next request sees it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "a repository has as many settings")]
pub struct World {
    /// The one repository, `OWNER/NAME`. Any other is not found.
    pub repository: String,
    /// Its default branch.
    pub default_branch: String,
    /// Whether only tokens with access find it.
    pub private: bool,
    /// Branches that change through pull requests only.
    pub protected: Vec<String>,
    /// Whether pull requests may be set to merge themselves.
    pub allow_auto_merge: bool,
    /// How pull requests may be merged: `merge`, `squash`, `rebase`.
    pub merge_methods: Vec<String>,
    /// Whether a workflow's own token may open pull requests.
    pub actions_may_propose: bool,
    /// Tokens by their text. Any other is refused.
    pub tokens: BTreeMap<String, Token>,
    /// Pull requests.
    pub pulls: Vec<Pull>,
    /// Comments on pull requests, the oldest first.
    pub comments: Vec<Comment>,
    /// Whether links between pages name the repository by its number, as GitHub's do: `/repositories/7/…`.
    pub links_by_id: bool,
    /// Where clients reach the API, if that is not where it listens: links between pages begin with it.
    pub public_url: Option<String>,
    /// Seconds since the world began, one for each thing that happens.
    pub time: u64,
}

impl Default for World {
    /// The public repository `octo/quill` without pull requests, and a token of each kind (see [`crate::account`]).
    fn default() -> Self {
        Self {
            repository: "octo/quill".into(),
            default_branch: "main".into(),
            private: false,
            protected: Vec::new(),
            allow_auto_merge: true,
            merge_methods: ["merge", "squash", "rebase"].map(Into::into).into(),
            actions_may_propose: true,
            tokens: crate::account::of_each_kind(),
            pulls: Vec::new(),
            comments: Vec::new(),
            links_by_id: true,
            public_url: None,
            time: 0,
        }
    }
}

/// A comment on a pull request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Comment {
    /// Its number; 0 becomes the next one.
    pub id: u64,
    /// The pull request.
    pub pull: u64,
    /// The login of who wrote it; empty when the account is gone.
    pub author: String,
    /// Markdown.
    pub body: String,
    /// Why it is hidden, if it is: `outdated`, `spam`, ….
    pub minimized: Option<String>,
    /// When it was written, in the world's seconds.
    pub created: u64,
    /// When it was changed last, in the world's seconds.
    pub updated: u64,
}

impl World {
    /// The default world with one pull request.
    pub fn with_pull(pull: Pull) -> Self {
        let mut world = Self::default();
        world.open(pull);
        world
    }

    /// Adds a pull request, and returns its number.
    pub fn open(&mut self, mut pull: Pull) -> u64 {
        self.tick();
        if pull.number == 0 {
            pull.number = 1 + self.last_pull();
        }
        let number = pull.number;
        self.pulls.push(pull);
        number
    }

    /// Adds a comment, and returns its id.
    pub fn comment(&mut self, pull: u64, author: &str, body: &str) -> u64 {
        let (id, now) = (1 + self.last_comment(), self.tick());
        self.comments.push(Comment {
            id,
            pull,
            author: author.into(),
            body: body.into(),
            minimized: None,
            created: now,
            updated: now,
        });
        id
    }

    /// The pull request with this number.
    pub fn pull(&mut self, number: u64) -> Option<&mut Pull> {
        self.pulls.iter_mut().find(|pull| pull.number == number)
    }

    /// The comments of a pull request, the oldest first.
    pub fn comments_of(&self, pull: u64) -> Vec<Comment> {
        let mut comments: Vec<_> =
            self.comments.iter().filter(|comment| comment.pull == pull).cloned().collect();
        comments.sort_by_key(|comment| comment.id);
        comments
    }

    /// Takes a permission to write from a token.
    pub fn forbid(&mut self, token: &str, permission: Permission) {
        if let Some(token) = self.tokens.get_mut(token) {
            token.writes.retain(|other| *other != permission);
        }
    }

    pub(crate) fn owner(&self) -> &str {
        self.repository.split('/').next().unwrap_or_default()
    }

    /// One second later.
    pub(crate) fn tick(&mut self) -> u64 {
        self.time += 1;
        self.time
    }

    /// Gives numbers to what has none, as a file may leave them out.
    pub(crate) fn numbered(mut self) -> Self {
        let (mut pull, mut comment) = (self.last_pull(), self.last_comment());
        for unnumbered in self.pulls.iter_mut().filter(|pull| pull.number == 0) {
            pull += 1;
            unnumbered.number = pull;
        }
        for unnumbered in self.comments.iter_mut().filter(|comment| comment.id == 0) {
            comment += 1;
            unnumbered.id = comment;
        }
        self
    }

    fn last_pull(&self) -> u64 {
        self.pulls.iter().map(|pull| pull.number).max().unwrap_or(0)
    }

    fn last_comment(&self) -> u64 {
        self.comments.iter().map(|comment| comment.id).max().unwrap_or(0).max(BEFORE_COMMENTS)
    }
}

/// A moment of the world as GitHub writes it.
pub(crate) fn time(seconds: u64) -> String {
    let (day, rest) = (1 + seconds / 86_400 % 28, seconds % 86_400);
    format!("2026-01-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}
