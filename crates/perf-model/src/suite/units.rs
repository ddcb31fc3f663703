//! Conversion of earlier rows to the units of a run, because a tool may choose another unit in each run.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use crate::diagnostic::{Diagnostic, counted};
use crate::metric::Quantity;
use crate::row::{Metrics, Name, Row, Value};

/// Converts the metrics of `rows` to the units that the same benchmarks of `current` have. Says what was converted.
pub fn adopt_units(rows: &mut [Row], current: &[Row]) -> Option<Diagnostic> {
    let mut measured: HashMap<&Name, IndexSet<&Name, RandomState>, RandomState> =
        HashMap::default();
    let mut last: Option<(&Name, usize)> = None;
    for row in current {
        let shape = (&row.scenario, row.metrics.names_at());
        if last.replace(shape) != Some(shape) {
            let names = measured.entry(&row.scenario).or_default();
            names.extend(row.metrics.iter().map(|(name, _)| name));
        }
    }
    let mut converted: IndexSet<Name, RandomState> = IndexSet::default();
    for row in rows {
        let Some(names) = measured.get(&row.scenario) else {
            continue;
        };
        if row.metrics.iter().all(|(name, _)| names.contains(name)) {
            continue;
        }
        let mut metrics = Vec::new();
        let mut is_changed = false;
        for (name, value) in row.metrics.iter() {
            let other = in_other_unit(name, value, names, &row.metrics);
            is_changed |= other.is_some();
            metrics.push(other.unwrap_or_else(|| (Name::clone(name), value)));
        }
        if is_changed {
            row.metrics = metrics.into_iter().collect();
            converted.insert(Name::clone(&row.scenario));
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

/// Converts the value of a metric that is absent from the run to an equivalent metric of the run.
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
        let Some(quantity) = Quantity::of_name(other) else {
            continue;
        };
        let Some(factor) = own.factor_to(&quantity) else {
            continue;
        };
        if metrics.get(other).is_none() {
            return Some((Name::clone(other), scaled(value, factor)?));
        }
    }
    None
}

/// A value times a factor. Whole factors and their inverses are exact to the last digit.
fn scaled(value: Value, factor: f64) -> Option<Value> {
    if factor < 1.0 {
        let inverse = 1.0 / factor;
        if (inverse - inverse.round()).abs() < inverse * 1e-12 {
            return Value::new(value.as_f64() / inverse.round());
        }
    }
    let whole = factor.round();
    let factor = if (factor - whole).abs() < whole * 1e-12 {
        whole
    } else {
        factor
    };
    Value::new(value.as_f64() * factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{Key, Outcome};

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
    fn metric_beside_its_other_unit_stays() {
        let current = [row("a", &[("timeUs", 1.0)])];
        let mut rows = [row("a", &[("timeNs", 900.0), ("timeUs", 0.9)])];
        assert_eq!(adopt_units(&mut rows, &current), None);
        assert_eq!(rows[0].metrics.get("timeNs"), Some(Value::Int(900)));
    }
}
