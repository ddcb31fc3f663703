//! Whether a command waits for anything but its own work.
//!
//! What else a machine does stretches wall time and hardly any user time, so the user time of a command that only computes
//! shows smaller changes.

use std::ops::RangeInclusive;

use perf_model::row::{Row, Value};
use perf_stats::order::{quantile, sorted};

use crate::rules::pairs::LOOKS;

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

/// Whether a command waits, by its launches before the first look: deciding again with more would be another look. One
/// without both times is taken to wait.
pub(super) fn waits(launches: &[&Row]) -> bool {
    let of_row = |row: &&Row| {
        let number = |name| row.metrics.get(name).map(Value::as_f64);
        Some(number(USER)? / number(GROSS).or_else(|| number(WALL))?)
    };
    let shares: Vec<f64> = launches.iter().take(LOOKS[0].pairs).filter_map(of_row).collect();
    let share = quantile(&sorted(&shares), UNDISTURBED);
    !share.is_some_and(|share| COMPUTES.contains(&share))
}
