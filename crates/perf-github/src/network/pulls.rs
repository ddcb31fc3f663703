//! Calls for pull requests.

use http::Method;
use serde_json::{Value, json};

use super::client::Client;
use super::error::ApiError;
use crate::pull::Pull;

/// A pull request to open within the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPull {
    /// The title, one line.
    pub title: String,
    /// The description in Markdown.
    pub body: String,
    /// The branch to be merged.
    pub head: String,
    /// The branch to merge into.
    pub base: String,
}

impl Client {
    /// Reads a pull request.
    pub fn pull(&self, number: u64) -> Result<Pull, ApiError> {
        let doing = format!("read pull request #{number}");
        self.json(&self.call(doing, &["pulls", &number.to_string()]))
    }

    /// Lists all open pull requests into the branch `base`, newest first.
    pub fn open_pulls(&self, base: &str) -> Result<Vec<Pull>, ApiError> {
        let call = self.call("list the open pull requests", &["pulls"]);
        self.all(call.with("state", "open").with("base", base))
    }

    /// Opens a pull request. Fails with a validation error if one already exists for the branches, or if there is nothing to
    /// merge.
    pub fn create_pull(&self, new: &NewPull) -> Result<Pull, ApiError> {
        let fields =
            json!({ "title": new.title, "body": new.body, "head": new.head, "base": new.base });
        let call = self
            .call("open a pull request", &["pulls"])
            .write(Method::POST, fields);
        self.json(&call.needs("pull-requests: write"))
    }

    /// Replaces a pull request's title and body.
    pub fn update_pull(&self, number: u64, title: &str, body: &str) -> Result<Pull, ApiError> {
        self.change_pull("update", number, json!({ "title": title, "body": body }))
    }

    /// Closes a pull request.
    pub fn close_pull(&self, number: u64) -> Result<Pull, ApiError> {
        self.change_pull("close", number, json!({ "state": "closed" }))
    }

    fn change_pull(&self, verb: &str, number: u64, fields: Value) -> Result<Pull, ApiError> {
        let doing = format!("{verb} pull request #{number}");
        let call = self.call(doing, &["pulls", &number.to_string()]);
        self.json(&call.write(Method::PATCH, fields))
    }
}
