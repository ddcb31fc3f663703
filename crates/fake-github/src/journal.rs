//! What was asked, and what came of it. Tokens are not in it: headers are not kept.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// A request that arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// `POST /repos/octo/quill/issues/5/comments`, or `GRAPHQL createCommitOnBranch`.
    pub operation: String,
    /// Keys and values, decoded, in the order in which they were sent.
    pub query: Vec<(String, String)>,
    /// Whom the token acts for; `None` without a valid one.
    pub login: Option<String>,
    /// The body; `Null` when there is none, a text when it is no JSON.
    pub body: Value,
    /// Whether it is one that changes something, if it succeeds.
    pub is_write: bool,
    /// What became of it.
    pub end: End,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// It is not answered yet.
    Pending,
    /// It was answered with this status.
    Status(u16),
    /// It was answered by errors in a GraphQL answer, whose status is 200.
    Errors,
    /// The connection was cut, or kept open without an answer.
    None,
}

impl fmt::Display for Entry {
    /// The operation and its end: `POST /graphql 200`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.operation)?;
        match self.end {
            End::Pending => f.write_str("pending"),
            End::Status(status) => write!(f, "{status}"),
            End::Errors => f.write_str("errors"),
            End::None => f.write_str("no answer"),
        }
    }
}
