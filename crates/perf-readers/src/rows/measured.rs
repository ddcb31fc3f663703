//! The values of a row while it is read, and metric names shared by rows.

use perf_model::row::Interner;
use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;

use perf_model::row::{Metrics, Name, Names, Value};

/// An interned metric name.
pub(crate) type Metric = u32;

/// The numbers of one row, in the order in which they were printed.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    metrics: Vec<Metric>,
    values: Vec<Value>,
}

impl Measured {
    /// With room for `most` values.
    pub(crate) fn with_capacity(most: usize) -> Self {
        Self {
            metrics: Vec::with_capacity(most),
            values: Vec::with_capacity(most),
        }
    }

    /// Adds a value unless the metric already has one.
    pub(crate) fn insert(&mut self, metric: Metric, value: Value) {
        if !self.metrics.contains(&metric) {
            self.add(metric, value);
        }
    }

    /// Adds a value of a metric that has none yet.
    pub(crate) fn add(&mut self, metric: Metric, value: Value) {
        self.metrics.push(metric);
        self.values.push(value);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.metrics.is_empty()
    }

    /// Returns the most bytes that the values take beside their row: a single one is in it.
    pub(crate) fn bytes(&self) -> usize {
        /// The list of values that floats cannot hold is an allocation of its own.
        const LIST: usize = 2 * size_of::<Box<[Value]>>();
        if self.values.len() < 2 {
            0
        } else {
            size_of_val(&*self.values) + LIST
        }
    }

    pub(crate) fn clear(&mut self) {
        self.metrics.clear();
        self.values.clear();
    }
}

/// The bytes that a sequence of metric names takes besides its metrics.
const SHAPE: usize = 128;

/// Sequences of metric names, each stored once.
#[derive(Default)]
pub(crate) struct Shapes {
    last: (Vec<Metric>, Names),
    known: HashMap<Box<[Metric]>, Names, RandomState>,
    /// The bytes of the sequences.
    bytes: usize,
}

impl Shapes {
    /// The values with their shared names.
    pub(crate) fn metrics(&mut self, measured: &Measured, names: &Interner) -> Metrics {
        if self.last.0 != measured.metrics {
            self.last.0.clone_from(&measured.metrics);
            self.last.1 = match self.known.get(&*measured.metrics) {
                Some(shape) => Arc::clone(shape),
                None => self.add(&measured.metrics, names),
            };
        }
        Metrics::of_distinct(Arc::clone(&self.last.1), &measured.values)
    }

    fn add(&mut self, metrics: &[Metric], names: &Interner) -> Names {
        let shape: Names = Arc::new(
            metrics
                .iter()
                .map(|metric| Arc::clone(names.at(*metric)))
                .collect(),
        );
        self.bytes += SHAPE + metrics.len() * (size_of::<Metric>() + size_of::<Name>());
        self.known.insert(metrics.into(), Arc::clone(&shape));
        shape
    }

    /// Returns the bytes that the sequences take.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}
