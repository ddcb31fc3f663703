//! The requests and their ends. Entries have no headers, so no tokens.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// A request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    #[serde(skip)]
    pub(crate) id: usize,
    /// `POST /repos/octo/quill/issues/5/comments`, or `GRAPHQL createCommitOnBranch`.
    pub operation: String,
    /// The decoded query, in the order of the URL.
    pub query: Vec<(String, String)>,
    /// The account of the token; `None` without a valid token.
    pub login: Option<String>,
    /// The body; `Null` when it is empty, a string when it is not JSON.
    pub body: Value,
    /// Whether it changes state if it succeeds.
    pub is_write: bool,
    /// The end of the request.
    pub end: End,
}

/// The end of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// No response yet.
    Pending,
    /// A response with this status.
    Status(u16),
    /// A GraphQL response with errors, whose status is 200.
    Errors,
    /// A fault truncated or withheld the response.
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
