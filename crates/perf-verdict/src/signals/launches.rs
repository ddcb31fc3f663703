//! A test that compares the process runs of two separate measurements.
//!
//! Two exact one-sided Mann–Whitney tests compare the current process runs with the baseline's after adding and
//! subtracting 3%. They give one two-sided p-value, which is corrected for the number of tests in the suite
//! (Benjamini–Hochberg).

use crate::statistics::multiple::benjamini_hochberg;
use crate::statistics::ranks::mann_whitney;
use crate::statistics::shift::hodges_lehmann;

/// Changes up to this distance are ignored: 3% of the cost.
const MARGIN: f64 = 0.029_558_802_241_544_4; // ln 1.03
/// The false discovery rate in a suite.
pub(super) const RATE: f64 = 0.05;
/// The confidence level of [`Test::interval`].
const CONFIDENCE: f64 = 0.95;
/// Both sides' process runs, compared as distances of costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Test {
    /// The number of process runs on each side: baseline, current.
    pub launches: (usize, usize),
    /// The two-sided p-value.
    pub p: f64,
    /// The Hodges–Lehmann estimate of the shift in cost, as a distance.
    pub effect: f64,
    /// The 95% confidence interval of the effect, as distances.
    pub interval: (f64, f64),
    /// True if the difference is significant in the suite. Only [`reject`] sets this.
    pub rejected: bool,
}

/// Compares the costs of both sides' process runs. Returns `None` if a side is empty.
pub fn test(base: &[f64], current: &[f64]) -> Option<Test> {
    let moved = |costs: &[f64]| -> Vec<f64> { costs.iter().map(|cost| cost + MARGIN).collect() };
    let (slower, faster) = (
        mann_whitney(current, &moved(base))?,
        mann_whitney(base, &moved(current))?,
    );
    let shift = hodges_lehmann(current, base, CONFIDENCE)?;
    Some(Test {
        launches: (base.len(), current.len()),
        p: (2.0 * slower.min(faster)).min(1.0),
        effect: shift.effect,
        interval: (shift.low, shift.high),
        rejected: false,
    })
}

/// Marks the tests that are significant, given all tests in the suite.
pub fn reject(tests: &mut [&mut Test]) {
    let p: Vec<f64> = tests.iter().map(|test| test.p).collect();
    for (test, rejected) in tests.iter_mut().zip(benjamini_hochberg(&p, RATE)) {
        test.rejected = rejected;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clear_difference_is_significant() {
        let base: Vec<f64> = (0..8).map(|launch| f64::from(launch) * 0.002).collect();
        let slower: Vec<f64> = base.iter().map(|cost| cost + 0.2).collect();
        let found = test(&base, &slower).unwrap();
        assert!(
            found.p < 2e-4 && (found.effect - 0.2).abs() < 1e-9,
            "{found:?}"
        );
        assert!(
            found.interval.0 > 0.18 && found.interval.1 < 0.22,
            "{found:?}"
        );
        let p = |base: &[f64], current: &[f64]| test(base, current).unwrap().p;
        assert!((p(&slower, &base) - found.p).abs() < 1e-12 && p(&base, &base) > 0.999);
        assert_eq!(test(&base, &[]), None);
    }

    #[test]
    fn a_suite_needs_smaller_p_values() {
        let finding = Test {
            launches: (4, 4),
            p: 0.03,
            effect: 0.2,
            interval: (0.1, 0.3),
            rejected: false,
        };
        let mut alone = finding;
        reject(&mut [&mut alone]);
        assert!(alone.rejected);
        let mut suite = vec![Test { p: 0.6, ..finding }; 20];
        suite[0] = finding;
        reject(&mut suite.iter_mut().collect::<Vec<_>>());
        assert!(!suite[0].rejected);
    }
}
