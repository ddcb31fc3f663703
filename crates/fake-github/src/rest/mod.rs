//! The REST API: routes, errors and pagination.

mod comments;
mod commit_comments;
mod git;
mod objects;
mod pulls;
mod shape;
mod shape_git;
mod shape_pull;
mod statuses;

use std::io;

use http::HeaderValue;
use http::header::LINK;
use serde_json::{Map, Value, json};

pub(crate) use shape::{SERVER, node_id};
pub(crate) use shape_git::{GITHUB, email};

use crate::account::{self, Permission, Token};
use crate::context::Context;
use crate::http::{Response, decoded, json as response};

/// The documentation link of every error.
pub(crate) const DOCS: &str = "https://docs.github.com/rest";

/// The error for a push to a protected branch.
pub(crate) const PROTECTED: &str =
    "Repository rule violations found\n\nChanges must be made through a pull request.\n\n";

/// A response, or the response to an invalid request.
pub(crate) type Reply<T = Response> = Result<T, Rejection>;

pub(crate) struct Rejection(Box<Response>);

impl From<Response> for Rejection {
    fn from(response: Response) -> Self {
        Self(response.into())
    }
}

impl From<io::Error> for Rejection {
    /// `git` failed.
    fn from(error: io::Error) -> Self {
        self::error(500, &error.to_string()).into()
    }
}

pub(crate) fn error(status: u16, message: &str) -> Response {
    let body = json!({ "message": message, "documentation_url": DOCS, "status": status.to_string() });
    response(status, &body)
}

fn reject<T>(status: u16, message: &str) -> Reply<T> {
    Err(error(status, message).into())
}

fn not_found<T>() -> Reply<T> {
    reject(404, "Not Found")
}

/// Rejects the value of a field.
fn invalid<T>(resource: &str, field: &str, code: &str, message: &str) -> Reply<T> {
    let detail = json!({ "resource": resource, "field": field, "code": code, "message": message });
    let body = json!({
        "message": "Validation Failed",
        "errors": [detail],
        "documentation_url": DOCS,
        "status": "422",
    });
    Err(response(422, &body).into())
}

pub(crate) fn answer(cx: &mut Context<'_>) -> Response {
    route(cx).unwrap_or_else(|Rejection(response)| *response)
}

fn route(cx: &mut Context<'_>) -> Reply {
    let segments: Vec<String> = cx.request.path.split('/').skip(1).map(decoded).collect();
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    match (cx.request.method.as_str(), segments.as_slice()) {
        ("GET", ["user"]) => user(cx),
        (method, ["repos", owner, name, rest @ ..])
            if cx.world.repository.eq_ignore_ascii_case(&format!("{owner}/{name}")) =>
        {
            route_repository(cx, method, rest)
        }
        (method, ["repositories", id, rest @ ..]) if *id == account::id(&cx.world.repository).to_string() => {
            route_repository(cx, method, rest)
        }
        _ => not_found(),
    }
}

fn route_repository(cx: &mut Context<'_>, method: &str, segments: &[&str]) -> Reply {
    if !cx.may_read() {
        return not_found();
    }
    match (method, segments) {
        ("GET", ["issues", number, "comments"]) => comments::list(cx, number),
        ("POST", ["issues", number, "comments"]) => comments::create(cx, number),
        ("GET", ["issues", "comments", id]) => comments::get(cx, id),
        ("PATCH", ["issues", "comments", id]) => comments::update(cx, id),
        ("DELETE", ["issues", "comments", id]) => comments::delete(cx, id),
        ("GET", ["commits", sha, "comments"]) => Ok(commit_comments::list(cx, sha)),
        ("POST", ["commits", sha, "comments"]) => commit_comments::create(cx, sha),
        ("PATCH", ["comments", id]) => commit_comments::update(cx, id),
        ("POST", ["statuses", sha]) => statuses::create(cx, sha),
        ("GET", ["pulls"]) => pulls::list(cx),
        ("POST", ["pulls"]) => pulls::create(cx),
        ("GET", ["pulls", number]) => pulls::get(cx, number),
        ("PATCH", ["pulls", number]) => pulls::update(cx, number),
        ("GET", ["git", "ref", name @ ..]) => git::reference(cx, &name.join("/")),
        ("POST", ["git", "trees"]) => objects::create_tree(cx),
        ("POST", ["git", "commits"]) => objects::create_commit(cx),
        ("POST", ["git", "refs"]) => git::create(cx),
        ("GET", ["git", "matching-refs", name @ ..]) => Ok(git::matching(cx, &name.join("/"))),
        ("PATCH", ["git", "refs", name @ ..]) => git::update(cx, &name.join("/")),
        ("DELETE", ["git", "refs", name @ ..]) => git::delete(cx, &name.join("/")),
        ("GET", ["compare", range @ ..]) => git::compare(cx, &range.join("/")),
        ("GET", ["contents", path @ ..]) => git::contents(cx, &path.join("/")),
        ("GET", ["commits"]) => git::commits(cx),
        _ => not_found(),
    }
}

fn user(cx: &Context<'_>) -> Reply {
    match &cx.caller {
        None => reject(401, "Requires authentication"),
        Some(token) if token.is_app() => reject(403, &token.refusal()),
        Some(token) => Ok(response(200, &shape::profile(cx, &token.login))),
    }
}

impl Context<'_> {
    /// Whether the caller can see the repository.
    pub(crate) fn may_read(&self) -> bool {
        !self.world.private || self.caller.as_ref().is_some_and(|token| token.reads)
    }

    /// Whether branch protection rejects the caller's pushes.
    pub(crate) fn is_protected(&self, branch: &str) -> bool {
        let bypasses = self.caller.as_ref().is_some_and(|token| token.bypasses);
        !bypasses && self.world.protected.iter().any(|name| name == branch)
    }

    /// The caller's token, if it has one of these permissions.
    fn writer(&self, any: &[Permission]) -> Reply<&Token> {
        match &self.caller {
            None => reject(401, "Requires authentication"),
            Some(token) if any.iter().any(|permission| token.writes.contains(permission)) => Ok(token),
            Some(token) => reject(403, &token.refusal()),
        }
    }

    /// The body, which must be an object.
    fn object(&self) -> Reply<Map<String, Value>> {
        match self.request.json() {
            Some(Value::Object(object)) => Ok(object),
            Some(Value::Null) => Ok(Map::new()),
            Some(_) => reject(422, "Invalid request.\n\nThe body is not an object."),
            None => reject(400, "Problems parsing JSON"),
        }
    }

    /// The requested page of a list, with links to its neighbours.
    fn page(&self, items: &[Value]) -> Response {
        let (page, size) = (self.number("page", 1, usize::MAX), self.number("per_page", 30, 100));
        let last = items.len().div_ceil(size).max(1);
        let mut response = response(200, &json!(self.slice(items, 30, 100)));
        let mut links = Vec::new();
        if page > 1 {
            links.extend([self.link(page - 1, "prev"), self.link(1, "first")]);
        }
        if page < last {
            links.extend([self.link(page + 1, "next"), self.link(last, "last")]);
        }
        if let Ok(links) = HeaderValue::try_from(links.join(", "))
            && !links.is_empty()
        {
            response.headers_mut().insert(LINK, links);
        }
        response
    }

    /// The items of the requested page.
    fn slice<'v>(&self, items: &'v [Value], default_size: usize, max_size: usize) -> &'v [Value] {
        let size = self.number("per_page", default_size, max_size);
        items.chunks(size).nth(self.number("page", 1, usize::MAX) - 1).unwrap_or_default()
    }

    fn link(&self, page: usize, rel: &str) -> String {
        let mut path = self.request.path.clone();
        if self.world.links_by_id && path.starts_with("/repos/") {
            let rest = path.splitn(5, '/').nth(4).unwrap_or_default();
            path = format!("/repositories/{}/{rest}", account::id(&self.world.repository));
        }
        let others = self.request.query.iter().filter(|(key, _)| key != "page");
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(others)
            .append_pair("page", &page.to_string())
            .finish();
        format!("<{}{path}?{query}>; rel=\"{rel}\"", self.api)
    }

    /// A number of the query, from 1 to `max`.
    fn number(&self, key: &str, default: usize, max: usize) -> usize {
        let number = self.request.query(key).and_then(|text| text.parse().ok());
        number.filter(|number| *number > 0).unwrap_or(default).min(max)
    }
}
