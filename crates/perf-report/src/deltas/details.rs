//! The reason of each verdict that matters, benchmark by benchmark, to be unfolded.

use perf_markdown::escape::{html, line_start};
use perf_verdict::{MetricComparison, ScenarioComparison, ScopeComparison};
use perf_verdict::{Reason, Verdict};

use super::count::First;
use super::matter::matters;
use super::{Context, Unfolded};
use crate::{shell, words};

/// How many benchmarks can be unfolded.
const MOST: usize = 20;

/// The benchmarks that matter, the gravest first.
pub(super) fn details(context: &Context<'_>, reproduce: Option<&str>) -> First<Unfolded> {
    // An environment shift has one reason for all benchmarks, which the headline names.
    let is_own = |metric: &MetricComparison| !matches!(metric.judgement.reason, Reason::Environment(_));
    let has_own = |scenario: &ScenarioComparison| scenario.metrics.iter().any(|it| matters(it) && is_own(it));
    let mut all: Vec<_> = context.scenarios().filter(|(_, scenario)| has_own(scenario)).collect();
    all.sort_by_key(|(_, scenario)| (!scenario.fails(), scenario.verdict()));
    First::of(MOST, all.into_iter(), |(scope, scenario)| unfolded(context, scope, scenario, reproduce))
}

fn unfolded(
    context: &Context<'_>,
    scope: &ScopeComparison,
    scenario: &ScenarioComparison,
    reproduce: Option<&str>,
) -> Unfolded {
    let place = context.place(&scope.scope, &scenario.scenario);
    let shown = scenario.metrics.iter().filter(|metric| matters(metric));
    let scope = if context.several { format!("{}/", scope.scope) } else { String::new() };
    let name = format!("{scope}{}", scenario.scenario);
    let command =
        |reproduce: &str| format!("{} --explain {}", shell::one_line(reproduce), shell::quoted(&name));
    Unfolded {
        summary: format!("{} {}", html(&place), outcome(scenario)),
        lines: shown.flat_map(|metric| lines(context, metric)).collect(),
        command: reproduce.map_or_else(String::new, command),
    }
}

/// The gravest verdict that matters, as a predicate: `regressed`, `is inconclusive`.
fn outcome(scenario: &ScenarioComparison) -> String {
    let grave =
        scenario.metrics.iter().filter(|metric| matters(metric)).map(|metric| metric.judgement.verdict);
    let verdict = match scenario.verdict() {
        Verdict::Unmeasured => Verdict::Unmeasured,
        verdict => grave.min().unwrap_or(verdict),
    };
    let word = words::verdict(verdict);
    match verdict {
        Verdict::Regressed if !scenario.fails() => format!("{word} (waived)"),
        Verdict::Regressed | Verdict::Improved | Verdict::Moved => word.to_owned(),
        _ => format!("is {word}"),
    }
}

/// The reason of one metric's verdict, and by which rule and numbers.
fn lines(context: &Context<'_>, compared: &MetricComparison) -> Vec<String> {
    let label = &compared.metric.label;
    let verdict = words::verdict(compared.judgement.verdict);
    let sentence = words::sentence(compared, context.config);
    let mut lines = vec![line_start(&format!("{label}, {verdict}: {sentence}."))];
    lines.extend(words::evidence(compared).map(|evidence| line_start(&evidence)));
    lines.extend(words::too_noisy(compared).map(|why| line_start(&format!("{label}: {why}."))));
    if compared.judgement.verdict == Verdict::Inconclusive {
        let remedy = words::remedy(compared, &context.config.history);
        lines.extend(remedy.map(|remedy| line_start(&format!("To know more about {label}: {remedy}."))));
    }
    lines
}
