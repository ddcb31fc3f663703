//! The schedule of messages, which does not depend on the target.

use std::time::{Duration, Instant};

/// Nanoseconds per second.
const SECOND: u64 = 1_000_000_000;
/// How long before a time to stop sleeping and start spinning, in nanoseconds. A sleep is not precise enough.
const SPIN: u64 = 200_000;

/// Scheduled times at a constant rate. They never move, even if the sender or the target is late.
pub struct RateSchedule {
    /// The first scheduled time, in nanoseconds on the clock.
    pub start: u64,
    interval: u64,
    /// The number of scheduled messages.
    pub messages: u64,
}

impl RateSchedule {
    /// Creates a schedule of `rate` messages per second, with at least one message.
    pub fn new(start: u64, rate: u64, length: Duration) -> Self {
        let interval = (SECOND / rate.max(1)).max(1);
        Self {
            start,
            interval,
            messages: (nanoseconds(length) / interval).max(1),
        }
    }

    /// Returns the scheduled time of a message.
    pub fn intended(&self, number: u64) -> u64 {
        self.start
            .saturating_add(number.saturating_mul(self.interval))
    }

    /// Returns the end of the schedule, which is one interval after the last message.
    pub fn end(&self) -> u64 {
        self.intended(self.messages)
    }
}

/// Converts a duration to nanoseconds.
pub fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// A clock that can wait.
pub trait Clock {
    /// Returns the nanoseconds since an arbitrary time.
    fn now(&self) -> u64;
    /// Waits until this time. Returns immediately if it has passed.
    fn wait_until(&self, time: u64);
}

/// The monotonic clock of this machine.
#[derive(Clone, Copy)]
pub struct Monotonic {
    zero: Instant,
}

impl Monotonic {
    /// Creates a clock that starts now.
    pub fn new() -> Self {
        Self {
            zero: Instant::now(),
        }
    }
}

impl Clock for Monotonic {
    fn now(&self) -> u64 {
        nanoseconds(self.zero.elapsed())
    }

    fn wait_until(&self, time: u64) {
        let left = time.saturating_sub(self.now());
        if left > SPIN {
            std::thread::sleep(Duration::from_nanos(left - SPIN));
        }
        while self.now() < time {
            std::hint::spin_loop();
        }
    }
}

/// A clock for tests.
#[cfg(test)]
pub mod fake {
    use std::cell::Cell;

    use super::Clock;

    /// A clock that only advances when someone waits.
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
    fn scheduled_times_are_whole_intervals_from_the_start() {
        let schedule = RateSchedule::new(500, 3, Duration::from_secs(2));
        assert_eq!(schedule.messages, 6);
        let intended: Vec<u64> = (0..3).map(|number| schedule.intended(number)).collect();
        assert_eq!(intended, [500, 333_333_833, 666_667_166]);
    }

    #[test]
    fn extreme_rates_are_accepted() {
        for rate in [0, 1, u64::MAX] {
            let schedule = RateSchedule::new(0, rate, Duration::from_millis(1));
            assert!(schedule.messages >= 1 && schedule.end() >= 1, "{rate}");
        }
    }
}
