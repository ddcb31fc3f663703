//! Residuals: the deviation of a row from its expected value.
//!
//! The deviation of a row is its distance from the median of its history. Three predictions share this frame: by all
//! other rows of the run (`common`), by the earlier runs most like it (`alike`), and by the rows that
//! moved most like it (`related`).

use crate::statistics::order::middle;
use perf_config::HistoryPolicy;

use crate::cost_scale::cost;
use crate::evidence::Evidence;
use crate::signals::band::Band;

/// The smallest step beyond the normal range that is suspect: 10% of the cost.
pub(crate) const SMALLEST: f64 = 0.095_310_179_804_324_9; // ln 1.1

/// A row of a suite with its normal range.
#[derive(Clone, Debug)]
pub(crate) struct SuiteRow<'e> {
    /// In each earlier run, now, and in each confirmation run; `None` where it was not measured.
    pub(super) deviations: Vec<Option<f64>>,
    pub(super) band: &'e Band,
}

/// The source of the expected value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peers {
    /// All other rows of the run.
    Others,
    /// The row itself, in this many earlier runs most like this one.
    Runs(usize),
    /// This many rows that moved most like it in earlier runs.
    Rows(usize),
}

/// The deviation of a row from its expected value.
#[derive(Clone, Debug, PartialEq)]
pub struct Residual {
    /// The expected deviation.
    pub common: f64,
    /// The same in each confirmation run; `None` where too few rows were measured.
    pub confirmation_runs: Vec<Option<f64>>,
    /// The number of rows with a history, this one included.
    pub rows: usize,
    /// The source of the expectation.
    pub peers: Peers,
    /// The normal range of the residual, as distances of costs.
    pub band: Band,
}

impl Residual {
    /// The residual of a row, by the expected deviation in each run; suspect beyond the normal range of earlier residuals by
    /// 10%, or by `scales` of their standard deviations.
    pub(super) fn new(
        runs: &SuiteRuns<'_>,
        row: &SuiteRow<'_>,
        (peers, rows): (Peers, usize),
        scales: f64,
        expected: impl Fn(usize) -> Option<f64>,
    ) -> Option<Self> {
        let (now, own) = (runs.now(), &row.deviations);
        let common = expected(now)?;
        let earlier: Vec<f64> = (0..now)
            .filter_map(|run| Some(own[run]? - expected(run)?))
            .collect();
        let step = |scale: f64| SMALLEST.max(scales * scale);
        let band = Band::with_step(&earlier, runs.policy.last, runs.policy.least, step)?;
        let confirmation_runs = (now + 1..own.len()).map(expected).collect();
        Some(Self {
            common,
            confirmation_runs,
            rows,
            peers,
            band,
        })
    }

    /// True unless this deviation is too small for the residual to be suspect.
    pub(crate) fn is_possible(&self, own: f64) -> bool {
        match self.peers {
            Peers::Others => true,
            Peers::Runs(_) => own - self.common > SMALLEST,
            Peers::Rows(_) => own > 0.0,
        }
    }
}

/// The runs of a suite: the earlier ones, then the current one and the confirmation runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SuiteRuns<'r> {
    /// The indices of the earlier runs, in ascending order.
    earlier: &'r [usize],
    pub(super) policy: &'r HistoryPolicy,
}

impl<'r> SuiteRuns<'r> {
    pub(crate) fn new(earlier: &'r [usize], policy: &'r HistoryPolicy) -> Self {
        Self { earlier, policy }
    }

    /// The indices of the earlier runs that measured these rows.
    pub(crate) fn earlier<'e>(
        rows: impl IntoIterator<Item = (&'e Evidence, &'e Band)>,
        policy: &HistoryPolicy,
    ) -> Vec<usize> {
        let all = rows
            .into_iter()
            .flat_map(|(evidence, _)| used(evidence, policy).map(|(run, _)| run));
        let mut earlier: Vec<usize> = all.collect();
        earlier.sort_unstable();
        earlier.dedup();
        earlier
    }

    /// The place of the current run.
    pub(super) fn now(&self) -> usize {
        self.earlier.len()
    }

    /// A row; `None` for a quotient, which does not depend on the machine.
    pub(crate) fn row<'e>(&self, evidence: &Evidence, band: &'e Band) -> Option<SuiteRow<'e>> {
        if evidence.relative_to.is_some() {
            return None;
        }
        let deviation = |cost: f64| cost - band.median;
        let mut deviations = vec![None; self.earlier.len()];
        for (run, number) in used(evidence, self.policy) {
            if let Ok(at) = self.earlier.binary_search(&run) {
                deviations[at] = cost(evidence.direction(), number).map(deviation);
            }
        }
        deviations.push(evidence.current_cost().map(deviation));
        let confirmation_runs = evidence
            .extra
            .iter()
            .flat_map(|extra| &extra.confirmation_runs);
        deviations.extend(confirmation_runs.map(|run| middle(&evidence.costs(run)).map(deviation)));
        Some(SuiteRow { deviations, band })
    }
}

/// The earlier values of a row that count, each with the index of its run.
fn used(evidence: &Evidence, policy: &HistoryPolicy) -> impl Iterator<Item = (usize, f64)> {
    let last = policy.last;
    evidence.extra.iter().flat_map(move |extra| {
        let skipped = extra.history.len().saturating_sub(last);
        extra
            .runs
            .iter()
            .copied()
            .zip(extra.history.iter().copied())
            .skip(skipped)
    })
}
