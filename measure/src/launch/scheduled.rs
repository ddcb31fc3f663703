//! Scheduler statistics of a process, in nanoseconds where other clocks count ticks.

use std::collections::BTreeMap;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

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

/// Statistics of all threads, read while the process runs. After its end, only the main thread's are available.
#[derive(Debug, Default)]
pub(crate) struct Threads(BTreeMap<u32, Scheduled>);

/// Time between two readings.
const STEP: Duration = Duration::from_millis(4);
/// The processor time, in seconds, that may be missing after the last reading.
const UNREAD: f64 = 0.012;
/// A thread with a smaller share of the processor time only waits for others.
const IDLE: f64 = 0.05;
/// A thread with at least this share does the work, and others help it.
const MOST: f64 = 0.75;

impl Threads {
    /// Whether the system reports statistics of threads.
    pub(crate) const ARE_KNOWN: bool = cfg!(target_os = "linux");

    /// Waits for the end, and reads the statistics in every step.
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

    /// The time in the run queue of the working threads: of all, if they can have worked one after the other, or otherwise of
    /// the thread that did most of the work. `None` if several threads shared the work, or child processes or short-lived
    /// threads did it.
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
    fn delay_is_known_for_a_single_thread() {
        let account = Scheduled::parse("400000000 50000000 12\n").unwrap();
        assert_eq!(account.delay_of_one_thread(0.4005), Some(0.05));
        assert_eq!(account.delay_of_one_thread(0.8), None);
        assert_eq!(Scheduled::parse("0"), None);
    }

    #[test]
    fn idle_threads_do_not_add_delay() {
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
            "the idle thread's delay is ignored"
        );
        assert_eq!(
            threads.delay(0.5, 0.8),
            None,
            "other processes did half of the work"
        );
        assert_eq!(Threads::default().delay(0.5, 0.4), None);
        // Too long to have run one after the other.
        assert_eq!(threads.delay(0.4, 0.398), Some(0.05));
        let threads = accounts(&["200000000 50000000 9", "200000000 50000000 9"]);
        assert_eq!(
            (threads.delay(0.5, 0.4), threads.delay(0.4, 0.4)),
            (Some(0.1), None)
        );
    }
}
