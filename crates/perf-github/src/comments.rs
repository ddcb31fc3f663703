//! Comments on a pull request's conversation.

use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::Call;
use crate::client::Client;
use crate::names::{Account, Sha};
use crate::trouble::Trouble;

/// A comment. Ids grow: of two comments, the one with the smaller id is older.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Its number, unique on the server.
    pub id: u64,
    /// Its name in the GraphQL API.
    pub node_id: String,
    /// Who wrote it; `None` when the account is gone.
    pub author: Option<Account>,
    /// Its text, as GitHub keeps it.
    pub body: String,
    /// Its place on the pull request's page.
    pub url: String,
    /// Whether somebody has hidden it; servers that do not tell count as "no".
    pub minimized: bool,
    /// When it was written, RFC 3339.
    pub created_at: String,
    /// When its text last changed, RFC 3339.
    pub updated_at: String,
}

impl Client {
    /// All comments of a pull request, the oldest first.
    ///
    /// # Errors
    /// Any [`Trouble`].
    pub fn comments(&self, pull: u64) -> Result<Vec<Comment>, Trouble> {
        let route = self.route(&["issues", &pull.to_string(), "comments"]);
        let mut comments: Vec<WireComment> =
            self.all(Call::read(format!("list the comments of #{pull}"), route))?;
        comments.sort_by_key(|comment| comment.id);
        // A comment that is deleted while pages are read moves others onto two of them.
        comments.dedup_by_key(|comment| comment.id);
        Ok(comments.into_iter().map(Into::into).collect())
    }

    /// One comment as it is now.
    ///
    /// # Errors
    /// Any [`Trouble`]; [`crate::Kind::NotFound`] when it is gone.
    pub fn comment(&self, id: u64) -> Result<Comment, Trouble> {
        let route = self.route(&["issues", "comments", &id.to_string()]);
        self.json::<WireComment>(&Call::read(format!("read comment {id}"), route)).map(Into::into)
    }

    /// Writes a comment.
    ///
    /// # Errors
    /// Any [`Trouble`].
    pub fn create_comment(&self, pull: u64, body: &str) -> Result<Comment, Trouble> {
        let route = self.route(&["issues", &pull.to_string(), "comments"]);
        let doing = format!("comment on #{pull}");
        let call = Call::write(doing, Method::POST, route, Some(json!({ "body": body })));
        self.json::<WireComment>(&call).map(Into::into)
    }

    /// Replaces a comment's text.
    ///
    /// # Errors
    /// Any [`Trouble`].
    pub fn update_comment(&self, id: u64, body: &str) -> Result<Comment, Trouble> {
        let route = self.route(&["issues", "comments", &id.to_string()]);
        let doing = format!("update comment {id}");
        let call = Call::write(doing, Method::PATCH, route, Some(json!({ "body": body })));
        self.json::<WireComment>(&call).map(Into::into)
    }

    /// Deletes a comment.
    ///
    /// # Errors
    /// Any [`Trouble`]; [`crate::Kind::NotFound`] when it is gone already.
    pub fn delete_comment(&self, id: u64) -> Result<(), Trouble> {
        let route = self.route(&["issues", "comments", &id.to_string()]);
        self.done(&Call::write(format!("delete comment {id}"), Method::DELETE, route, None))
    }
}

/// Comments on a commit, which pages of commits show.
impl Client {
    /// All comments of a commit, the oldest first.
    ///
    /// # Errors
    /// Any [`Trouble`].
    pub fn commit_comments(&self, commit: &Sha) -> Result<Vec<Comment>, Trouble> {
        let route = self.route(&["commits", commit.as_str(), "comments"]);
        let comments: Vec<WireComment> =
            self.all(Call::read(format!("list the comments of {}", commit.short()), route))?;
        Ok(comments.into_iter().map(Into::into).collect())
    }

    /// Comments on a commit.
    ///
    /// # Errors
    /// Any [`Trouble`]; the token needs `contents: write`.
    pub fn create_commit_comment(&self, commit: &Sha, body: &str) -> Result<Comment, Trouble> {
        let route = self.route(&["commits", commit.as_str(), "comments"]);
        let doing = format!("comment on {}", commit.short());
        let call = Call::write(doing, Method::POST, route, Some(json!({ "body": body })));
        self.json::<WireComment>(&call).map(Into::into)
    }

    /// Replaces the text of a comment on a commit.
    ///
    /// # Errors
    /// Any [`Trouble`].
    pub fn update_commit_comment(&self, id: u64, body: &str) -> Result<Comment, Trouble> {
        let route = self.route(&["comments", &id.to_string()]);
        let doing = format!("update comment {id}");
        let call = Call::write(doing, Method::PATCH, route, Some(json!({ "body": body })));
        self.json::<WireComment>(&call).map(Into::into)
    }
}

#[derive(Deserialize)]
struct WireComment {
    id: u64,
    node_id: String,
    user: Option<Account>,
    body: Option<String>,
    html_url: String,
    minimized: Option<Value>,
    created_at: String,
    updated_at: String,
}

impl From<WireComment> for Comment {
    fn from(wire: WireComment) -> Self {
        Self {
            id: wire.id,
            node_id: wire.node_id,
            author: wire.user,
            body: wire.body.unwrap_or_default(),
            url: wire.html_url,
            minimized: wire.minimized.is_some(),
            created_at: wire.created_at,
            updated_at: wire.updated_at,
        }
    }
}
