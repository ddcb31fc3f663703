//! Counts the messages of one repetition and records their latencies.

use hdrhistogram::Histogram;
use perf_model::row::{Metrics, Value};

use crate::rows;

/// The maximum recorded latency in nanoseconds: 10 s. Longer latencies are recorded as this one.
const LONGEST: u64 = 10_000_000_000;
/// The number of significant digits of recorded latencies.
const DIGITS: u8 = 3;

/// The percentiles in rows and output: quantile, label and metric.
pub const QUANTILES: [(f64, &str, &str); 4] = [
    (0.5, "p50", "latencyP50Ms"),
    (0.9, "p90", "latencyP90Ms"),
    (0.99, "p99", "latencyP99Ms"),
    (0.999, "p99.9", "latencyP99.9Ms"),
];

/// The counts and latencies of one repetition. Times are in nanoseconds.
pub struct Tally {
    /// The number of scheduled messages.
    pub expected: u64,
    /// The number of messages that were sent in time.
    pub sent: u64,
    /// The number of answers that arrived in time.
    pub received: u64,
    /// Whether the target ended.
    pub ended: bool,
    /// The times from a message's scheduled time to its answer.
    pub latency: Histogram<u64>,
    /// The delays by the sender itself: from the time at which it could and should have sent a message to the time at which
    /// it did.
    pub lateness: Histogram<u64>,
}

impl Tally {
    /// Creates an empty tally.
    ///
    /// # Errors
    /// Never fails, because the bounds are valid.
    pub fn new(expected: u64) -> anyhow::Result<Self> {
        let empty = || Histogram::new_with_bounds(1, LONGEST, DIGITS);
        Ok(Self {
            expected,
            sent: 0,
            received: 0,
            ended: false,
            latency: empty()?,
            lateness: empty()?,
        })
    }

    /// Records an answer that arrived this long after its message was due.
    pub fn answered(&mut self, latency: u64) {
        self.received += 1;
        self.latency.saturating_record(latency.max(1));
    }

    /// Records a message that the sender delayed by this much.
    pub fn sent(&mut self, late: u64) {
        self.sent += 1;
        self.lateness.saturating_record(late.max(1));
    }

    /// Adds another tally's records.
    pub fn add(&mut self, other: &Self) {
        self.sent += other.sent;
        self.received += other.received;
        self.ended |= other.ended;
        // Adding cannot fail, because both have the same bounds.
        let _ = self.latency.add(&other.latency);
        let _ = self.lateness.add(&other.lateness);
    }

    /// Whether all messages were sent and answered.
    pub fn is_whole(&self) -> bool {
        self.sent == self.expected && self.received == self.sent
    }

    /// Returns the share of the scheduled messages that were not answered.
    pub fn loss(&self) -> f64 {
        1.0 - rows::float(self.received) / rows::float(self.expected.max(1))
    }

    /// Returns the metrics for a row.
    pub fn metrics(&self) -> Metrics {
        let ms = |nanoseconds: f64| Value::new(nanoseconds / 1e6);
        let whole = |nanoseconds: u64| ms(rows::float(nanoseconds));
        let mut named = Vec::new();
        if self.received > 0 {
            named.push(("latencyMs", ms(self.latency.mean())));
            named.push(("latencyMs.min", whole(self.latency.min())));
            named.push(("latencyMs.max", whole(self.latency.max())));
            for (quantile, _, name) in QUANTILES {
                named.push((name, whole(self.latency.value_at_quantile(quantile))));
            }
        }
        named.push(("requests", rows::count(self.received)));
        if !self.is_whole() {
            named.push(("lossPercent", Value::new(100.0 * self.loss())));
        }
        rows::metrics(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsent_and_unanswered_messages_are_lost() {
        let mut tally = Tally::new(4).unwrap();
        for _ in 0..3 {
            tally.sent(10);
        }
        tally.answered(5_000_000);
        assert!(!tally.is_whole());
        assert_eq!(tally.metrics().get("lossPercent"), Some(Value::Int(75)));
        assert_eq!(tally.metrics().get("requests"), Some(Value::Int(1)));
    }

    #[test]
    fn complete_repetition_has_no_loss() {
        let mut tally = Tally::new(2).unwrap();
        for latency in [1_000_000, 3_000_000] {
            tally.sent(10);
            tally.answered(latency);
        }
        let metrics = tally.metrics();
        assert!(tally.is_whole() && metrics.get("lossPercent").is_none());
        assert_eq!(metrics.get("requests"), Some(Value::Int(2)));
        let mean = metrics.get("latencyMs").unwrap().as_f64();
        assert!((mean - 2.0).abs() < 0.01, "{mean}");
    }

    #[test]
    fn latencies_above_ten_seconds_are_capped() {
        let mut tally = Tally::new(1).unwrap();
        tally.answered(u64::MAX);
        assert!(tally.latency.max() >= LONGEST);
    }
}
