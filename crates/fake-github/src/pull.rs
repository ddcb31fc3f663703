//! Pull requests.

use serde::{Deserialize, Serialize};

/// A pull request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pull {
    /// The number; 0 assigns the next one.
    pub number: u64,
    /// The title.
    pub title: String,
    /// The description in Markdown.
    pub body: String,
    /// The login of the author; empty if the account was deleted.
    pub author: String,
    /// The state.
    pub state: State,
    /// Whether it is a draft.
    pub draft: bool,
    /// Whether the conversation is locked.
    pub locked: bool,
    /// The branch to merge.
    pub head: Side,
    /// The branch to merge into.
    pub base: Side,
    /// The merge method, if auto-merge is enabled.
    pub auto_merge: Option<String>,
}

/// The state of a pull request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Open.
    #[default]
    Open,
    /// Closed without a merge.
    Closed,
    /// Merged.
    Merged,
}

/// One of the two sides of a pull request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Side {
    /// The branch; empty for the default branch.
    pub branch: String,
    /// The head commit. By default the repository's, or an invented one if the branch does not exist.
    pub sha: Option<String>,
    /// The fork, if it is one: `mallory/quill`.
    pub repository: Option<String>,
    /// Whether the fork was deleted.
    pub gone: bool,
}

impl Default for Pull {
    /// An open pull request by `ada` from the branch `topic`.
    fn default() -> Self {
        Self {
            number: 0,
            title: "Improve".into(),
            body: String::new(),
            author: "ada".into(),
            state: State::Open,
            draft: false,
            locked: false,
            head: Side { branch: "topic".into(), ..Side::default() },
            base: Side::default(),
            auto_merge: None,
        }
    }
}

impl Pull {
    /// An open pull request by `ada` from the branch `topic`.
    pub fn new(number: u64) -> Self {
        Self { number, ..Self::default() }
    }

    /// Sets the head commit, whatever the repository has.
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
        self.state = State::Closed;
        self
    }

    /// Locks the conversation.
    #[must_use]
    pub fn locked(mut self) -> Self {
        self.locked = true;
        self
    }

    /// Closes an open pull request, whose head commit stays as it is.
    pub(crate) fn close(&mut self, head: String) {
        self.state = State::Closed;
        self.head.sha.get_or_insert(head);
        self.auto_merge = None;
    }
}
