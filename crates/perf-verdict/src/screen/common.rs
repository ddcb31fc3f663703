//! The change that the benchmarks of a suite have in common, taken out: a slow minute of the machine slows all of them,
//! a change to the code one of them.
//!
//! The residual of a row is how far it is from the median of its history, less the median of that over all *other* rows
//! of the run. It is judged as the history judges costs, with a larger step: 10%, or 2.5 standard deviations of earlier
//! residuals. It finds what the history alone must take for the machine, and acquits nothing.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use perf_config::HistoryPolicy;
use perf_stats::order::{median, median_without, sorted};

use crate::evidence::Evidence;
use crate::oriented::cost;
use crate::signals::band::Band;

/// The smallest step beyond the normal range that is suspect: 10% of the cost.
pub(crate) const SMALLEST: f64 = 0.095_310_179_804_324_9; // ln 1.1
/// The step beyond the normal range, in standard deviations of the residuals. Of 1, 1.25, 1.5, 2, 2.5 and 3, on the
/// first halves of ten histories, the smallest with no more false alarms that pass than the history alone.
const SCALES: f64 = 2.5;
/// The number of rows from which they have something in common.
const ROWS: usize = 8;

/// One row, less what is expected of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Residual {
    /// The expected distance from the median of its history: the median of the other rows now, or that of the row itself
    /// in earlier runs.
    pub common: f64,
    /// The same in each confirmation run; `None` where too few rows were measured.
    pub repeats: Vec<Option<f64>>,
    /// The number of rows with a history, this one included.
    pub rows: usize,
    /// The number of earlier runs most like this one, where they let expect it; `None` for the other rows.
    pub alike: Option<usize>,
    /// The normal range of the residual, as distances of costs.
    pub band: Band,
}

/// The distances of a suite's rows from the medians of their histories, run by run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deviations {
    rows: usize,
    now: Vec<f64>,
    earlier: HashMap<usize, Vec<f64>, RandomState>,
    repeats: Vec<Vec<f64>>,
}

impl Deviations {
    /// The deviations of rows with their bands. Quotients do not depend on the machine, and are left out.
    pub(crate) fn of<'e>(rows: impl IntoIterator<Item = (&'e Evidence, &'e Band)>, last: usize) -> Self {
        let mut all = Self::default();
        for (evidence, band) in rows {
            if evidence.relative_to.is_none() {
                all.add(evidence, band.median, last);
            }
        }
        let repeats = all.repeats.iter_mut();
        for values in all.earlier.values_mut().chain(repeats).chain([&mut all.now]) {
            values.sort_unstable_by(f64::total_cmp);
        }
        all
    }

    fn add(&mut self, evidence: &Evidence, median_cost: f64, last: usize) {
        self.rows += 1;
        self.now.extend(evidence.current_cost().map(|cost| cost - median_cost));
        for (run, deviation) in deviations(evidence, median_cost, last) {
            self.earlier.entry(run).or_default().push(deviation);
        }
        for (at, run) in evidence.extra.iter().flat_map(|extra| &extra.repeats).enumerate() {
            self.repeats.resize_with(self.repeats.len().max(at + 1), Vec::new);
            self.repeats[at].extend(of_repeat(evidence, run, median_cost));
        }
    }

    /// True if there are enough rows to have anything in common.
    pub(crate) fn has_enough_rows(&self) -> bool {
        self.rows >= ROWS
    }

    /// The residual of one of the rows: its own deviation less the median of the others.
    pub(crate) fn residual(
        &self,
        evidence: &Evidence,
        band: &Band,
        policy: &HistoryPolicy,
    ) -> Option<Residual> {
        if evidence.relative_to.is_some() || !self.has_enough_rows() {
            return None;
        }
        let earlier = deviations(evidence, band.median, policy.last)
            .filter_map(|(run, own)| Some(own - without(self.earlier.get(&run)?, own)?));
        let earlier: Vec<f64> = earlier.collect();
        let extra = evidence.extra.as_deref();
        let repeats = extra.map_or(&[][..], |extra| &extra.repeats).iter().zip(&self.repeats);
        let common =
            |(run, all): (&Vec<f64>, &Vec<f64>)| without(all, of_repeat(evidence, run, band.median)?);
        Some(Residual {
            common: without(&self.now, evidence.current_cost()? - band.median)?,
            repeats: repeats.map(common).collect(),
            rows: self.rows,
            alike: None,
            band: Band::with_step(&earlier, policy.last, policy.least, step)?,
        })
    }
}

/// The step from the normal range of residuals with this standard deviation to the limit.
pub(super) fn step(scale: f64) -> f64 {
    SMALLEST.max(SCALES * scale)
}

/// The deviation of each of the last earlier values, with its run.
pub(super) fn deviations(
    evidence: &Evidence,
    median_cost: f64,
    last: usize,
) -> impl Iterator<Item = (usize, f64)> {
    let used = move |all: usize| all.saturating_sub(last);
    let values = evidence.extra.iter().flat_map(move |extra| {
        extra.runs.iter().copied().zip(&extra.history).skip(used(extra.history.len()))
    });
    values.filter_map(move |(run, number)| Some((run, cost(evidence.direction(), *number)? - median_cost)))
}

/// The deviation of the median launch of a confirmation run.
pub(super) fn of_repeat(evidence: &Evidence, run: &[f64], median_cost: f64) -> Option<f64> {
    Some(median(&sorted(&evidence.costs(run)))? - median_cost)
}

/// The median of the other rows of a run, if there are enough.
fn without(all: &[f64], own: f64) -> Option<f64> {
    if all.len() < ROWS { None } else { median_without(all, own) }
}
