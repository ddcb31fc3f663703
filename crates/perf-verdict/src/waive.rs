//! Waivers: regressions and missing scenarios that are known, and excused until a day.

use perf_config::{Config, Date};

use crate::compare::ScopeComparison;
use crate::verdict::Verdict;

/// What a waiver was good for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaiverUse {
    /// How many metrics and missing scenarios it excuses; of one that is over, how many it would have.
    pub covered: usize,
    /// Whether its last day has passed, so that it excuses nothing.
    pub is_over: bool,
}

/// Marks what waivers excuse, and tells what each was good for.
pub(crate) fn waive(scopes: &mut [ScopeComparison], config: &Config, today: Option<Date>) -> Vec<WaiverUse> {
    let waivers = &config.waivers;
    let is_over = |today| waivers.iter().map(move |waiver| waiver.is_over(today));
    let over: Vec<bool> = today.map_or_else(|| vec![false; waivers.len()], |today| is_over(today).collect());
    let mut uses: Vec<WaiverUse> =
        over.iter().map(|is_over| WaiverUse { covered: 0, is_over: *is_over }).collect();
    if waivers.is_empty() {
        return uses;
    }
    // The first that is in force excuses; one that is over is told only where none is.
    let mut excuse = |scenario: &str, metric: Option<&str>| -> Option<usize> {
        let covering: Vec<usize> =
            (0..waivers.len()).filter(|at| waivers[*at].covers(scenario, metric)).collect();
        let valid = covering.iter().copied().find(|at| !over[*at]);
        let told = valid.or(covering.first().copied())?;
        uses[told].covered += 1;
        valid
    };
    for scope in scopes {
        for scenario in &mut scope.scenarios {
            let grave = [Verdict::Regressed, Verdict::Inconclusive];
            for metric in
                scenario.metrics.iter_mut().filter(|metric| grave.contains(&metric.judgement.verdict))
            {
                metric.judgement.waived = excuse(&scenario.scenario, Some(&metric.metric.name));
            }
        }
        let mut missing = std::mem::take(&mut scope.missing);
        missing.retain(|scenario| match excuse(scenario, None) {
            Some(waiver) => {
                scope.excused.push((scenario.clone(), waiver));
                false
            }
            None => true,
        });
        scope.missing = missing;
    }
    uses
}
