//! Fault injection: which requests fail, and how.
//!
//! A request is identified by its *operation*: method and path for REST (`POST /repos/octo/quill/issues/5/comments`),
//! `GRAPHQL` and the first field for GraphQL (`GRAPHQL createCommitOnBranch`). A *pattern* is an operation in which `*`
//! matches any text: `POST */comments`, `GRAPHQL create*`.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::hub::Hub;

pub(crate) struct Fault {
    pattern: String,
    /// How many matching requests to leave alone first.
    skip: u32,
    /// How many requests to affect; `None` for all.
    times: Option<u32>,
    /// Whether to handle the request before the effect.
    done: bool,
    effect: Effect,
}

#[derive(Clone)]
pub(crate) enum Effect {
    Answer {
        status: u16,
        headers: Vec<(String, String)>,
        body: Value,
    },
    Cut,
    Halve,
    /// Keeps the connection open without a response.
    Hang,
    Delay(Duration),
    Hook(Arc<dyn Fn(&Hub) + Send + Sync>),
}

/// The pending faults, in order of injection.
#[derive(Default)]
pub(crate) struct Script(Vec<Fault>);

impl Script {
    pub(crate) fn add(&mut self, fault: Fault) {
        if fault.times != Some(0) {
            self.0.push(fault);
        }
    }

    /// The effect of the first fault that is due, and whether to handle the request first. Later faults stay pending.
    pub(crate) fn next(&mut self, operation: &str) -> Option<(bool, Effect)> {
        let mut found = None;
        for fault in self.0.iter_mut().filter(|fault| matches(&fault.pattern, operation)) {
            if fault.skip > 0 {
                fault.skip -= 1;
            } else if found.is_none() {
                fault.times = fault.times.map(|times| times - 1);
                found = Some((fault.done, fault.effect.clone()));
            }
        }
        self.0.retain(|fault| fault.times != Some(0));
        found
    }
}

/// A fault under construction, which a method without `Self` as its result completes.
///
/// By default it affects the next matching request, which is not handled.
#[must_use = "an incomplete fault has no effect"]
pub struct When<'h> {
    hub: &'h Hub,
    fault: Fault,
}

impl<'h> When<'h> {
    pub(crate) fn new(hub: &'h Hub, pattern: &str) -> Self {
        let fault =
            Fault { pattern: pattern.into(), skip: 0, times: Some(1), done: false, effect: Effect::Cut };
        Self { hub, fault }
    }

    /// Starts at the `n`th matching request, counted from 1.
    pub fn nth(mut self, n: u32) -> Self {
        self.fault.skip = n.saturating_sub(1);
        self
    }

    /// Affects this many matching requests in a row.
    pub fn times(mut self, times: u32) -> Self {
        self.fault.times = Some(times);
        self
    }

    /// Affects all matching requests.
    pub fn always(mut self) -> Self {
        self.fault.times = None;
        self
    }

    /// Handles the request first: the comment or commit exists, whatever the client receives.
    pub fn done(mut self) -> Self {
        self.fault.done = true;
        self
    }

    /// Responds with this body: a string as it is, any other value as JSON.
    pub fn answer(self, status: u16, body: impl Into<Value>) {
        self.answer_with(status, &[], body);
    }

    /// Responds with these headers and this body.
    pub fn answer_with(self, status: u16, headers: &[(&str, &str)], body: impl Into<Value>) {
        let headers = headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        self.inject(Effect::Answer { status, headers, body: body.into() });
    }

    /// Exceeds the primary rate limit, which resets in `seconds` (`x-ratelimit-reset`).
    pub fn limit_until(self, seconds: u64) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let reset = (now + seconds).to_string();
        let headers =
            [("x-ratelimit-remaining", "0"), ("x-ratelimit-used", "5000"), ("x-ratelimit-reset", &reset)];
        self.answer_with(403, &headers, error("API rate limit exceeded for installation ID 7."));
    }

    /// Exceeds the secondary rate limit, with a `retry-after` header if `seconds` are given.
    pub fn limit_for(self, seconds: Option<u64>) {
        let text = seconds.map(|seconds| seconds.to_string());
        let headers: Vec<_> = text.iter().map(|text| ("retry-after", text.as_str())).collect();
        let message =
            "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
        self.answer_with(403, &headers, error(message));
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

    /// Handles the request, then delays the response.
    pub fn delay(self, time: Duration) {
        self.done().inject(Effect::Delay(time));
    }

    /// Runs `hook` before the request is handled, or after it with [`Self::done`], then responds as usual. The hook may
    /// change the world, push commits and send requests.
    pub fn hook(self, hook: impl Fn(&Hub) + Send + Sync + 'static) {
        self.inject(Effect::Hook(Arc::new(hook)));
    }

    fn inject(self, effect: Effect) {
        self.hub.inject(Fault { effect, ..self.fault });
    }
}

fn error(message: &str) -> Value {
    json!({ "message": message, "documentation_url": crate::rest::DOCS })
}

fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(start) else { return false };
    let starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    starts.into_iter().any(|at| matches(rest, &text[at..]))
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn star_matches_any_text() {
        let operation = "POST /repos/octo/quill/issues/5/comments";
        for pattern in ["*", "POST *", "*/comments", "POST */issues/*", "POST */issues/5/*s", operation] {
            assert!(matches(pattern, operation), "{pattern}");
        }
        for pattern in ["", "GET *", "*/comment", "POST */issues", "*/5/*/comments"] {
            assert!(!matches(pattern, operation), "{pattern}");
        }
    }
}
