//! Calls for pull requests.

use http::Method;
use serde_json::{Value, json};

use super::call::Call;
use super::client::Client;
use super::error::ApiError;
use crate::pull::Pull;

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

impl Client {
    /// Reads a pull request.
    pub fn pull(&self, number: u64) -> Result<Pull, ApiError> {
        let route = self.route(&["pulls", &number.to_string()]);
        self.json(&Call::read(format!("read pull request #{number}"), route))
    }

    /// All open pull requests into `base`, newest first.
    pub fn open_pulls(&self, base: &str) -> Result<Vec<Pull>, ApiError> {
        let call = Call::read("list the open pull requests".into(), self.route(&["pulls"]));
        self.all(call.with("state", "open").with("base", base))
    }

    /// Opens a pull request. A validation error if one already exists, or there is nothing to merge.
    pub fn create_pull(&self, new: &NewPull) -> Result<Pull, ApiError> {
        let NewPull {
            title,
            body,
            head,
            base,
        } = new;
        let fields = json!({ "title": title, "body": body, "head": head, "base": base });
        let route = self.route(&["pulls"]);
        let call = Call::write(
            "open a pull request".into(),
            Method::POST,
            route,
            Some(fields),
        );
        self.json(&call.needs("pull-requests: write"))
    }

    /// Replaces a pull request's title and body.
    pub fn update_pull(&self, number: u64, title: &str, body: &str) -> Result<Pull, ApiError> {
        let fields = json!({ "title": title, "body": body });
        self.change_pull(format!("update pull request #{number}"), number, fields)
    }

    /// Closes a pull request.
    pub fn close_pull(&self, number: u64) -> Result<Pull, ApiError> {
        let fields = json!({ "state": "closed" });
        self.change_pull(format!("close pull request #{number}"), number, fields)
    }

    fn change_pull(&self, doing: String, number: u64, fields: Value) -> Result<Pull, ApiError> {
        let route = self.route(&["pulls", &number.to_string()]);
        self.json(&Call::write(doing, Method::PATCH, route, Some(fields)))
    }
}
