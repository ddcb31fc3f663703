//! The state that the server, tests and hooks share: world, repository, faults and journal.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::header::{AUTHORIZATION, USER_AGENT};
use http::{HeaderValue, Method};
use serde_json::Value;

use crate::context::Context;
use crate::git::Git;
use crate::http::{Request, Response, decoded, json, raw};
use crate::journal::{End, Entry};
use crate::script::{Effect, Fault, Script, primary_limit, secondary_limit};
use crate::world::{Comment, Pull, World};
use crate::{graphql, rest};

/// The prefix of GraphQL operations.
const GRAPHQL: &str = "GRAPHQL ";

/// What a fault runs beside a request.
pub(crate) type Hook = Arc<dyn Fn(&Hub) + Send + Sync>;

/// The state behind the API, as tests and hooks see it.
pub struct Hub {
    url: String,
    git: Git,
    world: Mutex<World>,
    script: Mutex<Script>,
    journal: Mutex<Vec<Entry>>,
    journal_file: Option<Mutex<File>>,
    request_count: AtomicUsize,
    hooks: Mutex<Vec<Hook>>,
}

/// The server's reaction to a request.
pub(crate) enum Outcome {
    Response(Response),
    Truncated(Response),
    Cut,
    Hang,
}

impl Hub {
    pub(crate) fn new(url: String, git: Git, mut world: World, journal_file: Option<File>) -> Self {
        world.assign_ids();
        Self {
            url,
            git,
            world: Mutex::new(world),
            script: Mutex::default(),
            journal: Mutex::default(),
            journal_file: journal_file.map(Mutex::new),
            request_count: AtomicUsize::new(0),
            hooks: Mutex::default(),
        }
    }

    /// The base URL of the API: `http://127.0.0.1:PORT`. The paths of GitHub Enterprise Server work too: `/api/v3` for
    /// REST, `/api/graphql` for GraphQL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The repository.
    pub fn git(&self) -> &Git {
        &self.git
    }

    /// Reads or changes the world. Requests wait until `work` returns, so it must not send any.
    pub fn with<T>(&self, work: impl FnOnce(&mut World) -> T) -> T {
        let mut world = locked(&self.world);
        let result = work(&mut world);
        world.assign_ids();
        result
    }

    /// The comments of a pull request, oldest first.
    pub fn comments(&self, pull: u64) -> Vec<Comment> {
        self.with(|world| world.comments_of(pull))
    }

    /// All pull requests, oldest first.
    pub fn pulls(&self) -> Vec<Pull> {
        self.with(|world| world.pulls.clone())
    }

    /// Injects a fault.
    pub fn inject(&self, fault: Fault) {
        locked(&self.script).add(fault);
    }

    /// Keeps a hook; its number is that of an [`Effect::Hook`].
    pub(crate) fn keep(&self, hook: Hook) -> usize {
        let mut hooks = locked(&self.hooks);
        hooks.push(hook);
        hooks.len() - 1
    }

    /// All requests so far, in order of arrival.
    pub fn requests(&self) -> Vec<Entry> {
        locked(&self.journal).clone()
    }

    /// The requests so far that write, in order of arrival.
    pub fn writes(&self) -> Vec<Entry> {
        self.requests().into_iter().filter(|entry| entry.is_write).collect()
    }

    /// [`Self::writes`], one per line: `POST /repos/octo/quill/issues/5/comments 201`.
    pub fn story(&self) -> String {
        self.writes().iter().flat_map(|entry| [entry.to_string(), "\n".into()]).collect()
    }

    /// Clears the journal.
    pub fn forget(&self) {
        locked(&self.journal).clear();
    }

    pub(crate) fn serve(&self, request: &Request) -> Outcome {
        let id = self.request_count.fetch_add(1, Ordering::Relaxed) + 1;
        let entry = self.entry(request, id);
        let operation = entry.operation.clone();
        locked(&self.journal).push(entry);
        let fault = locked(&self.script).next(&operation);
        let mut outcome = match fault {
            Some((done, effect)) => self.apply(request, done, effect),
            None => Outcome::Response(self.handle(request)),
        };
        if let Outcome::Response(response) | Outcome::Truncated(response) = &mut outcome {
            add_headers(response, id);
        }
        self.record_end(id, &outcome);
        outcome
    }

    fn apply(&self, request: &Request, done: bool, effect: Effect) -> Outcome {
        let response = done.then(|| self.handle(request));
        let response = || response.unwrap_or_else(|| self.handle(request));
        match effect {
            Effect::Answer { status, headers, body } => Outcome::Response(scripted(status, &headers, &body)),
            Effect::LimitUntil(seconds) => Outcome::Response(primary_limit(seconds)),
            Effect::LimitFor(seconds) => Outcome::Response(secondary_limit(seconds)),
            Effect::Cut => Outcome::Cut,
            Effect::Halve => Outcome::Truncated(response()),
            Effect::Hang => Outcome::Hang,
            Effect::Delay(millis) => {
                let response = response();
                std::thread::sleep(Duration::from_millis(millis));
                Outcome::Response(response)
            }
            Effect::Push { branch, files, message } => {
                self.push(&branch, &files, &message);
                Outcome::Response(response())
            }
            Effect::Comment { pull, author, body } => {
                self.with(|world| world.comment(pull, &author, &body));
                Outcome::Response(response())
            }
            Effect::Hook(number) => {
                let hook = locked(&self.hooks).get(number).cloned();
                if let Some(hook) = hook {
                    hook(self);
                }
                Outcome::Response(response())
            }
        }
    }

    fn push(&self, branch: &str, files: &BTreeMap<String, String>, message: &str) {
        let files: Vec<_> = files.iter().map(|(path, content)| (&**path, &**content)).collect();
        if let Err(error) = self.git.push(branch, &files, message) {
            perf_cli::term::warn(&error.to_string());
        }
    }

    fn handle(&self, request: &Request) -> Response {
        let mut world = locked(&self.world);
        let caller = request.token().and_then(|text| world.tokens.get(text).cloned());
        let url = world.public_url.clone().unwrap_or_else(|| self.url.clone());
        let api = if request.enterprise { format!("{url}/api/v3") } else { url };
        let mut cx = Context { world: &mut world, git: &self.git, request, caller, api };
        match rejection(&cx) {
            Some(response) => response,
            None if request.is_graphql() => graphql::answer(&mut cx),
            None => rest::answer(&mut cx),
        }
    }

    fn entry(&self, request: &Request, id: usize) -> Entry {
        let body = request.json().unwrap_or_else(|| String::from_utf8_lossy(&request.body).into());
        let graphql = request.is_graphql().then(|| graphql::operation(&body)).flatten();
        let (operation, is_write) = match graphql {
            Some((name, is_mutation)) => (format!("{GRAPHQL}{name}"), is_mutation),
            None => (format!("{} {}", request.method, decoded(&request.path)), request.method != Method::GET),
        };
        let login = |text| self.with(|world| Some(world.tokens.get(text)?.login.clone()));
        let login = request.token().and_then(login);
        Entry { id, operation, query: request.query.clone(), login, body, is_write, end: End::Pending }
    }

    fn record_end(&self, id: usize, outcome: &Outcome) {
        let mut journal = locked(&self.journal);
        // A test may have cleared the journal.
        let Some(entry) = journal.iter_mut().find(|entry| entry.id == id) else { return };
        entry.end = match outcome {
            Outcome::Response(response) if entry.operation.starts_with(GRAPHQL) && has_errors(response) => {
                End::Errors
            }
            Outcome::Response(response) => End::Status(response.status().as_u16()),
            _ => End::None,
        };
        if let Some(file) = &self.journal_file {
            // The reader of the journal notices what is missing.
            let _ = write(&mut locked(file), entry);
        }
    }
}

fn scripted(status: u16, headers: &BTreeMap<String, String>, body: &Value) -> Response {
    let mut response = match body {
        Value::String(text) => raw(status, text.clone()),
        body => json(status, body),
    };
    for (name, value) in headers {
        match (http::HeaderName::try_from(name), HeaderValue::try_from(value)) {
            (Ok(name), Ok(value)) => drop(response.headers_mut().insert(name, value)),
            _ => return rest::error(500, &format!("invalid header `{name}: {value}` in a fault")),
        }
    }
    response
}

/// Adds the headers of every response, unless a fault sets them.
fn add_headers(response: &mut Response, id: usize) {
    let headers = [
        ("server", "github.com".to_owned()),
        ("x-github-request-id", format!("FA4E:{id:04X}")),
        ("x-ratelimit-limit", "5000".into()),
        ("x-ratelimit-remaining", 5000_usize.saturating_sub(id).to_string()),
        ("x-ratelimit-used", id.to_string()),
        ("x-ratelimit-reset", "4102444800".into()),
        ("x-ratelimit-resource", "core".into()),
    ];
    for (name, value) in headers {
        if let Ok(value) = HeaderValue::try_from(value) {
            response.headers_mut().entry(name).or_insert(value);
        }
    }
}

fn has_errors(response: &Response) -> bool {
    serde_json::from_slice::<Value>(response.body()).is_ok_and(|body| body.get("errors").is_some())
}

fn write(file: &mut File, entry: &Entry) -> io::Result<()> {
    let mut line = serde_json::to_vec(entry)?;
    line.push(b'\n');
    file.write_all(&line)
}

/// A test that panics while it holds a lock reports the panic itself.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The error for a request that GitHub rejects before it reaches an endpoint.
fn rejection(cx: &Context<'_>) -> Option<Response> {
    let request = cx.request;
    if request.header(USER_AGENT).is_none() {
        let message = "Request forbidden by administrative rules. Please make sure your request has a User-Agent header.";
        return Some(rest::error(403, message));
    }
    if request.header(AUTHORIZATION).is_some() && cx.caller.is_none() {
        return Some(rest::error(401, "Bad credentials"));
    }
    let version = request.header("x-github-api-version")?;
    let message = "The API version in the X-GitHub-Api-Version header is not supported.";
    (!["2022-11-28", "2026-03-10"].contains(&version)).then(|| rest::error(400, message))
}
