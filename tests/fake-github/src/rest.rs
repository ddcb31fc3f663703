//! The REST API: routes, errors and pagination.

mod checks;
mod comments;
mod git;
mod pulls;
mod shape;

use std::io;

use http::HeaderValue;
use http::header::LINK;
use serde_json::{Value, json};

pub(crate) use shape::{SERVER, email};

use crate::account::{Permission, Token};
use crate::git::Git;
use crate::request::{Request, Response, error, json as response};
use crate::world::{REPOSITORY, World};

/// The error for a push to a protected branch.
pub(crate) const PROTECTED: &str =
    "Repository rule violations found\n\nChanges must be made through a pull request.\n\n";

/// The arguments of every handler.
pub(crate) struct Context<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) git: &'a Git,
    pub(crate) request: &'a Request,
    pub(crate) caller: Option<Token>,
}

/// A response, or the response to an invalid request.
type Reply<T = Response> = Result<T, Rejection>;

struct Rejection(Box<Response>);

impl From<Response> for Rejection {
    fn from(response: Response) -> Self {
        Self(response.into())
    }
}

impl From<io::Error> for Rejection {
    /// `git` failed.
    fn from(cause: io::Error) -> Self {
        error(500, &cause.to_string()).into()
    }
}

fn reject<T>(status: u16, message: &str) -> Reply<T> {
    Err(error(status, message).into())
}

fn not_found<T>() -> Reply<T> {
    reject(404, "Not Found")
}

/// Rejects a field's value.
fn invalid<T>(resource: &str, field: &str, code: &str, message: &str) -> Reply<T> {
    let detail = json!({ "resource": resource, "field": field, "code": code, "message": message });
    let body = json!({
        "message": "Validation Failed",
        "errors": [detail],
        "documentation_url": "https://docs.github.com/rest",
        "status": "422",
    });
    Err(response(422, &body).into())
}

pub(crate) fn answer(cx: &mut Context<'_>) -> Response {
    route(cx).unwrap_or_else(|Rejection(response)| *response)
}

fn route(cx: &mut Context<'_>) -> Reply {
    let segments: Vec<&str> = cx.request.path.iter().map(String::as_str).collect();
    let ["repos", owner, name, rest @ ..] = segments.as_slice() else {
        return not_found();
    };
    if !cx.may_read(&format!("{owner}/{name}")) {
        return not_found();
    }
    match (cx.request.method.as_str(), rest) {
        ("GET", ["issues", number, "comments"]) => comments::list_on_pull(cx, number),
        ("POST", ["issues", number, "comments"]) => comments::create_on_pull(cx, number),
        ("GET", ["issues", "comments", id]) => comments::get(cx, id, false),
        ("PATCH", ["issues", "comments", id]) => comments::update(cx, id, false),
        ("DELETE", ["issues", "comments", id]) => comments::delete(cx, id, false),
        ("POST", ["issues", "comments", id, "reactions"]) => comments::react(cx, id),
        ("GET", ["collaborators", login, "permission"]) => Ok(comments::permission(cx, login)),
        ("GET", ["commits", sha, "comments"]) => {
            Ok(comments::list(cx, |comment| comment.sha == *sha))
        }
        ("POST", ["commits", sha, "comments"]) => comments::create_on_commit(cx, sha),
        ("GET", ["comments", id]) => comments::get(cx, id, true),
        ("PATCH", ["comments", id]) => comments::update(cx, id, true),
        ("DELETE", ["comments", id]) => comments::delete(cx, id, true),
        ("POST", ["check-runs"]) => checks::create(cx),
        ("GET", ["commits", sha, "check-runs"]) => Ok(checks::list(cx, sha)),
        ("GET", ["actions", "runs", run, "attempts", attempt, "jobs"]) => {
            Ok(checks::jobs(cx, run, attempt))
        }
        ("POST", ["statuses", sha]) => checks::create_status(cx, sha),
        ("GET", ["pulls"]) => Ok(pulls::list(cx)),
        ("POST", ["pulls"]) => pulls::create(cx),
        ("GET", ["pulls", number]) => pulls::get(cx, number),
        ("PATCH", ["pulls", number]) => pulls::update(cx, number),
        ("GET", ["git", "ref", name @ ..]) => git::reference(cx, &name.join("/")),
        ("POST", ["git", "refs"]) => git::create(cx),
        ("PATCH", ["git", "refs", name @ ..]) => git::update(cx, &name.join("/")),
        ("DELETE", ["git", "refs", name @ ..]) => git::delete(cx, &name.join("/")),
        ("GET", ["compare", range @ ..]) => git::compare(cx, &range.join("/")),
        ("GET", ["contents", path @ ..]) => git::contents(cx, &path.join("/")),
        ("GET", ["commits"]) => git::commits(cx),
        _ => not_found(),
    }
}

impl Context<'_> {
    /// Whether the repository exists and the caller can see it.
    pub(crate) fn may_read(&self, repository: &str) -> bool {
        let is_allowed =
            !self.world.private || self.caller.as_ref().is_some_and(|token| token.reads);
        is_allowed && repository.eq_ignore_ascii_case(REPOSITORY)
    }

    /// Whether branch protection rejects the caller's pushes.
    pub(crate) fn is_protected(&self, branch: &str) -> bool {
        let bypasses = self.caller.as_ref().is_some_and(|token| token.bypasses);
        !bypasses && self.world.protected.iter().any(|name| name == branch)
    }

    /// The caller's login, if the token has one of these permissions.
    fn writer(&self, any: &[Permission]) -> Reply<String> {
        match &self.caller {
            None => reject(401, "Requires authentication"),
            Some(token)
                if any
                    .iter()
                    .any(|permission| token.writes.contains(permission)) =>
            {
                Ok(token.login.clone())
            }
            Some(token) => reject(403, &token.refusal()),
        }
    }

    /// The requested page of a list. The link to the next page points to a closed port: a client must not send its
    /// token there.
    fn page(&self, items: &[Value]) -> Response {
        let number = |key, default, max| self.request.number(key, default, max);
        let (page, size) = (number("page", 1, usize::MAX), number("per_page", 30, 100));
        let page_items = items.chunks(size).nth(page - 1).unwrap_or_default();
        let mut response = response(200, &json!(page_items));
        if page * size < items.len() {
            let link = format!(
                "<http://127.0.0.1:9/repositories/7/list?page={}>; rel=\"next\"",
                page + 1
            );
            response
                .headers_mut()
                .extend(HeaderValue::try_from(link).map(|link| (LINK, link)));
        }
        response
    }
}

/// A string in a body; empty if it is absent.
fn text<'v>(body: &'v Value, key: &str) -> &'v str {
    body[key].as_str().unwrap_or_default()
}
