//! Compares two suites, scope by scope and scenario by scenario.

use std::collections::HashSet;
use std::sync::OnceLock;

use foldhash::fast::RandomState;
use indexmap::{IndexMap, IndexSet};
use perf_config::Config;
use perf_model::suite::{Measurement, ScopeRows, Suite};

use super::blind::blind;
use super::conclude::conclude;
use super::findings;
use super::gather::Comparer;
use super::waive::waive;
use crate::model::comparison::Comparison;
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
