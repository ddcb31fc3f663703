//! Time, which tests make pass at once.

use std::time::{Duration, SystemTime};

/// Tells the time, and lets it pass.
pub trait Clock {
    /// Now.
    fn now(&self) -> SystemTime;

    /// Lets so much time pass.
    fn sleep(&self, time: Duration);
}

/// The system's clock; waiting passes `speed` times faster.
#[derive(Clone, Copy, Debug)]
pub struct System {
    /// 1 outside of tests.
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
