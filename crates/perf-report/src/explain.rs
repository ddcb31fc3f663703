//! The explanation of one benchmark at a terminal: plain text without control characters.

use perf_config::Config;
use perf_verdict::cost_scale::value;
use perf_verdict::{Comparison, MetricComparison, ScenarioComparison, ScopeComparison};

use crate::plain::{safe, wrapped};
use crate::plot::Plot;
use crate::reasons::{self, subject};
use crate::report::capital;
use crate::series;
use crate::subject::SentenceNumbers;

/// The indentation of a metric's text.
const INDENT: &str = "  ";

/// Explains the verdicts on a benchmark as plain text, with plots and paragraphs of at most `width` columns if
/// possible. `None` if no scope contains it. The benchmark is a key or a label, optionally with its scope and a slash
/// before it.
pub fn explain(
    comparison: &Comparison,
    config: &Config,
    scenario: &str,
    width: usize,
) -> Option<String> {
    let several = comparison.scopes.len() > 1;
    let mut parts = Vec::new();
    for scope in &comparison.scopes {
        let within = scenario
            .strip_prefix(scope.scope.as_str())
            .and_then(|rest| rest.strip_prefix('/'));
        let is_asked_for = |name: &str| {
            [Some(scenario), within]
                .into_iter()
                .flatten()
                .any(|asked| asked == name || asked == config.label(name))
        };
        let place = |name: &str| {
            let label = config.label(name);
            safe(&if several {
                format!("{label} ({})", scope.scope)
            } else {
                label.to_owned()
            })
        };
        for one in scope
            .scenarios
            .iter()
            .filter(|one| is_asked_for(&one.scenario))
        {
            parts.push(explained(&place(&one.scenario), scope, one, config, width));
        }
        let missing = scope
            .missing
            .iter()
            .chain(scope.excused.iter().map(|(name, _)| name));
        for name in missing.filter(|name| is_asked_for(name)) {
            parts.push(format!(
                "{}: in the baseline, but not in this run\n",
                place(name)
            ));
        }
        for name in scope.new.iter().filter(|name| is_asked_for(name)) {
            parts.push(format!("{}: new (no baseline)\n", place(name)));
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
    let shift = scope.shift.as_ref().map(reasons::shift);
    lines.extend(shift.map(|shift| wrapped(&format!("This scope has an {shift}."), width)));
    for metric in &scenario.metrics {
        lines.push(String::new());
        lines.push(metric_lines(metric, config, width));
    }
    lines.join("\n") + "\n"
}

fn metric_lines(compared: &MetricComparison, config: &Config, width: usize) -> String {
    let subject = subject(compared, config);
    let label = safe(&compared.metric.label);
    let inner = width.saturating_sub(INDENT.len());
    let mut lines = vec![format!("{label}: {}", compared.judgement.verdict.word())];
    let mut say = |text: String| lines.push(wrapped(&safe(&text), inner));
    say(reasons::sentence(compared, config) + ".");
    if let Some(evidence) = reasons::evidence(&subject) {
        say(evidence);
    }
    if let Some(warning) = reasons::too_noisy(&subject) {
        say(capital(&warning) + ".");
    }
    let drawn = plot(compared, inner);
    if !drawn.is_empty() {
        lines.push(String::new());
        lines.extend(drawn);
        lines.push(String::new());
    }
    if let Some(remedy) = reasons::remedy(&subject, &config.history) {
        lines.push(wrapped(
            &format!("To detect smaller changes: {}.", safe(&remedy)),
            inner,
        ));
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let indent = |line: &str| {
        if line.is_empty() {
            String::new()
        } else {
            format!("{INDENT}{line}")
        }
    };
    let rest = lines.split_off(1);
    let rest = rest.iter().flat_map(|text| text.split('\n')).map(indent);
    lines.into_iter().chain(rest).collect::<Vec<_>>().join("\n")
}

/// The history, the normal range, the limit and the current value.
fn plot(compared: &MetricComparison, width: usize) -> Vec<String> {
    let history = series::history(compared);
    let direction = compared.metric.meaning.direction;
    let plot = Plot {
        history,
        current: series::current(compared),
        normal: compared.band().map(|band| band.normal_range(direction)),
        limit: compared.band().map(|band| value(direction, band.limit)),
    };
    // The sentence above already shows a single earlier value.
    if history.len() < 2 {
        return Vec::new();
    }
    let mut shown = series::numbers(compared);
    shown.extend(plot.limit);
    let numbers = SentenceNumbers::new(compared, &shown);
    let mut lines = plot.lines(width, |value| safe(&numbers.full(value)));
    if !lines.is_empty() {
        lines.push(plot.key());
    }
    lines
}
