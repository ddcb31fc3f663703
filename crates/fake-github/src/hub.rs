//! What server, tests and hooks share: the world, the Git side, the orders and the journal.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::account::Token;
use crate::git::Git;
use crate::http::{Answer, Request, decoded};
use crate::journal::{End, Entry};
use crate::script::{Deed, Rule, Script, When};
use crate::world::{Comment, Pull, World};
use crate::{graphql, rest};

/// What the operations of the GraphQL API begin with.
const GRAPHQL: &str = "GRAPHQL ";

/// The fake GitHub from the inside.
pub struct Hub {
    url: String,
    git: Git,
    world: Mutex<World>,
    script: Mutex<Script>,
    journal: Mutex<Vec<Entry>>,
    /// Where the journal is written to as well, one JSON object for each line.
    file: Option<Mutex<File>>,
}

/// What the client gets.
pub(crate) enum Outcome {
    Answer(Answer),
    /// The first half of it.
    Half(Answer),
    /// The end of the connection.
    Cut,
    /// Nothing, for ever.
    Hang,
}

/// What a handler works with.
pub(crate) struct Desk<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) git: &'a Git,
    pub(crate) request: &'a Request,
    /// Whose token it is, if there is one.
    pub(crate) caller: Option<Token>,
    /// Where the API is, without a slash at its end.
    pub(crate) api: String,
}

impl Hub {
    pub(crate) fn new(url: String, git: Git, world: World, file: Option<File>) -> Self {
        Self {
            url,
            git,
            world: Mutex::new(world.numbered()),
            script: Mutex::default(),
            journal: Mutex::default(),
            file: file.map(Mutex::new),
        }
    }

    /// Where the API is: `http://127.0.0.1:PORT`. It is as well where a server of one's own has it: at `/api/v3`, with
    /// GraphQL at `/api/graphql`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The Git side.
    pub fn git(&self) -> &Git {
        &self.git
    }

    /// Looks at the world, or changes it. No request is answered meanwhile, so don't make any in here.
    pub fn with<T>(&self, work: impl FnOnce(&mut World) -> T) -> T {
        work(&mut locked(&self.world))
    }

    /// The comments of a pull request, the oldest first.
    pub fn comments(&self, pull: u64) -> Vec<Comment> {
        self.with(|world| world.comments_of(pull))
    }

    /// All pull requests, in the order in which they were opened.
    pub fn pulls(&self) -> Vec<Pull> {
        self.with(|world| world.pulls.clone())
    }

    /// Orders trouble for requests that fit a pattern (see [`crate::script`]).
    pub fn when(&self, pattern: &str) -> When<'_> {
        When::new(self, pattern)
    }

    pub(crate) fn order(&self, rule: Rule) {
        locked(&self.script).add(rule);
    }

    /// All requests so far, in the order in which they arrived.
    pub fn requests(&self) -> Vec<Entry> {
        locked(&self.journal).clone()
    }

    /// Those of them that change something, if they succeed.
    pub fn writes(&self) -> Vec<Entry> {
        self.requests().into_iter().filter(|entry| entry.is_write).collect()
    }

    /// The writes so far, one in each line: `POST /repos/octo/quill/issues/5/comments 201`.
    pub fn story(&self) -> String {
        self.writes().iter().flat_map(|entry| [entry.to_string(), "\n".into()]).collect()
    }

    /// Forgets the requests so far.
    pub fn forget(&self) {
        locked(&self.journal).clear();
    }

    /// Does what is asked, or what was ordered instead.
    pub(crate) fn serve(&self, request: &Request) -> Outcome {
        let entry = self.entry(request);
        let operation = entry.operation.clone();
        let at = self.arrived(entry);
        let ordered = locked(&self.script).next(&operation);
        let outcome = match ordered {
            Some((done, deed)) => self.obey(request, done, deed),
            None => Outcome::Answer(self.work(request)),
        };
        self.ended(at, &operation, &outcome);
        outcome
    }

    fn obey(&self, request: &Request, done: bool, deed: Deed) -> Outcome {
        let answer = done.then(|| self.work(request));
        let answer = || answer.unwrap_or_else(|| self.work(request));
        match deed {
            Deed::Answer { status, headers, body } => Outcome::Answer(self.said(status, headers, &body)),
            Deed::Cut => Outcome::Cut,
            Deed::Halve => Outcome::Half(answer()),
            Deed::Hang => Outcome::Hang,
            Deed::Delay(by) => {
                std::thread::sleep(by);
                Outcome::Answer(answer())
            }
            Deed::Hook(hook) => {
                hook(self);
                Outcome::Answer(answer())
            }
        }
    }

    fn said(&self, status: u16, headers: Vec<(String, String)>, body: &Value) -> Answer {
        let mut answer = match body {
            Value::String(text) => Answer { status, body: text.clone().into_bytes(), ..Answer::default() },
            body => Answer::json(status, body),
        };
        answer = self.dressed(answer);
        for (name, value) in headers {
            answer = answer.header(&name, value);
        }
        answer
    }

    fn work(&self, request: &Request) -> Answer {
        let mut world = locked(&self.world);
        let caller = token(request).and_then(|text| world.tokens.get(text).cloned());
        let url = world.public_url.clone().unwrap_or_else(|| self.url.clone());
        let api = if request.path.starts_with("/api/") { format!("{url}/api/v3") } else { url };
        let mut desk = Desk { world: &mut world, git: &self.git, request, caller, api };
        let answer = match desk.refused() {
            Some(answer) => answer,
            None if is_graphql(request) => graphql::answer(&mut desk),
            None => rest::answer(&mut desk),
        };
        drop(world);
        self.dressed(answer)
    }

    /// With the headers that all answers have.
    fn dressed(&self, answer: Answer) -> Answer {
        let used = locked(&self.journal).len();
        let headers = [
            ("server", "github.com".into()),
            ("x-github-request-id", format!("FA4E:{used:04X}")),
            ("x-ratelimit-limit", "5000".into()),
            ("x-ratelimit-remaining", 5000_usize.saturating_sub(used).to_string()),
            ("x-ratelimit-used", used.to_string()),
            ("x-ratelimit-reset", "4102444800".into()),
            ("x-ratelimit-resource", "core".into()),
        ];
        headers.into_iter().fold(answer, |answer, (name, value)| answer.header(name, value))
    }

    fn entry(&self, request: &Request) -> Entry {
        let body = request.json().unwrap_or_else(|| String::from_utf8_lossy(&request.body).into());
        let called = is_graphql(request).then(|| graphql::called(&body)).flatten();
        let (operation, is_write) = match called {
            Some((name, is_mutation)) => (format!("{GRAPHQL}{name}"), is_mutation),
            None => {
                (format!("{} {}", request.method, decoded(plain(&request.path))), request.method != "GET")
            }
        };
        let login =
            token(request).and_then(|text| self.with(|world| Some(world.tokens.get(text)?.login.clone())));
        Entry { operation, query: request.query.clone(), login, body, is_write, end: End::Pending }
    }

    fn arrived(&self, entry: Entry) -> usize {
        let mut journal = locked(&self.journal);
        journal.push(entry);
        journal.len() - 1
    }

    fn ended(&self, at: usize, operation: &str, outcome: &Outcome) {
        let end = match outcome {
            Outcome::Answer(answer)
                if operation.starts_with(GRAPHQL) && graphql::has_errors(&answer.body) =>
            {
                End::Errors
            }
            Outcome::Answer(answer) => End::Status(answer.status),
            _ => End::None,
        };
        let mut journal = locked(&self.journal);
        // The journal may have been forgotten meanwhile.
        let Some(entry) = journal.get_mut(at).filter(|entry| entry.operation == operation) else { return };
        entry.end = end;
        if let Some(file) = &self.file {
            // A journal that cannot be written is missed by whoever reads it.
            let _ = write(&mut locked(file), entry);
        }
    }
}

fn write(file: &mut File, entry: &Entry) -> io::Result<()> {
    let mut line = serde_json::to_vec(entry)?;
    line.push(b'\n');
    file.write_all(&line)
}

/// A test that panics while it looks at the world says so itself.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The text of the token, if one is sent.
fn token(request: &Request) -> Option<&str> {
    let (scheme, text) = request.header("authorization")?.split_once(' ')?;
    ["bearer", "token"].contains(&scheme.to_ascii_lowercase().as_str()).then_some(text.trim())
}

/// The path as it is at github.com, wherever the API is.
pub(crate) fn plain(path: &str) -> &str {
    path.strip_prefix("/api/v3").filter(|rest| rest.starts_with('/')).unwrap_or(path)
}

fn is_graphql(request: &Request) -> bool {
    request.method == "POST" && ["/graphql", "/api/graphql"].contains(&request.path.as_str())
}

impl Desk<'_> {
    /// What everybody is refused who does not ask as GitHub wants it.
    fn refused(&self) -> Option<Answer> {
        if self.request.header("user-agent").is_none() {
            return Some(rest::error(
                403,
                "Request forbidden by administrative rules. Please make sure your request has a User-Agent header.",
            ));
        }
        if self.request.header("authorization").is_some() && self.caller.is_none() {
            return Some(rest::error(401, "Bad credentials"));
        }
        let version = self.request.header("x-github-api-version");
        if version.is_some_and(|version| !["2022-11-28", "2026-03-10"].contains(&version)) {
            return Some(rest::error(
                400,
                "The API version in the X-GitHub-Api-Version header is not supported.",
            ));
        }
        None
    }
}
