//! Pull requests and comments.

use perf_model::commit::CommitId;
use serde::{Deserialize, Deserializer};

use crate::names;
use crate::names::{Account, Repo};

/// A pull request, from the API or an event payload. Payloads from other forges don't contain all fields.
///
/// octocrab's type fails for unknown values in any of its accounts, labels and repositories.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Pull {
    /// The number in the base repository.
    pub number: u64,
    /// The ID in the GraphQL API.
    #[serde(default)]
    pub node_id: String,
    /// The URL of its page.
    #[serde(default, rename = "html_url")]
    pub url: String,
    /// The title, which is untrusted.
    #[serde(default)]
    pub title: String,
    /// The description, which is untrusted and may be empty.
    #[serde(default, deserialize_with = "names::text_or_null")]
    pub body: String,
    /// The account that opened it, or `None` if it was deleted.
    #[serde(default, rename = "user", deserialize_with = "names::account")]
    pub author: Option<Account>,
    /// True if it is neither closed nor merged.
    #[serde(default = "yes", rename = "state", deserialize_with = "is_open")]
    pub open: bool,
    /// True if its conversation is locked.
    #[serde(default)]
    pub locked: bool,
    /// True if auto-merge is enabled.
    #[serde(
        default,
        rename = "auto_merge",
        deserialize_with = "names::is_not_null"
    )]
    pub merges_itself: bool,
    /// The head, which is to be merged.
    pub head: Side,
    /// The base, into which it is to be merged.
    pub base: Side,
}

/// A comment, from the API or an event payload. IDs increase: of two comments, the one with the smaller ID is older.
///
/// octocrab's type has no `minimized`, and fails for comments by deleted accounts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Comment {
    /// The ID, unique on the server.
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
    /// The URL of its page.
    #[serde(default, rename = "html_url")]
    pub url: String,
    /// Whether a user has hidden it. False if the server does not report that.
    #[serde(default, deserialize_with = "names::is_not_null")]
    pub minimized: bool,
}

impl Comment {
    /// True if `account` wrote it.
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
    /// The newest commit.
    pub sha: CommitId,
    /// The repository, or `None` if the fork was deleted.
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
    /// True if the head is in a different repository than the base.
    pub fn is_from_fork(&self) -> bool {
        self.head.repo != self.base.repo
    }
}
