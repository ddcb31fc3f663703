//! Estimates the slowdown that background load can cause, which must not confirm a regression.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use measure::processor_time_of_children;

/// Samples of the run queue before and after a run.
const SAMPLES: u16 = 10;
const APART: Duration = Duration::from_millis(10);
/// The shortest run for which clock ticks are precise enough.
const SHORTEST: Duration = Duration::from_millis(500);
/// The clock ticks per second in `/proc/stat`.
const TICKS: f64 = 100.0;

/// The state of the processors.
#[derive(Clone, Copy, Debug)]
struct Stat {
    processors: f64,
    /// The busy ticks, summed over all processors.
    busy: f64,
    /// The number of threads that run or wait for a processor.
    runnable: f64,
}

/// Background load before and during a run.
pub(super) struct Watched {
    start: Instant,
    others: f64,
    stat: Option<Stat>,
    used: Option<f64>,
}

impl Watched {
    /// Starts watching. Call this before the run.
    pub(super) fn start() -> Self {
        let others = waiting().unwrap_or(0.0);
        Self {
            others,
            start: Instant::now(),
            stat: stat(),
            used: processor_time_of_children(),
        }
    }

    /// The slowdown factor that background load can cause, or 1 if the system does not report the load.
    pub(super) fn slowdown(self) -> f64 {
        let others = self.others.max(self.during().unwrap_or(0.0));
        // Squared, because other threads not only take processor time but also share caches and cores.
        (1.0 + others.max(waiting().unwrap_or(0.0))).powi(2)
    }

    /// The share of the processors' time that other processes used during the run.
    fn during(&self) -> Option<f64> {
        let (before, after) = (self.stat?, stat()?);
        let elapsed = self.start.elapsed();
        let seconds = elapsed.as_secs_f64();
        let own = processor_time_of_children()? - self.used?;
        // A benchmark may delegate its work to a service, which is not a child process.
        if elapsed < SHORTEST || own < 0.5 * seconds {
            return None;
        }
        let others = (after.busy - before.busy) / TICKS - own;
        Some(others.max(0.0) / seconds / after.processors)
    }
}

/// The mean number of other runnable threads per processor, over some samples.
fn waiting() -> Option<f64> {
    let mut sum = 0.0;
    for _ in 0..SAMPLES {
        let now = stat()?;
        // The current thread is not background load.
        sum += (now.runnable - 1.0).max(0.0) / now.processors;
        thread::sleep(APART);
    }
    Some(sum / f64::from(SAMPLES))
}

fn stat() -> Option<Stat> {
    parse(&fs::read_to_string("/proc/stat").ok()?)
}

/// Parses `/proc/stat`.
fn parse(text: &str) -> Option<Stat> {
    let numbers = |name: &str| {
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
        let numbers = line.split_whitespace().map_while(|word| word.parse().ok());
        Some(numbers.collect::<Vec<f64>>())
    };
    // user, nice, system, idle, iowait, irq, softirq, steal; user and nice include guests.
    let ticks = numbers("cpu")?;
    let busy = ticks.iter().take(8).sum::<f64>() - ticks.get(3)? - ticks.get(4)?;
    let is_one = |line: &&str| line.starts_with("cpu") && !line.starts_with("cpu ");
    let processors: f64 = text.lines().filter(is_one).map(|_| 1.0).sum();
    Some(Stat {
        processors: processors.max(1.0),
        busy,
        runnable: *numbers("procs_running")?.first()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_and_iowait_ticks_are_not_busy() {
        let text = "cpu  100 5 50 8000 70 1 2 3 40 0\ncpu0 1 2\ncpu1 1 2\nprocs_running 9\n";
        let stat = parse(text).unwrap();
        assert_eq!(
            format!("{stat:?}"),
            "Stat { processors: 2.0, busy: 161.0, runnable: 9.0 }"
        );
        assert!(parse("cpu 1 2 3\n").is_none());
    }
}
