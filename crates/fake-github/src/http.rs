//! Requests and responses as the handlers see them.

use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use hyper::body::Bytes;
use percent_encoding::percent_decode_str;
use serde_json::Value;

pub(crate) type Response = http::Response<Bytes>;

#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// Percent-encoded, without the `/api/v3` of GitHub Enterprise Server.
    pub(crate) path: String,
    /// Whether the client used the paths of GitHub Enterprise Server.
    pub(crate) enterprise: bool,
    /// Decoded, in the order of the URL.
    pub(crate) query: Vec<(String, String)>,
    headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl From<http::Request<Bytes>> for Request {
    fn from(request: http::Request<Bytes>) -> Self {
        let (head, body) = request.into_parts();
        let path = head.uri.path();
        let enterprise = path.strip_prefix("/api/v3").or_else(|| path.strip_prefix("/api"));
        let enterprise = enterprise.filter(|rest| rest.starts_with('/'));
        let query = form_urlencoded::parse(head.uri.query().unwrap_or_default().as_bytes()).into_owned();
        Self {
            method: head.method,
            path: enterprise.unwrap_or(path).to_owned(),
            enterprise: enterprise.is_some(),
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
        self.query.iter().find(|(other, _)| other == key).map(|(_, value)| value.as_str())
    }

    /// The body as JSON: `Null` when it is empty, `None` when it is malformed.
    pub(crate) fn json(&self) -> Option<Value> {
        if self.body.is_empty() { Some(Value::Null) } else { serde_json::from_slice(&self.body).ok() }
    }

    pub(crate) fn token(&self) -> Option<&str> {
        let (scheme, text) = self.header(AUTHORIZATION)?.split_once(' ')?;
        ["bearer", "token"].contains(&scheme.to_ascii_lowercase().as_str()).then_some(text.trim())
    }

    pub(crate) fn is_graphql(&self) -> bool {
        self.method == Method::POST && self.path == "/graphql"
    }
}

pub(crate) fn json(status: u16, body: &Value) -> Response {
    let mut response = raw(status, body.to_string());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
    response
}

pub(crate) fn raw(status: u16, body: impl Into<Bytes>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response
}

pub(crate) fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}
