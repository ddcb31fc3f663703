//! Describes an API call.

use http::Method;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::names::Repo;

/// The characters that are percent-encoded in path segments and query values. Slashes are among them, so that a segment
/// cannot add further segments.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The media type that GitHub recommends.
const JSON: &str = "application/vnd.github+json";
/// The media type for a file's bytes.
pub(crate) const RAW: &str = "application/vnd.github.raw+json";

/// A call to the API. In error messages, `doing` completes the sentence "cannot …".
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) doing: String,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) accept: &'static str,
    pub(crate) body: Option<Value>,
    /// True if the call changes anything on GitHub.
    pub(crate) writes: bool,
    /// True if the client must not retry the call after a pause, because the caller has to read again first.
    pub(crate) once: bool,
    /// True if the response never changes, for example because the call reads a commit by its hash.
    pub(crate) fixed: bool,
    /// The permission that the token needs, as written in workflows.
    pub(crate) needs: Option<&'static str>,
}

impl Call {
    /// Creates a call that changes nothing.
    pub(crate) fn read(doing: impl Into<String>, path: String) -> Self {
        Self {
            doing: doing.into(),
            method: Method::GET,
            path,
            accept: JSON,
            body: None,
            writes: false,
            once: false,
            fixed: false,
            needs: None,
        }
    }

    /// Makes the call a write with this method and body. If `body` is null, none is sent.
    pub(crate) fn write(self, method: Method, body: Value) -> Self {
        Self {
            method,
            body: Some(body).filter(|body| !body.is_null()),
            writes: true,
            ..self
        }
    }

    /// Adds a query parameter.
    pub(crate) fn with(mut self, key: &str, value: &str) -> Self {
        let joint = if self.path.contains('?') { '&' } else { '?' };
        self.path = format!(
            "{}{joint}{key}={}",
            self.path,
            utf8_percent_encode(value, ENCODED)
        );
        self
    }

    /// Prevents the client from retrying the call after a pause.
    pub(crate) fn once(mut self) -> Self {
        self.once = true;
        self
    }

    /// Marks the response as never changing.
    pub(crate) fn fixed(mut self) -> Self {
        self.fixed = true;
        self
    }

    /// Sets the permission that the token needs.
    pub(crate) fn needs(mut self, permission: &'static str) -> Self {
        self.needs = Some(permission);
        self
    }
}

/// Builds the path `/repos/OWNER/NAME/…` from the repository and further segments, which are percent-encoded.
pub(crate) fn route(repo: &Repo, pieces: &[&str]) -> String {
    // A repository's name contains no characters that have to be encoded.
    let mut path = format!("/repos/{repo}");
    for piece in pieces {
        path.push('/');
        path.extend(utf8_percent_encode(piece, ENCODED));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_segments_are_encoded() {
        let repo = "octo/quill".parse().unwrap();
        assert_eq!(
            route(&repo, &["git", "ref", "heads/a b"]),
            "/repos/octo/quill/git/ref/heads%2Fa%20b"
        );
        assert_eq!(
            route(&repo, &["contents", "../ü?x#y"]),
            "/repos/octo/quill/contents/..%2F%C3%BC%3Fx%23y"
        );
        let call = Call::read("", "/x".into()).with("ref", "a&b=c");
        assert_eq!(call.path, "/x?ref=a%26b%3Dc");
    }
}
