//! Converts earlier rows to a run's units, because a tool may choose different units in each run.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use crate::diagnostic::{Diagnostic, counted};
use crate::metric::{Quantity, rescaled};
use crate::row::{Metrics, Name, Row, Value};

/// The units in a run. Earlier rows are converted to them.
pub struct RunUnits<'r, F> {
    /// Returns the scope of a platform.
    scope_of: F,
    /// The run's metrics, by scope and benchmark.
    measured: HashMap<(Name, &'r Name), IndexSet<&'r Name, RandomState>, RandomState>,
}

impl<'r, F: Fn(&str) -> Option<Name>> RunUnits<'r, F> {
    /// Collects the units in a run's rows.
    pub fn new(current: &'r [Row], scope_of: F) -> Self {
        let mut measured: HashMap<_, IndexSet<_, _>, _> = HashMap::default();
        for rows in current.chunk_by(|one, next| one.platform == next.platform) {
            let Some(scope) = scope_of(&rows[0].platform) else {
                continue;
            };
            for row in rows {
                let names = measured.entry((Name::clone(&scope), &row.scenario));
                let names = names.or_default();
                names.extend(row.metrics.iter().map(|(name, _)| name));
            }
        }
        Self { scope_of, measured }
    }

    /// Converts the metrics of `rows` to the units that the run uses for the same benchmarks. Returns a note if anything
    /// changed.
    pub fn adopt(&self, rows: &mut [Row]) -> Option<Diagnostic> {
        let mut converted: IndexSet<Name, RandomState> = IndexSet::default();
        for rows in rows.chunk_by_mut(|one, next| one.platform == next.platform) {
            let Some(scope) = (self.scope_of)(&rows[0].platform) else {
                continue;
            };
            for row in rows {
                let scenario = Name::clone(&row.scenario);
                if let Some(names) = self.measured.get(&(Name::clone(&scope), &scenario))
                    && adopt_row(row, names)
                {
                    converted.insert(scenario);
                }
            }
        }
        let count = converted.len() as u64;
        let message = format!(
            "{} converted to the unit of this run",
            counted(count, "benchmark")
        );
        let examples = converted.iter().map(|name| format!("`{name}`"));
        (count > 0).then(|| Diagnostic::note(message).examples(count, examples))
    }
}

/// Converts a row's metrics. Returns whether any metric had a different unit.
fn adopt_row(row: &mut Row, names: &IndexSet<&Name, RandomState>) -> bool {
    if row.metrics.iter().all(|(name, _)| names.contains(name)) {
        return false;
    }
    let mut metrics = Metrics::default();
    let mut is_changed = false;
    for (name, value) in row.metrics.iter() {
        let other = in_other_unit(name, value, names, &row.metrics);
        is_changed |= other.is_some();
        let (name, value) = other.unwrap_or_else(|| (Name::clone(name), value));
        metrics.insert(name, value);
    }
    if is_changed {
        row.metrics = metrics;
    }
    is_changed
}

/// Converts a metric that the run does not contain to the run's metric for the same quantity in another unit.
fn in_other_unit(
    name: &Name,
    value: Value,
    names: &IndexSet<&Name, RandomState>,
    metrics: &Metrics,
) -> Option<(Name, Value)> {
    if names.contains(name) {
        return None;
    }
    let own = Quantity::of_name(name)?;
    for other in names {
        if metrics.get(other).is_some() {
            continue;
        }
        if let Some(factor) = Quantity::of_name(other).and_then(|unit| own.factor_to(&unit)) {
            let value = Value::new(rescaled(value.as_f64(), factor))?;
            return Some((Name::clone(other), value));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{Conditions, Key, Outcome};

    fn adopt_units(rows: &mut [Row], current: &[Row]) -> Option<Diagnostic> {
        RunUnits::new(current, |platform| Some(platform.into())).adopt(rows)
    }

    fn row(scenario: &str, metrics: &[(&str, f64)]) -> Row {
        let key = Key {
            scenario: scenario.into(),
            ..Key::default()
        };
        let metrics = metrics.iter().filter_map(|(name, value)| {
            let value = Value::new(*value)?;
            Some((Name::from(*name), value))
        });
        Row {
            key: key.into(),
            run_index: -1,
            outcome: Outcome::Measured,
            launch: None,
            measured_at: None,
            metrics: metrics.collect(),
        }
    }

    #[test]
    fn baseline_adopts_the_unit_of_the_run() {
        let current = [
            row("a", &[("timeUs", 1.1), ("timeUs.upper", 1.2)]),
            row("b", &[("timeNs", 5.0)]),
        ];
        let mut rows = [
            row("a", &[("timeNs", 990.0), ("timeNs.upper", 1000.0)]),
            row("b", &[("timeNs", 6.0)]),
            row("c", &[("timeMs", 7.0)]),
        ];
        let found = adopt_units(&mut rows, &current);
        assert_eq!(
            rows[0].metrics,
            row("a", &[("timeUs", 0.99), ("timeUs.upper", 1.0)]).metrics
        );
        assert_eq!(rows[1].metrics, row("b", &[("timeNs", 6.0)]).metrics);
        assert_eq!(rows[2].metrics, row("c", &[("timeMs", 7.0)]).metrics);
        assert_eq!(found.map(|found| found.count), Some(1));
    }

    #[test]
    fn each_platform_has_its_own_units() {
        let on = |platform: &str, metrics: &[(&str, f64)]| {
            let conditions = Conditions {
                platform: platform.into(),
                ..Conditions::default()
            };
            let key = Key {
                scenario: "a".into(),
                conditions: conditions.into(),
            };
            Row {
                key: key.into(),
                ..row("a", metrics)
            }
        };
        let current = [
            on("linux", &[("timeUs", 1.0)]),
            on("windows", &[("timeNs", 1000.0)]),
        ];
        let mut rows = [
            on("linux", &[("timeNs", 900.0)]),
            on("windows", &[("timeUs", 0.9)]),
        ];
        assert!(adopt_units(&mut rows, &current).is_some());
        assert_eq!(rows[0], on("linux", &[("timeUs", 0.9)]));
        assert_eq!(rows[1], on("windows", &[("timeNs", 900.0)]));
    }

    #[test]
    fn metric_is_not_converted_if_the_row_has_both_units() {
        let current = [row("a", &[("timeUs", 1.0)])];
        let mut rows = [row("a", &[("timeNs", 900.0), ("timeUs", 0.9)])];
        assert_eq!(adopt_units(&mut rows, &current), None);
        assert_eq!(rows[0].metrics.get("timeNs"), Some(Value::Int(900)));
    }
}
