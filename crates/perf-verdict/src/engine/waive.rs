//! Waivers: known regressions and missing scenarios, excused until a date.

use perf_config::{Config, Date, Waiver};

use crate::model::comparison::{ScopeComparison, WaiverUse};
use crate::model::judgement::CannotFail;
use crate::verdict::Verdict;

/// Marks what waivers excuse, and returns how much each of them does.
pub(crate) fn waive(
    scopes: &mut [ScopeComparison],
    config: &Config,
    today: Option<Date>,
) -> Vec<WaiverUse> {
    let waivers = &config.waivers;
    let mut uses: Vec<WaiverUse> = waivers
        .iter()
        .map(|waiver| WaiverUse {
            covered: 0,
            is_expired: is_expired(waiver, today),
        })
        .collect();
    if waivers.is_empty() {
        return uses;
    }
    let expired: Vec<bool> = uses.iter().map(|waiver| waiver.is_expired).collect();
    let covering = |scenario: &str| -> Vec<usize> {
        (0..waivers.len())
            .filter(|at| waivers[*at].covers(scenario))
            .collect()
    };
    // The first valid waiver excuses; an expired one counts only where there is none.
    let mut excuse = |covering: &[usize], metric: Option<&str>| -> Option<usize> {
        let excusing = covering
            .iter()
            .copied()
            .filter(|at| waivers[*at].excuses(metric));
        let valid = excusing.clone().find(|at| !expired[*at]);
        let counted = valid.or(excusing.clone().next())?;
        uses[counted].covered += 1;
        valid
    };
    for scope in scopes {
        for scenario in &mut scope.scenarios {
            let severe = [Verdict::Regressed, Verdict::Inconclusive];
            // Patterns are matched once, not for each metric.
            let covering = covering(&scenario.scenario);
            for metric in &mut scenario.metrics {
                let growth = metric.growth();
                let (name, judgement) = (&metric.metric.name, &mut metric.judgement);
                if severe.contains(&judgement.verdict) {
                    let covering: Vec<usize> = covering
                        .iter()
                        .copied()
                        .filter(|at| waivers[*at].is_for(growth))
                        .collect();
                    let waiver = excuse(&covering, Some(name));
                    judgement.waived = waiver.and_then(|at| at.try_into().ok());
                }
                if judgement.cannot_fail.is_none() && judgement.is_compared() {
                    let mut valid = covering.iter().copied().filter(|at| !expired[*at]);
                    let waiver = valid.find(|at| waivers[*at].excuses(Some(name)));
                    judgement.cannot_fail = waiver.map(CannotFail::Waived);
                }
            }
        }
        let mut missing = std::mem::take(&mut scope.missing);
        missing.retain(|scenario| match excuse(&covering(scenario), None) {
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
