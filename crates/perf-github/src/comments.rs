//! Comments on the conversation of a pull request, and on a commit.
//!
//! A comment is never written twice by itself: after a pause somebody else may have written it, so whoever writes looks
//! again first ([`Trouble::is_due`]).

use std::fmt;

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

    /// The pieces of the path of its comments, and of those of one comment.
    fn pieces(&self) -> (Vec<String>, Vec<&'static str>) {
        let list = |kind: &str, name: &str| vec![kind.to_owned(), name.to_owned(), "comments".to_owned()];
        match self {
            Self::Pull(number) => (list("issues", &number.to_string()), vec!["issues", "comments"]),
            Self::Commit(commit) => (list("commits", commit.as_str()), vec!["comments"]),
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
    /// All comments of a conversation, the oldest first.
    ///
    /// # Errors
    /// Any [`Trouble`].
    pub fn comments(&self, place: &Conversation) -> Result<Vec<Comment>, Trouble> {
        let call = Call::read(format!("list the comments of {place}"), self.of_all(place));
        let mut comments: Vec<Comment> = self.all(call)?;
        comments.sort_by_key(|comment| comment.id);
        // A comment that is deleted while pages are read moves others onto two of them.
        comments.dedup_by_key(|comment| comment.id);
        Ok(comments)
    }

    /// One comment as it is now.
    ///
    /// # Errors
    /// Any [`Trouble`]; [`crate::TroubleKind::NotFound`] when it is gone.
    pub fn comment(&self, place: &Conversation, id: u64) -> Result<Comment, Trouble> {
        self.json(&Call::read(format!("read comment {id}"), self.of_one(place, id)))
    }

    /// Writes a comment.
    ///
    /// # Errors
    /// Any [`Trouble`].
    pub fn create_comment(&self, place: &Conversation, body: &str) -> Result<Comment, Trouble> {
        let body = Some(json!({ "body": body }));
        let call = Call::write(format!("comment on {place}"), Method::POST, self.of_all(place), body);
        self.json(&call.once().needs(place.permission()))
    }

    /// Replaces a comment's text.
    ///
    /// # Errors
    /// Any [`Trouble`].
    pub fn update_comment(&self, place: &Conversation, id: u64, body: &str) -> Result<Comment, Trouble> {
        let (route, body) = (self.of_one(place, id), Some(json!({ "body": body })));
        self.json(
            &Call::write(format!("update comment {id}"), Method::PATCH, route, body)
                .once()
                .needs(place.permission()),
        )
    }

    /// Deletes a comment.
    ///
    /// # Errors
    /// Any [`Trouble`]; [`crate::TroubleKind::NotFound`] when it is gone already.
    pub fn delete_comment(&self, place: &Conversation, id: u64) -> Result<(), Trouble> {
        let route = self.of_one(place, id);
        self.done(
            &Call::write(format!("delete comment {id}"), Method::DELETE, route, None)
                .once()
                .needs(place.permission()),
        )
    }

    fn of_all(&self, place: &Conversation) -> String {
        let (list, _) = place.pieces();
        self.route(&list.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn of_one(&self, place: &Conversation, id: u64) -> String {
        let ((_, mut pieces), id) = (place.pieces(), id.to_string());
        pieces.push(&id);
        self.route(&pieces)
    }
}
