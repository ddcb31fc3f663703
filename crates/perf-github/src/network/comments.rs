//! Comments on the conversation of a pull request, and on a commit; reactions to them, and the rights of their authors.
//!
//! A comment is never written twice by itself: after a pause somebody else may have written it, so whoever writes looks
//! again first ([`ApiError::is_due`]).

use std::fmt;

use http::Method;
use perf_model::commit::CommitId;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::call::Call;
use super::client::Client;
use super::error::{ApiError, ApiErrorKind};
use crate::names;
use crate::names::Account;

/// A comment. Ids grow: of two comments, the one with the smaller id is older.
///
/// octocrab's type has no `minimized`, and cannot read a comment whose account was deleted.
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
    #[serde(default, deserialize_with = "names::text_or_null")]
    pub body: String,
    /// The address for people.
    #[serde(rename = "html_url")]
    pub url: String,
    /// Whether somebody has hidden it; false if the server does not say.
    #[serde(default, deserialize_with = "names::is_not_null")]
    pub minimized: bool,
}

impl Comment {
    /// True if an account wrote it.
    pub fn is_by(&self, account: &Account) -> bool {
        self.author
            .as_ref()
            .is_some_and(|author| author.login.eq_ignore_ascii_case(&account.login))
    }
}

/// The place of comments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conversation {
    /// A pull request by its number.
    Pull(u64),
    /// A commit; the token needs `contents: write`.
    Commit(CommitId),
}

impl Conversation {
    /// The permission to write there.
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

#[derive(Deserialize)]
struct Access {
    permission: String,
}

impl Client {
    /// True if there is such an account, and it may write to the repository.
    pub fn may_write(&self, login: &str) -> Result<bool, ApiError> {
        let route = self.route(&["collaborators", login, "permission"]);
        match self.json::<Access>(&Call::read("read a person's permission".to_owned(), route)) {
            Err(error) if error.kind == ApiErrorKind::NotFound => Ok(false),
            access => access.map(|access| ["admin", "write"].contains(&access.permission.as_str())),
        }
    }

    /// Reacts to a comment on a pull request, such as with `eyes` or `+1`.
    pub fn react(&self, comment: u64, content: &str) -> Result<(), ApiError> {
        let route = self.route(&["issues", "comments", &comment.to_string(), "reactions"]);
        let body = Some(json!({ "content": content }));
        let call = Call::write(
            format!("react to comment {comment}"),
            Method::POST,
            route,
            body,
        );
        self.json::<IgnoredAny>(&call.needs("pull-requests: write"))
            .map(drop)
    }

    /// All comments of a conversation, the oldest first.
    pub fn comments(&self, place: &Conversation) -> Result<Vec<Comment>, ApiError> {
        let call = Call::read(format!("list the comments of {place}"), self.of_all(place));
        let mut comments: Vec<Comment> = self.all(call)?;
        comments.sort_by_key(|comment| comment.id);
        // A comment that is deleted while pages are read moves others onto two of them.
        comments.dedup_by_key(|comment| comment.id);
        Ok(comments)
    }

    /// One comment as it is now; [`crate::ApiErrorKind::NotFound`] when it is gone.
    pub fn comment(&self, place: &Conversation, id: u64) -> Result<Comment, ApiError> {
        self.json(&Call::read(
            format!("read comment {id}"),
            self.of_one(place, id),
        ))
    }

    /// Writes a comment.
    pub fn create_comment(&self, place: &Conversation, body: &str) -> Result<Comment, ApiError> {
        let body = Some(json!({ "body": body }));
        let call = Call::write(
            format!("comment on {place}"),
            Method::POST,
            self.of_all(place),
            body,
        );
        self.json(&call.once().needs(place.permission()))
    }

    /// Replaces a comment's text.
    pub fn update_comment(
        &self,
        place: &Conversation,
        id: u64,
        body: &str,
    ) -> Result<Comment, ApiError> {
        let (route, body) = (self.of_one(place, id), Some(json!({ "body": body })));
        let call = Call::write(format!("update comment {id}"), Method::PATCH, route, body);
        self.json(&call.once().needs(place.permission()))
    }

    /// Deletes a comment; [`crate::ApiErrorKind::NotFound`] when it is gone already.
    pub fn delete_comment(&self, place: &Conversation, id: u64) -> Result<(), ApiError> {
        let route = self.of_one(place, id);
        let call = Call::write(format!("delete comment {id}"), Method::DELETE, route, None);
        self.done(&call.once().needs(place.permission()))
    }

    fn of_all(&self, place: &Conversation) -> String {
        match place {
            Conversation::Pull(number) => self.route(&["issues", &number.to_string(), "comments"]),
            Conversation::Commit(commit) => self.route(&["commits", commit.as_str(), "comments"]),
        }
    }

    fn of_one(&self, place: &Conversation, id: u64) -> String {
        match place {
            Conversation::Pull(_) => self.route(&["issues", "comments", &id.to_string()]),
            Conversation::Commit(_) => self.route(&["comments", &id.to_string()]),
        }
    }
}
