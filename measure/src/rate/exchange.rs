//! Requests with one answer each, over several connections. The next free connection sends the next request.

use std::io;
use std::sync::{Mutex, PoisonError};

use super::schedule::{Clock, RateSchedule};
use super::tally::Tally;

/// A connection.
pub trait Exchange {
    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// The answer is missing or reports an error. The request is lost then.
    fn exchange(&mut self) -> io::Result<()>;
}

/// The next request's number. Whoever holds the lock waits for its time.
#[derive(Debug, Default)]
pub struct Turn(Mutex<u64>);

/// Sends requests on schedule until all are sent or the time is up.
///
/// Only one connection at a time waits for the clock. Otherwise they would compete with each other and the target for processors.
pub fn work(
    turn: &Turn,
    schedule: &RateSchedule,
    give_up: u64,
    clock: &impl Clock,
    target: &mut impl Exchange,
    tally: &mut Tally,
) {
    loop {
        let free = clock.now();
        let Some(number) = turn.next(schedule, give_up, clock) else {
            return;
        };
        let intended = schedule.intended(number);
        let sent = clock.now();
        tally.sent(sent.saturating_sub(intended.max(free)));
        if target.exchange().is_ok() {
            tally.answered(clock.now().saturating_sub(intended));
        }
    }
}

impl Turn {
    /// Waits for the next request's time, and returns its number. `None` if all are sent or the time is up.
    fn next(&self, schedule: &RateSchedule, give_up: u64, clock: &impl Clock) -> Option<u64> {
        let mut next = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if *next >= schedule.messages || clock.now() >= give_up {
            return None;
        }
        let number = *next;
        *next += 1;
        clock.wait_until(schedule.intended(number));
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::rate::schedule::fake::Fake;

    const MS: u64 = 1_000_000;

    /// Takes 100 µs for each request, but does nothing in the first 100 ms of each second.
    struct Stalling<'c>(&'c Fake);

    impl Exchange for Stalling<'_> {
        fn exchange(&mut self) -> io::Result<()> {
            let now = self.0.now();
            let within = now % (1000 * MS);
            let stall = (100 * MS).saturating_sub(within);
            self.0.wait_until(now + stall + MS / 10);
            Ok(())
        }
    }

    fn measured(rate: u64, seconds: u64) -> Tally {
        let clock = Fake::default();
        let schedule = RateSchedule::new(0, rate, 1, Duration::from_secs(seconds));
        let mut tally = Tally::new(schedule.messages).unwrap();
        let give_up = schedule.end() + 1000 * MS;
        work(
            &Turn::default(),
            &schedule,
            give_up,
            &clock,
            &mut Stalling(&clock),
            &mut tally,
        );
        tally
    }

    #[test]
    fn stall_adds_to_the_latency_of_every_delayed_request() {
        let tally = measured(5000, 10);
        assert!(tally.is_whole());
        let p99 = tally.latency.value_at_quantile(0.99);
        assert!((94 * MS..97 * MS).contains(&p99), "{p99}");
        // If each request waits for the previous answer, only one in 9,000 is slow.
        let clock = Fake::default();
        let mut closed = Tally::new(0).unwrap();
        while clock.now() < 10_000 * MS {
            let start = clock.now();
            Stalling(&clock).exchange().unwrap();
            closed.answered(clock.now() - start);
        }
        let p99 = closed.latency.value_at_quantile(0.99);
        assert!((MS / 10..MS / 10 + 1000).contains(&p99), "{p99}");
    }

    #[test]
    fn requests_beyond_the_target_capacity_are_not_sent() {
        let tally = measured(20_000, 10);
        // It answers 9,000 requests per second for 11 seconds, out of 200,000.
        assert!(!tally.is_whole());
        assert!((95_000..105_000).contains(&tally.sent), "{}", tally.sent);
        assert_eq!(tally.received, tally.sent);
    }

    #[test]
    fn waiting_for_the_target_is_not_sender_lateness() {
        assert_eq!(measured(5000, 2).lateness.max(), 1);
    }

    #[test]
    fn failed_requests_are_lost() {
        struct Broken;
        impl Exchange for Broken {
            fn exchange(&mut self) -> io::Result<()> {
                Err(io::ErrorKind::ConnectionReset.into())
            }
        }
        let clock = Fake::default();
        let schedule = RateSchedule::new(0, 10, 1, Duration::from_secs(1));
        let mut tally = Tally::new(schedule.messages).unwrap();
        work(
            &Turn::default(),
            &schedule,
            u64::MAX,
            &clock,
            &mut Broken,
            &mut tally,
        );
        assert_eq!((tally.sent, tally.received), (10, 0));
    }
}
