//! Decides whether and after which pause a failed call is retried. Also contains the clock, which tests replace.

use std::time::{Duration, SystemTime};

use super::error::{ApiError, ApiErrorKind, RequestedPause};

/// The maximum number of retries after transient errors.
const MOST_REPEATS: u32 = 4;
/// The maximum number of pauses for a rate limit.
const MOST_LIMITS: u32 = 10;
/// The first pause after a transient error, doubled for each further retry.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The first pause for a rate limit if GitHub does not say how long to wait, doubled for each further retry.
const LIMIT_PAUSE: Duration = Duration::from_mins(1);
/// The time to wait after a rate limit has ended, because the clocks may differ.
const MARGIN: Duration = Duration::from_secs(1);

/// Returns the pause for a rate limit after `before` earlier retries.
fn limit(asked: RequestedPause, before: u32, now: SystemTime) -> Duration {
    if let Some(after) = asked.after {
        return after;
    }
    let Some(until) = asked.until else {
        return doubled(LIMIT_PAUSE, before);
    };
    let now = now
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    Duration::from_secs(until)
        .saturating_sub(now)
        .saturating_add(MARGIN)
}

/// Returns the pause before the next attempt, after `before` earlier retries. `None` if there must not be a next attempt.
///
/// A write that may have been executed is never retried. A rate-limited request was not executed, so it is safe to retry.
pub(crate) fn pause(error: &ApiError, before: u32, now: SystemTime) -> Option<Duration> {
    match error.kind {
        ApiErrorKind::RateLimited if before < MOST_LIMITS => Some(limit(error.asked, before, now)),
        ApiErrorKind::Server | ApiErrorKind::Network | ApiErrorKind::Timeout
            if !error.maybe_done && before < MOST_REPEATS =>
        {
            Some(error.asked.after.unwrap_or(doubled(FIRST_PAUSE, before)))
        }
        _ => None,
    }
}

fn doubled(first: Duration, times: u32) -> Duration {
    first.saturating_mul(2_u32.saturating_pow(times))
}

/// A clock that can also wait.
pub trait Clock {
    /// The current time.
    fn now(&self) -> SystemTime;

    /// Blocks the thread for this time.
    fn sleep(&self, time: Duration);
}

/// The system's clock. It divides each waiting time by `speed`.
#[derive(Clone, Copy, Debug)]
pub struct System {
    /// The factor by which waiting is shortened: 1 outside of tests.
    pub speed: u32,
}

impl Clock for System {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, time: Duration) {
        std::thread::sleep(time / self.speed.max(1));
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};
    use proptest::prelude::*;

    use super::*;

    fn asked(headers: &[(&'static str, &str)]) -> RequestedPause {
        let pairs = headers.iter().map(|(name, value)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_str(value).unwrap(),
            )
        });
        RequestedPause::from_headers(&pairs.collect())
    }

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    fn failed(kind: ApiErrorKind) -> ApiError {
        ApiError::new(kind, "read", "")
    }

    fn limited(asked: RequestedPause, before: u32) -> Option<u64> {
        let mut limit = failed(ApiErrorKind::RateLimited);
        limit.asked = asked;
        pause(&limit, before, at(1_000)).map(|pause| pause.as_secs())
    }

    #[test]
    fn rate_limit_pause_follows_headers() {
        assert_eq!(
            limited(
                asked(&[
                    ("retry-after", "7"),
                    ("x-ratelimit-remaining", "0"),
                    ("x-ratelimit-reset", "1900")
                ]),
                0
            ),
            Some(7)
        );
        assert_eq!(
            limited(
                asked(&[
                    ("x-ratelimit-remaining", "0"),
                    ("x-ratelimit-reset", "1030")
                ]),
                0
            ),
            Some(31)
        );
        assert_eq!(
            limited(
                asked(&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "10")]),
                0
            ),
            Some(1)
        );
        // Requests remain, so the reset does not apply.
        assert_eq!(
            limited(
                asked(&[
                    ("x-ratelimit-remaining", "9"),
                    ("x-ratelimit-reset", "1030")
                ]),
                0
            ),
            Some(60)
        );
    }

    #[test]
    fn rate_limit_pause_without_headers_starts_at_a_minute_and_doubles() {
        assert_eq!(
            [0, 1, 2].map(|before| limited(RequestedPause::default(), before)),
            [Some(60), Some(120), Some(240)]
        );
        assert_eq!(
            limited(
                asked(&[("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT")]),
                0
            ),
            Some(60)
        );
        assert_eq!(limited(asked(&[("retry-after", "0")]), MOST_LIMITS), None);
    }

    #[test]
    fn only_unexecuted_calls_with_transient_errors_are_retried() {
        for kind in [
            ApiErrorKind::Server,
            ApiErrorKind::Network,
            ApiErrorKind::Timeout,
        ] {
            let mut error = failed(kind);
            let pauses = [0, 1, 2, 3, 4]
                .map(|before| pause(&error, before, at(0)).map(|pause| pause.as_millis()));
            assert_eq!(
                pauses,
                [Some(500), Some(1_000), Some(2_000), Some(4_000), None]
            );
            error.maybe_done = true;
            assert_eq!(pause(&error, 0, at(0)), None);
        }
        for kind in [
            ApiErrorKind::Authentication,
            ApiErrorKind::Permission,
            ApiErrorKind::NotFound,
            ApiErrorKind::Validation,
            ApiErrorKind::Conflict,
        ] {
            assert_eq!(pause(&failed(kind), 0, at(0)), None);
        }
    }

    proptest! {
        #[test]
        fn no_header_overflows(after in any::<u64>(), reset in any::<u64>(), before in 0..100_u32) {
            let headers = asked(&[
                ("retry-after", &after.to_string()),
                ("x-ratelimit-remaining", "0"),
                ("x-ratelimit-reset", &reset.to_string()),
            ]);
            limited(headers, before);
            limited(RequestedPause { after: None, ..headers }, before);
            limited(RequestedPause::default(), before);
        }
    }
}
