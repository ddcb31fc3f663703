//! Why each verdict that matters is what it is: to be unfolded, scenario by scenario.

use perf_verdict::{MetricComparison, Reason, ScenarioComparison, ScopeComparison, Verdict};

use super::matter::matters;
use super::{Told, Unfolded, and_more, first_of};
use crate::{shell, words};
use perf_markdown::escape::{html, line_start};

/// How many scenarios can be unfolded.
const MOST: usize = 20;

/// The scenarios that matter, the graver ones first, and how many more there are.
pub(super) fn details(told: &Told<'_>, reproduce: Option<&str>) -> (Vec<Unfolded>, String) {
    // Of what the machine did, nothing more can be told of one scenario than of all.
    let own = |scenario: &ScenarioComparison| {
        scenario
            .metrics
            .iter()
            .filter(|metric| matters(metric))
            .any(|metric| !matches!(metric.judgement.reason, Reason::Environment(_)))
    };
    let mut all: Vec<_> = told.scenarios().filter(|(_, scenario)| own(scenario)).collect();
    all.sort_by_key(|(_, scenario)| (!scenario.fails(), scenario.verdict()));
    let (first, more) =
        first_of(all.into_iter(), MOST, |(scope, scenario)| unfolded(told, scope, scenario, reproduce));
    (first, and_more(more).unwrap_or_default())
}

fn unfolded(
    told: &Told<'_>,
    scope: &ScopeComparison,
    scenario: &ScenarioComparison,
    reproduce: Option<&str>,
) -> Unfolded {
    let place = told.place(&scope.scope, &scenario.scenario);
    let shown = scenario.metrics.iter().filter(|metric| matters(metric));
    let name = if told.several {
        format!("{}/{}", scope.scope, scenario.scenario)
    } else {
        scenario.scenario.to_string()
    };
    let command =
        |reproduce: &str| format!("{} --explain {}", shell::one_line(reproduce), shell::quoted(&name));
    Unfolded {
        summary: format!("{} {}", html(&place), became(scenario)),
        lines: shown.flat_map(|metric| lines(told, metric)).collect(),
        command: reproduce.map_or_else(String::new, command),
    }
}

/// What became of the scenario, as far as it matters: `regressed`, `is inconclusive`.
fn became(scenario: &ScenarioComparison) -> String {
    let grave =
        scenario.metrics.iter().filter(|metric| matters(metric)).map(|metric| metric.judgement.verdict);
    let verdict = match scenario.verdict() {
        Verdict::Unmeasured => Verdict::Unmeasured,
        verdict => grave.min().unwrap_or(verdict),
    };
    let word = words::verdict(verdict);
    match verdict {
        Verdict::Regressed if !scenario.fails() => format!("{word}, and is waived"),
        Verdict::Regressed | Verdict::Improved | Verdict::Moved => word.to_owned(),
        _ => format!("is {word}"),
    }
}

/// What is said of one metric: why, and by which rule and numbers.
fn lines(told: &Told<'_>, compared: &MetricComparison) -> Vec<String> {
    let label = &compared.metric.label;
    let verdict = words::verdict(compared.judgement.verdict);
    let sentence = words::sentence(compared, told.config);
    let mut lines = vec![line_start(&format!("{label}, {verdict}: {sentence}."))];
    lines.extend(words::evidence(compared).map(|evidence| line_start(&evidence)));
    lines.extend(words::too_noisy(compared).map(|why| line_start(&format!("{label}: {why}."))));
    if compared.judgement.verdict == Verdict::Inconclusive {
        let remedy = words::remedy(compared, &told.config.history);
        lines.extend(remedy.map(|remedy| line_start(&format!("To know more about {label}: {remedy}."))));
    }
    lines
}
