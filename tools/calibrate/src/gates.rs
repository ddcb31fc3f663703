//! Recommended limits as `[[gates]]` to paste into `perf-gate.toml`, including the default rules that they would replace.

use perf_model::suite::Definitions;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use indexmap::IndexSet;
use perf_config::{Config, ConfigError};
use perf_model::metric::GateRule;

use crate::conclude::{LEAST_FOUND, MOST_FALSE};
use crate::plan::GateWorkflow;
use crate::recommend::Advice;
use crate::replay::Replay;

/// A comment before all limits.
const WITHOUT_HISTORY: &str = "\
# limits for a gate with a single baseline value; omit them with a history
# (`--history-git`, `--history`), because they would only hide regressions
";

/// A comment, if the limits replace default rules.
const REPLACED: &str = "\
# they replace the default rules of their metrics; the entries without `scenarios` restore
# those for all other benchmarks
";

/// A comment, if the config already contains gates for these metrics.
const IN_FRONT: &str = "\
# put these before the existing `[[gates]]`: the first that matches a row applies
";

/// The gates with comments: one for all scenarios with the same metric and limit, followed by the metric's default rule if the
/// limits would replace it.
pub fn toml(advice: &[Advice], config: &Config) -> String {
    let usual = usual(advice, config);
    let note = if usual.is_empty() { IN_FRONT } else { REPLACED };
    [
        WITHOUT_HISTORY,
        note,
        &limits(advice),
        &chosen(advice),
        &usual,
    ]
    .concat()
}

/// The config with these gates pasted into it.
pub fn pasted(toml: &str, config: &Config) -> Result<Config, ConfigError> {
    let mut gates = Config::parse(toml)?.gates.unwrap_or_default();
    gates.extend(config.gates.clone().unwrap_or_default());
    let mut config = config.clone();
    config.gates = Some(gates);
    Ok(config)
}

/// Returns the limits if their replay shows that they are useful; otherwise, the reason.
pub fn worth_having(replay: &Replay, toml: String) -> Result<String, String> {
    let (advised, fixed) = (
        replay.record(GateWorkflow::Advised),
        replay.record(GateWorkflow::OneValue),
    );
    let (wrong, of_fixed) = (advised.false_alarms().rate, fixed.false_alarms().rate);
    let found = advised.found_at(1.0).share();
    match () {
        () if wrong.hits > of_fixed.hits && wrong.share() > MOST_FALSE => Err(format!(
            "they would fail {} of {} pull requests wrongly, the fixed limit {}",
            wrong.hits, wrong.trials, of_fixed.hits
        )),
        () if found < LEAST_FOUND => Err(format!(
            "they would find a +100% slowdown {:.0} times in 100",
            found * 100.0
        )),
        () => Ok(toml),
    }
}

/// Comments on unusual limits.
fn limits(advice: &[Advice]) -> String {
    let mut text = String::new();
    for advice in advice {
        let (scenario, metric) = (quoted(&advice.scenario), quoted(&advice.metric));
        if is_pattern(advice) {
            let limit = fraction(percent(advice.limit));
            let _ = writeln!(
                text,
                "# omitted, because `*` or `?` would make it a pattern: {scenario}, {metric} ({limit})"
            );
        } else if !advice.is_worth_having() {
            let notices = percent(advice.notices);
            let _ = writeln!(
                text,
                "# too noisy for a useful limit: {scenario}, {metric} (less than +{notices}% could be noise); this one \
                 only detects breakage"
            );
        } else if advice.is_wide() {
            let notices = percent(advice.notices);
            let _ = writeln!(
                text,
                "# noisy: {scenario}, {metric} (less than +{notices}% could be noise)"
            );
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
        gates
            .entry((&advice.metric, percent(advice.limit)))
            .or_default()
            .push(&advice.scenario);
    }
    let mut text = String::new();
    for ((metric, limit), scenarios) in gates {
        let list: Vec<String> = scenarios
            .iter()
            .map(|scenario| format!("    {},\n", quoted(scenario)))
            .collect();
        let _ = write!(
            text,
            "\n[[gates]]\nmetric = {}\nrule = \"limit\"\nlimit = {}\nscenarios = [\n{}]\n",
            quoted(metric),
            fraction(limit),
            list.concat()
        );
    }
    text
}

/// The default rules that the limits would replace.
fn usual(advice: &[Advice], config: &Config) -> String {
    let chosen = advice
        .iter()
        .filter(|advice| !is_pattern(advice))
        .map(|advice| &*advice.metric);
    let replaced: IndexSet<&str> = chosen
        .filter(|name| config.leaves_default(name, ""))
        .collect();
    replaced
        .into_iter()
        .filter_map(|name| Some(entry(name, config.metric(name).default_gate?)))
        .collect()
}

fn entry(metric: &str, rule: GateRule) -> String {
    // JSON strings are quoted as in TOML.
    let rule = serde_json::to_string(&rule).unwrap_or_default();
    format!("\n[[gates]]\nmetric = {}\nrule = {rule}\n", quoted(metric))
}

/// A limit in the config's syntax: 100% or more must be a string.
fn fraction(percent: u64) -> String {
    if percent < 100 {
        format!("0.{percent:02}")
    } else {
        format!("\"{percent}%\"")
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates, and is a share"
)]
fn percent(share: f64) -> u64 {
    (share * 100.0).round() as u64
}

/// Text as a TOML string.
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

    fn of(scenario: &str, limit: f64, notices: f64) -> Advice {
        Advice {
            scenario: scenario.into(),
            metric: "timeNs".into(),
            limit,
            notices,
        }
    }

    #[test]
    fn written_gates_can_be_parsed() {
        let advice = [
            of("a \"b\" \\\n", 0.07, 0.07),
            of("c", 0.07, 0.07),
            of("d", 0.45, 0.8),
            of("e*", 0.07, 0.07),
            of("f?", 0.07, 0.07),
        ];
        let text = toml(&advice, &Config::default());
        assert!(
            text.contains("\n# noisy: \"d\", \"timeNs\" (less than +80% could be noise)\n"),
            "{text}"
        );
        assert!(
            text.contains("pattern: \"e*\", \"timeNs\" (0.07)\n"),
            "{text}"
        );
        let config = pasted(&text, &Config::default()).unwrap();
        let gates = config.gates.as_ref().unwrap();
        let limits: Vec<Option<f64>> = gates.iter().map(|gate| gate.limit).collect();
        assert_eq!(limits, [Some(0.07), Some(0.45), None]);
        let covers = |scenario| {
            gates[..2]
                .iter()
                .any(|gate| gate.covers(scenario, config.family("x")))
        };
        assert!(
            covers("a \"b\" \\\n")
                && covers("d")
                && !covers("e*")
                && !covers("ee")
                && !covers("f?")
        );
    }

    #[test]
    fn existing_gates_stay_after_the_limits() {
        let own = "[[gates]]\nmetric = \"timeNs\"\nrule = \"limit\"\nlimit = 0.2\n";
        let own = Config::parse(own).unwrap();
        let text = toml(&[of("c", 0.07, 0.07)], &own);
        assert!(text.contains("before the existing"), "{text}");
        let limits = pasted(&text, &own).unwrap().gates.unwrap();
        assert_eq!(
            limits.iter().map(|gate| gate.limit).collect::<Vec<_>>(),
            [Some(0.07), Some(0.2)]
        );
    }
}
