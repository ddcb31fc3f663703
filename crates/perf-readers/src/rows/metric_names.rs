//! Resolves written metric names through the config, and collects a row's numbers.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;

use perf_config::Config;
use perf_model::key_column::KeyColumn;
use perf_model::metric::spread_of;
use perf_model::row::{LONGEST_TEXT, MOST_METRICS, Metrics, Name, Names, Value};

/// All inputs' metric names.
pub(crate) struct MetricNames<'c> {
    config: &'c Config,
    /// The metrics by the names in the inputs; `None` for ignored columns.
    written: HashMap<String, Option<Name>, RandomState>,
    all: HashSet<Name, RandomState>,
    /// The metrics, without those that are spreads of others (`x.stddev` belongs to `x`).
    results: HashSet<Name, RandomState>,
    /// The limit for `results`, so that a baseline's columns are bounded.
    most_results: usize,
}

impl<'c> MetricNames<'c> {
    /// Creates the names, starting with the config's layouts.
    pub(crate) fn new(config: &'c Config) -> Self {
        let mut names = Self {
            config,
            written: HashMap::default(),
            all: HashSet::default(),
            results: HashSet::default(),
            most_results: MOST_METRICS,
        };
        for agreed in config.layouts.iter().flatten() {
            names.add(agreed);
        }
        names.most_results += names.results.len();
        names
    }

    /// Returns the metric for a name in an input; `None` for an ignored column.
    ///
    /// # Errors
    /// Fails if the name is invalid or the limit is reached, and returns the reason.
    pub(crate) fn metric(&mut self, written: &str) -> Result<Option<Name>, String> {
        let written = written.trim();
        if let Some(known) = self.written.get(written) {
            return Ok(known.clone());
        }
        let mut ignored = self.config.ignore_columns.iter();
        let metric = if written.is_empty() || ignored.any(|ignored| ignored == written) {
            None
        } else {
            Some(self.new_metric(written)?)
        };
        self.written.insert(written.to_owned(), metric.clone());
        Ok(metric)
    }

    /// Whether the metric for a name in an input would exceed the limit.
    pub(crate) fn is_beyond(&self, written: &str) -> bool {
        let written = written.trim();
        !self.written.contains_key(written) && !self.has_room(self.config.metric_name(written))
    }

    /// Whether a metric is known, or a new metric is within the limit.
    fn has_room(&self, name: &str) -> bool {
        self.results.len() < self.most_results || self.results.contains(result(name))
    }

    fn new_metric(&mut self, written: &str) -> Result<Name, String> {
        let name = self.config.metric_name(written);
        if KeyColumn::of(name).is_some() {
            return Err(format!("invalid metric name `{name}`: it is a key column"));
        }
        if name.len() > LONGEST_TEXT {
            return Err(format!(
                "metric name is longer than {LONGEST_TEXT} bytes: `{name}`"
            ));
        }
        if !self.has_room(name) {
            return Err(format!(
                "metric `{name}` ignored: limit is {MOST_METRICS} metrics"
            ));
        }
        Ok(self.add(name))
    }

    fn add(&mut self, name: &str) -> Name {
        if !self.results.contains(result(name)) {
            self.results.insert(result(name).into());
        }
        if let Some(known) = self.all.get(name) {
            return Name::clone(known);
        }
        let name = Name::from(name);
        self.all.insert(Name::clone(&name));
        name
    }
}

/// Returns the metric to which a spread belongs, or the metric itself if it is not a spread.
fn result(metric: &str) -> &str {
    spread_of(metric).unwrap_or(metric)
}

/// One row's numbers in printed order.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    metrics: Vec<Name>,
    values: Vec<Value>,
}

impl Measured {
    /// Adds a value unless the metric already has one.
    pub(crate) fn insert(&mut self, metric: &Name, value: Value) {
        // Each metric name is stored once, so pointers can be compared.
        if !self.metrics.iter().any(|known| Arc::ptr_eq(known, metric)) {
            self.metrics.push(Name::clone(metric));
            self.values.push(value);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.metrics.is_empty()
    }
}

/// Lists of metric names, which rows with the same metrics share.
#[derive(Default)]
pub(crate) struct Shapes(HashSet<Names, RandomState>);

impl Shapes {
    /// Returns the row's metrics. Rows with the same metrics share a list of names.
    pub(crate) fn metrics(&mut self, measured: &Measured) -> Metrics {
        if let Some(known) = self.0.get(&measured.metrics) {
            return Metrics::of_distinct(Arc::clone(known), &measured.values);
        }
        let names = Names::from(measured.metrics.clone());
        self.0.insert(Arc::clone(&names));
        Metrics::of_distinct(names, &measured.values)
    }
}
