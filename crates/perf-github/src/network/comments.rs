//! Comments on pull requests, reactions to them, and the permissions of their authors.
//!
//! Writing a comment is never retried after a pause, because another run may have written a comment meanwhile. The call
//! fails with [`ApiError::is_due`] instead, and the caller reads the comments again before it retries.

use http::Method;
use serde_json::{Value, json};

use super::call::Call;
use super::client::Client;
use super::error::{ApiError, none_if_missing};
use crate::pull::Comment;

/// The permission that the token needs for writing comments and reactions.
const WRITE: &str = "pull-requests: write";

impl Client {
    /// True if an account exists and may write to the repository.
    pub fn may_write(&self, login: &str) -> Result<bool, ApiError> {
        let pieces = ["collaborators", login, "permission"];
        let call = self.call("read a user's permission", &pieces);
        let permission: Option<String> = none_if_missing(self.json_at(&call, "/permission"))?;
        Ok(matches!(permission.as_deref(), Some("admin" | "write")))
    }

    /// Reacts to a comment on a pull request, such as with `eyes` or `+1`.
    pub fn react(&self, comment: u64, content: &str) -> Result<(), ApiError> {
        let pieces = ["issues", "comments", &comment.to_string(), "reactions"];
        let call = self
            .call(format!("react to comment {comment}"), &pieces)
            .write(Method::POST, json!({ "content": content }));
        self.done(&call.needs(WRITE))
    }

    /// Lists all comments on a pull request, oldest first.
    pub fn comments(&self, pull: u64) -> Result<Vec<Comment>, ApiError> {
        let call = self.all_comments(format!("list the comments of #{pull}"), pull);
        let mut comments: Vec<Comment> = self.all(call)?;
        comments.sort_by_key(|comment| comment.id);
        // If comments change while the pages are read, two pages can contain the same comment.
        comments.dedup_by_key(|comment| comment.id);
        Ok(comments)
    }

    /// Reads a comment. Fails with [`crate::ApiErrorKind::NotFound`] if the comment was deleted.
    pub fn comment(&self, id: u64) -> Result<Comment, ApiError> {
        self.json(&self.one_comment("read", id))
    }

    /// Writes a new comment on a pull request.
    pub fn create_comment(&self, pull: u64, body: &str) -> Result<Comment, ApiError> {
        let call = self
            .all_comments(format!("comment on #{pull}"), pull)
            .write(Method::POST, json!({ "body": body }));
        self.json(&call.once().needs(WRITE))
    }

    /// Replaces a comment's text.
    pub fn update_comment(&self, id: u64, body: &str) -> Result<Comment, ApiError> {
        let call = self
            .one_comment("update", id)
            .write(Method::PATCH, json!({ "body": body }));
        self.json(&call.once().needs(WRITE))
    }

    /// Deletes a comment. Fails with [`crate::ApiErrorKind::NotFound`] if the comment was already deleted.
    pub fn delete_comment(&self, id: u64) -> Result<(), ApiError> {
        let call = self
            .one_comment("delete", id)
            .write(Method::DELETE, Value::Null);
        self.done(&call.once().needs(WRITE))
    }

    fn all_comments(&self, doing: String, pull: u64) -> Call {
        self.call(doing, &["issues", &pull.to_string(), "comments"])
    }

    fn one_comment(&self, verb: &str, id: u64) -> Call {
        let pieces = ["issues", "comments", &id.to_string()];
        self.call(format!("{verb} comment {id}"), &pieces)
    }
}
