//! Pull requests and comments.

use perf_model::commit::CommitId;
use serde::{Deserialize, Deserializer};

use crate::names;
use crate::names::{Account, Repo};

/// A pull request, from the API or an event payload. Payloads from other forges don't contain all fields.
///
/// octocrab's type is not used, because it fails if any account, label or repository contains an unknown value.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Pull {
    /// The pull request's number in the base repository.
    pub number: u64,
    /// The ID in the GraphQL API.
    #[serde(default)]
    pub node_id: String,
    /// The URL of the pull request's page.
    #[serde(default, rename = "html_url")]
    pub url: String,
    /// The title, which is untrusted.
    #[serde(default)]
    pub title: String,
    /// The description, which is untrusted and may be empty.
    #[serde(default, deserialize_with = "names::text_or_null")]
    pub body: String,
    /// The account that opened the pull request, or `None` if the account was deleted.
    #[serde(default, rename = "user", deserialize_with = "names::account")]
    pub author: Option<Account>,
    /// True if the pull request is neither closed nor merged.
    #[serde(default = "yes", rename = "state", deserialize_with = "is_open")]
    pub open: bool,
    /// True if the pull request's conversation is locked.
    #[serde(default)]
    pub locked: bool,
    /// True if auto-merge is enabled.
    #[serde(
        default,
        rename = "auto_merge",
        deserialize_with = "names::is_not_null"
    )]
    pub merges_itself: bool,
    /// The head: the branch to be merged.
    pub head: Side,
    /// The base: the branch that the head is to be merged into.
    pub base: Side,
}

/// A comment, from the API or an event payload. IDs increase: of two comments, the one with the smaller ID is older.
///
/// octocrab's type is not used, because it has no `minimized` field and fails for comments by deleted accounts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Comment {
    /// The comment's ID, which is unique on the server.
    pub id: u64,
    /// The ID in the GraphQL API.
    #[serde(default)]
    pub node_id: String,
    /// The author, or `None` if the account was deleted.
    #[serde(default, rename = "user", deserialize_with = "names::account")]
    pub author: Option<Account>,
    /// The text as stored by GitHub.
    #[serde(default, deserialize_with = "names::text_or_null")]
    pub body: String,
    /// The comment's URL, for browsers.
    #[serde(default, rename = "html_url")]
    pub url: String,
    /// Whether a user has hidden the comment. False if the server does not report this.
    #[serde(default, deserialize_with = "names::is_not_null")]
    pub minimized: bool,
}

impl Comment {
    /// True if `account` wrote the comment. Accounts are compared by their login.
    pub fn is_by(&self, account: &Account) -> bool {
        let author = self.author.as_ref();
        author.is_some_and(|author| author.login.eq_ignore_ascii_case(&account.login))
    }
}

/// The head or the base of a pull request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Side {
    /// The branch, whose name is untrusted.
    #[serde(default, rename = "ref")]
    pub branch: String,
    /// The branch's newest commit.
    pub sha: CommitId,
    /// The branch's repository, or `None` if that was a fork that has been deleted.
    #[serde(default, deserialize_with = "names::full_name")]
    pub repo: Option<Repo>,
}

fn yes() -> bool {
    true
}

fn is_open<'de, D: Deserializer<'de>>(state: D) -> Result<bool, D::Error> {
    Ok(String::deserialize(state)? == "open")
}

impl Pull {
    /// True if the head is in a different repository than the base, or in a deleted fork.
    pub fn is_from_fork(&self) -> bool {
        self.head.repo != self.base.repo
    }
}
