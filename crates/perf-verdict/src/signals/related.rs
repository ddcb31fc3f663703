//! Related rows: predicts a row's value from the rows most correlated with it.
//!
//! When the machine is briefly slow, many rows slow down, but others do not, especially rows that do different work.
//! Rows whose deviations correlated in earlier runs are related. The median deviation of the related rows is the
//! deviation to expect, and the rest of a row's deviation is its residual. A residual can reveal a change that the
//! history alone would blame on the machine. It is never evidence that nothing changed.
//!
//! docs/decisions/0024 lists the detection rates with and without this prediction, and with two rejected alternatives.

use perf_config::HistoryPolicy;

use super::ScreenedMetric;
use super::band::Band;
use crate::cost_scale::cost;
use crate::evidence::Evidence;
use crate::statistics::order::middle;
use crate::statistics::real;

/// The number of related rows that predict a row.
pub const NEAREST: usize = 3;
/// The minimum correlation between a row and its related rows.
const LEAST: f64 = 0.8;
/// Deviations are clamped to a factor of two in cost, so that no single run dominates a correlation.
const FARTHEST: f64 = std::f64::consts::LN_2;
/// A row is constant if its deviations vary only by rounding errors: their number times the sum of their squares is at
/// most this.
const STILL: f64 = 1e-12;
/// The smallest step from the normal range of residuals to the limit: 10% of the cost.
const SMALLEST: f64 = 0.095_310_179_804_324_9; // ln 1.1
/// The step from the normal range of residuals to the limit, in standard deviations of the residuals.
const SCALES: f64 = 3.0;
/// Suites with more rows do not use related rows, because some rows would correlate by chance.
const MOST_ROWS: usize = 2_000;
/// The maximum number of compared values. It limits the time that large suites with long histories take.
const MOST_STEPS: usize = MOST_ROWS * MOST_ROWS * 50;

/// A row's expected deviation, and the normal range of its residual. All deviations are logarithms of cost ratios.
#[derive(Clone, Debug)]
pub struct Residual {
    /// The expected deviation of the current cost from the median of the history.
    pub common: f64,
    /// The expected deviation in each confirmation run; `None` if too few related rows were measured.
    pub confirmation_runs: Vec<Option<f64>>,
    /// The number of rows with a history, including this one.
    pub rows: usize,
    /// The normal range of the residual.
    pub band: Band,
}

/// The deviations of a suite's rows, for each run.
pub struct RelatedRows<'c> {
    policy: &'c HistoryPolicy,
    /// The indices of the earlier runs in ascending order.
    runs: Vec<usize>,
    rows: Vec<RowDeviations>,
}

/// A row's deviations from the median of its history.
struct RowDeviations {
    /// The deviation in each earlier run, in the current run, and in each confirmation run. `None` for a run that did
    /// not measure the row.
    deviations: Vec<Option<f64>>,
    /// The deviations in earlier runs as a vector with norm 1 and mean 0, so that the dot product of two vectors is
    /// their correlation. `None` if a deviation is missing or the row is nearly constant.
    direction: Option<Vec<f64>>,
}

impl<'c> RelatedRows<'c> {
    /// Collects the deviations of all rows with a history.
    pub(crate) fn new(rows: &[&ScreenedMetric], policy: &'c HistoryPolicy) -> Self {
        let mut runs: Vec<usize> = Vec::new();
        for row in rows {
            runs.extend(recent_values(&row.evidence, policy).map(|(run, _)| run));
        }
        runs.sort_unstable();
        runs.dedup();
        let mut related = Self {
            policy,
            runs,
            rows: Vec::new(),
        };
        let steps = rows.len().saturating_mul(rows.len());
        if rows.len() <= MOST_ROWS && steps.saturating_mul(related.runs.len()) <= MOST_STEPS {
            for row in rows {
                related.rows.extend(related.deviations(row));
            }
        }
        related
    }

    /// Returns the deviations of a row. Returns `None` if the row has no history, or if it is a quotient, which does
    /// not depend on the machine.
    fn deviations(&self, row: &ScreenedMetric) -> Option<RowDeviations> {
        let (evidence, band) = (&row.evidence, row.signals.band?);
        if evidence.reference.relative_to.is_some() {
            return None;
        }
        let mut deviations = vec![None; self.runs.len()];
        for (run, number) in recent_values(evidence, self.policy) {
            if let Ok(at) = self.runs.binary_search(&run) {
                deviations[at] = cost(evidence.direction(), number).map(|cost| cost - band.median);
            }
        }
        deviations.push(evidence.current_cost().map(|cost| cost - band.median));
        for run in &evidence.extra.confirmation_runs {
            let cost = middle(&evidence.costs(run));
            deviations.push(cost.map(|cost| cost - band.median));
        }
        Some(RowDeviations::new(deviations, self.runs.len()))
    }

    /// Returns a row's residual. Returns `None` if the current cost plus `growth`, a distance, is still not above the
    /// median, or if there are too few related rows.
    pub fn residual(&self, row: &ScreenedMetric, growth: f64) -> Option<Residual> {
        let own = self.deviations(row)?;
        let now = self.runs.len();
        // A row that is not slower than usual cannot regress, so skip the comparison with all other rows.
        if own.deviations[now]? + growth <= 0.0 {
            return None;
        }
        let nearest = self.nearest(&own)?;
        let mut expected: Vec<Option<f64>> = Vec::with_capacity(own.deviations.len());
        for run in 0..own.deviations.len() {
            let mut measured: Vec<f64> = Vec::with_capacity(NEAREST);
            for other in &nearest {
                measured.extend(other.deviations.get(run).copied().flatten());
            }
            let is_enough = 2 * measured.len() >= NEAREST;
            expected.push(middle(&measured).filter(|_| is_enough));
        }
        let common = expected[now]?;
        // If the related rows beat their previous best by more than the step, their code changed, not the machine.
        let earlier = expected[..now].iter().flatten().copied();
        let quickest = earlier.fold(f64::INFINITY, f64::min);
        if common < quickest - SMALLEST {
            return None;
        }
        let mut residuals = Vec::with_capacity(now);
        for run in 0..now {
            if let (Some(own), Some(expected)) = (own.deviations[run], expected[run]) {
                residuals.push(own - expected);
            }
        }
        let step = |scale: f64| SMALLEST.max(SCALES * scale);
        let band = Band::with_step(&residuals, self.policy.last, self.policy.least, step)?;
        Some(Residual {
            common,
            confirmation_runs: expected.split_off(now + 1),
            rows: self.rows.len(),
            band,
        })
    }

    /// Returns the rows that correlated most with a row in earlier runs; `None` if there are too few.
    fn nearest(&self, own: &RowDeviations) -> Option<Vec<&RowDeviations>> {
        let mut nearest: Vec<(f64, &RowDeviations)> = Vec::new();
        for other in &self.rows {
            let Some(by) = own.correlation(other, self.runs.len(), self.policy.least) else {
                continue;
            };
            // Exclude the row itself and copies of it.
            if by >= LEAST && other.deviations != own.deviations {
                nearest.push((by, other));
            }
        }
        nearest.sort_by(|one, other| other.0.total_cmp(&one.0));
        nearest.truncate(NEAREST);
        let is_enough = nearest.len() == NEAREST;
        is_enough.then(|| nearest.into_iter().map(|(_, other)| other).collect())
    }
}

/// Returns a row's recent values, each with the index of its run.
fn recent_values(
    evidence: &Evidence,
    policy: &HistoryPolicy,
) -> impl Iterator<Item = (usize, f64)> {
    let (runs, history) = (&evidence.extra.runs, &evidence.extra.history);
    let skipped = history.len().saturating_sub(policy.last);
    runs.iter()
        .copied()
        .zip(history.iter().copied())
        .skip(skipped)
}

impl RowDeviations {
    /// Creates the deviations of a row. The first `earlier` ones are from the earlier runs.
    fn new(deviations: Vec<Option<f64>>, earlier: usize) -> Self {
        let all: Option<Vec<f64>> = deviations[..earlier].iter().copied().collect();
        Self {
            direction: all.and_then(|all| direction(&all)),
            deviations,
        }
    }

    /// Returns Pearson's correlation with another row over the earlier runs that measured both rows. Returns `None` if
    /// one of the rows is constant, or if some values are missing and fewer than `least` runs measured both.
    fn correlation(&self, other: &Self, earlier: usize, least: usize) -> Option<f64> {
        if let (Some(own), Some(other)) = (&self.direction, &other.direction) {
            return Some(product(own, other));
        }
        let both = self.deviations[..earlier].iter().zip(&other.deviations);
        let (own, other): (Vec<f64>, Vec<f64>) =
            both.filter_map(|(own, other)| own.zip(*other)).unzip();
        if own.len() < least {
            return None;
        }
        Some(product(&direction(&own)?, &direction(&other)?))
    }
}

/// Returns the dot product of two vectors.
fn product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// Clamps, centres and normalises deviations. Returns `None` if they are nearly constant. See
/// [`RowDeviations::direction`].
fn direction(deviations: &[f64]) -> Option<Vec<f64>> {
    let mut near = deviations.to_vec();
    for deviation in &mut near {
        *deviation = deviation.clamp(-FARTHEST, FARTHEST);
    }
    let count = real(near.len());
    let mean = near.iter().sum::<f64>() / count;
    for deviation in &mut near {
        *deviation -= mean;
    }
    let squares = product(&near, &near);
    if squares * count <= STILL {
        return None;
    }
    for deviation in &mut near {
        *deviation /= squares.sqrt();
    }
    Some(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_correlate_if_they_move_together() {
        let row = |by: f64| -> Vec<Option<f64>> {
            (0..12)
                .map(|run| Some(by * f64::from((run * 7) % 5) + 0.1))
                .collect()
        };
        let by = |other: &[Option<f64>]| {
            RowDeviations::new(row(0.02), 12).correlation(
                &RowDeviations::new(other.to_vec(), 12),
                12,
                10,
            )
        };
        assert!(
            (by(&row(0.05)).unwrap() - 1.0).abs() < 1e-9
                && (by(&row(-0.05)).unwrap() + 1.0).abs() < 1e-9
        );
        // A constant row correlates with nothing, and a single missing run changes little.
        assert_eq!(by(&row(0.0)), None);
        let mut missing = row(0.05);
        missing[3] = None;
        assert!(by(&missing).unwrap() > 0.99);
        missing[..4].fill(None);
        assert_eq!(by(&missing), None);
        let mut far = row(0.05);
        far[0] = Some(50.0);
        assert!(by(&far).unwrap().abs() < 0.5);
    }
}
