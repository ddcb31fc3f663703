//! The scheduler's own account of a process, which is exact where clocks count ticks.

use std::collections::BTreeMap;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

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
        let account = if cfg!(target_os = "linux") {
            format!("/proc/{id}/schedstat")
        } else {
            return None;
        };
        Self::parse(&std::fs::read_to_string(account).ok()?)
    }

    /// The fields of `schedstat`: nanoseconds running, nanoseconds waiting, and slices.
    fn parse(text: &str) -> Option<Self> {
        let mut seconds = text
            .split_ascii_whitespace()
            .map(|field| Some(field.parse::<f64>().ok()? / 1e9));
        Some(Self {
            running: seconds.next()??,
            waiting: seconds.next()??,
        })
    }

    /// The time in the run queue of a process that took so much processor time, if that was in one thread: the account
    /// is of the leading one.
    pub(crate) fn delay_of_one_thread(self, processor: f64) -> Option<f64> {
        let is_all = processor - self.running <= SLACK.max(SHARE * processor);
        is_all.then_some(self.waiting)
    }
}

/// The accounts of all threads of a process, read while it runs: what it left behind is that of the leading one.
#[derive(Debug, Default)]
pub(crate) struct Threads(BTreeMap<u32, Scheduled>);

/// The time between two readings.
const STEP: Duration = Duration::from_millis(4);
/// The processor time that the last reading may lack.
const UNREAD: f64 = 0.012;
/// The share of a process's processor time below which a thread does none of its work: it waits for a processor while others
/// work.
const IDLE: f64 = 0.05;
/// The share with which one thread does the work, and others that work at the same time help it.
const MOST: f64 = 0.75;

impl Threads {
    /// True where the system tells the accounts of a process's threads.
    pub(crate) const ARE_KNOWN: bool = cfg!(target_os = "linux");

    /// Waits in steps, and reads the accounts between them.
    pub(crate) fn follow<T>(
        &mut self,
        id: u32,
        limit: Duration,
        wait: impl Fn(Duration) -> Result<T, RecvTimeoutError>,
    ) -> Result<T, RecvTimeoutError> {
        let start = Instant::now();
        loop {
            self.read(id);
            let left = limit.saturating_sub(start.elapsed());
            match wait(STEP.min(left)) {
                Err(RecvTimeoutError::Timeout) if !left.is_zero() => {}
                ended => return ended,
            }
        }
    }

    #[cfg(target_os = "linux")]
    fn read(&mut self, id: u32) {
        let tasks = std::fs::read_dir(format!("/proc/{id}/task"))
            .into_iter()
            .flatten()
            .flatten();
        for task in tasks {
            let thread = task.file_name().to_str().and_then(|name| name.parse().ok());
            let account = std::fs::read_to_string(task.path().join("schedstat")).ok();
            if let Some((thread, account)) =
                thread.zip(account.and_then(|text| Scheduled::parse(&text)))
            {
                self.0.insert(thread, account);
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn read(&mut self, _: u32) {}

    /// The time in the run queue of the threads that do the work of a process with these costs: of all where they can have
    /// worked one after the other, else of the one that did most. `None` if several shared the work, or it was not in threads
    /// that are known: processes of its own, or threads that came and went.
    pub(crate) fn delay(&self, wall: f64, processor: f64) -> Option<f64> {
        let known: f64 = self.0.values().map(|thread| thread.running).sum();
        if processor - known > UNREAD.max(SHARE * processor) {
            return None;
        }
        let works = |thread: &&Scheduled| thread.running >= IDLE * processor;
        let working = || self.0.values().filter(works);
        if working()
            .map(|thread| thread.running + thread.waiting)
            .sum::<f64>()
            <= wall
        {
            return Some(working().map(|thread| thread.waiting).sum());
        }
        working()
            .find(|thread| thread.running >= MOST * processor)
            .map(|thread| thread.waiting)
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

    #[test]
    fn delay_of_threads_is_that_of_those_that_work() {
        let accounts = |texts: &[&str]| {
            let parsed = texts.iter().map(|text| Scheduled::parse(text).unwrap());
            Threads((1..).zip(parsed).collect())
        };
        let threads = accounts(&[
            "300000000 50000000 9",
            "95000000 7000000 9",
            "1000000 400000000 900",
        ]);
        assert!(
            (threads.delay(0.5, 0.4).unwrap() - 0.057).abs() < 1e-9,
            "the idle one's is left out"
        );
        assert_eq!(
            threads.delay(0.5, 0.8),
            None,
            "half of it was in other processes"
        );
        assert_eq!(Threads::default().delay(0.5, 0.4), None);
        // They cannot have worked one after the other.
        assert_eq!(threads.delay(0.4, 0.398), Some(0.05));
        let threads = accounts(&["200000000 50000000 9", "200000000 50000000 9"]);
        assert_eq!(
            (threads.delay(0.5, 0.4), threads.delay(0.4, 0.4)),
            (Some(0.1), None)
        );
    }
}
