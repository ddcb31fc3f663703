//! Building faults.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::hub::Hub;
use crate::script::{Effect, Fault};

impl Hub {
    /// Injects a fault into requests that match a pattern (see [`crate::script`]).
    pub fn when(&self, pattern: &str) -> When<'_> {
        When::new(self, pattern)
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
        let pattern = pattern.into();
        let fault = Fault { pattern, nth: 1, times: 1, always: false, done: false, effect: Effect::Cut };
        Self { hub, fault }
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
    pub fn always(mut self) -> Self {
        self.fault.always = true;
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
        self.inject(Effect::LimitUntil(seconds));
    }

    /// Exceeds the secondary rate limit, with a `retry-after` header if `seconds` are given.
    pub fn limit_for(self, seconds: Option<u64>) {
        self.inject(Effect::LimitFor(seconds));
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
        self.inject(Effect::Delay(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)));
    }

    /// Runs `hook` before the request is handled, or after it with [`Self::done`], then responds as usual. The hook may
    /// change the world, push commits and send requests.
    pub fn hook(self, hook: impl Fn(&Hub) + Send + Sync + 'static) {
        let number = self.hub.keep(Arc::new(hook));
        self.inject(Effect::Hook(number));
    }

    fn inject(self, effect: Effect) {
        self.hub.inject(Fault { effect, ..self.fault });
    }
}
