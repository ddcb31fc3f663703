//! Related rows: a row's value as predicted by the rows most correlated with it.
//!
//! A slow minute of the machine slows down many rows and spares others, especially rows that do other work. In earlier
//! runs, the deviations of similar rows correlate, so their median deviation is the expected one. The deviation beyond
//! it, the residual, is the row's own. It detects changes that the history alone would attribute to the machine, and
//! never shows that nothing changed.
//!
//! docs/decisions/0024 lists the detection rates with it, without it, and with two rejected predictions.

use perf_config::HistoryPolicy;

use super::ScreenedMetric;
use super::band::Band;
use crate::cost_scale::cost;
use crate::evidence::Evidence;
use crate::statistics::order::middle;
use crate::statistics::real;

/// The number of rows that predict a row.
pub const NEAREST: usize = 3;
/// The minimum correlation of a related row.
const LEAST: f64 = 0.8;
/// The maximum distance that one run adds to a correlation, so that no run decides alone: half the cost, or twice.
const FARTHEST: f64 = std::f64::consts::LN_2;
/// A row with less variance than rounding errors is constant.
const STILL: f64 = 1e-12;
/// The smallest step beyond the normal range that is suspect: 10% of the cost.
const SMALLEST: f64 = 0.095_310_179_804_324_9; // ln 1.1
/// The step beyond the normal range, in standard deviations of the residuals.
const SCALES: f64 = 3.0;
/// In larger suites, some rows correlate by chance.
const MOST_ROWS: usize = 2_000;
/// The maximum number of compared values, so that long histories of large suites stay fast.
const MOST_STEPS: usize = MOST_ROWS * MOST_ROWS * 50;

/// The deviation of a row from its expected value.
#[derive(Clone, Debug)]
pub struct Residual {
    /// The expected deviation from the median of the history.
    pub common: f64,
    /// The same in each confirmation run; `None` if too few related rows were measured.
    pub confirmation_runs: Vec<Option<f64>>,
    /// The number of rows with a history, this one included.
    pub rows: usize,
    /// The normal range of the residual, as distances of costs.
    pub band: Band,
}

/// The deviations of a suite's rows, run by run.
pub struct RelatedRows<'c> {
    policy: &'c HistoryPolicy,
    /// The indices of the earlier runs, ascending.
    runs: Vec<usize>,
    rows: Vec<RowDeviations>,
}

/// The deviations of a row from the median of its history.
struct RowDeviations {
    /// In each earlier run, in this one, and in each confirmation run; `None` if it was not measured.
    deviations: Vec<Option<f64>>,
    /// The deviations in earlier runs as a vector of length 1 and mean 0, so that the product of two is their
    /// correlation. `None` if one is missing or the row is nearly constant.
    direction: Option<Vec<f64>>,
}

impl<'c> RelatedRows<'c> {
    /// Collects the deviations of rows with a history.
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

    /// The deviations of a row; `None` for a quotient, which does not depend on the machine.
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

    /// A row's residual, if growth by this distance puts its cost above the median.
    pub fn residual(&self, row: &ScreenedMetric, growth: f64) -> Option<Residual> {
        let own = self.deviations(row)?;
        let now = self.runs.len();
        // A row that is faster than usual cannot regress: skip the comparison with all others.
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
        // If the related rows are faster than ever by more than the step, their code changed, not the machine.
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

    /// The rows that correlate most with a row in earlier runs; `None` if there are too few.
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

/// A row's recent values, each with the index of its run.
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
    /// Takes deviations that start with the earlier runs.
    fn new(deviations: Vec<Option<f64>>, earlier: usize) -> Self {
        let all: Option<Vec<f64>> = deviations[..earlier].iter().copied().collect();
        Self {
            direction: all.and_then(|all| direction(&all)),
            deviations,
        }
    }

    /// Pearson's correlation with another row over the earlier runs that measured both; `None` for fewer than `least`
    /// runs, or if one row is constant.
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

/// The scalar product of two vectors.
fn product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// See [`RowDeviations::direction`].
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
        // A constant row correlates with none; one run more or less changes little.
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
