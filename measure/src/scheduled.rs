//! The scheduler's own account of a process, which is exact where clocks count ticks.

use std::time::Instant;

/// The time of the leading thread of a process, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scheduled {
    /// On a processor.
    running: f64,
    /// In the run queue, ready to run.
    waiting: f64,
}

/// The processor time that the leading thread of a process may lack although it is the only one.
const SLACK: f64 = 0.002;
/// The same as a share of all.
const SHARE: f64 = 0.02;

/// Waits for the end of a child that stays to be reaped, and returns when that was; `None` where a child cannot be left.
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
    /// The account of a process that has ended and is not reaped. `None` where the kernel keeps none.
    pub(crate) fn of(id: u32) -> Option<Self> {
        let account = if cfg!(target_os = "linux") { format!("/proc/{id}/schedstat") } else { return None };
        Self::parse(&std::fs::read_to_string(account).ok()?)
    }

    /// The fields of `schedstat`: nanoseconds running, nanoseconds waiting, and slices.
    fn parse(text: &str) -> Option<Self> {
        let mut seconds = text.split_ascii_whitespace().map(|field| Some(field.parse::<f64>().ok()? / 1e9));
        Some(Self { running: seconds.next()??, waiting: seconds.next()?? })
    }

    /// The time in the run queue of a process that took so much processor time, if that was in one thread: the account
    /// is of the leading one.
    pub(crate) fn delay_of_one_thread(self, processor: f64) -> Option<f64> {
        let is_all = processor - self.running <= SLACK.max(SHARE * processor);
        is_all.then_some(self.waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delay_is_known_of_one_thread() {
        let account = Scheduled::parse("400000000 50000000 12\n").unwrap();
        assert_eq!(account.delay_of_one_thread(0.4005), Some(0.05));
        assert_eq!(account.delay_of_one_thread(0.8), None);
        assert_eq!(Scheduled::parse("0"), None);
    }
}
