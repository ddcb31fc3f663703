//! Waivers: known regressions and missing scenarios, excused until a date.

use perf_config::{Config, Date, Waiver};

use crate::model::comparison::{MetricComparison, ScopeComparison, WaiverUse};
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
    let covering = |scenario: &str| -> Vec<usize> {
        (0..waivers.len()).filter(|at| waivers[*at].covers(scenario)).collect()
    };
    // The first valid waiver excuses; an expired one counts only where there is none.
    let mut excuse = |covering: &[usize], metric: Option<&str>| -> Option<usize> {
        let excusing = covering.iter().copied().filter(|at| waivers[*at].excuses(metric));
        let valid = excusing.clone().find(|at| !uses[*at].is_expired);
        let counted = valid.or(excusing.clone().next())?;
        uses[counted].covered += 1;
        valid
    };
    for scope in scopes {
        for scenario in &mut scope.scenarios {
            let is_severe = |metric: &&mut MetricComparison| {
                matches!(metric.judgement.verdict, Verdict::Regressed | Verdict::Inconclusive)
            };
            let mut severe = scenario.metrics.iter_mut().filter(is_severe).peekable();
            // Patterns are matched once, not for each metric.
            let covering = if severe.peek().is_some() { covering(&scenario.scenario) } else { Vec::new() };
            for metric in severe {
                let waiver = excuse(&covering, Some(&metric.metric.name));
                metric.judgement.waived = waiver.and_then(|at| at.try_into().ok());
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

pub(super) fn is_expired(waiver: &Waiver, today: Option<Date>) -> bool {
    today.is_some_and(|today| waiver.is_over(today))
}
