//! Metrics that cannot fail for what the project says of them, whatever they cost: those without a gate or with a waiver.

use perf_config::{Config, Date, Waiver};
use perf_model::metric::GateRule;
use perf_model::row::Name;

use super::waive::is_expired;
use crate::model::blind::{Blind, Missed};
use crate::model::comparison::{MetricComparison, ScenarioComparison, ScopeComparison};
use crate::rules::Reason;
use crate::verdict::{Rule, Verdict};

/// The first metric of each scenario without any gate; where no time of the suite has a gate, also of those whose times
/// usually have one.
pub(crate) fn not_gated(scopes: &[ScopeComparison]) -> Vec<Blind> {
    let is_time_gated = |metric: &MetricComparison| is_gated(metric) && !metric.metric.meaning.exact;
    let any_time = metrics(scopes).any(|(_, _, metric)| is_time_gated(metric));
    let usually_gated = |metric: &&MetricComparison| {
        metric.metric.default_gate.is_some_and(|gate| gate.rule == GateRule::Threshold)
    };
    let of = |scope: &ScopeComparison, scenario: &ScenarioComparison| {
        let mut judged = scenario.metrics.iter().filter(|metric| is_judged(metric));
        let found = match scenario.metrics.iter().any(is_gated) {
            false => judged.next(),
            true if any_time => None,
            true => judged.find(usually_gated),
        };
        found.map(|metric| blind(scope, scenario, metric, Missed::NotGated))
    };
    scopes.iter().flat_map(|scope| scope.scenarios.iter().filter_map(move |one| of(scope, one))).collect()
}

/// The gated metrics that a valid waiver would excuse.
pub(crate) fn waived(scopes: &[ScopeComparison], config: &Config, today: Option<Date>) -> Vec<Blind> {
    let waivers: Vec<(usize, &Waiver)> =
        config.waivers.iter().enumerate().filter(|(_, waiver)| !is_expired(waiver, today)).collect();
    let mut excused = Vec::new();
    let scenarios = scopes.iter().flat_map(|scope| scope.scenarios.iter().map(move |one| (scope, one)));
    for (scope, scenario) in scenarios {
        let covering: Vec<_> =
            waivers.iter().filter(|(_, waiver)| waiver.covers(&scenario.scenario)).collect();
        for metric in scenario.metrics.iter().filter(|metric| is_gated(metric) && is_judged(metric)) {
            let waiver = covering.iter().find(|(_, waiver)| waiver.excuses(Some(&metric.metric.name)));
            excused.extend(waiver.map(|(at, _)| blind(scope, scenario, metric, Missed::Waived(*at))));
        }
    }
    excused
}

fn metrics(
    scopes: &[ScopeComparison],
) -> impl Iterator<Item = (&ScopeComparison, &ScenarioComparison, &MetricComparison)> {
    let scenarios = scopes.iter().flat_map(|scope| scope.scenarios.iter().map(move |one| (scope, one)));
    scenarios.flat_map(|(scope, one)| one.metrics.iter().map(move |metric| (scope, one, metric)))
}

fn is_gated(metric: &MetricComparison) -> bool {
    let is_informational = matches!(metric.judgement.reason, Reason::Tail(_) | Reason::NotGated(_));
    metric.judgement.rule != Rule::Report && !is_informational
}

fn is_judged(metric: &MetricComparison) -> bool {
    !matches!(metric.judgement.verdict, Verdict::NotComparable | Verdict::Unmeasured)
}

fn blind(
    scope: &ScopeComparison,
    scenario: &ScenarioComparison,
    metric: &MetricComparison,
    why: Missed,
) -> Blind {
    let [scenario, metric] = [&scenario.scenario, &metric.metric.name].map(Name::clone);
    Blind { scope: scope.scope.clone(), scenario, metric, why }
}
