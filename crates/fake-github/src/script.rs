//! Trouble on order: what happens to which request.
//!
//! A request is named by its *operation*: method and path for REST (`POST /repos/octo/quill/issues/5/comments`),
//! `GRAPHQL` and the first field for GraphQL (`GRAPHQL createCommitOnBranch`). A *pattern* is an operation in which `*`
//! stands for any text: `POST */comments` and `GRAPHQL create*`.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::Value;

use crate::hub::Hub;

/// What to do, and when.
pub(crate) struct Rule {
    on: String,
    /// How many requests pass before the first that is meant.
    skip: u32,
    /// How many are meant; `None` for all.
    times: Option<u32>,
    /// Whether the request's work is done all the same.
    pub(crate) done: bool,
    pub(crate) deed: Deed,
}

/// What to do instead of answering, or before it.
#[derive(Clone)]
pub(crate) enum Deed {
    /// Answer this.
    Answer { status: u16, headers: Vec<(String, String)>, body: Value },
    /// Close the connection.
    Cut,
    /// Send the first half of the answer, then close the connection.
    Halve,
    /// Send nothing, and keep the connection open until the client closes it.
    Hang,
    /// Answer as usual, but this much later.
    Delay(Duration),
    /// Do this, then answer as usual.
    Hook(Hook),
}

/// What a test does meanwhile.
pub(crate) type Hook = std::sync::Arc<dyn Fn(&Hub) + Send + Sync>;

/// The rules that wait.
#[derive(Default)]
pub(crate) struct Script(VecDeque<Rule>);

impl Script {
    pub(crate) fn add(&mut self, rule: Rule) {
        self.0.push_back(rule);
    }

    /// What happens to a request: the deed of the first rule that means it, and whether its work is done. The rules
    /// after that one wait for the next request.
    pub(crate) fn next(&mut self, operation: &str) -> Option<(bool, Deed)> {
        let mut found = None;
        for rule in &mut self.0 {
            if matches(&rule.on, operation) && rule.is_due() && found.is_none() {
                rule.times = rule.times.map(|times| times - 1);
                found = Some((rule.done, rule.deed.clone()));
            }
        }
        self.0.retain(|rule| rule.times != Some(0));
        found
    }
}

impl Rule {
    /// Counts a request, and tells whether enough have passed before it.
    fn is_due(&mut self) -> bool {
        let is_due = self.skip == 0;
        self.skip = self.skip.saturating_sub(1);
        is_due
    }
}

/// An order that is not finished: what is to happen is still to be said.
///
/// Unless told otherwise, it is the next request that is meant, and its work is not done.
#[must_use = "nothing happens before it is said what"]
pub struct When<'h> {
    hub: &'h Hub,
    on: String,
    skip: u32,
    times: Option<u32>,
    done: bool,
}

impl<'h> When<'h> {
    pub(crate) fn new(hub: &'h Hub, pattern: &str) -> Self {
        Self { hub, on: pattern.into(), skip: 0, times: Some(1), done: false }
    }

    /// From the `n`th request on that the pattern fits, counted from now and from 1.
    pub fn nth(mut self, n: u32) -> Self {
        self.skip = n.saturating_sub(1);
        self
    }

    /// So many requests, one after the other.
    pub fn times(mut self, times: u32) -> Self {
        self.times = Some(times);
        self
    }

    /// All requests from then on.
    pub fn always(mut self) -> Self {
        self.times = None;
        self
    }

    /// The request's work is done first, whatever the client is told: a comment is made, a commit is there.
    pub fn done(mut self) -> Self {
        self.done = true;
        self
    }

    /// The answer is this. A text is sent as it is, anything else as JSON.
    pub fn answer(self, status: u16, body: impl Into<Value>) {
        self.answer_with(status, &[], body);
    }

    /// The answer is this, with these headers.
    pub fn answer_with(self, status: u16, headers: &[(&str, &str)], body: impl Into<Value>) {
        let headers = headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        self.add(Deed::Answer { status, headers, body: body.into() });
    }

    /// The hourly limit is used up; it ends in so many seconds (`x-ratelimit-reset`).
    pub fn limit_until(self, seconds: u64) {
        let reset = (now() + seconds).to_string();
        let headers =
            [("x-ratelimit-remaining", "0"), ("x-ratelimit-used", "5000"), ("x-ratelimit-reset", &reset)];
        self.answer_with(403, &headers, error("API rate limit exceeded for installation ID 7."));
    }

    /// The secondary limit: too much at once. Wait so many seconds, if it is told how long (`retry-after`).
    pub fn limit_for(self, seconds: Option<u64>) {
        let text = seconds.map(|seconds| seconds.to_string());
        let headers: Vec<(&str, &str)> = text.iter().map(|text| ("retry-after", text.as_str())).collect();
        let message =
            "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
        self.answer_with(403, &headers, error(message));
    }

    /// The connection is closed without an answer.
    pub fn cut(self) {
        self.add(Deed::Cut);
    }

    /// The connection is closed in the middle of the answer.
    pub fn halve(self) {
        self.add(Deed::Halve);
    }

    /// There is no answer, however long the client waits.
    pub fn hang(self) {
        self.add(Deed::Hang);
    }

    /// The answer comes so much later; the work is done before.
    pub fn delay(mut self, by: Duration) {
        self.done = true;
        self.add(Deed::Delay(by));
    }

    /// This happens, then the request is answered as usual. It happens before the request's work is done, or after it
    /// with [`Self::done`]. Nothing is locked meanwhile: it may change the world, push, and start other clients.
    pub fn hook(self, hook: impl Fn(&Hub) + Send + Sync + 'static) {
        self.add(Deed::Hook(std::sync::Arc::new(hook)));
    }

    fn add(self, deed: Deed) {
        let Self { hub, on, skip, times, done } = self;
        hub.order(Rule { on, skip, times, done, deed });
    }
}

/// An error's body as GitHub writes it.
fn error(message: &str) -> Value {
    serde_json::json!({ "message": message, "documentation_url": crate::rest::DOCS })
}

fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// Whether a text fits a pattern.
fn matches(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    let Some(last) = pattern.rfind('*').map(|at| &pattern[at + 1..]) else { return rest.is_empty() };
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    text.ends_with(last)
}
