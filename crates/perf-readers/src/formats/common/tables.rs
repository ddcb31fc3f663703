//! Collects the results of tools that print a table or a block of lines per run. A run's results are complete only at
//! the end of the table.
//!
//! If one table lists a benchmark several times, the results are samples. If several tables list it, the results are
//! samples from several processes.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::formats::common::command;
use crate::formats::common::names::run_indices;
use crate::rows::repeats::{RATE, ends, is_far, main_metric};
use crate::rows::sections::Named;
use crate::rows::{Cells, Metrics, Process, Rows};
use perf_model::row::{Outcome, Value};

/// The ratio above which two requested rates are different.
const OTHER_RATE: f64 = 1.1;

/// An input's tables.
#[derive(Default)]
pub(crate) struct Tables {
    /// The line on which the last table begins.
    begun: Option<u64>,
    found: Vec<Found>,
    /// The last table's benchmarks, as indices into `found`.
    places: HashMap<String, usize, RandomState>,
    /// Whether request rates were set, rather than measured.
    holds_rates: bool,
}

struct Found {
    named: Named,
    /// The line on which the result's table begins.
    table: u64,
    outcome: Outcome,
    metrics: Metrics,
}

impl Tables {
    /// Records whether request rates were set. If they were, a benchmark should have the same rate in all its runs.
    pub(crate) fn hold_rates(&mut self, are_held: bool) {
        self.holds_rates |= are_held;
    }

    /// Whether this benchmark belongs to a new table, because the last one already contains it or no table has begun.
    pub(crate) fn is_other(&mut self, name: &str) -> bool {
        self.begun.is_none() || self.known(name).is_some()
    }

    pub(crate) fn begin(&mut self, line: u64) {
        self.begun = Some(line);
        self.places.clear();
    }

    /// Adds a benchmark to the last table.
    pub(crate) fn add(&mut self, line: u64, name: &str, outcome: Outcome, metrics: Metrics) {
        self.places.insert(name.to_owned(), self.found.len());
        self.found.push(Found {
            named: Named {
                name: name.to_owned(),
                line,
            },
            table: self.begun.unwrap_or(0),
            outcome,
            metrics,
        });
    }

    /// Returns the last benchmark's metrics, to which later lines may add.
    pub(crate) fn last_metrics(&mut self) -> Option<&mut Metrics> {
        self.found.last_mut().map(|found| &mut found.metrics)
    }

    /// Returns the benchmark with this name in the last table.
    fn known(&mut self, name: &str) -> Option<&mut Found> {
        let place = *self.places.get(name)?;
        self.found.get_mut(place)
    }

    /// Adds metrics to the benchmark with this name in the last table. Adds a new benchmark if the table does not
    /// contain it, or if it already has one of the metrics.
    pub(crate) fn extend(&mut self, line: u64, name: &str, metrics: Metrics) {
        match self.known(name) {
            Some(found) if !metrics.names().any(|new| found.metrics.has(new)) => {
                found.metrics.extend(metrics);
            }
            _ => self.add(line, name, Outcome::Measured, metrics),
        }
    }

    /// Counts results with the same name, which are samples, and reports names whose results are too far apart to be
    /// samples.
    fn report_repeated(&self, sink: &mut Rows<'_>) {
        let mut by_name: IndexMap<&str, Vec<&Found>, RandomState> = IndexMap::default();
        for found in &self.found {
            by_name.entry(&found.named.name).or_default().push(found);
        }
        for (name, all) in by_name.iter().filter(|(_, all)| all.len() > 1) {
            // All values of each result's main metric. Results may have different main metrics.
            let mut leading: IndexMap<&str, Vec<Value>, RandomState> = IndexMap::default();
            for found in all {
                if let Some(metric) = main_metric(|| found.metrics.names()) {
                    leading.insert(metric, Vec::new());
                }
            }
            for (metric, value) in all.iter().flat_map(|found| &found.metrics) {
                if let Some(values) = leading.get_mut(metric) {
                    values.extend(value);
                }
            }
            if !leading.is_empty() {
                sink.repeats(all.len() as u64 - 1);
            }
            for (metric, values) in leading {
                let Some([least, most]) = ends(values) else {
                    continue;
                };
                let is_requested = self.holds_rates && metric == RATE;
                let is_other_rate = is_requested && most.as_f64() > least.as_f64() * OTHER_RATE;
                if is_other_rate || is_far(least, most) {
                    sink.differ(name, metric, [least, most]);
                    break;
                }
            }
        }
    }

    /// Emits all tables' rows.
    pub(crate) fn give(&mut self, sink: &mut Rows<'_>) {
        let mut named: Vec<&mut Named> = Vec::new();
        named.extend(self.found.iter_mut().map(|found| &mut found.named));
        sink.sections.tell_apart(&mut named, command::shown);
        // A table may list a benchmark's statistics after other benchmarks.
        self.found.sort_by_key(|found| found.named.line);
        self.report_repeated(sink);
        let run_indices = run_indices(self.found.iter().map(|found| found.named.name.as_str()));
        for (found, run_index) in self.found.iter().zip(run_indices) {
            let cells = Cells {
                run_index,
                outcome: found.outcome,
                process: Process::of_line(found.table),
                ..Cells::of(&found.named.name)
            };
            sink.measured(found.named.line, &cells, &found.metrics);
        }
        *self = Self::default();
    }
}
