//! Waivers: known regressions and missing scenarios, excused until a date.

use perf_config::{Config, Date, Waiver};

use crate::model::blind::CannotFail;
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
    let valid: Vec<(usize, &Waiver)> =
        waivers.iter().enumerate().filter(|(_, waiver)| !is_expired(waiver, today)).collect();
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
            for metric in &mut scenario.metrics {
                let (name, judgement) = (&metric.metric.name, &mut metric.judgement);
                if severe.contains(&judgement.verdict) {
                    let waiver = excuse(&scenario.scenario, Some(name));
                    judgement.waived = waiver.and_then(|at| at.try_into().ok());
                }
                if judgement.cannot_fail.is_none() && judgement.is_compared() {
                    let waiver =
                        valid.iter().find(|(_, waiver)| waiver.covers(&scenario.scenario, Some(name)));
                    judgement.cannot_fail = waiver.map(|(at, _)| CannotFail::Waived(*at));
                }
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

fn is_expired(waiver: &Waiver, today: Option<Date>) -> bool {
    today.is_some_and(|today| waiver.is_over(today))
}
