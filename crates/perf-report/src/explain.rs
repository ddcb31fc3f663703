//! Explains one benchmark at a terminal, as plain text without control characters.

use perf_config::Config;
use perf_verdict::{Comparison, MetricComparison, ScenarioComparison, ScopeComparison};

use crate::plain::{safe, wrapped};
use crate::reasons;
use crate::report::capital;
use crate::subject::Subject;

/// Explains the verdicts on a benchmark as plain text, with lines of at most `width` columns if possible. Returns `None` if
/// no scope contains the benchmark. `scenario` is the benchmark's key or label, optionally after its scope and a slash.
pub fn explain(
    comparison: &Comparison,
    config: &Config,
    scenario: &str,
    width: usize,
) -> Option<String> {
    let several = comparison.scopes.len() > 1;
    let mut parts = Vec::new();
    for scope in &comparison.scopes {
        let prefix = format!("{}/", scope.scope);
        let within = scenario.strip_prefix(&prefix).unwrap_or(scenario);
        let is_asked_for = |name: &str| {
            let names = [name, config.label(name)];
            names.contains(&scenario) || names.contains(&within)
        };
        let place = |name: &str| {
            let mut label = config.label(name).to_owned();
            if several {
                label = format!("{label} ({})", scope.scope);
            }
            safe(&label)
        };
        for one in &scope.scenarios {
            if is_asked_for(&one.scenario) {
                parts.push(explained(&place(&one.scenario), scope, one, config, width));
            }
        }
        let excused = scope.excused.iter().map(|(name, _)| name);
        for name in scope.missing.iter().chain(excused) {
            if is_asked_for(name) {
                let place = place(name);
                parts.push(format!("{place}: in the baseline, but not in this run\n"));
            }
        }
        for name in &scope.new {
            if is_asked_for(name) {
                parts.push(format!("{}: new (no baseline)\n", place(name)));
            }
        }
    }
    (!parts.is_empty()).then(|| parts.join("\n"))
}

fn explained(
    place: &str,
    scope: &ScopeComparison,
    scenario: &ScenarioComparison,
    config: &Config,
    width: usize,
) -> String {
    let mut lines = vec![format!("{place}: {}", scenario.verdict().word())];
    if let Some(shift) = &scope.shift {
        let text = format!(
            "This scope has an environment shift: {}.",
            reasons::shift(shift)
        );
        lines.push(wrapped(&text, width));
    }
    for metric in &scenario.metrics {
        lines.push(String::new());
        lines.push(metric_lines(metric, config, width));
    }
    lines.join("\n") + "\n"
}

fn metric_lines(compared: &MetricComparison, config: &Config, width: usize) -> String {
    let subject = Subject::new(compared, config);
    let label = safe(&compared.metric.label);
    let inner = width.saturating_sub(2);
    let mut lines = vec![format!("{label}: {}", compared.judgement.verdict.word())];
    let mut say = |text: String| lines.push(wrapped(&safe(&text), inner));
    say(reasons::sentence(compared, config) + ".");
    if let Some(evidence) = reasons::evidence(&subject) {
        say(evidence);
    }
    if let Some(warning) = reasons::too_noisy(&subject) {
        say(capital(&warning) + ".");
    }
    if let Some(remedy) = reasons::remedy(&subject, &config.history) {
        say(format!("To detect smaller changes: {remedy}."));
    }
    lines.join("\n").replace('\n', "\n  ")
}
