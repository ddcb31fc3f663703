//! Comments on pull requests and commits, reactions to them, and the permissions of their authors.
//!
//! A comment is never retried after a pause, because another run may have written one meanwhile. The caller reads again first
//! ([`ApiError::is_due`]).

use std::fmt;

use http::Method;
use perf_model::commit::CommitId;
use serde_json::{Value, json};

use super::call::Call;
use super::client::Client;
use super::error::{ApiError, ApiErrorKind};
use crate::pull::Comment;

/// The place of comments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conversation {
    /// A pull request by its number.
    Pull(u64),
    /// A commit. The token needs `contents: write`.
    Commit(CommitId),
}

impl Conversation {
    /// The permission that writing needs.
    fn permission(&self) -> &'static str {
        match self {
            Self::Pull(_) => "pull-requests: write",
            Self::Commit(_) => "contents: write",
        }
    }
}

impl fmt::Display for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pull(number) => write!(f, "#{number}"),
            Self::Commit(commit) => f.write_str(commit.short()),
        }
    }
}

impl Client {
    /// True if an account exists and may write to the repository.
    pub fn may_write(&self, login: &str) -> Result<bool, ApiError> {
        let pieces = ["collaborators", login, "permission"];
        let call = self.call("read a user's permission", &pieces);
        match self.json_at::<String>(&call, "/permission") {
            Err(error) if error.kind == ApiErrorKind::NotFound => Ok(false),
            permission => Ok(["admin", "write"].contains(&permission?.as_str())),
        }
    }

    /// Reacts to a comment on a pull request, such as with `eyes` or `+1`.
    pub fn react(&self, comment: u64, content: &str) -> Result<(), ApiError> {
        let pieces = ["issues", "comments", &comment.to_string(), "reactions"];
        let call = self
            .call(format!("react to comment {comment}"), &pieces)
            .write(Method::POST, json!({ "content": content }));
        self.done(&call.needs("pull-requests: write"))
    }

    /// All comments of a conversation, oldest first.
    pub fn comments(&self, place: &Conversation) -> Result<Vec<Comment>, ApiError> {
        let call = self.all_comments(format!("list the comments of {place}"), place);
        let mut comments: Vec<Comment> = self.all(call)?;
        comments.sort_by_key(|comment| comment.id);
        // Changes between reading two pages can list a comment twice.
        comments.dedup_by_key(|comment| comment.id);
        Ok(comments)
    }

    /// Reads a comment. [`crate::ApiErrorKind::NotFound`] if it was deleted.
    pub fn comment(&self, place: &Conversation, id: u64) -> Result<Comment, ApiError> {
        self.json(&self.one_comment("read", place, id))
    }

    /// Writes a comment.
    pub fn create_comment(&self, place: &Conversation, body: &str) -> Result<Comment, ApiError> {
        let call = self
            .all_comments(format!("comment on {place}"), place)
            .write(Method::POST, json!({ "body": body }));
        self.json(&call.once().needs(place.permission()))
    }

    /// Replaces a comment's text.
    pub fn update_comment(
        &self,
        place: &Conversation,
        id: u64,
        body: &str,
    ) -> Result<Comment, ApiError> {
        let call = self
            .one_comment("update", place, id)
            .write(Method::PATCH, json!({ "body": body }));
        self.json(&call.once().needs(place.permission()))
    }

    /// Deletes a comment. [`crate::ApiErrorKind::NotFound`] if it was already deleted.
    pub fn delete_comment(&self, place: &Conversation, id: u64) -> Result<(), ApiError> {
        let call = self
            .one_comment("delete", place, id)
            .write(Method::DELETE, Value::Null);
        self.done(&call.once().needs(place.permission()))
    }

    fn all_comments(&self, doing: String, place: &Conversation) -> Call {
        match place {
            Conversation::Pull(number) => {
                self.call(doing, &["issues", &number.to_string(), "comments"])
            }
            Conversation::Commit(commit) => {
                self.call(doing, &["commits", commit.as_str(), "comments"])
            }
        }
    }

    fn one_comment(&self, verb: &str, place: &Conversation, id: u64) -> Call {
        let doing = format!("{verb} comment {id}");
        let id = id.to_string();
        match place {
            Conversation::Pull(_) => self.call(doing, &["issues", "comments", &id]),
            Conversation::Commit(_) => self.call(doing, &["comments", &id]),
        }
    }
}
