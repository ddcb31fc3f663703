//! Scheduler statistics of a process, in nanoseconds where other clocks count ticks.

use std::time::Instant;

/// The main thread's times, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scheduled {
    /// On a processor.
    running: f64,
    /// In the run queue, ready to run.
    waiting: f64,
}

/// For a single-threaded process, the main thread's time may differ from the process's time by this many seconds,
const SLACK: f64 = 0.002;
/// or by this share.
const SHARE: f64 = 0.02;

/// Waits until a child process ends, without reaping it. Returns the time; `None` if the system does not support this.
#[cfg(target_os = "linux")]
pub(crate) fn wait_without_reaping(id: u32) -> Option<Instant> {
    use nix::errno::Errno;
    use nix::sys::wait::{Id, WaitPidFlag, waitid};
    let child = nix::unistd::Pid::from_raw(i32::try_from(id).ok()?);
    loop {
        match waitid(Id::Pid(child), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT) {
            Err(Errno::EINTR) => {}
            waited => return waited.is_ok().then(Instant::now),
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn wait_without_reaping(_: u32) -> Option<Instant> {
    None
}

impl Scheduled {
    /// The statistics of a process that has ended but is not reaped; `None` if the kernel keeps none.
    pub(crate) fn of(id: u32) -> Option<Self> {
        let account = if cfg!(target_os = "linux") {
            format!("/proc/{id}/schedstat")
        } else {
            return None;
        };
        Self::parse(&std::fs::read_to_string(account).ok()?)
    }

    /// Parses `schedstat`: nanoseconds running, nanoseconds waiting, number of time slices.
    fn parse(text: &str) -> Option<Self> {
        let mut seconds = text
            .split_ascii_whitespace()
            .map(|field| Some(field.parse::<f64>().ok()? / 1e9));
        Some(Self {
            running: seconds.next()??,
            waiting: seconds.next()??,
        })
    }

    /// The time in the run queue, if the main thread took all the process's processor time. The statistics cover only the
    /// main thread.
    pub(crate) fn delay_of_one_thread(self, processor: f64) -> Option<f64> {
        let is_all = processor - self.running <= SLACK.max(SHARE * processor);
        is_all.then_some(self.waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delay_is_known_for_a_single_thread() {
        let account = Scheduled::parse("400000000 50000000 12\n").unwrap();
        assert_eq!(account.delay_of_one_thread(0.4005), Some(0.05));
        assert_eq!(account.delay_of_one_thread(0.8), None);
        assert_eq!(Scheduled::parse("0"), None);
    }
}
