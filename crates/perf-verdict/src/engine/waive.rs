//! Waivers: known regressions and missing scenarios, excused until a date.

use perf_config::{Config, Date, Waiver};

use crate::model::comparison::{ScopeComparison, WaiverUse};
use crate::verdict::Verdict;

/// Marks what waivers excuse, and returns how much each of them does.
pub(crate) fn waive(scopes: &mut [ScopeComparison], config: &Config, today: Option<Date>) -> Vec<WaiverUse> {
    let waivers = &config.waivers;
    let mut uses: Vec<WaiverUse> = waivers
        .iter()
        .map(|waiver| WaiverUse { covered: 0, is_expired: is_expired(waiver, today) })
        .collect();
    if waivers.is_empty() {
        return uses;
    }
    // The first valid waiver excuses; an expired one counts only where there is none.
    let mut excuse = |scenario: &str, metric: Option<&str>| -> Option<usize> {
        let covering: Vec<usize> =
            (0..waivers.len()).filter(|at| waivers[*at].covers(scenario, metric)).collect();
        let valid = covering.iter().copied().find(|at| !uses[*at].is_expired);
        let counted = valid.or(covering.first().copied())?;
        uses[counted].covered += 1;
        valid
    };
    for scope in scopes {
        for scenario in &mut scope.scenarios {
            let severe = [Verdict::Regressed, Verdict::Inconclusive];
            for metric in
                scenario.metrics.iter_mut().filter(|metric| severe.contains(&metric.judgement.verdict))
            {
                let waiver = excuse(&scenario.scenario, Some(&metric.metric.name));
                metric.judgement.waived = waiver.and_then(|at| at.try_into().ok());
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

pub(super) fn is_expired(waiver: &Waiver, today: Option<Date>) -> bool {
    today.is_some_and(|today| waiver.is_over(today))
}
