//! A row's numbers.
//!
//! Thousands of rows have the same metrics. They share the list of *names*, and each row has its own *values*.

use std::sync::Arc;

use super::{Name, Value};

/// A row's metric names in printed order, shared between rows.
pub type Names = Arc<Vec<Name>>;

/// One row's numbers by metric name, in printed order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Metrics {
    names: Names,
    values: Vec<Value>,
}

impl Metrics {
    /// The value of `metric`, or `None` if it was not measured.
    pub fn get(&self, metric: &str) -> Option<Value> {
        let place = self.place_of(metric)?;
        Some(self.values[place])
    }

    fn place_of(&self, metric: &str) -> Option<usize> {
        self.names.iter().position(|name| **name == *metric)
    }

    /// Adds a measured value. If the metric already has a value, keeps it and returns `false`.
    pub fn insert(&mut self, metric: Name, value: Value) -> bool {
        let absent = self.place_of(&metric).is_none();
        if absent {
            Arc::make_mut(&mut self.names).push(metric);
            self.values.push(value);
        }
        absent
    }

    /// Replaces the value of `metric` with `make(value)`. Does nothing if `metric` was not measured.
    pub fn change(&mut self, metric: &str, make: impl FnOnce(Value) -> Value) {
        if let Some(place) = self.place_of(metric) {
            self.values[place] = make(self.values[place]);
        }
    }

    /// Builds the metrics from names, which must be distinct, and their values.
    pub fn of_distinct(names: Names, values: &[Value]) -> Self {
        if values.is_empty() {
            return Self::default();
        }
        Self {
            names,
            values: values.to_vec(),
        }
    }

    /// Returns the same metrics, sorted by name.
    #[must_use]
    pub fn sorted(&self) -> Self {
        if self.names.is_sorted() {
            return self.clone();
        }
        let mut pairs: Vec<(Name, Value)> = Vec::with_capacity(self.values.len());
        pairs.extend(self.iter().map(|(name, value)| (Name::clone(name), value)));
        pairs.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        pairs.into_iter().collect()
    }

    /// Names and values, in printed order.
    pub fn iter(&self) -> impl Iterator<Item = (&Name, Value)> {
        self.names.iter().zip(self.values.iter().copied())
    }

    /// The address of the shared list of names, or 0 if there are no metrics. Rows with the same address have the same
    /// names.
    pub fn names_at(&self) -> usize {
        if self.is_empty() {
            0
        } else {
            Arc::as_ptr(&self.names).addr()
        }
    }

    /// Whether all metrics that were measured in both rows are equal and there is at least one such metric, or both rows are
    /// empty.
    pub fn agrees(&self, other: &Self) -> bool {
        if self.is_empty() && other.is_empty() {
            return true;
        }
        let mut shared = 0;
        for (name, value) in self.iter() {
            match other.get(name) {
                Some(measured) if measured == value => shared += 1,
                Some(_) => return false,
                None => {}
            }
        }
        shared > 0
    }

    /// Whether any metric was measured in both rows.
    pub fn shares_any(&self, other: &Self) -> bool {
        self.iter().any(|(name, _)| other.get(name).is_some())
    }

    /// Whether nothing was measured.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl FromIterator<(Name, Value)> for Metrics {
    fn from_iter<I: IntoIterator<Item = (Name, Value)>>(pairs: I) -> Self {
        let mut metrics = Self::default();
        for (name, value) in pairs {
            metrics.insert(name, value);
        }
        metrics
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_value_of_a_metric_is_kept() {
        let mut metrics = Metrics::default();
        assert!(metrics.insert("a".into(), Value::Int(1)));
        assert!(!metrics.insert("a".into(), Value::Int(2)));
        assert_eq!(metrics.get("a"), Some(Value::Int(1)));
    }

    #[test]
    fn changed_value_keeps_its_place() {
        for names in [vec!["a"], vec!["b", "a"]] {
            let mut metrics: Metrics = names
                .iter()
                .map(|name| ((*name).into(), Value::Int(1)))
                .collect();
            metrics.change("a", |value| {
                Value::Int(if value == Value::Int(1) { 2 } else { 3 })
            });
            metrics.change("absent", |_| Value::Int(9));
            // A float cannot hold all digits of this number.
            let mut wide = metrics.clone();
            wide.change("a", |_| Value::Int(i64::MAX - 1));
            assert_eq!(wide.get("a"), Some(Value::Int(i64::MAX - 1)));
            wide.change("a", |_| Value::Int(2));
            assert_eq!(wide, metrics);
            let expected = names
                .iter()
                .map(|name| ((*name).into(), Value::Int(1 + i64::from(*name == "a"))));
            assert_eq!(metrics, expected.collect());
        }
    }

    #[test]
    fn sorted_metrics_do_not_depend_on_order() {
        let pairs: [(Name, Value); 3] = [
            ("b".into(), Value::Int(1)),
            ("a".into(), Value::Int(2)),
            ("c".into(), Value::Int(3)),
        ];
        let metrics: Metrics = pairs.iter().cloned().collect();
        let reversed: Metrics = pairs.into_iter().rev().collect();
        assert_ne!(metrics, reversed);
        assert_eq!(metrics.sorted(), reversed.sorted());
        assert_eq!(metrics.sorted().get("b"), Some(Value::Int(1)));
    }

    #[test]
    fn adding_a_metric_does_not_change_rows_with_shared_names() {
        let names: Names = Arc::new(vec!["a".into()]);
        let one = Metrics::of_distinct(Arc::clone(&names), &[Value::Int(1)]);
        let mut other = one.clone();
        assert!(other.insert("b".into(), Value::Int(2)));
        assert_eq!((one.get("b"), other.get("b")), (None, Some(Value::Int(2))));
        assert_eq!(
            other,
            [("a".into(), Value::Int(1)), ("b".into(), Value::Int(2))]
                .into_iter()
                .collect()
        );
        assert_eq!(Metrics::of_distinct(names, &[]), Metrics::default());
    }
}
