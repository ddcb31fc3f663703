//! Advice as `[[gates]]` to paste into `perf-gate.toml`, with what pasting them would take away.

use perf_model::suite::Definitions;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use indexmap::IndexSet;
use perf_config::{Config, ConfigError};
use perf_model::metric::{DefaultGate, GateRule};

use crate::conclude::{LEAST_FOUND, MOST_FALSE};
use crate::plan::GateWorkflow;
use crate::recommend::Advice;
use crate::replay::Replay;

/// The comment above all advised thresholds.
const WITHOUT_HISTORY: &str = "\
# thresholds for a gate with one baseline value; with a history (`--history-git`,
# `--history`) leave them out, as they would only make it find less
";

/// The comment on the gates where the config has none for a metric yet: they replace its default rule.
const REPLACED: &str = "\
# they replace the default rules of their metrics: the entries without `scenarios` put those
# back for all other scenarios
";

/// The comment on the gates where the config has some for these metrics already.
const IN_FRONT: &str = "\
# put these in front of the `[[gates]]` that are there: the first that covers a row counts
";

/// The gates, with comments: one for all scenarios of a metric and threshold, and behind them, where the config
/// has none for a metric, its default rule.
pub fn toml(advice: &[Advice], config: &Config) -> String {
    let usual = usual(advice, config);
    let note = if usual.is_empty() { IN_FRONT } else { REPLACED };
    [WITHOUT_HISTORY, note, &thresholds(advice), &chosen(advice), &usual].concat()
}

/// The config with such gates pasted into it.
///
/// # Errors
/// Gates that are none; no name of a metric is known that makes them so.
pub fn pasted(toml: &str, config: &Config) -> Result<Config, ConfigError> {
    let mut gates = Config::parse(toml)?.gates.unwrap_or_default();
    gates.extend(config.gates.clone().unwrap_or_default());
    Ok(config.clone().with_gates(gates))
}

/// The thresholds once they were replayed: the gates, or why there are none.
///
/// # Errors
/// Why no threshold is worth having.
pub fn worth_having(replay: &Replay, toml: String) -> Result<String, String> {
    let (advised, fixed) = (replay.record(GateWorkflow::Advised), replay.record(GateWorkflow::OneValue));
    let (wrong, of_fixed) = (advised.false_alarms().rate, fixed.false_alarms().rate);
    let found = advised.found_at(1.0).share();
    match () {
        () if wrong.hits > of_fixed.hits && wrong.share() > MOST_FALSE => Err(format!(
            "they would be wrong on {} of {} pull requests, the fixed one on {}",
            wrong.hits, wrong.trials, of_fixed.hits
        )),
        () if found < LEAST_FOUND => {
            Err(format!("they would find a +100% slowdown {:.0} times in 100", found * 100.0))
        }
        () => Ok(toml),
    }
}

/// The comments on rows whose thresholds need one.
fn thresholds(advice: &[Advice]) -> String {
    let mut text = String::new();
    for advice in advice {
        let (scenario, metric) = (quoted(&advice.scenario), quoted(&advice.metric));
        if is_pattern(advice) {
            let threshold = fraction(percent(advice.threshold));
            let _ = writeln!(
                text,
                "# left out, as `*` and `?` would make it a pattern: {scenario}, {metric} ({threshold})"
            );
        } else if !advice.is_worth_having() {
            let notices = percent(advice.notices);
            let _ = writeln!(
                text,
                "# no threshold is worth having: {scenario}, {metric} (less than +{notices}% could be noise); this one \
                 only fails what is broken"
            );
        } else if advice.is_wide() {
            let notices = percent(advice.notices);
            let _ = writeln!(text, "# noisy: {scenario}, {metric} (less than +{notices}% could be noise)");
        }
    }
    text
}

fn is_pattern(advice: &Advice) -> bool {
    has_wildcard(&advice.scenario) || has_wildcard(&advice.metric)
}

fn has_wildcard(name: &str) -> bool {
    name.contains(['*', '?'])
}

fn chosen(advice: &[Advice]) -> String {
    let mut gates: BTreeMap<(&str, u64), Vec<&str>> = BTreeMap::new();
    for advice in advice.iter().filter(|advice| !is_pattern(advice)) {
        gates.entry((&advice.metric, percent(advice.threshold))).or_default().push(&advice.scenario);
    }
    let mut text = String::new();
    for ((metric, threshold), scenarios) in gates {
        let list: Vec<String> =
            scenarios.iter().map(|scenario| format!("    {},\n", quoted(scenario))).collect();
        let _ = write!(
            text,
            "\n[[gates]]\nmetric = {}\nrule = \"threshold\"\nthreshold = {}\nscenarios = [\n{}]\n",
            quoted(metric),
            fraction(threshold),
            list.concat()
        );
    }
    text
}

/// The default rules that the thresholds would replace.
fn usual(advice: &[Advice], config: &Config) -> String {
    let chosen = advice.iter().filter(|advice| !is_pattern(advice)).map(|advice| &*advice.metric);
    let replaced: IndexSet<&str> = chosen.filter(|name| config.leaves_default(name)).collect();
    replaced.into_iter().filter_map(|name| Some(entry(name, config.metric(name).default_gate?))).collect()
}

fn entry(metric: &str, gate: DefaultGate) -> String {
    let rule = match gate.rule {
        GateRule::Threshold => "threshold",
        GateRule::Exact => "exact",
        GateRule::Count => "count",
        GateRule::Equal => "equal",
        GateRule::None => "none",
    };
    let own = gate.threshold.filter(|_| gate.rule == GateRule::Threshold);
    let threshold = own.map(|own| format!("threshold = {own}\n")).unwrap_or_default();
    format!("\n[[gates]]\nmetric = {}\nrule = \"{rule}\"\n{threshold}", quoted(metric))
}

/// A threshold as the config takes it, where one of 100% and more is a text.
fn fraction(percent: u64) -> String {
    if percent < 100 { format!("0.{percent:02}") } else { format!("\"{percent}%\"") }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and is a share")]
fn percent(share: f64) -> u64 {
    (share * 100.0).round() as u64
}

/// A text as TOML has it, on one line.
fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        c if c.is_control() => format!("\\u{:04X}", u32::from(c)),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(scenario: &str, threshold: f64, notices: f64) -> Advice {
        Advice { scenario: scenario.into(), metric: "timeNs".into(), threshold, notices }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let advice = [
            of("a \"b\" \\\n", 0.07, 0.07),
            of("c", 0.07, 0.07),
            of("d", 0.45, 0.8),
            of("e*", 0.07, 0.07),
            of("f?", 0.07, 0.07),
        ];
        let text = toml(&advice, &Config::default());
        assert!(text.contains("\n# noisy: \"d\", \"timeNs\" (less than +80% could be noise)\n"), "{text}");
        assert!(text.contains("pattern: \"e*\", \"timeNs\" (0.07)\n"), "{text}");
        let config = pasted(&text, &Config::default()).unwrap();
        let gates = config.gates.as_ref().unwrap();
        let thresholds: Vec<Option<f64>> = gates.iter().map(|gate| gate.threshold).collect();
        assert_eq!(thresholds, [Some(0.07), Some(0.45), None]);
        let covers = |scenario| gates[..2].iter().any(|gate| gate.covers(scenario, config.family("x")));
        assert!(covers("a \"b\" \\\n") && covers("d") && !covers("e*") && !covers("ee") && !covers("f?"));
    }

    #[test]
    fn gates_that_are_there_stay_behind_and_nothing_is_put_back() {
        let own = "[[gates]]\nmetric = \"timeNs\"\nrule = \"threshold\"\nthreshold = 0.2\n";
        let own = Config::parse(own).unwrap();
        let text = toml(&[of("c", 0.07, 0.07)], &own);
        assert!(text.contains("in front of"), "{text}");
        let thresholds = pasted(&text, &own).unwrap().gates.unwrap();
        assert_eq!(thresholds.iter().map(|gate| gate.threshold).collect::<Vec<_>>(), [Some(0.07), Some(0.2)]);
    }
}
