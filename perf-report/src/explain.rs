//! One scenario, explained at a terminal.

use perf_rows::catalogue::Catalogue;
use perf_verdict::Comparison;

use crate::words;

/// Everything that is known of a scenario, as plain text of lines at most `width` columns wide where that is
/// possible; `None` when no scope has it. The scenario is a key, a label, or either behind a scope and a slash.
pub fn explain(
    comparison: &Comparison,
    catalogue: &Catalogue,
    scenario: &str,
    _width: usize,
) -> Option<String> {
    let mut lines = Vec::new();
    for scope in &comparison.scopes {
        for one in scope
            .scenarios
            .iter()
            .filter(|one| *one.scenario == *scenario || catalogue.label(&one.scenario) == scenario)
        {
            lines.extend(one.metrics.iter().map(|metric| words::reason(metric)));
        }
    }
    (!lines.is_empty()).then(|| lines.join("\n") + "\n")
}
