//! Explains one benchmark on the terminal.

use std::collections::BTreeSet;

use perf_cli::{Failure, term};
use perf_config::Config;
use perf_model::row::Name;
use perf_model::suggest::suggest;
use perf_report::explain::explain;
use perf_verdict::{Comparison, ScopeComparison};

/// The width of an explanation if the terminal width is unknown.
const WIDTH: usize = 100;

/// The number of similar names in a hint.
const NAMED: usize = 4;

/// The explanation of a benchmark.
pub(crate) fn explained(
    comparison: &Comparison,
    config: &Config,
    scenario: &str,
) -> anyhow::Result<String> {
    let text = explain(comparison, config, scenario, width()).or_else(|| {
        // A part of the name is enough if it matches only one benchmark.
        let known = comparison
            .scopes
            .iter()
            .flat_map(|scope| &scope.scenarios)
            .map(|one| &one.scenario);
        let meant: BTreeSet<&Name> = known.filter(|name| name.contains(scenario)).collect();
        let [meant] = meant.into_iter().collect::<Vec<_>>()[..] else {
            return None;
        };
        explain(comparison, config, meant, width())
    });
    text.map(|text| term::printable_lines(&text))
        .ok_or_else(|| unknown(comparison, scenario).into())
}

/// The terminal width in columns, from `COLUMNS` or the terminal itself.
pub(crate) fn width() -> usize {
    let said = std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok());
    let seen = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    said.or_else(seen).unwrap_or(WIDTH).clamp(40, 1000)
}

fn unknown(comparison: &Comparison, scenario: &str) -> Failure {
    let shown = term::printable(scenario);
    let scopes = comparison.scopes.iter();
    if scopes
        .clone()
        .flat_map(|scope| &scope.new)
        .any(|name| **name == *scenario)
    {
        return Failure::new(format!("there is nothing to explain: `{shown}` is new"));
    }
    let excused =
        |scope: &ScopeComparison| scope.excused.iter().any(|(name, _)| **name == *scenario);
    let is_missing = |scope: &ScopeComparison| {
        excused(scope) || scope.missing.iter().any(|name| **name == *scenario)
    };
    if scopes.clone().any(is_missing) {
        return Failure::new(format!(
            "there is nothing to explain: `{shown}` was not measured in this run"
        ));
    }
    let known = scopes
        .flat_map(|scope| &scope.scenarios)
        .map(|compared| &*compared.scenario);
    let parts: Vec<String> = known
        .clone()
        .filter(|name| name.contains(scenario))
        .map(|name| format!("`{name}`"))
        .collect();
    if parts.len() > 1 {
        let first = parts[..parts.len().min(NAMED)].join(", ");
        let failure = Failure::new(format!("`{shown}` is part of {} names", parts.len()));
        return failure.hint(term::printable(&format!(
            "pass a longer part, such as {first}"
        )));
    }
    let failure = Failure::new(format!("no benchmark is called `{shown}`"));
    match suggest(scenario, known) {
        Some(hint) => failure.hint(term::printable(&hint)),
        None => failure,
    }
}
