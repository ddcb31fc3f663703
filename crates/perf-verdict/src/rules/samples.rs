//! Samples: several launches a side, from two separate runs.
//!
//! Two exact one-sided Mann–Whitney tests of the current launches, against the baseline's plus 3% and less 3%, make one
//! two-sided p-value, which is corrected over the suite (Benjamini–Hochberg). Launches of one run share its luck, which no
//! test of them sees: so samples never fail a change without a confirmation run. Iterations of one process are one launch.

use perf_stats::multiple::benjamini_hochberg;
use perf_stats::order::{median, scale, sorted};
use perf_stats::ranks::{launches_needed, mann_whitney};
use perf_stats::shift::hodges_lehmann;
use serde::{Deserialize, Serialize};

use super::threshold;
use crate::engine::case::{Case, Decision, Judged, RuleEntry};
use crate::model::{Confirmation, Power, Rule, Screening, Verdict};
use crate::oriented::{distance_of_drop, share, share_report};
use crate::rules::{FindingReports, Reason};

pub(crate) const RULE: RuleEntry = RuleEntry { decide, power, ..RuleEntry::NONE };

/// A change that does not count: 3% of the cost.
const MARGIN: f64 = 0.029_558_802_241_544_4; // ln 1.03
/// The false discovery rate of a suite.
const RATE: f64 = 0.05;
/// The confidence of the interval of an effect.
const CONFIDENCE: f64 = 0.95;
/// The effect that is suspect without a history: 10% of the cost.
const LARGE: f64 = 0.095_310_179_804_324_9; // ln 1.1

/// The launches of both sides, compared. Distances are of costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Test {
    /// Launches of the baseline and of the current run.
    pub launches: (usize, usize),
    /// The two-sided p-value.
    pub p: f64,
    /// The Hodges–Lehmann estimate of the difference.
    pub effect: f64,
    /// Its 95% confidence interval.
    pub interval: (f64, f64),
    /// Whether it is significant in the suite.
    pub rejected: bool,
}

/// The test, and what follows from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The test.
    pub test: Test,
    /// What the rule sees in the current launches.
    pub screening: Screening,
}

impl super::Finding for Finding {
    fn name(&self) -> Option<&'static str> {
        Some("samples")
    }

    fn effect(&self) -> Option<f64> {
        Some(self.test.effect)
    }

    fn suspicion(&self) -> Option<Confirmation> {
        self.screening.suspicion()
    }

    fn report(&self, reports: &mut FindingReports) {
        let Test { launches: (base, current), p, effect, interval: (low, high), .. } = self.test;
        let [effect, low, high] = [effect, low, high].map(share_report);
        reports.samples = Some(SamplesReport { p, effect, low, high, launches: [base, current] });
    }
}

/// The comparison of two runs' launches. Effects are shares of the cost: 0.5 is half as much again.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SamplesReport {
    /// The two-sided p-value.
    pub p: f64,
    /// The median of all differences.
    pub effect: f64,
    /// The lower end of its 95% confidence interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Launches of the baseline and of the current run.
    pub launches: [usize; 2],
}

/// Launches detect what the fixed limit lets pass. They do not acquit: few launches detect little.
fn decide(case: &Case<'_>) -> Option<Decision> {
    case.fixed_limit()?;
    let (base, current) = case.screen.samples?.launches;
    let test = case.screen.samples.filter(|_| base.min(current) >= case.context.suite.launches)?;
    let base = case.evidence.launch_costs(&case.extra()?.base_launches);
    let screening = match () {
        () if test.rejected && test.effect > LARGE => case.suspect(false, |_, rerun| confirms(&base, rerun)),
        () if test.rejected && test.interval.1 < -LARGE => Screening::Improved,
        () => Screening::Normal,
    };
    let by_limit = threshold::verdict(case)?;
    let verdict = match case.confirmed(screening, test.effect) {
        // The fixed limit fails it alone, and launches that agree do not weaken that.
        Verdict::Inconclusive if by_limit == Verdict::Regressed => return None,
        Verdict::Unchanged if by_limit == Verdict::Regressed => Verdict::Inconclusive,
        Verdict::Unchanged if test.rejected => Verdict::Moved,
        Verdict::Unchanged => by_limit,
        verdict => verdict,
    };
    let reason = Reason::Samples(Box::new(Finding { test, screening }));
    Some(Decision::Reached(Judged::new(verdict, reason)))
}

fn power(case: &Case<'_>) -> Option<Power> {
    let (Rule::Threshold(limit), Some(_)) = (case.rule, case.screen.samples) else { return None };
    let extra = case.extra()?;
    let sides = [&extra.base_launches, &extra.current_launches];
    let noise = sides.into_iter().filter_map(|launches| scale(&case.evidence.costs(launches)));
    let noise = noise.reduce(f64::max).map(share);
    let limit = distance_of_drop(limit).map(share);
    Some(Power { noise, limit, certain: limit, detectable: limit, is_too_tight: false })
}

/// Compares the costs of two sides' launches; `None` when a side has none.
pub fn test(base: &[f64], current: &[f64]) -> Option<Test> {
    let moved = |costs: &[f64]| -> Vec<f64> { costs.iter().map(|cost| cost + MARGIN).collect() };
    let (slower, faster) = (mann_whitney(current, &moved(base))?, mann_whitney(base, &moved(current))?);
    let shift = hodges_lehmann(current, base, CONFIDENCE)?;
    Some(Test {
        launches: (base.len(), current.len()),
        p: (2.0 * slower.min(faster)).min(1.0),
        effect: shift.effect,
        interval: (shift.low, shift.high),
        rejected: false,
    })
}

/// Marks the tests of a suite that are significant together.
pub fn reject(tests: &mut [&mut Test]) {
    let p: Vec<f64> = tests.iter().map(|test| test.p).collect();
    for (test, rejected) in tests.iter_mut().zip(benjamini_hochberg(&p, RATE)) {
        test.rejected = rejected;
    }
}

/// The number of launches that each side needs in a suite of this many metrics.
pub fn needed(metrics: usize) -> usize {
    launches_needed(metrics, RATE / 2.0)
}

/// Whether the launches of a confirmation run are as much slower.
fn confirms(base: &[f64], rerun: &[f64]) -> bool {
    let middle = |costs: &[f64]| median(&sorted(costs));
    middle(rerun).zip(middle(base)).is_some_and(|(rerun, base)| rerun - base > LARGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clear_difference_is_significant() {
        let base: Vec<f64> = (0..8).map(|launch| f64::from(launch) * 0.002).collect();
        let slower: Vec<f64> = base.iter().map(|cost| cost + 0.2).collect();
        let found = test(&base, &slower).unwrap();
        assert!(found.p < 2e-4 && (found.effect - 0.2).abs() < 1e-9, "{found:?}");
        assert!(found.interval.0 > 0.18 && found.interval.1 < 0.22, "{found:?}");
        let p = |base: &[f64], current: &[f64]| test(base, current).unwrap().p;
        assert!((p(&slower, &base) - found.p).abs() < 1e-12 && p(&base, &base) > 0.999);
        assert_eq!(test(&base, &[]), None);
    }

    #[test]
    fn a_suite_needs_smaller_p_values() {
        let finding = Test { launches: (4, 4), p: 0.03, effect: 0.2, interval: (0.1, 0.3), rejected: false };
        let mut alone = finding;
        reject(&mut [&mut alone]);
        assert!(alone.rejected);
        let mut suite = vec![Test { p: 0.6, ..finding }; 20];
        suite[0] = finding;
        reject(&mut suite.iter_mut().collect::<Vec<_>>());
        assert!(!suite[0].rejected);
    }
}
