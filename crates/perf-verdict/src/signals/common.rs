//! The change that the benchmarks of a suite have in common, taken out: a slow minute of the machine slows all of them,
//! a change to the code one of them.
//!
//! The expected deviation of a row is the median of all *other* rows of the run. The residual is judged as the history
//! judges costs, with a larger step: 10%, or 2.5 standard deviations of earlier residuals. It finds what the history alone
//! must take for the machine, and acquits nothing.

use crate::statistics::order::median_without;

use super::residual::{Peers, Residual, SuiteRow, SuiteRuns};

/// The step beyond the normal range, in standard deviations of the residuals. Of 1, 1.25, 1.5, 2, 2.5 and 3, on the
/// first halves of ten histories, the smallest with no more false alarms that pass than the history alone.
pub(super) const SCALES: f64 = 2.5;
/// The number of rows from which they have something in common.
const ROWS: usize = 8;

/// The deviations of a suite's rows, run by run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deviations {
    rows: usize,
    /// In each run, ascending.
    runs: Vec<Vec<f64>>,
}

impl Deviations {
    /// The deviations of rows.
    pub(crate) fn of<'e>(rows: impl IntoIterator<Item = &'e SuiteRow<'e>>) -> Self {
        let mut all = Self::default();
        for row in rows {
            all.rows += 1;
            all.runs
                .resize_with(all.runs.len().max(row.deviations.len()), Vec::new);
            for (values, deviation) in all.runs.iter_mut().zip(&row.deviations) {
                values.extend(*deviation);
            }
        }
        for values in &mut all.runs {
            values.sort_unstable_by(f64::total_cmp);
        }
        all
    }

    /// True if there are enough rows to have anything in common.
    pub(crate) fn has_enough_rows(&self) -> bool {
        self.rows >= ROWS
    }

    /// The residual of one of the rows: its own deviation less the median of the others.
    pub(crate) fn residual(&self, row: &SuiteRow<'_>, runs: &SuiteRuns<'_>) -> Option<Residual> {
        if !self.has_enough_rows() {
            return None;
        }
        let expected = |run: usize| {
            let all = self.runs.get(run).filter(|all| all.len() >= ROWS)?;
            median_without(all, row.deviations[run]?)
        };
        Residual::new(runs, row, (Peers::Others, self.rows), SCALES, expected)
    }
}
