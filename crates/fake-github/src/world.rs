//! The state of the API beside the repository. In its JSON, for the binary, every key is optional:
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

use std::collections::{BTreeMap, HashSet};
use std::io;

use serde::{Deserialize, Serialize};

use crate::account::Token;
pub use crate::pull::{Pull, Side, State};

/// Ids of comments start above this.
const BEFORE_COMMENT_IDS: u64 = 1_000_000;

/// Settings, tokens, pull requests and comments. The next request sees any change.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "a repository has as many settings")]
pub struct World {
    /// The only repository, `OWNER/NAME`.
    pub repository: String,
    /// The default branch.
    pub default_branch: String,
    /// Whether the repository is private.
    pub private: bool,
    /// The protected branches, which require pull requests.
    pub protected: Vec<String>,
    /// Whether auto-merge is allowed.
    pub allow_auto_merge: bool,
    /// The allowed merge methods: `merge`, `squash`, `rebase`.
    pub merge_methods: Vec<String>,
    /// Whether workflow tokens may open pull requests.
    pub actions_may_propose: bool,
    /// The valid tokens by their text.
    pub tokens: BTreeMap<String, Token>,
    /// The pull requests.
    pub pulls: Vec<Pull>,
    /// The comments on pull requests, oldest first.
    pub comments: Vec<Comment>,
    /// The comments on commits, oldest first.
    pub commit_comments: Vec<CommitComment>,
    /// The statuses of commits, oldest first.
    pub statuses: Vec<Status>,
    /// Whether pagination links identify the repository by id, like GitHub's: `/repositories/7/…`.
    pub links_by_id: bool,
    /// The base URL in links, if clients reach the API through a proxy.
    pub public_url: Option<String>,
    /// The clock in seconds, which each write advances.
    pub time: u64,
    /// The highest number of a pull request so far.
    #[serde(skip)]
    pub last_pull: u64,
    /// The highest id of a comment so far.
    #[serde(skip)]
    pub last_comment: u64,
}

/// A comment on a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommitComment {
    /// The id.
    pub id: u64,
    /// The commit.
    pub sha: String,
    /// The login of the author.
    pub author: String,
    /// The text in Markdown.
    pub body: String,
}

/// A status of a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// The commit.
    pub sha: String,
    /// `success`, `failure`, `error` or `pending`.
    pub state: String,
    /// Its name.
    pub context: String,
    /// One sentence.
    pub description: String,
    /// Where it leads.
    pub target: Option<String>,
}

impl Default for World {
    /// The public repository `octo/quill` without pull requests, with the tokens of [`crate::account`].
    fn default() -> Self {
        Self {
            repository: "octo/quill".into(),
            default_branch: "main".into(),
            private: false,
            protected: Vec::new(),
            allow_auto_merge: true,
            merge_methods: ["merge", "squash", "rebase"].map(Into::into).into(),
            actions_may_propose: true,
            tokens: crate::account::defaults(),
            pulls: Vec::new(),
            comments: Vec::new(),
            commit_comments: Vec::new(),
            statuses: Vec::new(),
            links_by_id: true,
            public_url: None,
            time: 0,
            last_pull: 0,
            last_comment: BEFORE_COMMENT_IDS,
        }
    }
}

/// A comment on a pull request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Comment {
    /// The id; 0 assigns the next one.
    pub id: u64,
    /// The number of the pull request.
    pub pull: u64,
    /// The login of the author; empty if the account was deleted.
    pub author: String,
    /// The text in Markdown.
    pub body: String,
    /// The reason if it is hidden: `outdated`, `spam`, ….
    pub minimized: Option<String>,
    /// The time of creation, by the world's clock.
    pub created: u64,
    /// The time of the last edit, by the world's clock.
    pub updated: u64,
}

impl World {
    /// The default world with one pull request.
    pub fn with_pull(pull: Pull) -> Self {
        let mut world = Self::default();
        world.open(pull);
        world
    }

    /// Opens a pull request and returns its number.
    pub fn open(&mut self, pull: Pull) -> u64 {
        self.tick();
        self.pulls.push(pull);
        self.assign_ids();
        self.pulls.last().map_or(0, |pull| pull.number)
    }

    /// Adds a comment and returns its id.
    pub fn comment(&mut self, pull: u64, author: &str, body: &str) -> u64 {
        let now = self.tick();
        let (author, body) = (author.into(), body.into());
        self.comments.push(Comment { pull, author, body, created: now, updated: now, ..Comment::default() });
        self.assign_ids();
        self.last_comment
    }

    /// The pull request with this number.
    pub fn pull(&mut self, number: u64) -> Option<&mut Pull> {
        self.pulls.iter_mut().find(|pull| pull.number == number)
    }

    /// The comments of a pull request, oldest first.
    pub fn comments_of(&self, pull: u64) -> Vec<Comment> {
        let mut comments: Vec<_> =
            self.comments.iter().filter(|comment| comment.pull == pull).cloned().collect();
        comments.sort_by_key(|comment| comment.id);
        comments
    }

    pub(crate) fn owner(&self) -> &str {
        self.repository.split('/').next().unwrap_or_default()
    }

    /// Advances the clock.
    pub(crate) fn tick(&mut self) -> u64 {
        self.time += 1;
        self.time
    }

    /// Fails if two pull requests or two comments share an id.
    pub(crate) fn check_ids(&self) -> io::Result<()> {
        let pulls = self.pulls.iter().map(|pull| ("pull requests", pull.number));
        let ids = pulls.chain(self.comments.iter().map(|comment| ("comments", comment.id)));
        let mut seen = HashSet::new();
        match ids.filter(|(_, id)| *id != 0).find(|id| !seen.insert(*id)) {
            Some((kind, id)) => Err(io::Error::other(format!("two {kind} have the id {id}"))),
            None => Ok(()),
        }
    }

    /// Assigns the missing numbers and ids, never one that any pull request or comment had.
    pub(crate) fn assign_ids(&mut self) {
        let numbers = self.pulls.iter_mut().map(|pull| &mut pull.number);
        self.last_pull = assign(numbers.collect(), self.last_pull);
        let ids = self.comments.iter_mut().map(|comment| &mut comment.id);
        self.last_comment = assign(ids.collect(), self.last_comment);
    }
}

/// Replaces each 0 by the next number above all others, and returns the highest.
fn assign(mut numbers: Vec<&mut u64>, last: u64) -> u64 {
    let mut last = numbers.iter().map(|number| **number).fold(last, u64::max);
    for missing in numbers.iter_mut().filter(|number| ***number == 0) {
        last += 1;
        **missing = last;
    }
    last
}

/// A time of the world's clock as GitHub formats it.
pub(crate) fn time(seconds: u64) -> String {
    let (day, rest) = (1 + seconds / 86_400 % 28, seconds % 86_400);
    format!("2026-01-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}
