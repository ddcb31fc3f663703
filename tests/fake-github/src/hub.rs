//! The state that the server, tests and hooks share: world, repository, faults and past requests.

pub mod fault;

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use http::Method;
use http::header::{AUTHORIZATION, USER_AGENT};
use serde_json::Value;

use self::fault::{Effect, Fault, When};
use crate::git::Git;
use crate::request::{Request, Response, error};
use crate::rest::Context;
use crate::world::{Comment, Pull, World};
use crate::{graphql, rest};

/// The API's state, for tests and hooks.
pub struct Hub {
    url: String,
    git: Git,
    world: Mutex<World>,
    faults: Mutex<Vec<Fault>>,
    requests: Mutex<Vec<RecordedRequest>>,
}

/// A request, without headers and so without the token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedRequest {
    /// `POST /repos/octo/quill/issues/5/comments`, or `GRAPHQL createCommitOnBranch`.
    pub operation: String,
    /// The body; `Null` if it is empty or not JSON.
    pub body: Value,
    /// Whether it changes state on success.
    pub is_write: bool,
    /// The result: a status, `errors` for a GraphQL response, `no answer`, or `pending`.
    pub end: String,
}

impl fmt::Display for RecordedRequest {
    /// The operation and its result: `POST /graphql 200`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.operation, self.end)
    }
}

/// The server's reaction to a request.
pub(crate) enum Reaction {
    Response(Response),
    Truncated(Response),
    Cut,
    Hang,
}

impl Hub {
    pub(crate) fn new(url: String, git: Git, world: World) -> Self {
        let (world, faults, requests) = (Mutex::new(world), Mutex::default(), Mutex::default());
        Self {
            url,
            git,
            world,
            faults,
            requests,
        }
    }

    /// The API's base URL, `http://127.0.0.1:PORT`. It also accepts the paths of GitHub Enterprise Server: `/api/v3`
    /// for REST, `/api/graphql` for GraphQL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The repository.
    pub fn git(&self) -> &Git {
        &self.git
    }

    /// Reads or changes the world. Requests wait until `work` returns, so it must not send any.
    pub fn with<T>(&self, work: impl FnOnce(&mut World) -> T) -> T {
        work(&mut locked(&self.world))
    }

    /// The comments on a pull request, oldest first.
    pub fn comments(&self, pull: u64) -> Vec<Comment> {
        self.with(|world| {
            world
                .comments
                .iter()
                .filter(|comment| comment.pull == pull)
                .cloned()
                .collect()
        })
    }

    /// All pull requests, oldest first.
    pub fn pulls(&self) -> Vec<Pull> {
        self.with(|world| world.pulls.clone())
    }

    /// Injects a fault into requests that match a pattern (see [`fault`]).
    pub fn when(&self, pattern: &str) -> When<'_> {
        When::new(self, pattern)
    }

    pub(crate) fn inject(&self, fault: Fault) {
        locked(&self.faults).push(fault);
    }

    /// All requests so far, in order of arrival.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        locked(&self.requests).clone()
    }

    /// The write requests so far, in order of arrival.
    pub fn writes(&self) -> Vec<RecordedRequest> {
        self.requests()
            .into_iter()
            .filter(|entry| entry.is_write)
            .collect()
    }

    /// [`Self::writes`], one per line: `POST /repos/octo/quill/issues/5/comments 201`.
    pub fn story(&self) -> String {
        self.writes()
            .iter()
            .flat_map(|entry| [entry.to_string(), "\n".into()])
            .collect()
    }

    /// Clears the recorded requests.
    pub fn forget(&self) {
        locked(&self.requests).clear();
    }

    pub(crate) fn serve(&self, request: &Request) -> Reaction {
        let entry = entry(request);
        let operation = entry.operation.clone();
        let number = {
            let mut requests = locked(&self.requests);
            requests.push(entry);
            requests.len() - 1
        };
        let fault = fault::next(&mut locked(&self.faults), &operation);
        let outcome = match fault {
            Some((done, effect)) => self.apply(request, done, effect),
            None => Reaction::Response(self.handle(request)),
        };
        if let Some(entry) = locked(&self.requests).get_mut(number) {
            entry.end = end(request, &outcome);
        }
        outcome
    }

    fn apply(&self, request: &Request, done: bool, effect: Effect) -> Reaction {
        let response = done.then(|| self.handle(request));
        let response = || response.unwrap_or_else(|| self.handle(request));
        match effect {
            Effect::Answer(response) => Reaction::Response(response),
            Effect::Cut => Reaction::Cut,
            Effect::Halve => Reaction::Truncated(response()),
            Effect::Hang => Reaction::Hang,
            Effect::Hook(hook) => {
                hook(self);
                Reaction::Response(response())
            }
        }
    }

    fn handle(&self, request: &Request) -> Response {
        let mut world = locked(&self.world);
        let caller = request
            .token()
            .and_then(|text| world.tokens.get(text).cloned());
        if request.header(USER_AGENT).is_none() {
            return error(403, "Request forbidden by administrative rules.");
        }
        if request.header(AUTHORIZATION).is_some() && caller.is_none() {
            return error(401, "Bad credentials");
        }
        let mut cx = Context {
            world: &mut world,
            git: &self.git,
            request,
            caller,
        };
        if request.is_graphql() {
            graphql::answer(&mut cx)
        } else {
            rest::answer(&mut cx)
        }
    }
}

fn entry(request: &Request) -> RecordedRequest {
    let body = request.json();
    let (operation, is_write) = match graphql::field(&body).filter(|_| request.is_graphql()) {
        Some((name, is_mutation)) => (format!("GRAPHQL {name}"), is_mutation),
        None => (
            format!("{} /{}", request.method, request.path.join("/")),
            request.method != Method::GET,
        ),
    };
    RecordedRequest {
        operation,
        body,
        is_write,
        end: "pending".into(),
    }
}

fn end(request: &Request, outcome: &Reaction) -> String {
    let has_errors = |response: &Response| {
        serde_json::from_slice::<Value>(response.body())
            .is_ok_and(|body| body.get("errors").is_some())
    };
    match outcome {
        Reaction::Response(response) if request.is_graphql() && has_errors(response) => {
            "errors".into()
        }
        Reaction::Response(response) => response.status().as_u16().to_string(),
        _ => "no answer".into(),
    }
}

/// Ignores poisoning, so a test that panics while holding a lock reports only its own panic.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
