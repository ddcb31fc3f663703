//! The API's state outside the repository.

use std::collections::BTreeMap;

use crate::account::{Token, node_id};

/// The only repository.
pub const REPOSITORY: &str = "octo/quill";
/// The repository's default branch.
pub const DEFAULT_BRANCH: &str = "main";

/// Settings, tokens, pull requests, comments and statuses. The next request sees any change.
#[derive(Clone, Debug)]
pub struct World {
    /// Whether the repository is private.
    pub private: bool,
    /// The protected branches, which require pull requests.
    pub protected: Vec<String>,
    /// Whether auto-merge is allowed.
    pub allow_auto_merge: bool,
    /// Whether workflow tokens may open pull requests.
    pub actions_may_propose: bool,
    /// The valid tokens by their text.
    pub tokens: BTreeMap<String, Token>,
    /// The pull requests, oldest first.
    pub pulls: Vec<Pull>,
    /// The comments on pull requests and on commits, oldest first.
    pub comments: Vec<Comment>,
    /// The commit statuses, oldest first.
    pub statuses: Vec<Status>,
    /// The check runs as requested, oldest first.
    pub checks: Vec<serde_json::Value>,
    /// The jobs in every run: name and status, such as `in_progress`.
    pub jobs: Vec<(String, String)>,
    /// The permissions of people by login; others may read.
    pub collaborators: BTreeMap<String, String>,
    /// Reactions to comments: the comment's ID and the reaction, such as `eyes`.
    pub reactions: Vec<(u64, String)>,
    /// The number of comments ever created, including deleted ones, so no ID is reused.
    pub comments_made: u64,
}

/// A comment on a pull request or a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comment {
    /// The ID.
    pub id: u64,
    /// The pull request's number; 0 on a commit.
    pub pull: u64,
    /// The commit; empty on a pull request.
    pub sha: String,
    /// The author's login; empty if the account was deleted.
    pub author: String,
    /// The text in Markdown.
    pub body: String,
    /// Why it is hidden: `outdated`, `spam`, ….
    pub minimized: Option<String>,
    /// All versions since the first edit, oldest first, each with its writer's login.
    pub edits: Vec<(String, String)>,
}

impl Comment {
    /// The node ID in the GraphQL API.
    pub(crate) fn node_id(&self) -> String {
        node_id(if self.sha.is_empty() { "IC" } else { "CC" }, self.id)
    }

    /// Replaces the text.
    pub fn edit(&mut self, login: String, body: String) {
        if self.edits.is_empty() {
            self.edits.push((self.author.clone(), self.body.clone()));
        }
        self.edits.push((login, body.clone()));
        self.body = body;
    }
}

/// A commit status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The commit.
    pub sha: String,
    /// `success`, `failure`, `error` or `pending`.
    pub state: String,
    /// The name.
    pub context: String,
    /// One sentence.
    pub description: String,
    /// The target URL.
    pub target: Option<String>,
}

/// A pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pull {
    /// The number; 0 assigns the next one when it is opened.
    pub number: u64,
    /// The title.
    pub title: String,
    /// The description in Markdown.
    pub body: String,
    /// The author's login; empty if the account was deleted.
    pub author: String,
    /// The state.
    pub state: PullState,
    /// Whether the conversation is locked.
    pub locked: bool,
    /// Whether it is a draft.
    pub draft: bool,
    /// The branch to merge.
    pub head: Side,
    /// The branch to merge into.
    pub base: Side,
    /// The merge method, if auto-merge is enabled.
    pub auto_merge: Option<String>,
}

/// The state of a pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PullState {
    /// Open.
    Open,
    /// Closed without a merge.
    Closed,
    /// Merged.
    Merged,
}

/// The head or the base of a pull request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// The branch.
    pub branch: String,
    /// The head commit. By default the repository's, or an invented one if the branch does not exist.
    pub sha: Option<String>,
    /// The fork, if the branch is in one: `mallory/quill`.
    pub repository: Option<String>,
}

impl Side {
    /// A branch of the repository.
    pub(crate) fn of(branch: &str) -> Self {
        Self {
            branch: branch.into(),
            ..Self::default()
        }
    }
}

impl Default for World {
    /// The public repository `octo/quill` without pull requests, with the tokens of [`crate::account`].
    fn default() -> Self {
        Self {
            private: false,
            protected: Vec::new(),
            allow_auto_merge: true,
            actions_may_propose: true,
            tokens: crate::account::defaults(),
            pulls: Vec::new(),
            comments: Vec::new(),
            statuses: Vec::new(),
            checks: Vec::new(),
            jobs: Vec::new(),
            collaborators: BTreeMap::from([("ada".to_owned(), "write".to_owned())]),
            reactions: Vec::new(),
            comments_made: 0,
        }
    }
}

impl World {
    /// The default world with one pull request.
    pub fn with_pull(pull: Pull) -> Self {
        let mut world = Self::default();
        world.open(pull);
        world
    }

    /// Opens a pull request and returns its number.
    pub fn open(&mut self, mut pull: Pull) -> u64 {
        if pull.number == 0 {
            pull.number = self
                .pulls
                .iter()
                .map(|pull| pull.number + 1)
                .max()
                .unwrap_or(1);
        }
        let number = pull.number;
        self.pulls.push(pull);
        number
    }

    /// Adds a comment to a pull request and returns its ID, which is higher than all earlier ones.
    pub fn comment(&mut self, pull: u64, author: &str, body: &str) -> u64 {
        self.comments_made += 1;
        let (id, author, body) = (1_000_000 + self.comments_made, author.into(), body.into());
        self.comments.push(Comment {
            id,
            pull,
            author,
            body,
            ..Comment::default()
        });
        id
    }

    /// The pull request with this number.
    pub fn pull(&mut self, number: u64) -> Option<&mut Pull> {
        self.pulls.iter_mut().find(|pull| pull.number == number)
    }
}

impl Pull {
    /// An open pull request by `ada` from the branch `topic`.
    pub fn new(number: u64) -> Self {
        Self {
            number,
            title: "Improve".into(),
            body: String::new(),
            author: "ada".into(),
            state: PullState::Open,
            locked: false,
            draft: false,
            head: Side::of("topic"),
            base: Side::of(DEFAULT_BRANCH),
            auto_merge: None,
        }
    }

    /// Sets the head commit, which need not exist in the repository.
    #[must_use]
    pub fn at(mut self, sha: &str) -> Self {
        self.head.sha = Some(sha.into());
        self
    }

    /// Sets the head branch.
    #[must_use]
    pub fn branch(mut self, name: &str) -> Self {
        self.head.branch = name.into();
        self
    }

    /// Moves the head to a fork, whose owner becomes the author.
    #[must_use]
    pub fn fork(mut self, repository: &str) -> Self {
        self.author = repository.split('/').next().unwrap_or_default().into();
        self.head.repository = Some(repository.into());
        self
    }

    /// Closes the pull request.
    #[must_use]
    pub fn closed(mut self) -> Self {
        self.state = PullState::Closed;
        self
    }

    /// Merges the pull request.
    #[must_use]
    pub fn merged(mut self) -> Self {
        self.state = PullState::Merged;
        self
    }

    /// Makes the pull request a draft.
    #[must_use]
    pub fn draft(mut self) -> Self {
        self.draft = true;
        self
    }

    /// Locks the conversation.
    #[must_use]
    pub fn locked(mut self) -> Self {
        self.locked = true;
        self
    }

    /// Closes an open pull request and keeps its head commit.
    pub(crate) fn close(&mut self, head: String) {
        self.state = PullState::Closed;
        self.head.sha.get_or_insert(head);
        self.auto_merge = None;
    }
}
