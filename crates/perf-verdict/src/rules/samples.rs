//! Launches of both sides, taken in two runs: whether one side is slower beyond what they stray, and by how much.
//!
//! An exact one-sided Mann–Whitney test of the current launches against the baseline's made 3 % slower; which of a
//! suite's metrics it rejects is decided for all at once (Benjamini–Hochberg). Launches of one run share that run's
//! luck, which no test of them sees: so this never fails a change alone.

use perf_stats::multiple::benjamini_hochberg;
use perf_stats::order::{median, sorted};
use perf_stats::ranks::{launches_needed, mann_whitney};
use perf_stats::shift::hodges_lehmann;

/// A slowdown that is none: 3 % of the cost.
const MARGIN: f64 = 0.029_558_802_241_544_4; // ln 1.03
/// The false discovery rate of a suite.
const RATE: f64 = 0.05;
/// How sure the interval of an effect is.
const SURE: f64 = 0.95;
/// The effect that is suspect where no history says what is: 10 % of the cost.
pub const LARGE: f64 = 0.095_310_179_804_324_9; // ln 1.1

/// Two sides' launches, compared. Distances are of costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// Launches of the baseline and of the current run.
    pub launches: (usize, usize),
    /// How likely the current side would look so slow by luck.
    pub p: f64,
    /// The middle of all differences.
    pub effect: f64,
    /// Its interval of 95 %.
    pub interval: (f64, f64),
    /// Whether the suite's test rejects that nothing happened.
    pub rejected: bool,
}

/// Compares the costs of two sides' launches; `None` when a side has none.
pub fn test(base: &[f64], current: &[f64]) -> Option<Finding> {
    let slower: Vec<f64> = base.iter().map(|cost| cost + MARGIN).collect();
    let shift = hodges_lehmann(current, base, SURE)?;
    Some(Finding {
        launches: (base.len(), current.len()),
        p: mann_whitney(current, &slower)?,
        effect: shift.effect,
        interval: (shift.low, shift.high),
        rejected: false,
    })
}

/// Decides which of a suite's findings are none of chance.
pub fn reject(findings: &mut [&mut Finding]) {
    let p: Vec<f64> = findings.iter().map(|finding| finding.p).collect();
    for (finding, rejected) in findings.iter_mut().zip(benjamini_hochberg(&p, RATE)) {
        finding.rejected = rejected;
    }
}

/// How many launches each side takes in a suite of so many metrics.
pub fn needed(metrics: usize) -> usize {
    launches_needed(metrics, RATE)
}

/// Whether a further run's launches are as much slower, so that they confirm a suspect.
pub fn confirms(base: &[f64], again: &[f64]) -> bool {
    let middle = |costs: &[f64]| median(&sorted(costs));
    middle(again).zip(middle(base)).is_some_and(|(again, base)| again - base > LARGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_differences_are_found_and_noise_is_not() {
        let base: Vec<f64> = (0..8).map(|launch| f64::from(launch) * 0.002).collect();
        let slower: Vec<f64> = base.iter().map(|cost| cost + 0.2).collect();
        let found = test(&base, &slower).unwrap();
        assert!(found.p < 1e-4 && (found.effect - 0.2).abs() < 1e-9, "{found:?}");
        assert!(found.interval.0 > 0.18 && found.interval.1 < 0.22, "{found:?}");
        assert!(test(&base, &base).unwrap().p > 0.9);
        assert_eq!(test(&base, &[]), None);
    }

    #[test]
    fn a_suite_asks_for_more_than_one_test() {
        let finding =
            Finding { launches: (4, 4), p: 0.03, effect: 0.2, interval: (0.1, 0.3), rejected: false };
        let mut alone = finding;
        reject(&mut [&mut alone]);
        assert!(alone.rejected);
        let mut suite = vec![Finding { p: 0.6, ..finding }; 20];
        suite[0] = finding;
        reject(&mut suite.iter_mut().collect::<Vec<_>>());
        assert!(!suite[0].rejected);
    }
}
