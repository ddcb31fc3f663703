//! Makes calls: authenticates, retries, and waits for GitHub's rate limits.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use perf_cli::Failure;
use perf_cli::term::{self, printable};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use super::api::Api;
use super::call::{self, Call};
use super::classify;
use super::error::{ApiError, ApiErrorKind, RequestedPause};
use super::retry::{self, Clock, System};
use super::token::Token;
use super::transport::{Answer, Transport};
use crate::names::{Account, Repo};

/// The number of entries per page, GitHub's maximum.
const PER_PAGE: &str = "100";
/// The maximum number of pages to read from a list. A pull request has at most 2,500 comments.
const MOST_PAGES: u32 = 100;

/// Pauses shorter than this are not reported.
const WORTH_TELLING: Duration = Duration::from_secs(3);

/// A client's time limits and clock.
#[derive(Clone)]
pub struct ClientSettings {
    /// The limit for one call, from connecting to the last byte of the response.
    pub timeout: Duration,
    /// The limit for the total waiting time: for rate limits, before retries, and during calls that get no response.
    pub patience: Duration,
    /// The clock for waiting. Tests replace it.
    pub clock: Arc<dyn Clock>,
}

impl ClientSettings {
    /// Reads the settings from the environment. `PERF_GATE_TIMEOUT` is the time limit for one call in seconds (default 20).
    /// `PERF_GATE_PATIENCE` is the total waiting time in seconds (default 300). `PERF_GATE_CLOCK_SPEED` is the factor by
    /// which tests shorten waiting (default 1).
    pub fn from_env() -> Result<Self, Failure> {
        Self::read(|name| std::env::var(name).ok())
    }

    /// Like [`ClientSettings::from_env`], but calls `variable` for the value of each environment variable.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Failure> {
        let mut numbers = [0; 3];
        for (number, (name, least, default)) in numbers.iter_mut().zip([
            ("PERF_GATE_TIMEOUT", 1, 20),
            ("PERF_GATE_PATIENCE", 0, 300),
            ("PERF_GATE_CLOCK_SPEED", 1, 1),
        ]) {
            let text = variable(name).unwrap_or_default();
            *number = match text.trim() {
                "" => default,
                text => text.parse().unwrap_or(u32::MAX),
            };
            // Limit to a day, because a very large value would overflow the clock.
            if !(least..=86_400).contains(number) {
                let message = format!("{name} is set to `{}`", printable(&text));
                let hint = format!("it must be a whole number from {least} to 86400");
                return Err(Failure::new(message).hint(hint));
            }
        }
        let [timeout, patience, speed] = numbers;
        Ok(Self {
            timeout: Duration::from_secs(timeout.into()),
            patience: Duration::from_secs(patience.into()),
            clock: Arc::new(System { speed }),
        })
    }
}

/// A client for one repository. Its calls block.
pub struct Client {
    transport: Transport,
    pub(crate) token: Token,
    pub(crate) repo: Repo,
    pub(crate) graphql: String,
    rest: String,
    clock: Arc<dyn Clock>,
    patience: Cell<Duration>,
    /// Responses that never change, by the path of the call.
    seen: RefCell<HashMap<String, Answer>>,
    pub(crate) me: OnceCell<Account>,
}

impl Client {
    /// Creates a client for `repo`. Reads the system's certificates, but does not connect yet.
    pub fn new(
        api: &Api,
        repo: Repo,
        token: &Token,
        settings: ClientSettings,
    ) -> Result<Self, ApiError> {
        let transport = Transport::new(api, token, settings.timeout)
            .map_err(|lost| ApiError::new(lost.kind, "reach GitHub", &lost.why))?;
        Ok(Self {
            transport,
            token: token.clone(),
            repo,
            graphql: api.graphql.clone(),
            rest: api.rest.clone(),
            patience: Cell::new(settings.patience),
            clock: settings.clock,
            seen: RefCell::default(),
            me: OnceCell::new(),
        })
    }

    /// The clock that the client waits with.
    pub fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// Creates a call that reads a resource in the repository. `pieces` are the segments of the resource's path.
    pub(crate) fn call(&self, doing: impl Into<String>, pieces: &[&str]) -> Call {
        Call::read(doing, self.rest.clone() + &call::route(&self.repo, pieces))
    }

    /// Makes a call and parses the response as JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self, call: &Call) -> Result<T, ApiError> {
        self.json_at(call, "")
    }

    /// Makes a call and parses the part of the JSON response at `pointer`. A missing part is parsed as null.
    pub(crate) fn json_at<T: DeserializeOwned>(
        &self,
        call: &Call,
        pointer: &str,
    ) -> Result<T, ApiError> {
        self.part(call, &self.answer(call)?, pointer)
    }

    /// Makes a call and returns a file's bytes.
    pub(crate) fn bytes(&self, call: &Call) -> Result<Vec<u8>, ApiError> {
        let answer = self.answer(call)?;
        let kind = answer.headers.get(http::header::CONTENT_TYPE);
        // GitHub returns directories and submodules as JSON, even if the raw media type is requested.
        if kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json")) {
            return Err(self.error(call, ApiErrorKind::Malformed, "it is not a file"));
        }
        Ok(answer.body)
    }

    /// Makes a call and ignores the response's content, which is JSON or empty.
    pub(crate) fn done(&self, call: &Call) -> Result<(), ApiError> {
        let answer = self.answer(call)?;
        if answer.body.is_empty() {
            return Ok(());
        }
        self.part(call, &answer, "").map(|IgnoredAny| ())
    }

    /// Reads all entries of a list, page by page.
    pub(crate) fn all<T: DeserializeOwned>(&self, call: Call) -> Result<Vec<T>, ApiError> {
        self.all_of(call, "")
    }

    /// Reads all entries of a list, page by page. In each page, the entries are at `pointer`. The URLs of further pages are
    /// not taken from the response, because they could send the token elsewhere.
    pub(crate) fn all_of<T: DeserializeOwned>(
        &self,
        call: Call,
        pointer: &str,
    ) -> Result<Vec<T>, ApiError> {
        let call = call.with("per_page", PER_PAGE);
        let mut entries = Vec::new();
        for page in 1..=MOST_PAGES {
            let call = call.clone().with("page", &page.to_string());
            let answer = self.answer(&call)?;
            entries.extend(self.part::<Vec<T>>(&call, &answer, pointer)?);
            let mut links = answer.headers.get_all(http::header::LINK).iter();
            let is_next = |links: &str| links.contains("rel=\"next\"");
            if !links.any(|links| links.to_str().is_ok_and(is_next)) {
                return Ok(entries);
            }
        }
        let why = format!("the list has more than {MOST_PAGES} pages");
        Err(self.error(&call, ApiErrorKind::Malformed, &why))
    }

    /// Parses the part of a JSON response at `pointer`. A missing part is parsed as null.
    pub(crate) fn part<T: DeserializeOwned>(
        &self,
        call: &Call,
        answer: &Answer,
        pointer: &str,
    ) -> Result<T, ApiError> {
        let parsed = serde_json::from_slice(&answer.body).and_then(|mut value: Value| {
            let part = value.pointer_mut(pointer).map(Value::take);
            serde_json::from_value(part.unwrap_or_default())
        });
        parsed.map_err(|error| {
            let error = printable(&self.token.redact(&error.to_string()));
            let why = format!("unexpected response: {error}");
            self.error(call, ApiErrorKind::Malformed, &why)
        })
    }

    /// Creates the error for a failed call, and removes the token from its message.
    pub(crate) fn error(&self, call: &Call, kind: ApiErrorKind, why: &str) -> ApiError {
        let mut error = ApiError::new(kind, &call.doing, &self.token.redact(why));
        // After a gateway timeout, the server may still have executed the write.
        error.maybe_done = call.writes
            && matches!(
                kind,
                ApiErrorKind::Server | ApiErrorKind::Timeout | ApiErrorKind::Malformed
            );
        match call.needs {
            Some(permission) if kind == ApiErrorKind::Permission => error.needing(permission),
            _ => error,
        }
    }

    /// Makes a call with retries. If the response never changes and is already known, no call is made.
    fn answer(&self, call: &Call) -> Result<Answer, ApiError> {
        if call.fixed
            && let Some(answer) = self.seen.borrow().get(&call.path)
        {
            return self.checked(call, answer.clone());
        }
        self.with_retries(call.once, || self.attempt(call))
    }

    /// Makes attempts until one succeeds, an error must not be retried, or the waiting time is used up. If `once` is true,
    /// waits for the first pause and then returns the error, so that the caller can read again before it retries.
    pub(crate) fn with_retries<T>(
        &self,
        once: bool,
        attempt: impl Fn() -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let mut before = 0;
        loop {
            let begun = self.clock.now();
            let mut error = match attempt() {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let now = self.clock.now();
            let Some(pause) = retry::pause(&error, before, now) else {
                return Err(error);
            };
            let mut left = self.patience.get();
            // The time of a call that got no response is also waiting time.
            if matches!(error.kind, ApiErrorKind::Timeout | ApiErrorKind::Network) {
                left = left.saturating_sub(now.duration_since(begun).unwrap_or_default());
            }
            let Some(after) = left.checked_sub(pause) else {
                return Err(error.impatient(pause, left));
            };
            self.patience.set(after);
            if pause >= WORTH_TELLING {
                term::note(&format!("{error}; waiting {} s", pause.as_secs()));
            }
            self.clock.sleep(pause);
            if once {
                error.is_due = true;
                return Err(error);
            }
            before += 1;
        }
    }

    /// Makes a call once. Remembers the response if it never changes.
    pub(crate) fn attempt(&self, call: &Call) -> Result<Answer, ApiError> {
        let answer = self.transport.attempt(call).map_err(|lost| {
            let mut error = self.error(call, lost.kind, &lost.why);
            error.maybe_done = call.writes && lost.sent;
            error
        })?;
        // A file that does not exist at a commit will never exist there.
        if call.fixed && (answer.status.is_success() || answer.status == StatusCode::NOT_FOUND) {
            let mut seen = self.seen.borrow_mut();
            seen.insert(call.path.clone(), answer.clone());
        }
        self.checked(call, answer)
    }

    /// Returns the response, or an error if its status is not a success.
    fn checked(&self, call: &Call, answer: Answer) -> Result<Answer, ApiError> {
        if answer.status.is_success() {
            return Ok(answer);
        }
        let asked = RequestedPause::from_headers(&answer.headers);
        let (kind, why) = classify::classify_response(answer.status, asked, &answer.body);
        let mut error = self.error(call, kind, &why);
        error.asked = asked;
        Err(error)
    }
}
