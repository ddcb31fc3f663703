//! A measurement, and the value that represents its samples.

use std::sync::Arc;

use super::{Definitions, Family, Unlike};
use crate::decimal::stored;
use crate::metric::{Metric, Unit};
use crate::row::{AGGREGATE, Name, Outcome, Row, Value, metric_names};

/// A measurement's rows.
pub type Rows<'r> = Vec<&'r Row>;

/// One scenario's rows in one scope.
#[derive(Debug)]
pub struct Measurement<'r> {
    /// The benchmark's key.
    pub scenario: &'r Name,
    /// Whether the benchmark is the project's own, or part of a library comparison.
    pub family: Family<'r>,
    /// The rows, at least one.
    pub rows: Rows<'r>,
}

impl Measurement<'_> {
    /// The measured commit.
    pub fn commit(&self) -> &str {
        self.rows.first().map_or("", |row| &row.commit)
    }

    /// The machine type, if rows state one.
    pub fn machine_class(&self) -> Option<&str> {
        self.rows.first()?.machine_class.as_deref()
    }

    /// The methodology, if rows state one.
    pub fn methodology(&self) -> Option<&str> {
        self.rows.first()?.methodology.as_deref()
    }

    /// The first difference between the ways in which two measurements were made. Ignores a property that only one
    /// measurement states.
    pub fn unlike(&self, other: &Measurement<'_>) -> Option<Unlike> {
        Unlike::of(self.rows.first()?, other.rows.first()?)
    }

    /// The worst outcome of the measurement's rows.
    pub fn outcome(&self) -> Outcome {
        self.rows
            .iter()
            .map(|row| row.outcome)
            .max()
            .unwrap_or_default()
    }

    /// Whether the benchmark was skipped and its rows contain no numbers.
    pub fn is_blank(&self) -> bool {
        self.outcome() == Outcome::Skipped && self.rows.iter().all(|row| row.metrics.is_empty())
    }

    /// A metric's value, rounded as in the baseline. It comes from the aggregate row if that contains the metric.
    /// Otherwise, it is the median of the samples. A computed metric's value is the result of its formula. `None` if
    /// the metric was not measured.
    pub fn value(&self, metric: &Metric, config: &impl Definitions) -> Option<Value> {
        let stored_value =
            |metric: &Metric| Some(stored(self.measured_value(&metric.name)?, metric.decimals));
        match &metric.formula {
            None => stored_value(metric),
            Some(formula) => {
                let operand = |name: &str| Some(stored_value(&config.metric(name))?.as_f64());
                formula.evaluate(&operand).and_then(Value::new)
            }
        }
    }

    fn measured_value(&self, metric: &str) -> Option<Value> {
        let aggregate = self.rows.iter().find(|row| row.run_index == AGGREGATE);
        aggregate
            .and_then(|row| row.metrics.get(metric))
            .or_else(|| median(self.samples(metric)))
    }

    /// A metric's measured values, one for each row that contains the metric.
    pub fn samples(&self, metric: &str) -> Vec<Value> {
        self.rows
            .iter()
            .filter_map(|row| row.metrics.get(metric))
            .collect()
    }

    /// The metrics that are results of this measurement, in order of appearance, with derived metrics last. Leaves out
    /// spreads of other metrics, fallbacks for a metric that was measured, a zero for which a fallback was measured, and a
    /// zero rate next to a time.
    pub fn results(&self, config: &impl Definitions) -> Vec<Arc<Metric>> {
        let mut metrics = self.printed_metrics(config);
        let mut fallbacks = metrics.clone();
        fallbacks.retain(|metric| metric.fallback_for.is_some());
        metrics.retain(|metric| {
            let is_replaced = fallbacks
                .iter()
                .any(|other| other.fallback_for.as_ref() == Some(&metric.name))
                && !self.is_positive(&metric.name);
            let replaces = metric.fallback_for.as_ref();
            let is_superfluous = replaces.is_some_and(|other| self.is_positive(other));
            metric.spread_of.is_none() && !is_replaced && !is_superfluous
        });
        if metrics.iter().any(|metric| self.is_zero_rate(metric)) && self.time(&metrics).is_some() {
            metrics.retain(|metric| !self.is_zero_rate(metric));
        }
        metrics.sort_by_cached_key(|metric| self.source_of(metric, config).is_some());
        metrics
    }

    /// The distinct metrics in the rows.
    fn printed_metrics(&self, config: &impl Definitions) -> Vec<Arc<Metric>> {
        let names = metric_names(self.rows.iter().copied()).into_iter();
        names.map(|name| config.metric(name)).collect()
    }

    /// The measured metric from which `metric` is derived. `None` if `metric` is not derived, or if the config sets it as
    /// the scenario's primary metric.
    pub fn source_of<'m>(&self, metric: &'m Metric, config: &impl Definitions) -> Option<&'m Name> {
        let is_measured =
            |name: &&Name| self.rows.iter().any(|row| row.metrics.get(name).is_some());
        let is_chosen = || config.primary_of(self.scenario) == Some(&metric.name);
        metric
            .derived_from
            .iter()
            .find(is_measured)
            .filter(|_| !is_chosen())
    }

    fn is_positive(&self, metric: &str) -> bool {
        self.measured_value(metric)
            .is_some_and(|value| value.as_f64() > 0.0)
    }

    /// Whether this is a zero rate. A benchmark tool prints a zero rate next to a time if it measured no throughput.
    fn is_zero_rate(&self, metric: &Metric) -> bool {
        metric.meaning.unit == Unit::PerSecond
            && self.measured_value(&metric.name) == Some(Value::Int(0))
    }

    /// The first time metric with a positive value.
    fn time<'m>(&self, metrics: &'m [Arc<Metric>]) -> Option<&'m Arc<Metric>> {
        metrics.iter().find(|metric| {
            metric.meaning.unit.seconds().is_some() && self.is_positive(&metric.name)
        })
    }

    /// The primary metric that the config sets for the scenario. `None` if it is a zero rate next to a time.
    pub fn chosen(&self, config: &impl Definitions) -> Option<Arc<Metric>> {
        let named = config.metric(config.primary_of(self.scenario)?);
        let is_replaced = self.is_zero_rate(&named) && self.time(&self.results(config)).is_some();
        (!is_replaced).then_some(named)
    }

    /// The scenario's primary metric: the metric from the config, or the first result.
    pub fn primary(&self, config: &impl Definitions) -> Option<Arc<Metric>> {
        self.chosen(config).or_else(|| {
            let results = self.results(config);
            let has_zero_rate = self
                .printed_metrics(config)
                .iter()
                .any(|metric| self.is_zero_rate(metric));
            // Without a throughput, the time is primary, even if a count was printed before it.
            let time = self.time(&results).filter(|_| has_zero_rate);
            time.or(results.first()).cloned()
        })
    }
}

/// The middle value, or the mean of the two middle values.
pub fn median(mut values: Vec<Value>) -> Option<Value> {
    let order = |a: &Value, b: &Value| match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        _ => a.as_f64().total_cmp(&b.as_f64()),
    };
    if values.is_empty() {
        return None;
    }
    let (is_odd, middle) = (values.len() % 2 == 1, values.len() / 2);
    let (below, upper, _) = values.select_nth_unstable_by(middle, order);
    if is_odd {
        return Some(*upper);
    }
    let lower = below.iter().copied().max_by(order)?;
    match (lower, *upper) {
        // Keep the last digits of counts above 2^53.
        (Value::Int(lower), Value::Int(upper)) if lower % 2 == upper % 2 => {
            Some(Value::Int(lower.midpoint(upper)))
        }
        (lower, upper) => Value::new(f64::midpoint(lower.as_f64(), upper.as_f64())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_an_even_number_of_values_is_the_mean_of_the_middle_two() {
        let values = |numbers: &[i64]| numbers.iter().map(|n| Value::Int(*n)).collect();
        assert_eq!(median(values(&[4, 1, 3])), Some(Value::Int(3)));
        assert_eq!(median(values(&[4, 1])), Some(Value::Real(2.5)));
        assert_eq!(
            median(values(&[i64::MAX, i64::MAX - 2])),
            Some(Value::Int(i64::MAX - 1))
        );
        assert_eq!(median(values(&[-3, -1, 0, -4])), Some(Value::Int(-2)));
        assert_eq!(median(vec![]), None);
    }
}
