//! The record of one repetition.

use hdrhistogram::Histogram;
use perf_model::row::{Metrics, Value};

use crate::rows;

/// The longest latency that is measured: 10 s.
const LONGEST: u64 = 10_000_000_000;
/// Significant digits of a recorded latency.
const DIGITS: u8 = 3;

/// Percentiles in rows and reports.
pub const QUANTILES: [(f64, &str, &str); 4] = [
    (0.5, "p50", "latencyP50Ms"),
    (0.9, "p90", "latencyP90Ms"),
    (0.99, "p99", "latencyP99Ms"),
    (0.999, "p99.9", "latencyP99.9Ms"),
];

/// Counts and latencies of one repetition; times in nanoseconds.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Messages of the schedule.
    pub expected: u64,
    /// Messages that were sent before the time was up.
    pub sent: u64,
    /// Answers that came in time.
    pub received: u64,
    /// True if the target ended or closed the connection.
    pub ended: bool,
    /// From the intended start to the answer.
    pub latency: Histogram<u64>,
    /// From the moment at which the sender could and should have sent to the moment at which it did.
    pub lateness: Histogram<u64>,
}

impl Tally {
    /// Nothing recorded yet.
    ///
    /// # Errors
    /// None: the bounds are valid.
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

    /// An answer that came this long after its intended start.
    pub fn answered(&mut self, latency: u64) {
        self.received += 1;
        self.latency.saturating_record(latency.max(1));
    }

    /// A message that went out this late, by the sender's own fault.
    pub fn sent(&mut self, late: u64) {
        self.sent += 1;
        self.lateness.saturating_record(late.max(1));
    }

    /// Adds what another connection recorded.
    pub fn add(&mut self, other: &Self) {
        self.sent += other.sent;
        self.received += other.received;
        self.ended |= other.ended;
        // Both have the same bounds.
        let _ = self.latency.add(&other.latency);
        let _ = self.lateness.add(&other.lateness);
    }

    /// True if all messages were sent and answered.
    pub fn is_whole(&self) -> bool {
        self.sent == self.expected && self.received == self.sent
    }

    /// Messages without an answer, as a share of those expected.
    #[expect(clippy::cast_precision_loss, reason = "a share for people")]
    pub fn loss(&self) -> f64 {
        1.0 - self.received as f64 / self.expected.max(1) as f64
    }

    /// The numbers of a row, times in milliseconds.
    pub fn metrics(&self) -> Metrics {
        let ms = |nanoseconds: f64| Value::new(nanoseconds / 1e6);
        #[expect(clippy::cast_precision_loss, reason = "below 10^10")]
        let whole = |nanoseconds: u64| ms(nanoseconds as f64);
        let is_measured = self.received > 0;
        let mut named = vec![("latencyMs", ms(self.latency.mean()))];
        named.push(("latencyMs.min", whole(self.latency.min())));
        named.push(("latencyMs.max", whole(self.latency.max())));
        for (quantile, _, name) in QUANTILES {
            named.push((name, whole(self.latency.value_at_quantile(quantile))));
        }
        let counts = [
            ("requests", rows::count(self.received)),
            ("lossPercent", self.loss_percent()),
        ];
        rows::metrics(named.into_iter().filter(|_| is_measured).chain(counts))
    }

    fn loss_percent(&self) -> Option<Value> {
        Value::new(100.0 * self.loss()).filter(|_| !self.is_whole())
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
    fn whole_repetition_has_no_loss_and_its_count() {
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
    fn latency_beyond_ten_seconds_counts_as_the_longest() {
        let mut tally = Tally::new(1).unwrap();
        tally.answered(u64::MAX);
        assert!(tally.latency.max() >= LONGEST);
    }
}
