//! The runs of one measurement, of which there may be thousands.

use crate::rows::cells::Cells;
use crate::rows::keys::Number;
use crate::rows::launches::Process;
use crate::rows::metric_names::Measured;
use crate::rows::row_collector::RowCollector;
use perf_model::row::{Name, Outcome, Value};

impl<'c> RowCollector<'c> {
    /// For the runs of one measurement, of which there may be thousands: checks what they share only once.
    pub(crate) fn runs<'s>(
        &'s mut self,
        line: u64,
        cells: &Cells<'_>,
        metrics: &[&str],
    ) -> Runs<'s, 'c> {
        let known: Result<Vec<Option<Name>>, String> = metrics
            .iter()
            .map(|metric| self.names.metric(metric))
            .collect();
        let shared = known.and_then(|metrics| Ok((metrics, self.number(cells)?)));
        let (metrics, key) = shared.unwrap_or_else(|why| {
            self.skip(line, cells.scenario.as_bytes(), || why);
            (Vec::new(), None)
        });
        let cells = Cells {
            process: cells.process,
            measured_at: cells.measured_at,
            ..Cells::of("")
        };
        Runs {
            sink: self,
            line,
            metrics,
            key,
            cells,
        }
    }
}

/// Takes the runs of one measurement.
pub(crate) struct Runs<'s, 'c> {
    sink: &'s mut RowCollector<'c>,
    line: u64,
    /// The metrics in the order of the values; `None` for ignored ones.
    metrics: Vec<Option<Name>>,
    /// `None` when the runs are dropped.
    key: Option<Number>,
    /// The part that is not the key.
    cells: Cells<'static>,
}

impl Runs<'_, '_> {
    /// Further runs are of this process of the document.
    pub(crate) fn turn_to(&mut self, process: u32) {
        self.cells.process = Process::OfDocument(process);
    }

    /// Takes the values of one run, in the order of the metrics.
    pub(crate) fn row(
        &mut self,
        run_index: i64,
        outcome: Outcome,
        values: impl IntoIterator<Item = Option<Value>>,
    ) {
        let Some(key) = self.key else { return };
        let mut has_unmeasured = false;
        let mut measured = Measured::default();
        for (metric, value) in self.metrics.iter().zip(values) {
            match (metric, value) {
                (Some(_), Some(value)) if value.is_unmeasured() => has_unmeasured = true,
                (Some(metric), Some(value)) => measured.insert(metric, value),
                _ => {}
            }
        }
        let is_blank = measured.is_empty() && outcome == Outcome::Measured;
        if has_unmeasured || is_blank {
            let why = || "no value, or −1 (not measured)".to_owned();
            let scenario = Name::clone(&self.sink.keys.key(key).scenario);
            self.sink.skip(self.line, scenario.as_bytes(), why);
        }
        if !is_blank {
            (self.cells.run_index, self.cells.outcome) = (run_index, outcome);
            self.sink.push(self.line, key, &self.cells, &measured);
        }
    }
}
