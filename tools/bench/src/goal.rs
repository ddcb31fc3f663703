//! The goals of a case: limits on time and memory.

use std::time::Duration;

use perf_report::number::fixed;

use crate::measure::CommandMeasurement;

/// A limit on the first command of a case. Times are medians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CommandLimit {
    /// At most this many times the last command's time.
    Ratio(f64),
    /// At most this time, in milliseconds.
    Milliseconds(f64),
    /// At most this peak memory, in MB.
    Megabytes(f64),
}

impl CommandLimit {
    /// The goal and the result as text, and whether it is met. `None` without a reference or measurement.
    pub(crate) fn judge(self, results: &[CommandMeasurement]) -> Option<(String, bool)> {
        let first = results.first()?;
        let (limit, reached, unit) = match self {
            Self::Ratio(limit) => (limit, ratio(first, reference(results)?), "× the last"),
            Self::Milliseconds(limit) => (limit, milliseconds(first.median()), " ms"),
            Self::Megabytes(limit) => (limit, megabytes(first.peak)?, " MB"),
        };
        let good = reached <= limit;
        let verdict = if good { "met" } else { "MISSED" };
        let text = format!(
            "at most {}{unit}: {} is {verdict}",
            fixed(limit, usize::from(limit.fract() > 0.0)),
            fixed(reached, 2)
        );
        Some((text, good))
    }
}

/// The reference: the last of several results.
pub(crate) fn reference(results: &[CommandMeasurement]) -> Option<&CommandMeasurement> {
    results.last().filter(|_| results.len() > 1)
}

pub(crate) fn ratio(one: &CommandMeasurement, other: &CommandMeasurement) -> f64 {
    one.median().as_secs_f64() / other.median().as_secs_f64().max(f64::MIN_POSITIVE)
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

pub(crate) fn megabytes(bytes: u64) -> Option<f64> {
    (bytes > 0).then(|| millions(bytes))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "nobody counts single bytes of a petabyte"
)]
pub(crate) fn millions(count: u64) -> f64 {
    count as f64 / 1e6
}
