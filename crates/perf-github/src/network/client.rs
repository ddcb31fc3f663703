//! Makes calls: authenticates, retries, and waits for GitHub's rate limits.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use perf_cli::Failure;
use perf_cli::term::{self, printable};
use serde::de::DeserializeOwned;

use super::api::Api;
use super::call::{self, Call};
use super::classify;
use super::error::{ApiError, ApiErrorKind};
use super::retry::{self, FailedCall, RequestedPause};
use super::retry::{Clock, System};
use super::token::Token;
use super::transport::{Answer, Transport};
use crate::names::{Account, Repo};

/// The number of entries per page, GitHub's maximum.
const PER_PAGE: &str = "100";
/// The maximum number of pages in a list. A pull request has at most 2,500 comments.
const MOST_PAGES: u32 = 100;

/// Shorter waits are not reported.
const WORTH_TELLING: Duration = Duration::from_secs(3);

/// A client's time limits and clock.
#[derive(Clone)]
pub struct ClientSettings {
    /// The limit for one call, from connecting to the last byte of the response.
    pub timeout: Duration,
    /// The limit for all waiting: for rate limits, before retries, and for calls without a response.
    pub patience: Duration,
    /// The clock.
    pub clock: Arc<dyn Clock>,
}

impl Default for ClientSettings {
    fn default() -> Self {
        let clock = Arc::new(System { speed: 1 });
        Self {
            timeout: Duration::from_secs(20),
            patience: Duration::from_mins(5),
            clock,
        }
    }
}

impl ClientSettings {
    /// Settings from the environment: `PERF_GATE_TIMEOUT`, the seconds for one call (20), `PERF_GATE_PATIENCE`, the total seconds
    /// for waiting (300), and `PERF_GATE_CLOCK_SPEED`, a factor by which waiting is shortened in tests (1).
    pub fn from_env() -> Result<Self, Failure> {
        Self::read(|name| std::env::var(name).ok())
    }

    /// Like [`ClientSettings::from_env`], with the environment variables in `variable`.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Failure> {
        let whole = |name: &str, least: u32, default: u32| {
            let Some(text) = variable(name).filter(|text| !text.trim().is_empty()) else {
                return Ok(default);
            };
            // Limit to a day, because a very large value would overflow the clock.
            match text.trim().parse() {
                Ok(number) if (least..=86_400).contains(&number) => Ok(number),
                _ => Err(
                    Failure::new(format!("{name} is set to `{}`", printable(&text)))
                        .hint(format!("it must be a whole number from {least} to 86400")),
                ),
            }
        };
        let seconds = |number: u32| Duration::from_secs(number.into());
        Ok(Self {
            timeout: seconds(whole("PERF_GATE_TIMEOUT", 1, 20)?),
            patience: seconds(whole("PERF_GATE_PATIENCE", 0, 300)?),
            clock: Arc::new(System {
                speed: whole("PERF_GATE_CLOCK_SPEED", 1, 1)?,
            }),
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
    /// Responses that never change, by path and media type.
    seen: RefCell<HashMap<(String, &'static str), Answer>>,
    pub(crate) me: OnceCell<Account>,
}

impl Client {
    /// Creates a client for `repo`. Reads the system's certificates, but sends nothing.
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

    /// The client's repository.
    pub fn repo(&self) -> &Repo {
        &self.repo
    }

    /// The path of a resource in the repository.
    pub(crate) fn route(&self, pieces: &[&str]) -> String {
        self.rest.clone() + &call::route(&self.repo, pieces)
    }

    /// Makes a call and parses the response as JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self, call: &Call) -> Result<T, ApiError> {
        let answer = self.answer(call)?;
        self.parsed(call, &answer)
    }

    /// Makes a call and returns the response's bytes.
    pub(crate) fn bytes(&self, call: &Call) -> Result<Vec<u8>, ApiError> {
        let answer = self.answer(call)?;
        let kind = answer
            .headers
            .get(http::header::CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok());
        // Directories and submodules are returned as JSON, whatever the requested media type.
        if kind.is_some_and(|kind| kind.starts_with("application/json")) {
            return Err(ApiError::new(
                ApiErrorKind::Malformed,
                &call.doing,
                "it is not a file",
            ));
        }
        Ok(answer.body)
    }

    /// Makes a call and ignores the response's content.
    pub(crate) fn done(&self, call: &Call) -> Result<(), ApiError> {
        self.answer(call).map(drop)
    }

    /// Reads all entries of a list, page by page. The URLs of further pages are not taken from the response, because they could
    /// send the token elsewhere.
    pub(crate) fn all<T: DeserializeOwned>(&self, call: Call) -> Result<Vec<T>, ApiError> {
        self.all_of(call, |page: Vec<T>| page)
    }

    /// Reads all entries of a list whose pages are objects.
    pub(crate) fn all_of<P: DeserializeOwned, T>(
        &self,
        call: Call,
        entries_of: impl Fn(P) -> Vec<T>,
    ) -> Result<Vec<T>, ApiError> {
        let call = call.with("per_page", PER_PAGE);
        let mut entries = Vec::new();
        for page in 1..=MOST_PAGES {
            let call = call.clone().with("page", &page.to_string());
            let answer = self.answer(&call)?;
            entries.extend(entries_of(self.parsed(&call, &answer)?));
            let links = answer
                .headers
                .get_all(http::header::LINK)
                .iter()
                .filter_map(|links| links.to_str().ok());
            if !links
                .flat_map(|links| links.split(','))
                .any(|link| link.contains("rel=\"next\""))
            {
                return Ok(entries);
            }
        }
        let why = format!("the list has more than {MOST_PAGES} pages");
        Err(ApiError::new(ApiErrorKind::Malformed, &call.doing, &why))
    }

    /// Parses a response as JSON.
    pub(crate) fn parsed<T: DeserializeOwned>(
        &self,
        call: &Call,
        answer: &Answer,
    ) -> Result<T, ApiError> {
        serde_json::from_slice(&answer.body).map_err(|error| self.unexpected_response(call, &error))
    }

    /// The error for a response that is not the expected JSON. A write may have been executed nevertheless.
    pub(crate) fn unexpected_response(&self, call: &Call, error: &serde_json::Error) -> ApiError {
        let why = format!(
            "unexpected response: {}",
            printable(&self.token.redact(&error.to_string()))
        );
        ApiError::new(ApiErrorKind::Malformed, &call.doing, &why).of_write(call.writes)
    }

    /// Makes a call with retries, or returns the cached response if it never changes.
    pub(crate) fn answer(&self, call: &Call) -> Result<Answer, ApiError> {
        let key = (call.path.clone(), call.accept);
        let seen = self.seen.borrow().get(&key).cloned();
        match seen.filter(|_| call.fixed) {
            Some(answer) if answer.status.is_success() => Ok(answer),
            Some(answer) => Err(self.refusal(call, &answer).0),
            None => self.with_retries(call.once, || self.attempt(call)),
        }
    }

    /// Makes attempts until one succeeds, an error is permanent, or the waiting time is used up. A call that is made `once` returns
    /// its error after the first pause.
    pub(crate) fn with_retries<T>(
        &self,
        once: bool,
        attempt: impl Fn() -> Result<T, (ApiError, RequestedPause)>,
    ) -> Result<T, ApiError> {
        let mut before = 0;
        loop {
            let begun = self.clock.now();
            let (error, asked) = match attempt() {
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            let failed = FailedCall {
                kind: error.kind,
                maybe_done: error.maybe_done(),
                asked,
            };
            let Some(pause) = retry::pause(failed, before, self.clock.now()) else {
                return Err(error);
            };
            // The time of a call without a response also counts as waiting.
            let is_unanswered = matches!(error.kind, ApiErrorKind::Timeout | ApiErrorKind::Network);
            let lost = self
                .clock
                .now()
                .duration_since(begun)
                .ok()
                .filter(|_| is_unanswered)
                .unwrap_or_default();
            let left = self.patience.get().saturating_sub(lost);
            let Some(after) = left.checked_sub(pause) else {
                return Err(error.impatient(pause, left));
            };
            self.patience.set(after);
            if pause >= WORTH_TELLING {
                term::note(&format!("{error}; waiting {} s", pause.as_secs()));
            }
            self.clock.sleep(pause);
            if once {
                return Err(error.after_pause());
            }
            before += 1;
        }
    }

    /// Makes a call once.
    pub(crate) fn attempt(&self, call: &Call) -> Result<Answer, (ApiError, RequestedPause)> {
        let answer = self.transport.attempt(call).map_err(|lost| {
            let error = ApiError::new(lost.kind, &call.doing, &self.token.redact(&lost.why));
            (
                error.of_write(call.writes && lost.sent),
                RequestedPause::default(),
            )
        })?;
        let is_success = answer.status.is_success();
        // A file that does not exist at a commit never will.
        if call.fixed && (is_success || answer.status == StatusCode::NOT_FOUND) {
            let key = (call.path.clone(), call.accept);
            self.seen.borrow_mut().insert(key, answer.clone());
        }
        if is_success {
            Ok(answer)
        } else {
            Err(self.refusal(call, &answer))
        }
    }

    /// The error for an unsuccessful response.
    fn refusal(&self, call: &Call, answer: &Answer) -> (ApiError, RequestedPause) {
        let asked = RequestedPause::from_headers(&answer.headers);
        let (kind, why) = classify::classify_response(answer.status, asked, &answer.body);
        let error = ApiError::new(kind, &call.doing, &self.token.redact(&why));
        let error = error.needing(call.needs.filter(|_| kind == ApiErrorKind::Permission));
        // After a gateway timeout, the server may still have executed the write.
        let maybe_done = call.writes
            && matches!(
                kind,
                ApiErrorKind::Server | ApiErrorKind::Timeout | ApiErrorKind::Malformed
            );
        (error.of_write(maybe_done), asked)
    }
}
