//! Compares two suites, scope by scope and scenario by scenario.

use std::collections::HashSet;
use std::sync::OnceLock;

use foldhash::fast::RandomState;
use indexmap::{IndexMap, IndexSet};
use perf_config::Config;
use perf_model::metric::GateRule;
use perf_model::row::Name;
use perf_model::suite::{Measurement, ScopeRows, Suite};

use super::conclude::conclude;
use super::findings;
use super::gather::Comparer;
use super::waive::waive;
use crate::model::comparison::{Comparison, MetricComparison, ScenarioComparison, ScopeComparison};
use crate::model::judgement::{Blind, CannotFail};
use crate::sides::Sides;
use crate::thresholds::Thresholds;

/// Compares the project's own scenarios, and its own comparison rows, of two suites.
pub fn compare(sides: &Sides<'_, '_>, config: &Config, thresholds: Thresholds) -> Comparison {
    let comparer = Comparer::new(sides, config, &thresholds);
    let mut earlier: IndexMap<&str, &ScopeRows<'_>> = sides
        .baseline
        .scopes
        .iter()
        .map(|scope| (scope.name, scope))
        .collect();
    let mut gathered = Vec::with_capacity(sides.current.scopes.len());
    for scope in &sides.current.scopes {
        gathered.push(comparer.gather(
            scope.name,
            Some(scope),
            earlier.get(scope.name).copied(),
            sides,
        ));
    }
    let now: HashSet<&str> = sides
        .current
        .scopes
        .iter()
        .map(|scope| scope.name)
        .collect();
    earlier.retain(|name, _| !now.contains(name));
    gathered.extend(
        earlier
            .into_iter()
            .map(|(name, scope)| comparer.gather(name, None, Some(scope), sides)),
    );
    let idle_gates = comparer.idle_gates(sides.current, sides.baseline);
    let mut comparison = Comparison {
        scopes: Vec::with_capacity(gathered.len()),
        baseline_commits: commits(sides.baseline),
        current_commits: commits(sides.current),
        idle_gates,
        findings: Vec::new(),
        waivers: Vec::new(),
        blind: Vec::new(),
        tested: 0,
        confirmation_runs: (0, sides.all_confirmation_runs().count()),
        thresholds,
        counted: OnceLock::new(),
    };
    conclude(gathered, &comparer, &mut comparison);
    comparison.findings = findings::apply(sides, config, &mut comparison.scopes);
    comparison.waivers = waive(&mut comparison.scopes, config, thresholds.today);
    if thresholds.self_test {
        comparison.blind = blind(&comparison.scopes);
    }
    comparison
}

fn commits(suite: &Suite<'_>) -> Vec<String> {
    let commits: IndexSet<&str, RandomState> =
        suite.measurements().map(Measurement::commit).collect();
    commits
        .into_iter()
        .filter(|commit| !commit.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Lists gated metrics that cannot fail, and the first metric of each scenario without a gate. If no time in the suite
/// is gated, it also lists one time of each scenario that usually has a gated time.
fn blind(scopes: &[ScopeComparison]) -> Vec<Blind> {
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

/// The metric to list for a scenario in which nothing can fail, although something should.
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
