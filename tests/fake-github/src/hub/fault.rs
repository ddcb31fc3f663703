//! Fault injection: which requests fail, and how.
//!
//! A request is identified by its *operation*: method and path for REST (`POST /repos/octo/quill/issues/5/comments`),
//! `GRAPHQL` and the field for GraphQL (`GRAPHQL createCommitOnBranch`). A *pattern* is an operation in which `*`
//! matches any text: `POST */comments`, `GRAPHQL create*`.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use http::{HeaderName, HeaderValue};
use serde_json::{Value, json};

use crate::hub::Hub;
use crate::request::{Response, error, json as json_response, raw};

/// A fault that is being configured; a method that does not return `Self` injects it.
///
/// By default it affects the next matching request, which is not handled.
#[must_use = "an incomplete fault has no effect"]
pub struct When<'h> {
    pub(crate) hub: &'h Hub,
    pub(crate) fault: Fault,
}

/// A fault to inject.
pub(crate) struct Fault {
    pattern: String,
    /// The first matching request to affect, counted from 1.
    nth: u32,
    /// The number of requests to affect.
    times: u32,
    /// Whether to handle the request before the effect.
    done: bool,
    effect: Effect,
}

/// Code to run with a request.
pub(crate) type Hook = Arc<dyn Fn(&Hub) + Send + Sync>;

#[derive(Clone)]
pub(crate) enum Effect {
    Answer(Response),
    Cut,
    Halve,
    /// Keeps the connection open without a response.
    Hang,
    Hook(Hook),
}

impl<'h> When<'h> {
    /// A fault that closes the connection on the next matching request.
    pub(crate) fn new(hub: &'h Hub, pattern: &str) -> Self {
        let pattern = pattern.into();
        Self {
            hub,
            fault: Fault {
                pattern,
                nth: 1,
                times: 1,
                done: false,
                effect: Effect::Cut,
            },
        }
    }

    /// Starts at the `n`th matching request, counted from 1.
    pub fn nth(mut self, n: u32) -> Self {
        self.fault.nth = n;
        self
    }

    /// Affects this many matching requests in a row.
    pub fn times(mut self, times: u32) -> Self {
        self.fault.times = times;
        self
    }

    /// Affects all matching requests.
    pub fn always(self) -> Self {
        self.times(u32::MAX)
    }

    /// Handles the request first, so the comment or commit exists even if the client gets no response.
    pub fn done(mut self) -> Self {
        self.fault.done = true;
        self
    }

    /// Responds with this body: a string unchanged, any other value as JSON.
    pub fn answer(self, status: u16, body: impl Into<Value>) {
        self.answer_with(status, &[], body);
    }

    /// Responds with these headers and this body.
    pub fn answer_with(self, status: u16, headers: &[(&str, &str)], body: impl Into<Value>) {
        let mut response = match body.into() {
            Value::String(text) => raw(status, text),
            body => json_response(status, &body),
        };
        for (name, value) in headers {
            match (HeaderName::try_from(*name), HeaderValue::try_from(*value)) {
                (Ok(name), Ok(value)) => drop(response.headers_mut().insert(name, value)),
                _ => response = error(500, &format!("invalid header `{name}: {value}` in a fault")),
            }
        }
        self.inject(Effect::Answer(response));
    }

    /// Exceeds the primary rate limit, which resets in `seconds` (`x-ratelimit-reset`).
    pub fn limit_until(self, seconds: u64) {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_secs();
        let reset = now.saturating_add(seconds).to_string();
        let headers = [
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", &*reset),
        ];
        let message = "API rate limit exceeded for installation ID 7.";
        self.answer_with(403, &headers, json!({ "message": message }));
    }

    /// Exceeds the secondary rate limit, with a `retry-after` header if `seconds` is set.
    pub fn limit_for(self, seconds: Option<u64>) {
        let message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
        let seconds = seconds.map(|seconds| seconds.to_string());
        let headers: Vec<(&str, &str)> = seconds
            .iter()
            .map(|seconds| ("retry-after", seconds.as_str()))
            .collect();
        self.answer_with(403, &headers, json!({ "message": message }));
    }

    /// Closes the connection without a response.
    pub fn cut(self) {
        self.inject(Effect::Cut);
    }

    /// Handles the request, then closes the connection in the middle of the response body.
    pub fn halve(self) {
        self.inject(Effect::Halve);
    }

    /// Never responds, and keeps the connection open.
    pub fn hang(self) {
        self.inject(Effect::Hang);
    }

    /// Runs `hook` before the request is handled, or after it with [`Self::done`], then responds as usual. The hook may
    /// change the world, push commits and send requests.
    pub fn hook(self, hook: impl Fn(&Hub) + Send + Sync + 'static) {
        self.inject(Effect::Hook(Arc::new(hook)));
    }

    fn inject(self, effect: Effect) {
        self.hub.inject(Fault {
            effect,
            ..self.fault
        });
    }
}

/// The effect of the first pending fault that is due, and whether to handle the request first. Later faults stay pending.
pub(crate) fn next(pending: &mut Vec<Fault>, operation: &str) -> Option<(bool, Effect)> {
    let mut found = None;
    for fault in pending
        .iter_mut()
        .filter(|fault| matches(&fault.pattern, operation))
    {
        if fault.nth > 1 {
            fault.nth -= 1;
        } else if found.is_none() {
            fault.times -= u32::from(fault.times != u32::MAX);
            found = Some((fault.done, fault.effect.clone()));
        }
    }
    pending.retain(|fault| fault.times > 0);
    found
}

fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(text) = text.strip_prefix(start) else {
        return false;
    };
    let starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    starts.into_iter().any(|at| matches(rest, &text[at..]))
}
