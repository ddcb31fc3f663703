//! Pull requests.

use http::Method;
use perf_model::commit::CommitId;
use serde::{Deserialize, Deserializer};
use serde_json::json;

use crate::call::Call;
use crate::client::Client;
use crate::names::{Account, Repo};
use crate::trouble::Trouble;
use crate::wire;

/// A pull request, as the API and the payloads of events have it. Payloads of other forges lack a few fields.
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
    /// The title, as its author wrote it.
    #[serde(default)]
    pub title: String,
    /// The description, as its author wrote it; empty when there is none.
    #[serde(default, deserialize_with = "wire::text")]
    pub body: String,
    /// The account that opened it; `None` when it is gone.
    #[serde(default, rename = "user", deserialize_with = "wire::account")]
    pub author: Option<Account>,
    /// True if it is neither closed nor merged.
    #[serde(default = "yes", rename = "state", deserialize_with = "is_open")]
    pub open: bool,
    /// True if its conversation is locked.
    #[serde(default)]
    pub locked: bool,
    /// True if it merges itself once it may.
    #[serde(default, rename = "auto_merge", deserialize_with = "wire::is_present")]
    pub merges_itself: bool,
    /// The side to be merged.
    pub head: Side,
    /// The side to be merged into.
    pub base: Side,
}

/// One of the two sides of a pull request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Side {
    /// The branch, as its author named it.
    #[serde(default, rename = "ref")]
    pub branch: String,
    /// The newest commit.
    pub sha: CommitId,
    /// The repository; `None` when the fork is gone.
    #[serde(default, deserialize_with = "wire::full_name")]
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

/// A pull request to open within the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPull {
    /// One line.
    pub title: String,
    /// Markdown.
    pub body: String,
    /// The branch to be merged.
    pub head: String,
    /// The branch to merge into.
    pub base: String,
}

/// A change of a pull request; a field that is `None` stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PullChange {
    /// One line.
    pub title: Option<String>,
    /// Markdown.
    pub body: Option<String>,
    /// True to close it.
    pub close: bool,
}

impl Client {
    /// The pull request with that number.
    ///
    /// # Errors
    /// Any [`Trouble`].
    pub fn pull(&self, number: u64) -> Result<Pull, Trouble> {
        let route = self.route(&["pulls", &number.to_string()]);
        self.json(&Call::read(format!("read pull request #{number}"), route))
    }

    /// All open pull requests into `base`, the newest first.
    ///
    /// # Errors
    /// Any [`Trouble`].
    pub fn open_pulls(&self, base: &str) -> Result<Vec<Pull>, Trouble> {
        let call = Call::read("list the open pull requests".into(), self.route(&["pulls"]));
        self.all(call.with("state", "open").with("base", base))
    }

    /// Opens a pull request.
    ///
    /// # Errors
    /// Any [`Trouble`]; a validation when there is one already, or nothing to merge.
    pub fn create_pull(&self, new: &NewPull) -> Result<Pull, Trouble> {
        let NewPull { title, body, head, base } = new;
        let fields = json!({ "title": title, "body": body, "head": head, "base": base });
        let route = self.route(&["pulls"]);
        self.json(&Call::write("open a pull request".into(), Method::POST, route, Some(fields)))
    }

    /// Changes a pull request.
    ///
    /// # Errors
    /// Any [`Trouble`].
    pub fn update_pull(&self, number: u64, change: &PullChange) -> Result<Pull, Trouble> {
        let mut fields = serde_json::Map::new();
        let state = change.close.then(|| "closed".into());
        for (key, value) in [("title", &change.title), ("body", &change.body), ("state", &state)] {
            fields.extend(value.iter().map(|value| (key.into(), value.as_str().into())));
        }
        let route = self.route(&["pulls", &number.to_string()]);
        let doing = format!("{} pull request #{number}", if change.close { "close" } else { "update" });
        self.json(&Call::write(doing, Method::PATCH, route, Some(fields.into())))
    }
}
