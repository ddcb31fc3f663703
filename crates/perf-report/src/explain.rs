//! One scenario, explained at a terminal.
//!
//! Everything here is plain text; what comes from input and could move a cursor is shown as U+FFFD.

use perf_config::Config;
use perf_verdict::Comparison;
use perf_verdict::compare::{MetricComparison, ScenarioComparison, ScopeComparison};
use perf_verdict::oriented::value;

use crate::plot::Plot;
use crate::words::{self, Numbers};
use crate::{series, shell};

/// How far the text of a metric stands in.
const INDENT: &str = "  ";

/// Everything that is known of a scenario, as plain text; plots and paragraphs are at most `width` columns wide
/// where that is possible. `None` when no scope has it. The scenario is a key or a label, or either behind a scope
/// and a slash.
pub fn explain(comparison: &Comparison, config: &Config, scenario: &str, width: usize) -> Option<String> {
    let several = comparison.scopes.len() > 1;
    let mut parts = Vec::new();
    for scope in &comparison.scopes {
        let within = scenario.strip_prefix(scope.scope.as_str()).and_then(|rest| rest.strip_prefix('/'));
        let is_meant = |name: &str| {
            [Some(scenario), within]
                .into_iter()
                .flatten()
                .any(|asked| asked == name || asked == config.label(name))
        };
        let place = |name: &str| {
            let label = config.label(name);
            safe(&if several { format!("{label} ({})", scope.scope) } else { label.to_owned() })
        };
        for one in scope.scenarios.iter().filter(|one| is_meant(&one.scenario)) {
            parts.push(explained(&place(&one.scenario), scope, one, config, width));
        }
        let missing = scope.missing.iter().chain(scope.excused.iter().map(|(name, _)| name));
        for name in missing.filter(|name| is_meant(name)) {
            parts.push(format!("{}: missing, as only the baseline has it\n", place(name)));
        }
        for name in scope.new.iter().filter(|name| is_meant(name)) {
            parts.push(format!("{}: new, as the baseline does not have it\n", place(name)));
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
    let mut lines = vec![format!("{place}: {}", words::verdict(scenario.verdict()))];
    lines.extend(
        scope.shift.map(|shift| wrapped(&format!("In all of this scope, {}.", words::shift(&shift)), width)),
    );
    for metric in &scenario.metrics {
        lines.push(String::new());
        lines.push(metric_lines(metric, config, width));
    }
    lines.join("\n") + "\n"
}

fn metric_lines(compared: &MetricComparison, config: &Config, width: usize) -> String {
    let label = safe(&compared.metric.label);
    let inner = width.saturating_sub(INDENT.len());
    let mut lines = vec![format!("{label}: {}", words::verdict(compared.judgement.verdict))];
    let mut say = |text: String| lines.push(wrapped(&safe(&text), inner));
    say(words::sentence(compared, config) + ".");
    if let Some(evidence) = words::evidence(compared) {
        say(evidence);
    }
    if let Some(tight) = words::too_noisy(compared) {
        say(capital(&tight) + ".");
    }
    let drawn = plot(compared, inner);
    if !drawn.is_empty() {
        lines.push(String::new());
        lines.extend(drawn);
        lines.push(String::new());
    }
    if let Some(means) = words::better_means(compared, &config.history) {
        lines.push(wrapped(&format!("To notice less: {}.", safe(&means)), inner));
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let indent = |line: &str| if line.is_empty() { String::new() } else { format!("{INDENT}{line}") };
    let rest = lines.split_off(1);
    let rest = rest.iter().flat_map(|text| text.split('\n')).map(indent);
    lines.into_iter().chain(rest).collect::<Vec<_>>().join("\n")
}

/// The history, the band, the limit and the current value.
fn plot(compared: &MetricComparison, width: usize) -> Vec<String> {
    let history = series::history(compared);
    let direction = compared.metric.meaning.direction;
    let told = |cost: f64| value(direction, cost);
    let best = |band: &perf_verdict::rules::history::Band| {
        // As far below the normal as the limit is beyond it.
        told(band.better + (band.limit - band.normal))
    };
    let plot = Plot {
        history,
        current: series::current(compared),
        normal: compared.band().map(|band| (best(&band), told(band.normal))),
        limit: compared.band().map(|band| told(band.limit)),
    };
    if history.is_empty() {
        return Vec::new();
    }
    let mut shown = series::numbers(compared);
    shown.extend(plot.limit);
    let numbers = Numbers::new(compared, &shown);
    let mut lines = plot.lines(width, |value| safe(&numbers.full(value)));
    if !lines.is_empty() {
        lines.push(plot.key());
    }
    lines
}

/// Text from outside, harmless to a terminal.
fn safe(text: &str) -> String {
    text.chars().map(|c| if shell::is_hidden(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Lines of at most `width` columns, broken between words.
fn wrapped(text: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line)
                if perf_markdown::table::display_width(line)
                    + 1
                    + perf_markdown::table::display_width(word)
                    <= width =>
            {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}
