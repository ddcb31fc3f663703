//! Contradictions within a row, for example a mean above the maximum, or a higher percentile below a lower one.
//!
//! A metric's name identifies the statistic: `timeNs.min`, `latencyP99Ms` and `max_us` are statistics of `timeNs`,
//! `latencyMs` and `us`. A baseline stores only names and numbers, so a contradiction is found again whenever the baseline
//! is read.

use std::cmp::Ordering;
use std::fmt;

use crate::metric::{Direction, Statistic, StatisticName};
use crate::row::{Metrics, Name, Row, Value};

/// Histograms round each percentile to a bucket boundary, which is at most this relative distance away from the exact
/// value.
const BUCKET: f64 = 0.02;

/// The relative rounding error of a sum of rounded numbers.
const ROUNDING: f64 = 0.001;

/// Two numbers in a row that cannot both be right.
#[derive(Clone, Debug, PartialEq)]
pub struct Contradiction {
    /// The metric that should be the smaller one, and its value, which is larger.
    pub lesser: (Name, Value),
    /// The metric that should be the larger one, and its value, which is smaller.
    pub greater: (Name, Value),
}

impl Contradiction {
    /// Whether rows with these metric names can contain a contradiction: there are at least two names, and at least one of
    /// them is a minimum, maximum or percentile.
    pub fn is_possible(metrics: &Metrics) -> bool {
        let is_statistic = |name: &Name| StatisticName::of(name).statistic != Statistic::Typical;
        metrics.iter().nth(1).is_some() && metrics.iter().any(|(name, _)| is_statistic(name))
    }

    /// Finds the first contradiction in a row.
    pub fn within(metrics: &Metrics) -> Option<Self> {
        Self::among(metrics, |_, _| true)
    }

    /// Finds the first contradiction that involves `metric` or another statistic of the same values.
    pub fn around(metric: &str, row: &Row) -> Option<Self> {
        row.metrics.get(metric)?;
        let own = StatisticName::of(metric);
        Self::among(&row.metrics, |name, parts| {
            name == metric || own.is_of_same(parts)
        })
    }

    fn among(
        metrics: &Metrics,
        is_wanted: impl Fn(&str, &StatisticName<'_>) -> bool,
    ) -> Option<Self> {
        let mut wanted = Vec::new();
        for (name, value) in metrics.iter() {
            let parts = StatisticName::of(name);
            if is_wanted(name, &parts) {
                wanted.push((parts, name, value));
            }
        }
        for (at, (one, name, value)) in wanted.iter().enumerate() {
            for (other, other_name, other_value) in &wanted[at + 1..] {
                let Some((order, share)) = expected_order(one, other) else {
                    continue;
                };
                let mut lesser = (Name::clone(name), *value);
                let mut greater = (Name::clone(other_name), *other_value);
                if order == Ordering::Greater {
                    std::mem::swap(&mut lesser, &mut greater);
                }
                let (low, high) = (lesser.1.as_f64(), greater.1.as_f64());
                let tolerance =
                    last_digit(low) + last_digit(high) + share * low.abs().max(high.abs());
                if low - high > tolerance {
                    return Some(Self { lesser, greater });
                }
            }
        }
        None
    }
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [(low, below), (high, above)] = [&self.lesser, &self.greater];
        write!(f, "{low} ({below}) is above {high} ({above})")
    }
}

/// The expected order of two statistics of the same values, and the tolerance as a share of the larger value. `None` if the
/// two have no fixed order.
fn expected_order(one: &StatisticName<'_>, other: &StatisticName<'_>) -> Option<(Ordering, f64)> {
    if !one.is_of_same(other) {
        return None;
    }
    let order = one.statistic.at_most(other.statistic)?;
    let are_percentiles = [one, other].map(|name| name.statistic.is_percentile());
    // For throughputs, some tools print percentiles from the top down: their p99 is below their p50.
    if are_percentiles == [true; 2] && one.direction() == Direction::Higher {
        return None;
    }
    let share = if are_percentiles.contains(&true) {
        BUCKET
    } else {
        ROUNDING
    };
    Some((order, share))
}

/// One unit in a number's last printed digit: the most by which a tool may have rounded or truncated it.
fn last_digit(number: f64) -> f64 {
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let places = digits
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    let exponent = exponent.parse().unwrap_or(0) - i32::try_from(places).unwrap_or(0);
    10_f64.powi(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{AGGREGATE, Key, Outcome};

    fn row(metrics: &[(&str, f64)]) -> Row {
        let metrics = metrics
            .iter()
            .map(|(name, value)| (Name::from(*name), Value::new(*value).unwrap()))
            .collect();
        let key = Key::default().into();
        Row {
            key,
            run_index: AGGREGATE,
            outcome: Outcome::Measured,
            launch: None,
            measured_at: None,
            metrics,
        }
    }

    fn contradiction(metrics: &[(&str, f64)]) -> Option<[String; 2]> {
        let Contradiction { lesser, greater } = { Contradiction::within(&row(metrics).metrics)? };
        Some([lesser, greater].map(|(name, value)| format!("{name} {value}")))
    }

    #[test]
    fn numbers_out_of_order_contradict_each_other() {
        for (metrics, lesser, greater) in [
            (
                &[("timeNs", 12.5), ("timeNs.min", 14.5)],
                "timeNs.min 14.5",
                "timeNs 12.5",
            ),
            (
                &[("timeNs", 12.5), ("timeNs.max", 11.5)],
                "timeNs 12.5",
                "timeNs.max 11.5",
            ),
            (
                &[("latencyP99Ms", 5.25), ("latencyMs.max", 4.25)],
                "latencyP99Ms 5.25",
                "latencyMs.max 4.25",
            ),
            (
                &[("latencyP99Ms", 5.25), ("latencyP50Ms", 6.25)],
                "latencyP50Ms 6.25",
                "latencyP99Ms 5.25",
            ),
            (
                &[("p99_us", 5.25), ("max_us", 4.25)],
                "p99_us 5.25",
                "max_us 4.25",
            ),
            (&[("mean", 5.25), ("min", 6.25)], "min 6.25", "mean 5.25"),
            (
                &[("avg-ms", 5.25), ("max-ms", 3.25)],
                "avg-ms 5.25",
                "max-ms 3.25",
            ),
            (
                &[("opsPerSecond.min", 5.25), ("opsPerSecond.max", 3.25)],
                "opsPerSecond.min 5.25",
                "opsPerSecond.max 3.25",
            ),
        ] {
            assert_eq!(
                contradiction(metrics),
                Some([lesser, greater].map(str::to_owned)),
                "{metrics:?}"
            );
        }
    }

    #[test]
    fn rounding_buckets_and_unrelated_metrics_do_not_contradict() {
        for metrics in [
            &[("timeNs", 1.0), ("timeNs.min", 1.25)],
            &[("latencyMs.min", 1.0), ("latencyMs", 0.01)],
            &[("latencyP99.9Ms", 17.06), ("latencyMs.max", 17.04)],
            &[("latencyP99Ms", 1300.0), ("latencyMs.max", 1260.0)],
            &[("timeNs", 12.5), ("cpuTimeNs.min", 14.5)],
            &[("heapBytes", 12.5), ("minHeapBytes", 14.5)],
            &[("latencyP50Ms", 6.25), ("queueP99Ms", 5.25)],
            &[
                ("requestsPerSecond P50", 6.25),
                ("requestsPerSecond P99", 5.25),
            ],
            &[("p99_us", 5250.0), ("max_ms", 5.25)],
            &[("maximaNs", 1.0), ("minimaNs", 5.0)],
            // The float sum differs in the last of 17 digits.
            &[
                ("timeNs", 12_345.678_901_234_57),
                ("timeNs.max", 12_345.678_901_234_565),
            ],
            &[
                ("timeNs", 123_456_789_012_345.7),
                ("timeNs.min", 123_456_789_012_345.8),
            ],
        ] {
            assert_eq!(contradiction(metrics), None, "{metrics:?}");
        }
    }

    #[test]
    fn only_statistics_of_the_same_values_contradict() {
        let row = row(&[
            ("timeNs", 12.5),
            ("latencyMs", 1.5),
            ("latencyMs.max", 0.5),
            ("latencyP99Ms", 0.25),
        ]);
        assert_eq!(Contradiction::around("timeNs", &row), None);
        for metric in ["latencyMs", "latencyP99Ms"] {
            let found = Contradiction::around(metric, &row);
            assert_eq!(
                found.map(|found| found.greater),
                Some(("latencyMs.max".into(), Value::Real(0.5)))
            );
        }
    }
}
