//! Which metrics a reviewer may have to do something about.

use perf_verdict::rules::obstacle::Obstacle;
use perf_verdict::{MetricComparison, Reason, Rule, ScenarioComparison, Verdict};

/// Whether a metric matters.
pub(super) fn matters(compared: &MetricComparison) -> bool {
    let judgement = &compared.judgement;
    let is_gated = judgement.rule != Rule::Report;
    judgement.warned
        || match judgement.verdict {
            Verdict::Regressed | Verdict::Improved => true,
            // An environment shift has one sentence for all; what would be suspect without it stands out still.
            Verdict::Inconclusive => {
                !matches!(judgement.reason, Reason::Environment(_)) || judgement.is_suspect()
            }
            Verdict::Moved => !is_normal(compared),
            Verdict::Unmeasured => is_gated && judgement.reason == Reason::Obstacle(Obstacle::NoCurrent),
            Verdict::NotComparable => is_gated,
            Verdict::Unchanged => false,
        }
}

/// Whether a metric of the scenario matters.
pub(super) fn any_matters(scenario: &ScenarioComparison) -> bool {
    scenario.metrics.iter().any(matters)
}

/// Whether the current number is within the normal band of the history.
fn is_normal(compared: &MetricComparison) -> bool {
    let direction = compared.metric.meaning.direction;
    let now = crate::series::current(compared);
    let cost = now.and_then(|now| perf_verdict::oriented::cost(direction, now));
    compared.band().zip(cost).is_some_and(|(band, cost)| (band.better..=band.normal).contains(&cost))
}
