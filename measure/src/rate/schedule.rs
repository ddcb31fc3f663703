//! The schedule: when each message is to be sent, whatever the target does.

use std::time::{Duration, Instant};

/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;
/// Below this distance a sleep cannot be trusted to end in time.
const SPIN: u64 = 200_000;

/// Intended starts at a fixed rate, never moved when the sender or the target is late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateSchedule {
    /// The first intended start, in nanoseconds of the clock.
    pub start: u64,
    interval: u64,
    burst: u64,
    /// The number of messages.
    pub messages: u64,
}

impl RateSchedule {
    /// Messages of `rate` a second, `burst` at once, for this long. At least one burst.
    pub fn new(start: u64, rate: u64, burst: u64, length: Duration) -> Self {
        let (rate, burst) = (rate.max(1), burst.max(1));
        let interval = (SECOND.saturating_mul(burst) / rate).max(1);
        let length = u64::try_from(length.as_nanos()).unwrap_or(u64::MAX);
        Self {
            start,
            interval,
            burst,
            messages: (length / interval).max(1).saturating_mul(burst),
        }
    }

    /// When message `number` is to be sent.
    pub fn intended(&self, number: u64) -> u64 {
        self.start
            .saturating_add((number / self.burst).saturating_mul(self.interval))
    }

    /// When the schedule is over.
    pub fn end(&self) -> u64 {
        self.intended(self.messages)
    }
}

/// The current time, and waiting for one.
pub trait Clock {
    /// Nanoseconds since some moment.
    fn now(&self) -> u64;
    /// Returns at this time, or at once when it has passed.
    fn wait_until(&self, time: u64);
}

/// The way to wait for the next intended start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Wait {
    /// Spin where messages follow each other within 1 ms, else sleep
    Auto,
    /// Look at the clock all the time: exact, and needs a processor of its own
    Spin,
    /// Sleep, and spin for the last 0.2 ms
    Sleep,
}

/// The clock of this machine.
#[derive(Clone, Copy, Debug)]
pub struct Monotonic {
    zero: Instant,
    sleeps: bool,
}

impl Monotonic {
    /// A clock that begins now.
    pub fn new(wait: Wait, rate: u64, burst: u64) -> Self {
        let sleeps = match wait {
            Wait::Auto => rate / burst.max(1) < 1000,
            Wait::Spin => false,
            Wait::Sleep => true,
        };
        Self {
            zero: Instant::now(),
            sleeps,
        }
    }
}

impl Clock for Monotonic {
    fn now(&self) -> u64 {
        u64::try_from(self.zero.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn wait_until(&self, time: u64) {
        let left = time.saturating_sub(self.now());
        if self.sleeps && left > SPIN {
            std::thread::sleep(Duration::from_nanos(left - SPIN));
        }
        while self.now() < time {
            std::hint::spin_loop();
        }
    }
}

/// The clock of tests.
#[cfg(test)]
pub(super) mod fake {
    use std::cell::Cell;

    use super::Clock;

    /// A clock that moves only when somebody waits or works.
    #[derive(Default)]
    pub struct Fake(Cell<u64>);

    impl Clock for Fake {
        fn now(&self) -> u64 {
            self.0.get()
        }

        fn wait_until(&self, time: u64) {
            self.0.set(self.0.get().max(time));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intended_starts_are_whole_intervals_from_the_start() {
        let schedule = RateSchedule::new(500, 3, 1, Duration::from_secs(2));
        assert_eq!(schedule.messages, 6);
        let intended: Vec<u64> = (0..3).map(|number| schedule.intended(number)).collect();
        assert_eq!(intended, [500, 333_333_833, 666_667_166]);
    }

    #[test]
    fn messages_of_a_burst_have_one_intended_start() {
        let schedule = RateSchedule::new(0, 1000, 4, Duration::from_secs(1));
        assert_eq!(
            (
                schedule.messages,
                schedule.intended(3),
                schedule.intended(4)
            ),
            (1000, 0, 4_000_000)
        );
        assert_eq!(schedule.end(), SECOND);
    }

    #[test]
    fn extreme_rates_have_a_schedule() {
        for (rate, burst) in [(0, 0), (u64::MAX, 1), (1, u64::MAX)] {
            let schedule = RateSchedule::new(0, rate, burst, Duration::from_millis(1));
            assert!(
                schedule.messages >= 1 && schedule.end() >= 1,
                "{rate} {burst}"
            );
        }
    }
}
