//! Requests and responses as the handlers see them.

use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use hyper::body::Bytes;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

pub(crate) type Response = http::Response<Bytes>;

#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// The decoded path segments, without the `/api/v3` or `/api` of GitHub Enterprise Server.
    pub(crate) path: Vec<String>,
    /// Decoded, in the order of the URL.
    query: Vec<(String, String)>,
    headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl From<http::Request<Bytes>> for Request {
    fn from(request: http::Request<Bytes>) -> Self {
        let (head, body) = request.into_parts();
        let path = head.uri.path();
        let path = path
            .strip_prefix("/api/v3/")
            .or_else(|| path.strip_prefix("/api/"))
            .unwrap_or(&path[1..]);
        let decoded = |segment| percent_decode_str(segment).decode_utf8_lossy().into_owned();
        let query =
            form_urlencoded::parse(head.uri.query().unwrap_or_default().as_bytes()).into_owned();
        Self {
            method: head.method,
            path: path.split('/').map(decoded).collect(),
            query: query.collect(),
            headers: head.headers,
            body,
        }
    }
}

impl Request {
    pub(crate) fn header(&self, name: impl http::header::AsHeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub(crate) fn query(&self, key: &str) -> Option<&str> {
        self.query
            .iter()
            .find(|(other, _)| other == key)
            .map(|(_, value)| value.as_str())
    }

    /// A number in the query, clamped to 1 to `max`.
    pub(crate) fn number(&self, key: &str, default: usize, max: usize) -> usize {
        let number = self.query(key).and_then(|text| text.parse().ok());
        number
            .filter(|number| *number > 0)
            .unwrap_or(default)
            .min(max)
    }

    /// The body as JSON; `Null` if it is empty or malformed.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub(crate) fn token(&self) -> Option<&str> {
        self.header(AUTHORIZATION)?.strip_prefix("Bearer ")
    }

    pub(crate) fn is_graphql(&self) -> bool {
        self.method == Method::POST && self.path == ["graphql"]
    }
}

pub(crate) fn json(status: u16, body: &Value) -> Response {
    let mut response = raw(status, body.to_string());
    response.headers_mut().insert(
        CONTENT_TYPE,
        HeaderValue::from_static("application/json; charset=utf-8"),
    );
    response
}

pub(crate) fn raw(status: u16, body: impl Into<Bytes>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response
}

/// An error in GitHub's words.
pub(crate) fn error(status: u16, message: &str) -> Response {
    let docs = "https://docs.github.com/rest";
    json(
        status,
        &json!({ "message": message, "documentation_url": docs, "status": status.to_string() }),
    )
}
