//! Pull requests.

use http::Method;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use crate::call::Call;
use crate::client::Client;
use crate::names::{Account, Repo, Sha};
use crate::trouble::Trouble;

/// A pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent states of a pull request")]
pub struct Pull {
    /// Its number in the base repository.
    pub number: u64,
    /// Its name in the GraphQL API.
    pub node_id: String,
    /// Its page.
    pub url: String,
    /// Its title, as its author wrote it.
    pub title: String,
    /// Its description, as its author wrote it; empty when there is none.
    pub body: String,
    /// Who opened it; `None` when the account is gone.
    pub author: Option<Account>,
    /// Whether it is neither closed nor merged.
    pub open: bool,
    /// Whether it is a draft.
    pub draft: bool,
    /// Whether its conversation is locked.
    pub locked: bool,
    /// Whether it merges itself once it may.
    pub merges_itself: bool,
    /// What is to be merged.
    pub head: Side,
    /// Into what.
    pub base: Side,
}

/// One of the two sides of a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// The branch, as its author named it.
    pub branch: String,
    /// Its newest commit.
    pub sha: Sha,
    /// Where it is; `None` when the fork is gone.
    pub repo: Option<Repo>,
}

impl Pull {
    /// Whether its head is in another repository than its base.
    pub fn is_from_fork(&self) -> bool {
        self.head.repo != self.base.repo
    }

    /// Whether Dependabot opened it.
    pub fn is_by_dependabot(&self) -> bool {
        self.author.as_ref().is_some_and(|author| author.login == "dependabot[bot]")
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

/// What to change of a pull request; what is `None` stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PullChange {
    /// One line.
    pub title: Option<String>,
    /// Markdown.
    pub body: Option<String>,
    /// Whether to close it.
    pub close: bool,
}

impl Client {
    /// The pull request with that number.
    ///
    /// # Errors
    /// Any [`Trouble`].
    pub fn pull(&self, number: u64) -> Result<Pull, Trouble> {
        let route = self.route(&["pulls", &number.to_string()]);
        self.json::<WirePull>(&Call::read(format!("read pull request #{number}"), route)).map(Into::into)
    }

    /// All open pull requests into `base`, the newest first.
    ///
    /// # Errors
    /// Any [`Trouble`].
    pub fn open_pulls(&self, base: &str) -> Result<Vec<Pull>, Trouble> {
        let call = Call::read("list the open pull requests".into(), self.route(&["pulls"]));
        let pulls: Vec<WirePull> = self.all(call.with("state", "open").with("base", base))?;
        Ok(pulls.into_iter().map(Into::into).collect())
    }

    /// Opens a pull request.
    ///
    /// # Errors
    /// Any [`Trouble`]; a validation when there is one already, or nothing to merge.
    pub fn create_pull(&self, new: &NewPull) -> Result<Pull, Trouble> {
        let NewPull { title, body, head, base } = new;
        let wire = json!({ "title": title, "body": body, "head": head, "base": base });
        let call =
            Call::write("open a pull request".into(), Method::POST, self.route(&["pulls"]), Some(wire));
        self.json::<WirePull>(&call).map(Into::into)
    }

    /// Changes a pull request.
    ///
    /// # Errors
    /// Any [`Trouble`].
    pub fn update_pull(&self, number: u64, change: &PullChange) -> Result<Pull, Trouble> {
        let mut wire = serde_json::Map::new();
        let state = change.close.then(|| "closed".into());
        for (key, value) in [("title", &change.title), ("body", &change.body), ("state", &state)] {
            wire.extend(value.iter().map(|value| (key.into(), value.as_str().into())));
        }
        let route = self.route(&["pulls", &number.to_string()]);
        let doing = format!("{} pull request #{number}", if change.close { "close" } else { "update" });
        self.json::<WirePull>(&Call::write(doing, Method::PATCH, route, Some(wire.into()))).map(Into::into)
    }
}

/// A pull request as the API and the event's payload write it.
#[derive(Deserialize)]
pub(crate) struct WirePull {
    number: u64,
    node_id: String,
    html_url: String,
    title: String,
    body: Option<String>,
    user: Option<Account>,
    state: String,
    #[serde(default)]
    draft: bool,
    locked: bool,
    auto_merge: Option<IgnoredAny>,
    head: WireSide,
    base: WireSide,
}

#[derive(Deserialize)]
struct WireSide {
    #[serde(rename = "ref")]
    branch: String,
    sha: Sha,
    repo: Option<WireRepo>,
}

#[derive(Deserialize)]
struct WireRepo {
    full_name: Repo,
}

impl From<WireSide> for Side {
    fn from(wire: WireSide) -> Self {
        Self { branch: wire.branch, sha: wire.sha, repo: wire.repo.map(|repo| repo.full_name) }
    }
}

impl From<WirePull> for Pull {
    fn from(wire: WirePull) -> Self {
        Self {
            number: wire.number,
            node_id: wire.node_id,
            url: wire.html_url,
            title: wire.title,
            body: wire.body.unwrap_or_default(),
            author: wire.user,
            open: wire.state == "open",
            draft: wire.draft,
            locked: wire.locked,
            merges_itself: wire.auto_merge.is_some(),
            head: wire.head.into(),
            base: wire.base.into(),
        }
    }
}
