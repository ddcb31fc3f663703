//! Metric names as written in rows, resolved through the config and interned.

use perf_model::{key_column::KeyColumn, metric::spread_of, row::Interner};
use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::input::text::trimmed;
use crate::rows::measured::Metric;
use perf_config::Config;
use perf_model::row::{LONGEST_TEXT, MOST_METRICS, Name};

/// A linear search through few names is faster than hashing.
const RECENT: usize = 16;

/// The metrics of all inputs.
pub(crate) struct MetricNames<'c> {
    config: &'c Config,
    /// The first entries of `written`: most inputs have no more.
    recent: Vec<(String, Option<Metric>)>,
    /// The entry that comes next if rows repeat their order of metrics.
    next: usize,
    /// Metrics by written name; `None` for ignored columns.
    written: HashMap<String, Option<Metric>, RandomState>,
    /// The metrics of layouts, and others as they appear.
    metrics: Interner,
    /// The same without spreads (`x.stddev` counts as `x`).
    results: Interner,
    /// The limit for `results`, so that the columns of a baseline are bounded.
    most_results: usize,
}

impl<'c> MetricNames<'c> {
    /// Creates the names, which begin with those of the config's layouts.
    pub(crate) fn new(config: &'c Config) -> Self {
        let (mut metrics, mut results) = (Interner::default(), Interner::default());
        for agreed in config.layouts.iter().flatten() {
            metrics.place(agreed);
            results.place(result(agreed));
        }
        Self {
            config,
            recent: Vec::new(),
            next: 0,
            written: HashMap::default(),
            most_results: MOST_METRICS + results.len(),
            results,
            metrics,
        }
    }

    pub(crate) fn stored(&self) -> &Interner {
        &self.metrics
    }

    /// The metric of this written name; `None` for an ignored column.
    ///
    /// # Errors
    /// Why the name is invalid.
    pub(crate) fn metric(&mut self, written: &str) -> Result<Option<Metric>, String> {
        let written = trimmed(written);
        let is_it = |(recent, _): &(String, _)| *recent == *written;
        let next = Some(self.next).filter(|next| self.recent.get(*next).is_some_and(is_it));
        if let Some(at) = next.or_else(|| self.recent.iter().position(is_it)) {
            self.next = (at + 1) % self.recent.len();
            return Ok(self.recent[at].1);
        }
        if let Some(known) = self.written.get(written) {
            return Ok(*known);
        }
        let ignored = self
            .config
            .ignore_columns
            .iter()
            .any(|ignored| ignored == written);
        let metric = if ignored || written.is_empty() {
            None
        } else {
            Some(self.new_metric(written)?)
        };
        if self.recent.len() < RECENT {
            self.recent.push((written.to_owned(), metric));
        }
        self.written.insert(written.to_owned(), metric);
        Ok(metric)
    }

    /// The stored name of a metric.
    pub(crate) fn at(&self, metric: Metric) -> &Name {
        self.metrics.at(metric)
    }

    /// True if a metric of this name is known, or a new one is within the limit.
    fn has_room(&self, name: &str) -> bool {
        self.results.len() < self.most_results || self.results.contains(result(name))
    }

    /// True if a metric of this written name would exceed the limit.
    pub(crate) fn is_beyond(&self, written: &str) -> bool {
        let written = written.trim();
        !self.written.contains_key(written) && !self.has_room(self.config.metric_name(written))
    }

    fn new_metric(&mut self, written: &str) -> Result<Metric, String> {
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
        self.results.place(result(name));
        Ok(self.metrics.place(name))
    }
}

/// The metric whose spread this is, else the metric itself.
fn result(metric: &str) -> &str {
    spread_of(metric).unwrap_or(metric)
}
