//! One call of the API, before it is made.

use http::Method;
use serde_json::Value;

use crate::route;

/// The media type that GitHub recommends to ask for.
const JSON: &str = "application/vnd.github+json";
/// The media type of a file's bytes, instead of their description.
const RAW: &str = "application/vnd.github.raw+json";

/// A call. Its description completes "cannot …".
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) doing: String,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) accept: &'static str,
    pub(crate) body: Option<Value>,
    /// True if it changes anything at GitHub.
    pub(crate) writes: bool,
    /// True if it is not made again after a pause: whoever makes it looks first.
    pub(crate) once: bool,
    /// True if the answer is the same for ever, as that about commits by their names.
    pub(crate) fixed: bool,
    /// The permission that the token needs, as workflows name it.
    pub(crate) needs: Option<&'static str>,
}

impl Call {
    /// A call that changes nothing.
    pub(crate) fn read(doing: String, path: String) -> Self {
        Self {
            doing,
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

    /// A call that changes something.
    pub(crate) fn write(doing: String, method: Method, path: String, body: Option<Value>) -> Self {
        Self { doing, method, path, accept: JSON, body, writes: true, once: false, fixed: false, needs: None }
    }

    /// A call of the GraphQL API, which is a `POST` even where it changes nothing.
    pub(crate) fn graphql(doing: String, path: String, body: Value, writes: bool) -> Self {
        Self {
            doing,
            method: Method::POST,
            path,
            accept: JSON,
            body: Some(body),
            writes,
            once: false,
            fixed: false,
            needs: None,
        }
    }

    /// The call with one more parameter in the address.
    pub(crate) fn with(mut self, key: &str, value: &str) -> Self {
        let joint = if self.path.contains('?') { '&' } else { '?' };
        self.path = format!("{}{joint}{}", self.path, route::parameter(key, value));
        self
    }

    /// The same, not made again after a pause.
    pub(crate) fn once(mut self) -> Self {
        self.once = true;
        self
    }

    /// The same, with an answer that never changes.
    pub(crate) fn fixed(mut self) -> Self {
        self.fixed = true;
        self
    }

    /// The same, with the permission that the token needs.
    pub(crate) fn needs(mut self, permission: &'static str) -> Self {
        self.needs = Some(permission);
        self
    }

    /// Asks for the bytes of a file.
    pub(crate) fn raw(mut self) -> Self {
        self.accept = RAW;
        self
    }
}
