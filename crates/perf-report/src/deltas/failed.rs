//! The benchmarks that fail a comparison, a line each, for logs.

use perf_config::FailOn;
use perf_model::finding::FindingEffect;
use perf_model::row::Name;
use perf_verdict::{MetricComparison, ScenarioComparison, Verdict};

use super::cells::clause::{PLAIN, clause};
use super::cells::state::{RowState, loss};
use super::context::{FoundMetric, ReportContext, ReportRequest};
use crate::number::counted;
use crate::plain::safe;

/// The maximum number of lines in a log; the JSON report lists every benchmark.
const MOST: usize = 200;

/// The word in `failed=` for two sides without a benchmark in common.
const NOTHING_COMPARED: &str = "nothing-compared";

/// A line for each benchmark that fails the comparison, most severe first; empty if the comparison passes.
pub fn failures(request: &ReportRequest<'_>) -> Vec<String> {
    let context = ReportContext::new(request);
    let mut lines: Vec<String> = request
        .unmet
        .iter()
        .map(|name| format!("required benchmark not measured: {name}"))
        .collect();
    lines.extend(failed_verdicts(&context));
    if context.fails(FailOn::Inconclusive) {
        lines.extend(undecided(&context));
    }
    let is_nothing_compared = request.failed.contains(&NOTHING_COMPARED);
    for scope in &context.comparison.scopes {
        let mut name_all = |word: &str, names: &[Name]| {
            let places = names.iter().map(|name| context.place(&scope.scope, name));
            lines.extend(places.map(|place| format!("{word}: {}", place.plain())));
        };
        if context.fails(FailOn::Missing) || is_nothing_compared {
            name_all("missing", &scope.missing);
        }
        if context.fails(FailOn::New) || is_nothing_compared {
            name_all("new", &scope.new);
        }
    }
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    if more > 0 {
        let benchmarks = counted(more, "more benchmark");
        lines.push(format!("and {benchmarks}; `--json FILE` lists all of them"));
    }
    lines.iter().map(|line| safe(line)).collect()
}

/// A line for each benchmark with a failing metric, by severity of the verdict, then by loss.
fn failed_verdicts(context: &ReportContext<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for (scope, scenario) in context.scenarios() {
        let Some((verdict, metrics)) = failing_metrics(context, scenario) else {
            continue;
        };
        let largest = metrics.iter().filter_map(|metric| loss(metric));
        let largest = largest.fold(0.0, f64::max);
        let clauses = metrics.iter().map(|metric| {
            let found = FoundMetric {
                scope,
                scenario,
                metric,
            };
            clause(&found, &context.subject(metric), &PLAIN)
        });
        let clauses = clauses.collect::<Vec<_>>().join("; ");
        let place = context.place(&scope.scope, &scenario.scenario).plain();
        let line = format!("{}: {place}: {clauses}", verdict.word());
        found.push((verdict, largest, line));
    }
    found.sort_by(|one, other| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1)));
    found.into_iter().map(|(.., line)| line).collect()
}

/// A line for each finding that leaves a whole input undecided. If noise would hide a doubling in most benchmarks, also a
/// line for each of them.
fn undecided(context: &ReportContext<'_>) -> Vec<String> {
    let comparison = context.comparison;
    let mut lines = Vec::new();
    for found in &comparison.findings {
        if found.finding.benchmark.is_none() && found.effect == FindingEffect::Inconclusive {
            lines.push(format!("inconclusive: {}", found.finding.text));
        }
    }
    if comparison.hidden_doublings().is_none() {
        return lines;
    }
    for (scope, scenario) in context.scenarios() {
        if scenario.hides_doubling(&comparison.thresholds) == Some(true) {
            let place = context.place(&scope.scope, &scenario.scenario).plain();
            lines.push(format!(
                "inconclusive: {place}: noise would hide a doubling"
            ));
        }
    }
    lines
}

/// The most severe verdict that fails a benchmark, and its failing metrics.
fn failing_metrics<'c>(
    context: &ReportContext<'_>,
    scenario: &'c ScenarioComparison,
) -> Option<(FailOn, Vec<&'c MetricComparison>)> {
    let mut gravest = None;
    let mut metrics = Vec::new();
    for metric in &scenario.metrics {
        let Some(verdict) = failing_verdict(context, metric) else {
            continue;
        };
        if gravest.is_none_or(|known| verdict < known) {
            gravest = Some(verdict);
        }
        metrics.push(metric);
    }
    gravest.map(|verdict| (verdict, metrics))
}

/// The verdict with which a metric fails the comparison.
fn failing_verdict(context: &ReportContext<'_>, metric: &MetricComparison) -> Option<FailOn> {
    let judgement = &metric.judgement;
    if judgement.waived.is_some() {
        return None;
    }
    let verdict = match judgement.verdict {
        Verdict::Regressed => FailOn::Regressed,
        Verdict::Inconclusive => FailOn::Inconclusive,
        Verdict::Improved => FailOn::Improved,
        Verdict::NotComparable if judgement.is_gated() => FailOn::NotComparable,
        Verdict::Unmeasured if RowState::of(metric) == RowState::Unmeasured => {
            // A metric that is gone fails as a missing benchmark does.
            let fails = context.fails(FailOn::Missing) || context.fails(FailOn::Unmeasured);
            return fails.then_some(FailOn::Unmeasured);
        }
        _ if judgement.moved => FailOn::Moved,
        _ => return None,
    };
    context.fails(verdict).then_some(verdict)
}
