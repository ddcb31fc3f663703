//! The rows most correlated with a row, and the value that they predict for it.
//!
//! What slows some rows and spares others slows those that do similar work: the other sizes of a benchmark, the same
//! operation on another type. In earlier runs their deviations correlate. What is expected of a row is the median
//! deviation of those; the residual is judged as that of [`super::common`], with a larger step, and acquits nothing either.
//!
//! Confirmed by the next run, on ten histories with 2,141 pull requests, 14 fail wrongly with it as without, and 51, 71, 83
//! and 94% instead of 50, 69, 82 and 94% of the slowdowns of 20, 33, 50 and 100% are found. Of 3, 4 and 5 rows, a
//! correlation of 0.5 to 0.9, and 2.5, 3 and 4 standard deviations.

use crate::statistics::order::middle;

use super::residual::{Peers, Residual, SMALLEST, SuiteRow, SuiteRuns};

/// The number of rows whose values are what to expect.
const NEAREST: usize = 3;
/// The smallest correlation of a row that moves like another one.
const LEAST: f64 = 0.8;
/// The distance that one run adds to a correlation at most, so that no run decides alone: half of the cost, or twice.
const FARTHEST: f64 = std::f64::consts::LN_2;
/// A row with less variance than rounding leaves does not move.
const STILL: f64 = 1e-12;
/// The step beyond the normal range, in standard deviations of the residuals.
const SCALES: f64 = 3.0;
/// In a suite of more rows some correlate by luck.
const MOST_ROWS: usize = 2_000;
/// Upper bound on the values that are compared with those of other rows, so that long histories of large suites stay quick.
const MOST_STEPS: usize = MOST_ROWS * MOST_ROWS * 50;

/// The rows of a suite.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowFamily(Vec<FamilyRow>);

/// A row among those that may move like it.
#[derive(Clone, Debug)]
struct FamilyRow {
    deviations: Vec<Option<f64>>,
    /// The deviations in earlier runs as a vector of length 1 and mean 0, so that the product of two is their
    /// correlation; `None` where one is missing, or the row hardly moves.
    direction: Option<Vec<f64>>,
}

impl RowFamily {
    /// The deviations of rows.
    pub(crate) fn of(rows: &[&SuiteRow<'_>], runs: &SuiteRuns<'_>) -> Self {
        let steps = rows
            .len()
            .saturating_mul(rows.len())
            .saturating_mul(runs.now());
        if rows.len() > MOST_ROWS || steps > MOST_STEPS {
            return Self::default();
        }
        Self(
            rows.iter()
                .map(|row| FamilyRow::new(&row.deviations, runs.now()))
                .collect(),
        )
    }

    /// The rows that moved most like a row in earlier runs; `None` where there are too few.
    fn nearest(&self, row: &SuiteRow<'_>, runs: &SuiteRuns<'_>) -> Option<Vec<&[Option<f64>]>> {
        let own = FamilyRow::new(&row.deviations, runs.now());
        let correlated = self.0.iter().filter_map(|other| {
            let by = own.correlation(other, runs.now(), runs.policy.least)?;
            // A row does not move like itself, nor like its copy.
            (by >= LEAST && other.deviations != own.deviations).then_some((by, &*other.deviations))
        });
        let mut nearest: Vec<_> = correlated.collect();
        nearest.sort_by(|one, other| other.0.total_cmp(&one.0));
        let nearest: Vec<_> = nearest
            .into_iter()
            .take(NEAREST)
            .map(|(_, other)| other)
            .collect();
        (nearest.len() == NEAREST).then_some(nearest)
    }

    /// The residual of one of the rows, where its cost is above its median once it grew by this distance.
    pub(crate) fn residual(
        &self,
        row: &SuiteRow<'_>,
        runs: &SuiteRuns<'_>,
        growth: f64,
    ) -> Option<Residual> {
        // Quicker than usual cannot regress: skip the comparison with all others.
        if self.0.len() <= NEAREST || row.deviations[runs.now()]? + growth <= 0.0 {
            return None;
        }
        let nearest = self.nearest(row, runs)?;
        let expected = |run: usize| {
            let measured: Vec<f64> = nearest
                .iter()
                .filter_map(|other| *other.get(run)?)
                .collect();
            let is_enough = 2 * measured.len() >= NEAREST;
            middle(&measured).filter(|_| is_enough)
        };
        // Quicker than ever by more than the step: their code changed, not the machine.
        let quickest = (0..runs.now())
            .filter_map(&expected)
            .fold(f64::INFINITY, f64::min);
        if expected(runs.now())? < quickest - SMALLEST {
            return None;
        }
        Residual::new(
            runs,
            row,
            (Peers::Rows(NEAREST), self.0.len()),
            SCALES,
            expected,
        )
    }
}

impl FamilyRow {
    /// The row with these deviations, the first of them of earlier runs.
    fn new(deviations: &[Option<f64>], earlier: usize) -> Self {
        let all: Option<Vec<f64>> = deviations[..earlier].iter().copied().collect();
        Self {
            deviations: deviations.to_vec(),
            direction: all.and_then(|all| direction(&all)),
        }
    }

    /// Pearson's correlation with another row over the earlier runs that measured both; `None` of fewer than `least`, or
    /// where one of them does not move.
    fn correlation(&self, other: &Self, earlier: usize, least: usize) -> Option<f64> {
        if let (Some(own), Some(other)) = (&self.direction, &other.direction) {
            return Some(product(own, other));
        }
        let both = self.deviations[..earlier].iter().zip(&other.deviations);
        let (own, other): (Vec<f64>, Vec<f64>) =
            both.filter_map(|(own, other)| own.zip(*other)).unzip();
        if own.len() >= least {
            Some(product(&direction(&own)?, &direction(&other)?))
        } else {
            None
        }
    }
}

/// See [`FamilyRow::direction`].
#[expect(clippy::cast_precision_loss, reason = "a number of runs")]
fn direction(deviations: &[f64]) -> Option<Vec<f64>> {
    let near = deviations
        .iter()
        .map(|deviation| deviation.clamp(-FARTHEST, FARTHEST));
    let mean = near.clone().sum::<f64>() / deviations.len() as f64;
    let squares: f64 = near
        .clone()
        .map(|deviation| (deviation - mean).powi(2))
        .sum();
    let is_still = squares * deviations.len() as f64 <= STILL;
    (!is_still).then(|| {
        near.map(|deviation| (deviation - mean) / squares.sqrt())
            .collect()
    })
}

/// The scalar product of two vectors, in four sums that a processor adds at once.
fn product(one: &[f64], other: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    for (one, other) in one.chunks(4).zip(other.chunks(4)) {
        sums.iter_mut()
            .zip(one)
            .zip(other)
            .for_each(|((sum, one), other)| *sum += one * other);
    }
    sums.iter().sum()
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
            FamilyRow::new(&row(0.02), 12).correlation(&FamilyRow::new(other, 12), 12, 10)
        };
        assert!(
            (by(&row(0.05)).unwrap() - 1.0).abs() < 1e-9
                && (by(&row(-0.05)).unwrap() + 1.0).abs() < 1e-9
        );
        // A row that never moves moves like none; one run more or less changes little.
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
