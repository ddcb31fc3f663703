//! Statuses of a commit, which a pull request shows and branch protection can require.

use http::Method;
use perf_model::commit::CommitId;
use serde::de::IgnoredAny;
use serde_json::json;

use crate::call::Call;
use crate::client::Client;
use crate::trouble::Trouble;

pub use octocrab::models::StatusState as State;

/// The most characters of a description that GitHub takes.
const LONGEST_DESCRIPTION: usize = 140;

/// A status; a later one of the same context replaces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The outcome.
    pub state: State,
    /// The name.
    pub context: String,
    /// One sentence; what is longer than GitHub takes is cut.
    pub description: String,
    /// The address that it leads to.
    pub target: Option<String>,
}

impl Client {
    /// Sets a status of a commit.
    ///
    /// # Errors
    /// Any [`Trouble`]; the token needs `statuses: write`.
    pub fn create_status(&self, commit: &CommitId, status: &Status) -> Result<(), Trouble> {
        let route = self.route(&["statuses", commit.as_str()]);
        let mut body = json!({
            "state": status.state,
            "context": status.context,
            "description": status.description.chars().take(LONGEST_DESCRIPTION).collect::<String>(),
        });
        if let Some(target) = &status.target {
            body["target_url"] = json!(target);
        }
        let call = Call::write("set the status of the commit".to_owned(), Method::POST, route, Some(body));
        self.json::<IgnoredAny>(&call.needs("statuses: write")).map(drop)
    }
}
