//! Waivers: known regressions and missing scenarios, excused until a date.

use perf_config::{Config, Date, Waiver};

use crate::comparison::{ScopeComparison, WaiverUse};
use crate::rules::judgement::CannotFail;
use crate::verdict::Verdict;

/// Marks everything that waivers excuse, and returns the use of each waiver.
pub(crate) fn waive(
    scopes: &mut [ScopeComparison],
    config: &Config,
    today: Option<Date>,
) -> Vec<WaiverUse> {
    let is_expired = |waiver: &Waiver| today.is_some_and(|today| waiver.is_over(today));
    let uses = config.waivers.iter().map(|waiver| WaiverUse {
        covered: 0,
        is_expired: is_expired(waiver),
    });
    let mut uses: Vec<WaiverUse> = uses.collect();
    if uses.is_empty() {
        return uses;
    }
    for scope in scopes {
        for scenario in &mut scope.scenarios {
            // Match patterns once, not for each metric.
            let covering = covering(config, &scenario.scenario);
            for metric in &mut scenario.metrics {
                let growth = metric.growth();
                let name = &metric.metric.name;
                let judgement = &mut metric.judgement;
                let mut excusing = covering.clone();
                excusing.retain(|(_, waiver)| waiver.excuses(Some(name)));
                if judgement.cannot_fail.is_none() && judgement.is_compared() {
                    let valid = excusing.iter().find(|(at, _)| !uses[*at].is_expired);
                    judgement.cannot_fail = valid.map(|(at, _)| CannotFail::Waived(*at));
                }
                if let Verdict::Regressed | Verdict::Inconclusive = judgement.verdict {
                    excusing.retain(|(_, waiver)| waiver.is_for(growth));
                    let waiver = excuse(&excusing, &mut uses);
                    judgement.waived = waiver;
                }
            }
        }
        for scenario in std::mem::take(&mut scope.missing) {
            let mut excusing = covering(config, &scenario);
            excusing.retain(|(_, waiver)| waiver.excuses(None));
            match excuse(&excusing, &mut uses) {
                Some(waiver) => scope.excused.push((scenario, waiver)),
                None => scope.missing.push(scenario),
            }
        }
    }
    uses
}

/// The waivers for a scenario, with their indices.
fn covering<'c>(config: &'c Config, scenario: &str) -> Vec<(usize, &'c Waiver)> {
    let waivers = config.waivers.iter().enumerate();
    waivers
        .filter(|(_, waiver)| waiver.covers(scenario))
        .collect()
}

/// Uses the first valid waiver, and returns its index. An expired one is used only if all are expired, and excuses
/// nothing.
fn excuse(excusing: &[(usize, &Waiver)], uses: &mut [WaiverUse]) -> Option<usize> {
    let mut valid = excusing.iter().filter(|(at, _)| !uses[*at].is_expired);
    let valid = valid.next().map(|(at, _)| *at);
    let waiver = valid.or(excusing.first().map(|(at, _)| *at))?;
    uses[waiver].covered += 1;
    valid
}
