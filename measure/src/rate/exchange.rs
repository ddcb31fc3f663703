//! Requests with one answer each, over several connections: the next free one sends the next request.

use std::io;
use std::sync::{Mutex, PoisonError};

use super::schedule::{Clock, RateSchedule};
use super::tally::Tally;

/// One connection.
pub trait Exchange {
    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// No answer, or one that reports an error: the request counts as lost.
    fn exchange(&mut self) -> io::Result<()>;
}

/// Whose turn it is: the number of the next request.
#[derive(Debug, Default)]
pub struct Turn(Mutex<u64>);

/// Sends requests as they are due until all are sent, or the time is up.
///
/// Only the connection that has the turn waits for the clock, so that several do not take the processor from each other
/// and from the target.
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
    /// The next request, at its time; `None` when there is none left, or no time.
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

    /// 100 µs for each request, and nothing during the first 100 ms of each second.
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
    fn stall_is_in_the_latency_of_every_request_that_was_due() {
        let tally = measured(5000, 10);
        assert!(tally.is_whole());
        let p99 = tally.latency.value_at_quantile(0.99);
        assert!((94 * MS..97 * MS).contains(&p99), "{p99}");
        // The same server, as a closed loop times it: one request in 9,000 is slow.
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
    fn rate_that_the_target_cannot_hold_leaves_requests_unsent() {
        let tally = measured(20_000, 10);
        // 9,000 requests a second for 11 seconds, of 200,000.
        assert!(!tally.is_whole());
        assert!((95_000..105_000).contains(&tally.sent), "{}", tally.sent);
        assert_eq!(tally.received, tally.sent);
    }

    #[test]
    fn waiting_for_the_target_is_not_the_senders_lateness() {
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
