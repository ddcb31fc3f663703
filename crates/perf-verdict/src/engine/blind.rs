//! The metrics that cannot fail and that a report names.

use perf_model::metric::GateRule;
use perf_model::row::Name;

use crate::model::blind::{Blind, CannotFail};
use crate::model::comparison::{MetricComparison, ScenarioComparison, ScopeComparison};

/// Gated metrics that cannot fail; the first metric of each scenario without any gate; and where no time of the suite has
/// a gate, that of those whose times usually have one.
pub(crate) fn blind(scopes: &[ScopeComparison]) -> Vec<Blind> {
    let scenarios = || {
        scopes
            .iter()
            .flat_map(|scope| scope.scenarios.iter().map(move |one| (scope, one)))
    };
    let is_time_gated =
        |metric: &MetricComparison| metric.judgement.is_gated() && !metric.metric.meaning.exact;
    let any_time = scenarios().any(|(_, one)| one.metrics.iter().any(is_time_gated));
    let blind = scenarios().flat_map(|(scope, one)| {
        let named = not_gated(one, any_time);
        let is_meant = move |metric: &&MetricComparison| match metric.judgement.cannot_fail {
            Some(CannotFail::NotGated(_)) => {
                named.is_some_and(|named| std::ptr::eq(named, *metric))
            }
            Some(CannotFail::NoBaseline) | None => false,
            Some(_) => true,
        };
        one.metrics.iter().filter(is_meant).filter_map(|metric| {
            let [scenario, name] = [&one.scenario, &metric.metric.name].map(Name::clone);
            Some(Blind {
                scope: scope.scope.clone(),
                scenario,
                metric: name,
                why: metric.judgement.cannot_fail?,
            })
        })
    });
    blind.collect()
}

/// The metric that stands for all without a gate, in a scenario where nothing can fail that should.
fn not_gated(scenario: &ScenarioComparison, any_time: bool) -> Option<&MetricComparison> {
    let mut judged = scenario
        .metrics
        .iter()
        .filter(|metric| metric.judgement.is_compared());
    let is_gated = |metric: &MetricComparison| metric.judgement.is_gated();
    let usually_gated = |metric: &&MetricComparison| {
        let is_usual = metric.metric.default_gate == Some(GateRule::Limit);
        is_usual && !is_gated(metric)
    };
    match scenario.metrics.iter().any(is_gated) {
        false => judged.next(),
        true if any_time => None,
        true => judged.find(usually_gated),
    }
}
