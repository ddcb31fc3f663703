//! The latencies of one repetition.

use std::fmt;

use crate::row::Row;
use crate::spread::Time;
use crate::window::as_float;

/// Values below this limit have their own buckets. Larger values share a bucket if they differ only after their eight
/// leading bits.
const EXACT: u64 = 128;
/// The number of buckets for 64-bit values.
const BUCKETS: usize = 58 * 128;

/// Latencies in nanoseconds, with 1% precision.
pub struct Tally {
    buckets: Vec<u64>,
    pub count: u64,
    sum: f64,
    least: u64,
    most: u64,
}

impl Tally {
    pub fn new() -> Self {
        Self {
            buckets: vec![0; BUCKETS],
            count: 0,
            sum: 0.0,
            least: u64::MAX,
            most: 0,
        }
    }

    pub fn add(&mut self, nanoseconds: u64) {
        let exponent = nanoseconds.max(EXACT).ilog2() - 7;
        let at = u64::from(exponent) * EXACT + (nanoseconds >> exponent);
        if let Some(bucket) = usize::try_from(at)
            .ok()
            .and_then(|at| self.buckets.get_mut(at))
        {
            *bucket += 1;
        }
        self.count += 1;
        self.sum += as_float(nanoseconds);
        self.least = self.least.min(nanoseconds);
        self.most = self.most.max(nanoseconds);
    }

    /// Returns the latency that this share of all messages does not exceed.
    pub fn quantile(&self, share: f64) -> f64 {
        let (wanted, mut seen) = (share * as_float(self.count), 0.0);
        let at = self.buckets.iter().position(|count| {
            seen += as_float(*count);
            seen >= wanted && seen > 0.0
        });
        let at = at.unwrap_or(0) as u64;
        let exponent = (at / EXACT).saturating_sub(1);
        let from = if at < EXACT {
            at
        } else {
            (EXACT + at % EXACT) << exponent
        };
        as_float(from).clamp(as_float(self.least), as_float(self.most))
    }

    /// Adds mean, extremes and percentiles in milliseconds to a row.
    pub fn metrics(&self, row: Row) -> Row {
        if self.count == 0 {
            return row;
        }
        let row = row
            .value("latencyMs", self.sum / as_float(self.count) / 1e6)
            .value("latencyMs.min", as_float(self.least) / 1e6)
            .value("latencyMs.max", as_float(self.most) / 1e6);
        let percentiles = [(0.5, "P50"), (0.9, "P90"), (0.99, "P99"), (0.999, "P99.9")];
        let row = percentiles.iter().fold(row, |row, (share, name)| {
            row.value(&format!("latency{name}Ms"), self.quantile(*share) / 1e6)
        });
        row.value("requests", as_float(self.count))
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mean = self.sum / as_float(self.count.max(1));
        let [least, most] = [self.least, self.most].map(as_float);
        write!(
            f,
            "min/mean/max {}/{}/{}",
            Time(least),
            Time(mean),
            Time(most)
        )?;
        let [median, tail] = [0.5, 0.99].map(|share| self.quantile(share));
        write!(f, ", p50 {}, p99 {}", Time(median), Time(tail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_one_percent() {
        let mut tally = Tally::new();
        (1..=100_000).for_each(|number| tally.add(number * 37));
        for share in [0.5, 0.9, 0.99, 0.999] {
            let exact = share * 3_700_000.0;
            assert!(
                (tally.quantile(share) / exact - 1.0).abs() < 0.01,
                "{share}: {}",
                tally.quantile(share)
            );
        }
        tally.add(u64::MAX);
        assert!(tally.quantile(0.0) < 37.5);
        assert!(tally.quantile(1.0) > 1e19);
    }
}
