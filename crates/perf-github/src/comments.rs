//! Comments on the conversation of a pull request, and on a commit.

use http::Method;
use perf_model::commit::CommitId;
use serde::Deserialize;
use serde_json::json;

use crate::call::Call;
use crate::client::Client;
use crate::names::Account;
use crate::trouble::Trouble;
use crate::wire;

/// A comment. Ids grow: of two comments, the one with the smaller id is older.
///
/// octocrab's type lacks `minimized`, and cannot read a comment whose account is gone.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Comment {
    /// The number, unique on the server.
    pub id: u64,
    /// The name in the GraphQL API.
    pub node_id: String,
    /// The author; `None` when the account is gone.
    #[serde(rename = "user")]
    pub author: Option<Account>,
    /// The text, as GitHub keeps it.
    #[serde(default, deserialize_with = "wire::text")]
    pub body: String,
    /// The address for people.
    #[serde(rename = "html_url")]
    pub url: String,
    /// True if somebody has hidden it; servers that do not tell count as "no".
    #[serde(default, deserialize_with = "wire::is_present")]
    pub minimized: bool,
}

impl Client {
    /// All comments of a pull request, the oldest first.
    ///
    /// # Errors
    /// Any [`Trouble`].
    pub fn comments(&self, pull: u64) -> Result<Vec<Comment>, Trouble> {
        let route = self.route(&["issues", &pull.to_string(), "comments"]);
        let mut comments: Vec<Comment> =
            self.all(Call::read(format!("list the comments of #{pull}"), route))?;
        comments.sort_by_key(|comment| comment.id);
        // A comment that is deleted while pages are read moves others onto two of them.
        comments.dedup_by_key(|comment| comment.id);
        Ok(comments)
    }

    /// One comment as it is now.
    ///
    /// # Errors
    /// Any [`Trouble`]; [`crate::TroubleKind::NotFound`] when it is gone.
    pub fn comment(&self, id: u64) -> Result<Comment, Trouble> {
        let route = self.route(&["issues", "comments", &id.to_string()]);
        self.json(&Call::read(format!("read comment {id}"), route))
    }

    /// Writes a comment.
    ///
    /// # Errors
    /// Any [`Trouble`].
    pub fn create_comment(&self, pull: u64, body: &str) -> Result<Comment, Trouble> {
        let path = ["issues", &pull.to_string(), "comments"];
        self.write_comment(format!("comment on #{pull}"), Method::POST, &path, body)
    }

    /// Replaces a comment's text.
    ///
    /// # Errors
    /// Any [`Trouble`].
    pub fn update_comment(&self, id: u64, body: &str) -> Result<Comment, Trouble> {
        let path = ["issues", "comments", &id.to_string()];
        self.write_comment(format!("update comment {id}"), Method::PATCH, &path, body)
    }

    /// Deletes a comment.
    ///
    /// # Errors
    /// Any [`Trouble`]; [`crate::TroubleKind::NotFound`] when it is gone already.
    pub fn delete_comment(&self, id: u64) -> Result<(), Trouble> {
        let route = self.route(&["issues", "comments", &id.to_string()]);
        self.done(&Call::write(format!("delete comment {id}"), Method::DELETE, route, None))
    }

    /// All comments of a commit, the oldest first.
    ///
    /// # Errors
    /// Any [`Trouble`].
    pub fn commit_comments(&self, commit: &CommitId) -> Result<Vec<Comment>, Trouble> {
        let route = self.route(&["commits", commit.as_str(), "comments"]);
        self.all(Call::read(format!("list the comments of {}", commit.short()), route))
    }

    /// Comments on a commit.
    ///
    /// # Errors
    /// Any [`Trouble`]; the token needs `contents: write`.
    pub fn create_commit_comment(&self, commit: &CommitId, body: &str) -> Result<Comment, Trouble> {
        let path = ["commits", commit.as_str(), "comments"];
        self.write_comment(format!("comment on {}", commit.short()), Method::POST, &path, body)
    }

    /// Replaces the text of a comment on a commit.
    ///
    /// # Errors
    /// Any [`Trouble`].
    pub fn update_commit_comment(&self, id: u64, body: &str) -> Result<Comment, Trouble> {
        let path = ["comments", &id.to_string()];
        self.write_comment(format!("update comment {id}"), Method::PATCH, &path, body)
    }

    fn write_comment(
        &self,
        doing: String,
        method: Method,
        path: &[&str],
        body: &str,
    ) -> Result<Comment, Trouble> {
        self.json(&Call::write(doing, method, self.route(path), Some(json!({ "body": body }))))
    }
}
