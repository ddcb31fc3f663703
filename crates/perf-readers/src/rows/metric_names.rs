//! What rows call their metrics: what is written stands for a metric, which is stored once.

use perf_model::row::Interner;
use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::input::text::trimmed;
use crate::rows::measured::Metric;
use perf_config::Config;
use perf_model::key_column::KeyColumn;
use perf_model::metric::spread_of;
use perf_model::row::{LONGEST_TEXT, MOST_METRICS, Name};

/// How many metrics are found by looking through them: faster than hashing.
const RECENT: usize = 16;

/// The metrics of all inputs.
pub(crate) struct MetricNames<'c> {
    config: &'c Config,
    /// The first of those in `written`: most inputs have no more.
    recent: Vec<(String, Option<Metric>)>,
    /// The one of them that comes next, if this row names metrics as the one before did.
    next: usize,
    /// What written names stand for; `None` for columns that are not read.
    written: HashMap<String, Option<Metric>, RandomState>,
    /// The metrics of layouts, and others as they appear.
    metrics: Interner,
    /// The same, with a spread as what it is the spread of: each has but a few of them.
    results: Interner,
    /// How many those may be, so that a baseline does not have any number of columns.
    most_results: usize,
}

impl<'c> MetricNames<'c> {
    /// Those of the config's layouts.
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

    /// All of them.
    pub(crate) fn stored(&self) -> &Interner {
        &self.metrics
    }

    /// What a metric is called that is written so in a row; `None` for a column that is not read.
    ///
    /// # Errors
    /// Why no metric can have the name.
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
        let ignored = self.config.ignore_columns.iter().any(|ignored| ignored == written);
        let metric = if ignored || written.is_empty() { None } else { Some(self.new_metric(written)?) };
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

    /// Whether a metric of this name that was not there yet would be taken.
    fn has_room(&self, name: &str) -> bool {
        self.results.len() < self.most_results || self.results.contains(result(name))
    }

    /// Whether a metric that is written so would be one too many.
    pub(crate) fn is_beyond(&self, written: &str) -> bool {
        let written = written.trim();
        !self.written.contains_key(written) && !self.has_room(self.config.metric_name(written))
    }

    fn new_metric(&mut self, written: &str) -> Result<Metric, String> {
        let name = self.config.metric_name(written);
        if KeyColumn::of(name).is_some() {
            return Err(format!("`{name}` is the name of a column that is no metric"));
        }
        if name.len() > LONGEST_TEXT {
            return Err(format!("the name of a metric is longer than {LONGEST_TEXT} bytes: `{name}`"));
        }
        if !self.has_room(name) {
            return Err(format!("`{name}` is one metric more than the {MOST_METRICS} that are read"));
        }
        self.results.place(result(name));
        Ok(self.metrics.place(name))
    }
}

/// What a metric is the spread of, else the metric itself.
fn result(metric: &str) -> &str {
    spread_of(metric).unwrap_or(metric)
}
