//! Fault injection: which requests fail, and how.
//!
//! A request is identified by its *operation*: method and path for REST (`POST /repos/octo/quill/issues/5/comments`),
//! `GRAPHQL` and the first field for GraphQL (`GRAPHQL createCommitOnBranch`). A *pattern* is an operation in which `*`
//! matches any text: `POST */comments`, `GRAPHQL create*`.
//!
//! Tests build a fault with [`crate::Hub::when`]. The binary reads faults as JSON:
//!
//! ```
//! # use fake_github::{Fake, World, script::Fault};
//! # let fake = Fake::start(World::default())?;
//! let faults: Vec<Fault> = serde_json::from_str(r#"[
//!     { "on": "POST */comments", "do": { "answer": { "status": 502, "headers": { "retry-after": "1" }, "body": "Bad Gateway" } } },
//!     { "on": "POST */comments", "nth": 2, "times": 3, "done": true, "do": "cut" },
//!     { "on": "GET *", "always": true, "do": "halve" },
//!     { "on": "PATCH *", "do": "hang" },
//!     { "on": "GET */pulls/5", "do": { "delay": 20 } },
//!     { "on": "GET */pulls", "do": { "limit_until": 60 } },
//!     { "on": "GET */pulls", "do": { "limit_for": 60 } },
//!     { "on": "GRAPHQL createCommitOnBranch", "do": { "push": { "branch": "main", "files": { "README.md": "text" }, "message": "Update" } } },
//!     { "on": "POST */comments", "do": { "comment": { "pull": 5, "author": "ada", "body": "text" } } }
//! ]"#)?;
//! for fault in faults {
//!     fake.inject(fault);
//! }
//! # Ok::<(), std::io::Error>(())
//! ```

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use http::header::RETRY_AFTER;
use http::{HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::Value;

use crate::http::Response;
use crate::rest;

/// A fault to inject.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    #[serde(rename = "on")]
    pub(crate) pattern: String,
    /// The first matching request to affect, counted from 1.
    #[serde(default = "one")]
    pub(crate) nth: u32,
    /// How many requests to affect, unless `always`.
    #[serde(default = "one")]
    pub(crate) times: u32,
    #[serde(default)]
    pub(crate) always: bool,
    /// Whether to handle the request before the effect.
    #[serde(default)]
    pub(crate) done: bool,
    #[serde(rename = "do")]
    pub(crate) effect: Effect,
}

fn one() -> u32 {
    1
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Effect {
    Answer {
        status: u16,
        #[serde(default)]
        headers: BTreeMap<String, String>,
        #[serde(default)]
        body: Value,
    },
    Cut,
    Halve,
    /// Keeps the connection open without a response.
    Hang,
    /// Milliseconds.
    Delay(u64),
    /// Seconds.
    LimitUntil(u64),
    /// Seconds; `null` omits `retry-after`.
    LimitFor(Option<u64>),
    Push {
        branch: String,
        files: BTreeMap<String, String>,
        message: String,
    },
    Comment {
        pull: u64,
        author: String,
        body: String,
    },
    /// The hook of this number.
    #[serde(skip)]
    Hook(usize),
}

/// The pending faults, in order of injection.
#[derive(Default)]
pub(crate) struct Script(Vec<Fault>);

impl Script {
    pub(crate) fn add(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    /// The effect of the first fault that is due, and whether to handle the request first. Later faults stay pending.
    pub(crate) fn next(&mut self, operation: &str) -> Option<(bool, Effect)> {
        let mut found = None;
        for fault in self.0.iter_mut().filter(|fault| matches(&fault.pattern, operation)) {
            if fault.nth > 1 {
                fault.nth -= 1;
            } else if found.is_none() && (fault.always || fault.times > 0) {
                fault.times = fault.times.saturating_sub(1);
                found = Some((fault.done, fault.effect.clone()));
            }
        }
        self.0.retain(|fault| fault.always || fault.times > 0);
        found
    }
}

/// The error at the primary rate limit, which resets in `seconds`.
pub(crate) fn primary_limit(seconds: u64) -> Response {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let mut response = rest::error(403, "API rate limit exceeded for installation ID 7.");
    response.headers_mut().extend([
        (HeaderName::from_static("x-ratelimit-remaining"), HeaderValue::from(0)),
        (HeaderName::from_static("x-ratelimit-used"), HeaderValue::from(5000)),
        (HeaderName::from_static("x-ratelimit-reset"), HeaderValue::from(now.saturating_add(seconds))),
    ]);
    response
}

/// The error at the secondary rate limit.
pub(crate) fn secondary_limit(seconds: Option<u64>) -> Response {
    let message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
    let mut response = rest::error(403, message);
    response.headers_mut().extend(seconds.map(|seconds| (RETRY_AFTER, HeaderValue::from(seconds))));
    response
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
