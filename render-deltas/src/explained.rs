//! Explains one benchmark on the terminal.

use std::collections::BTreeSet;

use perf_cli::{Failure, term};
use perf_config::Config;
use perf_model::suggest::suggest;
use perf_report::explain::explain;
use perf_verdict::Comparison;

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
    let known: BTreeSet<&str> = comparison
        .scopes
        .iter()
        .flat_map(|scope| &scope.scenarios)
        .map(|one| &*one.scenario)
        .collect();
    let mut text = explain(comparison, config, scenario, width());
    // A part of the name is enough if it matches only one benchmark.
    let meant: Vec<&str> = known
        .iter()
        .copied()
        .filter(|name| name.contains(scenario))
        .collect();
    if let ([meant], None) = (&meant[..], &text) {
        text = explain(comparison, config, meant, width());
    }
    if let Some(text) = text {
        return Ok(term::printable_lines(&text));
    }
    let shown = term::printable(scenario);
    let failure = Failure::new(format!("no benchmark is called `{shown}`"));
    let hint = match suggest(scenario, known) {
        _ if meant.len() > 1 => {
            let first = meant[..meant.len().min(NAMED)].join("`, `");
            format!("pass a longer part, such as `{first}`")
        }
        Some(hint) => hint,
        None => return Err(failure.into()),
    };
    Err(failure.hint(term::printable(&hint)).into())
}

/// The terminal width in columns, from `COLUMNS` or the terminal itself.
pub(crate) fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok();
    let columns = columns.and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    columns.or_else(terminal).unwrap_or(WIDTH).clamp(40, 1000)
}
