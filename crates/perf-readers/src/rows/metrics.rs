//! One row's metrics while a reader collects them.

use std::borrow::Cow;

use perf_model::row::Value;

/// A metric's name; most are static.
type Name = Cow<'static, str>;

/// Metrics in the order of the output. Metrics without a value are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Metrics(Vec<(Name, Value)>);

impl Metrics {
    pub(crate) fn add(&mut self, metric: impl Into<Name>, value: Option<Value>) {
        self.0.extend(value.map(|value| (metric.into(), value)));
    }

    /// Sets a value, which replaces an earlier one. A missing value changes nothing.
    pub(crate) fn set(&mut self, metric: impl Into<Name>, value: Option<Value>) {
        let (metric, Some(value)) = (metric.into(), value) else {
            return;
        };
        match self.0.iter_mut().find(|(name, _)| *name == metric) {
            Some((_, known)) => *known = value,
            None => self.0.push((metric, value)),
        }
    }

    /// Adds a value and its interval, which extends by a `share` of the value on both sides.
    pub(crate) fn add_with_share(
        &mut self,
        metric: &str,
        value: Option<Value>,
        share: Option<f64>,
    ) {
        let end = |sign: f64| Value::new(value?.as_f64() * (1.0 + sign * share?));
        self.add_parts(
            metric,
            [("", value), (".lower", end(-1.0)), (".upper", end(1.0))],
        );
    }

    /// Adds a value and its interval, which extends by `margin` on both sides.
    pub(crate) fn add_with_margin(
        &mut self,
        metric: impl Into<Name>,
        value: Option<Value>,
        margin: Option<f64>,
    ) {
        let metric = metric.into();
        let name = metric.to_string();
        self.add(metric, value);
        self.add_ends(&name, value, margin);
    }

    /// Adds an interval around a metric's value.
    pub(crate) fn add_ends(&mut self, metric: &str, value: Option<Value>, margin: Option<f64>) {
        let end = |sign: f64| Value::new(value?.as_f64() + sign * margin?);
        self.add_parts(metric, [(".lower", end(-1.0)), (".upper", end(1.0))]);
    }

    /// Adds a metric for each part. A part is a suffix of the name and a value.
    pub(crate) fn add_parts<'p>(
        &mut self,
        metric: &str,
        parts: impl IntoIterator<Item = (&'p str, Option<Value>)>,
    ) {
        self.extend(
            parts
                .into_iter()
                .map(|(part, value)| (format!("{metric}{part}"), value)),
        );
    }

    pub(crate) fn get(&self, metric: &str) -> Option<Value> {
        self.0
            .iter()
            .find(|(name, _)| name == metric)
            .map(|(_, value)| *value)
    }

    pub(crate) fn has(&self, metric: &str) -> bool {
        self.get(metric).is_some()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Option<Value>)> {
        self.into_iter()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| &**name)
    }

    /// Returns the same values under other names.
    pub(crate) fn renamed(self, mut name: impl FnMut(&str) -> String) -> Self {
        self.0
            .into_iter()
            .map(|(metric, value)| (name(&metric), Some(value)))
            .collect()
    }

    /// Moves these metrics to the front, in this order.
    pub(crate) fn lead(&mut self, first: &[&str]) {
        self.0.sort_by_key(|(metric, _)| {
            first
                .iter()
                .position(|name| name == metric)
                .unwrap_or(first.len())
        });
    }
}

impl<N: Into<Name>> Extend<(N, Option<Value>)> for Metrics {
    fn extend<I: IntoIterator<Item = (N, Option<Value>)>>(&mut self, metrics: I) {
        metrics
            .into_iter()
            .for_each(|(metric, value)| self.add(metric, value));
    }
}

impl<N: Into<Name>> FromIterator<(N, Option<Value>)> for Metrics {
    fn from_iter<I: IntoIterator<Item = (N, Option<Value>)>>(metrics: I) -> Self {
        let mut all = Self::default();
        all.extend(metrics);
        all
    }
}

impl<N: Into<Name>, const LENGTH: usize> From<[(N, Option<Value>); LENGTH]> for Metrics {
    fn from(metrics: [(N, Option<Value>); LENGTH]) -> Self {
        metrics.into_iter().collect()
    }
}

impl IntoIterator for Metrics {
    type Item = (Name, Option<Value>);
    type IntoIter =
        std::iter::Map<std::vec::IntoIter<(Name, Value)>, fn((Name, Value)) -> Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter().map(|(name, value)| (name, Some(value)))
    }
}

impl<'m> IntoIterator for &'m Metrics {
    type Item = (&'m str, Option<Value>);
    type IntoIter =
        std::iter::Map<std::slice::Iter<'m, (Name, Value)>, fn(&'m (Name, Value)) -> Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(|(name, value)| (&**name, Some(*value)))
    }
}
