//! Statuses of a commit, which a pull request shows and branch protection can require.

use http::Method;
use serde::de::IgnoredAny;
use serde_json::json;

use crate::call::Call;
use crate::client::Client;
use crate::names::Sha;
use crate::trouble::Trouble;

/// How many characters of a description GitHub takes.
const LONGEST_DESCRIPTION: usize = 140;

/// How something came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Green.
    Success,
    /// Red.
    Failure,
    /// Red, as it could not be found out.
    Error,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Error => "error",
        }
    }
}

/// A status; a later one of the same context replaces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// How it came out.
    pub state: State,
    /// Its name.
    pub context: String,
    /// One sentence; what is longer than GitHub takes is cut.
    pub description: String,
    /// Where it leads.
    pub target: Option<String>,
}

impl Client {
    /// Sets a status of a commit.
    ///
    /// # Errors
    /// Any [`Trouble`]; the token needs `statuses: write`.
    pub fn create_status(&self, commit: &Sha, status: &Status) -> Result<(), Trouble> {
        let route = self.route(&["statuses", commit.as_str()]);
        let mut body = json!({
            "state": status.state.word(),
            "context": status.context,
            "description": status.description.chars().take(LONGEST_DESCRIPTION).collect::<String>(),
        });
        if let Some(target) = &status.target {
            body["target_url"] = json!(target);
        }
        let call = Call::write("set the status of the commit".to_owned(), Method::POST, route, Some(body));
        self.json::<IgnoredAny>(&call).map(drop)
    }
}
