//! A pull request, as GitHub describes it.

use perf_model::commit::CommitId;
use serde::{Deserialize, Deserializer};

use crate::names;
use crate::names::{Account, Repo};

/// A pull request, from the API and from event payloads. Payloads of other forges lack a few fields.
///
/// octocrab's type needs all fields of all accounts, labels and repositories in it to be as it knows them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Pull {
    /// The number in the base repository.
    pub number: u64,
    /// The name in the GraphQL API.
    #[serde(default)]
    pub node_id: String,
    /// The address for people.
    #[serde(default, rename = "html_url")]
    pub url: String,
    /// The title, written by its author.
    #[serde(default)]
    pub title: String,
    /// The description, written by its author; empty without one.
    #[serde(default, deserialize_with = "names::text_or_null")]
    pub body: String,
    /// The account that opened it; `None` when it is gone.
    #[serde(default, rename = "user", deserialize_with = "names::account")]
    pub author: Option<Account>,
    /// True if it is neither closed nor merged.
    #[serde(default = "yes", rename = "state", deserialize_with = "is_open")]
    pub open: bool,
    /// True if its conversation is locked.
    #[serde(default)]
    pub locked: bool,
    /// True if it merges itself once it may.
    #[serde(
        default,
        rename = "auto_merge",
        deserialize_with = "names::is_not_null"
    )]
    pub merges_itself: bool,
    /// The side to be merged.
    pub head: Side,
    /// The side to be merged into.
    pub base: Side,
}

/// One of the two sides of a pull request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Side {
    /// The branch, named by its author.
    #[serde(default, rename = "ref")]
    pub branch: String,
    /// The newest commit.
    pub sha: CommitId,
    /// The repository; `None` when the fork is gone.
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
    /// True if its head is in another repository than its base.
    pub fn is_from_fork(&self) -> bool {
        self.head.repo != self.base.repo
    }
}
