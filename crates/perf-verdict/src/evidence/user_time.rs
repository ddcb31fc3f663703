//! The choice between user time and wall time of a command: the one that shows smaller changes is gated.
//!
//! What else a machine does stretches wall time and hardly any user time, so the user time of a command that only computes
//! is usually the quieter one.

use std::ops::RangeInclusive;

use perf_model::row::{Row, Value};
use perf_stats::order::{quantile, sorted};

use crate::signals::pairs::LOOKS;

/// Wall time, net of starting a process.
pub(super) const WALL: &str = "timeS";
/// Processor time in user mode.
pub(super) const USER: &str = "userS";
/// Wall time as it was measured.
const GROSS: &str = "grossTimeS";
/// User time as a share of wall time. Below, the command waits, or the kernel works for it; above, several threads share
/// the work, and lost parallelism would not show in their sum.
const COMPUTES: RangeInclusive<f64> = 0.9..=1.1;
/// A launch that had to share its processor looks as if it waited: the least disturbed quarter of them decides.
const UNDISTURBED: f64 = 0.75;

/// True if user time shows smaller changes than wall time, by the launches of one side before the first look: deciding
/// again with more would be another look. It does where the command only computes, and where user time varies less from
/// launch to launch: some kernels count it in ticks of milliseconds, which drowns the changes of a short command.
pub(super) fn prefers_user_time(launches: &[&Row]) -> bool {
    let of_row = |row: &&Row| {
        let number = |name| row.metrics.get(name).map(Value::as_f64);
        let wall = number(WALL)?;
        Some(Times { user: number(USER)?, wall, gross: number(GROSS).unwrap_or(wall) })
    };
    let times: Vec<Times> = launches.iter().take(LOOKS[0].pairs).filter_map(of_row).collect();
    computes(&times) && is_quieter(&times)
}

/// The times of one launch, in seconds.
struct Times {
    user: f64,
    wall: f64,
    gross: f64,
}

/// True if the command neither waits nor has several threads.
fn computes(times: &[Times]) -> bool {
    let shares: Vec<f64> = times.iter().map(|times| times.user / times.gross).collect();
    quantile(&sorted(&shares), UNDISTURBED).is_some_and(|share| COMPUTES.contains(&share))
}

/// True if user time varies no more than wall time.
fn is_quieter(times: &[Times]) -> bool {
    let spread_of = |time: fn(&Times) -> f64| spread(&times.iter().map(time).collect::<Vec<f64>>());
    spread_of(|times| times.user) <= spread_of(|times| times.wall)
}

/// The distance between the quartiles as a share of the median.
fn spread(times: &[f64]) -> f64 {
    let ordered = sorted(times);
    let [first, middle, third] = [0.25, 0.5, 0.75].map(|share| quantile(&ordered, share).unwrap_or_default());
    (third - first) / middle
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(users: [f64; 4], walls: [f64; 4]) -> Vec<Times> {
        users.into_iter().zip(walls).map(|(user, wall)| Times { user, wall, gross: wall }).collect()
    }

    #[test]
    fn a_command_that_waits_or_has_threads_is_judged_by_wall_time() {
        assert!(computes(&times([0.95; 4], [1.0; 4])));
        assert!(!computes(&times([0.8; 4], [1.0; 4])));
        assert!(!computes(&times([1.8; 4], [1.0; 4])));
    }

    #[test]
    fn disturbed_launches_do_not_make_a_command_wait() {
        assert!(computes(&times([0.95; 4], [1.0, 1.0, 2.0, 3.0])));
    }

    #[test]
    fn user_time_in_ticks_is_noisier_than_wall_time() {
        assert!(is_quieter(&times([0.95, 0.96, 0.95, 0.96], [1.0, 1.4, 1.1, 1.0])));
        assert!(!is_quieter(&times([0.008, 0.012, 0.008, 0.012], [0.0100, 0.0101, 0.0102, 0.0101])));
    }
}
