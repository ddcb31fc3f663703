//! A pull request: what is to be merged, into what, and what became of it.

use serde::{Deserialize, Serialize};

/// A pull request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pull {
    /// Its number; 0 becomes the next one.
    pub number: u64,
    /// One line.
    pub title: String,
    /// Markdown.
    pub body: String,
    /// The login of who opened it; empty when the account is gone.
    pub author: String,
    /// What became of it.
    pub state: State,
    /// Whether it is a draft.
    pub draft: bool,
    /// Whether its conversation is locked.
    pub locked: bool,
    /// What is to be merged.
    pub head: Side,
    /// Into what.
    pub base: Side,
    /// How it merges itself, once it may.
    pub auto_merge: Option<String>,
}

/// What became of a pull request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Neither closed nor merged.
    #[default]
    Open,
    /// Closed without being merged.
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
    /// Its newest commit. When absent, it is read from the Git side; a branch that is not there is at a made-up commit.
    pub sha: Option<String>,
    /// Where it is, when it is in a fork: `mallory/quill`.
    pub repository: Option<String>,
    /// Whether that fork is gone.
    pub gone: bool,
}

impl Default for Pull {
    /// From the branch `topic`, by `ada`.
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

    /// The same with its head at this commit, whatever the Git side has.
    #[must_use]
    pub fn at(mut self, sha: &str) -> Self {
        self.head.sha = Some(sha.into());
        self
    }

    /// The same from this branch.
    #[must_use]
    pub fn branch(mut self, name: &str) -> Self {
        self.head.branch = name.into();
        self
    }

    /// The same from a fork, by the fork's owner.
    #[must_use]
    pub fn fork(mut self, repository: &str) -> Self {
        self.author = repository.split('/').next().unwrap_or_default().into();
        self.head.repository = Some(repository.into());
        self
    }

    /// The same, closed.
    #[must_use]
    pub fn closed(mut self) -> Self {
        self.state = State::Closed;
        self
    }

    /// The same, with a locked conversation.
    #[must_use]
    pub fn locked(mut self) -> Self {
        self.locked = true;
        self
    }
}
