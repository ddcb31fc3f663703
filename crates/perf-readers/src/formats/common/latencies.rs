//! The summary of single measurements, as load tests log them: what their own reports have.

use crate::rows::Metrics;
use perf_model::row::Value;

/// The percentiles of a summary, with their names.
const PERCENTILES: [(&str, f64); 4] = [("50", 0.5), ("90", 0.9), ("95", 0.95), ("99", 0.99)];

/// Numbers of one kind.
#[derive(Default)]
pub(crate) struct Latencies(Vec<f64>);

impl Latencies {
    pub(crate) fn add(&mut self, number: f64) {
        self.0.push(number);
    }

    /// The mean, its spread and percentiles, as `latencyMs` and `latencyP50Ms` for `latency` and `Ms`.
    pub(crate) fn metrics(&mut self, of: &str, unit: &str) -> Metrics {
        self.0.sort_unstable_by(f64::total_cmp);
        let value = |number: Option<f64>| number.and_then(Value::new);
        let mut metrics = Metrics::default();
        let parts = [
            ("", self.mean()),
            (".min", self.0.first().copied()),
            (".max", self.0.last().copied()),
        ];
        metrics.add_parts(
            &format!("{of}{unit}"),
            parts.map(|(part, number)| (part, value(number))),
        );
        let percentile = |(name, share): (&str, f64)| {
            (format!("{of}P{name}{unit}"), value(self.percentile(share)))
        };
        metrics.extend(PERCENTILES.map(percentile));
        metrics
    }

    fn mean(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "no more than fit into memory")]
        let count = self.0.len() as f64;
        (count > 0.0).then(|| self.0.iter().sum::<f64>() / count)
    }

    /// Between the two nearest numbers, which are sorted.
    fn percentile(&self, share: f64) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "no more than fit into memory")]
        let place = self.0.len().checked_sub(1)? as f64 * share;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an index of the numbers"
        )]
        let (below, part) = (place as usize, place.fract());
        let low = *self.0.get(below)?;
        let high = self.0.get(below + 1).copied().unwrap_or(low);
        Some(low + (high - low) * part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_between_the_nearest_numbers() {
        let mut latencies = Latencies::default();
        (1..=5)
            .rev()
            .for_each(|number| latencies.add(f64::from(number)));
        let metrics = latencies.metrics("latency", "Ms");
        let shown: Vec<String> = metrics
            .iter()
            .map(|(_, value)| value.unwrap().to_string())
            .collect();
        assert_eq!(shown, ["3", "1", "5", "3", "4.6", "4.8", "4.96"]);
        assert!(
            Latencies::default()
                .metrics("latency", "Ms")
                .iter()
                .all(|(_, value)| value.is_none())
        );
    }
}
