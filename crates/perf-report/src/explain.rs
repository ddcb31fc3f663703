//! The explanation of one benchmark at a terminal: plain text without control characters.

use perf_config::Config;
use perf_verdict::{Comparison, MetricComparison, ScenarioComparison, ScopeComparison};

use crate::plain::{safe, wrapped};
use crate::reasons::{self, subject};
use crate::report::capital;
use crate::series;

/// Explains the verdicts on a benchmark as plain text, in paragraphs of at most `width` columns if possible. `None` if no scope contains it. The benchmark is a key or a label, optionally with its scope and a slash
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
    let subject = subject(compared, config);
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
    let bars = spark(&series::numbers(compared));
    if !bars.is_empty() {
        let values = bars.chars().count();
        say(format!(
            "The last {values} values, this run at the end: {bars}"
        ));
    }
    if let Some(remedy) = reasons::remedy(&subject, &config.history) {
        say(format!("To detect smaller changes: {remedy}."));
    }
    lines.join("\n").replace('\n', "\n  ")
}

/// The bars, from the lowest to the highest.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Earlier values are rarely of interest.
const MOST: usize = 30;

/// Fewer values are not a trend: of two, one always has the lowest and one the highest bar, however close they are.
const FEWEST: usize = 4;

/// A bar for each of the last values, higher for larger numbers; empty without enough values. Constant values are half
/// high.
fn spark(values: &[f64]) -> String {
    let finite: Vec<f64> = values
        .iter()
        .copied()
        .filter(|value| value.is_finite())
        .collect();
    if finite.len() < FEWEST {
        return String::new();
    }
    let shown = &finite[finite.len().saturating_sub(MOST)..];
    let low = shown.iter().copied().fold(f64::INFINITY, f64::min);
    let high = shown.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Halve first, or the range could overflow.
    let range = high / 2.0 - low / 2.0;
    let mut bars = String::new();
    for value in shown {
        let mut share = 0.5;
        if range > 0.0 {
            share = (value / 2.0 - low / 2.0) / range;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to 7"
        )]
        let at = (share * 7.0).round() as usize;
        bars.push(BARS.get(at).copied().unwrap_or('█'));
    }
    bars
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_numbers_have_higher_bars() {
        assert_eq!(spark(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]), "▁▂▃▄▅▆▇█");
        assert_eq!(spark(&[3.0, 4.0, 5.0]), "");
        assert_eq!(spark(&[3.0; 40]), "▅".repeat(30));
        assert_eq!(spark(&[f64::NAN, f64::INFINITY, 1.0, 2.0, 3.0]), "");
        assert_eq!(spark(&[-f64::MAX, 0.0, 0.0, f64::MAX]), "▁▅▅█");
    }
}
