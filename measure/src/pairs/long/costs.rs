//! The costs of one iteration, from a process run with more and one with fewer iterations.

use perf_model::methodology::CPU_OF_ITERATIONS;
use perf_model::row::{Conditions, Key, Metrics, Name, Row, Value};

use crate::process::Launch;

/// A benchmark's time as tools call it, the names of its wall and processor time in the same unit, and the units per second.
pub(super) const TIMES: [(&str, [&str; 2], f64); 3] = [
    ("timeNs", ["timeNs", "cpuTimeNs"], 1e9),
    ("ns/op", ["timeNs", "cpuTimeNs"], 1e9),
    ("timeS", ["timeS", "cpuTimeS"], 1.0),
];

/// Costs of one iteration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Costs {
    /// Processor time, in seconds.
    pub(super) processor: f64,
    /// Ratio of processor time to wall time without the run queue, in the longer process run. Very large if the delay is unknown
    /// because of child processes, or if waiting threads leave no such time.
    pub(super) share: f64,
    /// Processor time of process start and preparation, as a share of the difference between both process runs.
    pub(super) start: f64,
}

impl Costs {
    /// Computes the costs from two process runs with these iterations; `None` if the processor time did not grow.
    pub(super) fn of(
        (more, most): (&Launch, u32),
        (fewer, fewest): (&Launch, u32),
    ) -> Option<Self> {
        let of = |launch: &Launch| launch.user + launch.system;
        let difference = of(more) - of(fewer);
        let processor = difference / f64::from(most - fewest);
        let start = (of(fewer) - processor * f64::from(fewest)) / difference;
        let undelayed = more
            .delay
            .map(|delay| more.wall - delay)
            .filter(|time| *time > 0.0);
        let share = undelayed.map_or(f64::MAX, |undelayed| of(more) / undelayed);
        (processor > 0.0).then_some(Self {
            processor,
            share,
            start,
        })
    }

    /// Returns the row with the processor time of an iteration instead of the tool's own values.
    pub(super) fn judged(self, row: &Row, method: &str) -> Option<Row> {
        let metrics = self.metrics(&row.metrics)?;
        let mut conditions = Conditions::clone(&row.key.conditions);
        let own = conditions.methodology.unwrap_or_default();
        // Insert it before the fingerprints, which follow the method.
        let methodology = own.replacen(method, &format!("{method}, {CPU_OF_ITERATIONS}"), 1);
        conditions.methodology = Some(methodology.into());
        let key = Key {
            scenario: Name::clone(&row.key.scenario),
            conditions: conditions.into(),
        };
        Some(Row {
            key: key.into(),
            metrics,
            ..row.clone()
        })
    }

    /// The metrics, named as the rules expect.
    fn metrics(self, printed: &Metrics) -> Option<Metrics> {
        let (wall, names, unit) = times(printed)?;
        let is_time = |name: &str| name == wall || names.contains(&name);
        let others = printed
            .iter()
            .filter(|(name, _)| !is_time(name.split('.').next().unwrap_or_default()));
        let mut metrics: Metrics = others
            .map(|(name, value)| (Name::clone(name), value))
            .collect();
        for (name, value) in names
            .into_iter()
            .zip([printed.get(wall), Value::new(self.processor * unit)])
        {
            if let Some(value) = value {
                metrics.insert(name.into(), value);
            }
        }
        Some(metrics)
    }
}

/// The names and unit of a benchmark's time.
pub(in crate::pairs) fn times(metrics: &Metrics) -> Option<(&'static str, [&'static str; 2], f64)> {
    TIMES
        .into_iter()
        .find(|(printed, ..)| metrics.get(printed).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(wall: f64, processor: f64, delay: Option<f64>) -> Launch {
        Launch {
            started: std::time::SystemTime::now(),
            wall,
            user: processor,
            system: 0.0,
            peak: 0,
            switches: None,
            delay,
            output: Vec::new(),
        }
    }

    #[test]
    fn an_iteration_costs_the_difference_between_both_process_runs() {
        let fewer = launch(0.3, 0.1, Some(0.19));
        let costs_of = |more: Launch| Costs::of((&more, 10), (&fewer, 2));
        let costs = costs_of(launch(1.1, 0.26, Some(0.84))).unwrap();
        assert!((costs.processor - 0.02).abs() < 1e-9 && (costs.share - 1.0).abs() < 1e-9);
        assert!((costs.start - 0.06 / 0.16).abs() < 1e-9, "{costs:?}");
        let waiting = costs_of(launch(1.1, 0.26, Some(0.58))).unwrap();
        assert!((waiting.share - 0.5).abs() < 1e-9);
        let children = costs_of(launch(1.1, 0.26, None)).unwrap();
        assert!(children.share > 1e9);
        assert!(costs_of(launch(1.1, 0.1, None)).is_none());
    }

    #[test]
    fn the_tools_own_processor_time_is_replaced() {
        let value = |number| Value::new(number).unwrap();
        let printed: Metrics = [
            ("timeNs", 9.0),
            ("timeNs.d1", 8.0),
            ("cpuTimeNs", 7.0),
            ("allocs", 1.0),
        ]
        .map(|(name, number)| (Name::from(name), value(number)))
        .into_iter()
        .collect();
        let metrics = Costs {
            processor: 2e-9,
            share: 1.0,
            start: 0.0,
        }
        .metrics(&printed)
        .unwrap();
        let of = |name: &str| metrics.get(name).map(Value::as_f64);
        assert_eq!(
            [of("timeNs"), of("timeNs.d1"), of("allocs")],
            [Some(9.0), None, Some(1.0)]
        );
        assert!(of("cpuTimeNs").is_some_and(|time| (time - 2.0).abs() < 1e-9));
    }
}
