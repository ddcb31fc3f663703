//! The REST API: which request is whose, and what all of them have in common.

mod comments;
mod git;
mod pulls;
mod shape;
mod shape_git;
mod shape_pull;

use std::io;

use serde_json::{Value, json};

pub(crate) use shape::{SERVER, node_id};
pub(crate) use shape_git::{GITHUB, address};

use crate::account::{self, Permission};
use crate::http::{Answer, decoded};
use crate::hub::{Desk, plain};

/// Where errors point.
pub(crate) const DOCS: &str = "https://docs.github.com/rest";

/// What a handler says: an answer either way.
pub(crate) type Reply = Result<Answer, Refusal>;

/// An answer that is no success.
pub(crate) struct Refusal(pub(crate) Answer);

impl From<io::Error> for Refusal {
    /// The Git side failed: an answer that shows why, for whoever wonders.
    fn from(error: io::Error) -> Self {
        Self(self::error(500, &error.to_string()))
    }
}

/// An error as GitHub writes it.
pub(crate) fn error(status: u16, message: &str) -> Answer {
    let body = json!({ "message": message, "documentation_url": DOCS, "status": status.to_string() });
    Answer::json(status, &body)
}

pub(crate) fn refuse<T>(status: u16, message: &str) -> Result<T, Refusal> {
    Err(Refusal(error(status, message)))
}

pub(crate) fn not_found<T>() -> Result<T, Refusal> {
    refuse(404, "Not Found")
}

/// What is wrong with one field.
fn invalid<T>(resource: &str, field: &str, code: &str, message: &str) -> Result<T, Refusal> {
    let detail = json!({ "resource": resource, "field": field, "code": code, "message": message });
    let body = json!({
        "message": "Validation Failed",
        "errors": [detail],
        "documentation_url": DOCS,
        "status": "422",
    });
    Err(Refusal(Answer::json(422, &body)))
}

/// Answers a request of the REST API.
pub(crate) fn answer(desk: &mut Desk<'_>) -> Answer {
    route(desk).unwrap_or_else(|Refusal(answer)| answer)
}

fn route(desk: &mut Desk<'_>) -> Reply {
    let pieces: Vec<String> = plain(&desk.request.path).split('/').skip(1).map(decoded).collect();
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    match (desk.request.method.as_str(), pieces.as_slice()) {
        ("GET", ["user"]) => user(desk),
        (_, ["repos", owner, name, rest @ ..]) if desk.is_repository(&format!("{owner}/{name}")) => {
            of_repository(desk, rest)
        }
        (_, ["repositories", id, rest @ ..]) if *id == account::id(&desk.world.repository).to_string() => {
            of_repository(desk, rest)
        }
        _ => not_found(),
    }
}

fn of_repository(desk: &mut Desk<'_>, pieces: &[&str]) -> Reply {
    if desk.world.private && !desk.caller.as_ref().is_some_and(|token| token.reads) {
        return not_found();
    }
    match (desk.request.method.as_str(), pieces) {
        ("GET", []) => Ok(Answer::json(200, &shape::repository(desk))),
        ("GET", ["issues", number, "comments"]) => comments::list(desk, number),
        ("POST", ["issues", number, "comments"]) => comments::create(desk, number),
        ("GET", ["issues", "comments", id]) => comments::get(desk, id),
        ("PATCH", ["issues", "comments", id]) => comments::update(desk, id),
        ("DELETE", ["issues", "comments", id]) => comments::delete(desk, id),
        ("GET", ["pulls"]) => pulls::list(desk),
        ("POST", ["pulls"]) => pulls::create(desk),
        ("GET", ["pulls", number]) => pulls::get(desk, number),
        ("PATCH", ["pulls", number]) => pulls::update(desk, number),
        ("GET", ["git", "ref", name @ ..]) => git::reference(desk, &name.join("/")),
        ("POST", ["git", "refs"]) => git::create(desk),
        ("PATCH", ["git", "refs", name @ ..]) => git::update(desk, &name.join("/")),
        ("DELETE", ["git", "refs", name @ ..]) => git::delete(desk, &name.join("/")),
        ("GET", ["compare", sides @ ..]) => git::compare(desk, &sides.join("/")),
        ("GET", ["contents", path @ ..]) => git::contents(desk, &path.join("/")),
        ("GET", ["commits"]) => git::commits(desk),
        ("GET", ["commits", name @ ..]) => git::commit(desk, &name.join("/")),
        _ => not_found(),
    }
}

fn user(desk: &mut Desk<'_>) -> Reply {
    match &desk.caller {
        None => refuse(401, "Requires authentication"),
        Some(token) if token.is_app() => refuse(403, "Resource not accessible by integration"),
        Some(token) => Ok(Answer::json(200, &shape::profile(desk, &token.login))),
    }
}

impl Desk<'_> {
    fn is_repository(&self, name: &str) -> bool {
        self.world.repository.eq_ignore_ascii_case(name)
    }

    /// Whose request this is, who must have one of these permissions.
    pub(crate) fn writer(&self, one_of: &[Permission]) -> Result<String, Refusal> {
        match &self.caller {
            None => refuse(401, "Requires authentication"),
            Some(token) if one_of.iter().any(|permission| token.writes.contains(permission)) => {
                Ok(token.login.clone())
            }
            Some(token) if token.is_app() => refuse(403, "Resource not accessible by integration"),
            Some(_) => refuse(403, "Resource not accessible by personal access token"),
        }
    }

    /// The body, which is an object.
    fn object(&self) -> Result<serde_json::Map<String, Value>, Refusal> {
        match self.request.json() {
            Some(Value::Object(object)) => Ok(object),
            Some(Value::Null) => Ok(serde_json::Map::new()),
            Some(_) => refuse(422, "Invalid request.\n\nThe body is not an object."),
            None => refuse(400, "Problems parsing JSON"),
        }
    }

    /// One page of a list, with links to the others.
    fn page(&self, entries: Vec<Value>) -> Answer {
        let (page, size) = (self.number("page", 1, usize::MAX), self.number("per_page", 30, 100));
        let last = entries.len().div_ceil(size).max(1);
        let shown: Vec<Value> =
            entries.into_iter().skip((page - 1).saturating_mul(size)).take(size).collect();
        let answer = Answer::json(200, &shown.into());
        let mut links = Vec::new();
        if page > 1 {
            links.extend([self.link(page - 1, "prev"), self.link(1, "first")]);
        }
        if page < last {
            links.extend([self.link(page + 1, "next"), self.link(last, "last")]);
        }
        if links.is_empty() { answer } else { answer.header("link", links.join(", ")) }
    }

    fn link(&self, page: usize, rel: &str) -> String {
        let mut path = plain(&self.request.path).to_owned();
        if self.world.links_by_id && path.starts_with("/repos/") {
            let rest = path.splitn(5, '/').nth(4).unwrap_or_default();
            path = format!("/repositories/{}/{rest}", account::id(&self.world.repository));
        }
        let others = self.request.query.iter().filter(|(key, _)| key != "page");
        let mut query: Vec<String> = others.map(|(key, value)| format!("{key}={value}")).collect();
        query.push(format!("page={page}"));
        format!("<{}{path}?{}>; rel=\"{rel}\"", self.api, query.join("&"))
    }

    /// A number from the query, from 1 to `most`.
    fn number(&self, key: &str, default: usize, most: usize) -> usize {
        let number = self.request.query(key).and_then(|text| text.parse().ok());
        number.filter(|number| *number > 0).unwrap_or(default).min(most)
    }
}
