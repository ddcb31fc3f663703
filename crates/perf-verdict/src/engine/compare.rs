//! Compares two suites by scope and scenario.

use std::sync::OnceLock;

use indexmap::IndexSet;
use perf_config::Config;
use perf_model::metric::GateRule;
use perf_model::row::Name;
use perf_model::suite::{Measurement, Suite};

use super::adjust;
use super::conclude::conclude;
use crate::comparison::{Comparison, MetricComparison, ScenarioComparison, ScopeComparison};
use crate::evidence::Gatherer;
use crate::rules::{Blind, CannotFail};
use crate::sides::Sides;
use crate::thresholds::Thresholds;

/// Compares the project's own scenarios in two suites. In comparison benchmarks, only the project's own rows are
/// compared, not the rows of other libraries.
pub fn compare(sides: &Sides<'_, '_>, config: &Config, thresholds: Thresholds) -> Comparison {
    let gatherer = Gatherer::new(sides, config, &thresholds);
    let scopes = sides.current.scopes.iter().chain(&sides.baseline.scopes);
    let names: IndexSet<&str> = scopes.map(|scope| scope.name).collect();
    let mut unjudged = Vec::with_capacity(names.len());
    for name in names {
        unjudged.push(gatherer.gather(name, sides));
    }
    let idle_gates = gatherer.idle_gates(sides.current, sides.baseline);
    let mut comparison = Comparison {
        scopes: Vec::with_capacity(unjudged.len()),
        baseline_commits: commits(sides.baseline),
        current_commits: commits(sides.current),
        idle_gates,
        findings: Vec::new(),
        waivers: Vec::new(),
        blind: Vec::new(),
        tested: 0,
        confirmation_runs: (0, sides.all_confirmation_runs().count()),
        counted: OnceLock::new(),
        thresholds,
    };
    conclude(unjudged, &gatherer, &mut comparison);
    comparison.findings = adjust::apply(sides, config, &mut comparison.scopes);
    comparison.waivers = adjust::waive(&mut comparison.scopes, config, thresholds.today);
    if thresholds.self_test {
        comparison.blind = blind(&comparison.scopes);
    }
    comparison
}

fn commits(suite: &Suite<'_>) -> Vec<String> {
    let commits: IndexSet<&str> = suite.measurements().map(Measurement::commit).collect();
    commits
        .into_iter()
        .filter(|commit| !commit.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Lists the gated metrics that cannot fail, and one metric for each scenario without a gate. If no time in the suite
/// is gated, also lists one time for each scenario whose time would usually be gated.
fn blind(scopes: &[ScopeComparison]) -> Vec<Blind> {
    let is_time_gated =
        |metric: &MetricComparison| metric.judgement.is_gated() && !metric.metric.meaning.exact;
    let mut scenarios = scopes.iter().flat_map(|scope| &scope.scenarios);
    let any_time = scenarios.any(|one| one.metrics.iter().any(is_time_gated));
    let mut blind = Vec::new();
    for scope in scopes {
        for scenario in &scope.scenarios {
            let listed = not_gated(scenario, any_time);
            for metric in &scenario.metrics {
                let is_listed = listed.is_some_and(|listed| std::ptr::eq(listed, metric));
                let why = match metric.judgement.cannot_fail {
                    None | Some(CannotFail::NoBaseline) => continue,
                    Some(CannotFail::NotGated(_)) if !is_listed => continue,
                    Some(why) => why,
                };
                blind.push(Blind {
                    scope: scope.scope.clone(),
                    scenario: Name::clone(&scenario.scenario),
                    metric: Name::clone(&metric.metric.name),
                    why,
                });
            }
        }
    }
    blind
}

/// Returns the metric to list for a scenario in which nothing can fail, although something should.
fn not_gated(scenario: &ScenarioComparison, any_time: bool) -> Option<&MetricComparison> {
    let mut judged = scenario
        .metrics
        .iter()
        .filter(|metric| metric.judgement.is_compared());
    let mut metrics = scenario.metrics.iter();
    if !metrics.any(|metric| metric.judgement.is_gated()) {
        return judged.next();
    }
    if any_time {
        return None;
    }
    judged.find(|metric| {
        let is_usual = metric.metric.default_gate == Some(GateRule::Limit);
        is_usual && !metric.judgement.is_gated()
    })
}
