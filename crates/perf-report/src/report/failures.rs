//! Lists the benchmarks that fail a comparison, one per line, for logs.

use perf_config::{Config, FailOn};
use perf_model::finding::FindingEffect;
use perf_verdict::{Comparison, MetricComparison, Verdict};

use super::context::{FailureReason, FoundMetric, ReportContext, ReportDetails};
use super::state::{RowState, loss};
use crate::number::counted;
use crate::plain::safe;
use crate::reasons::sentence;

/// The maximum number of lines in a log. The JSON report lists every benchmark.
const MOST: usize = 200;

/// Returns a line for each benchmark that fails the comparison, most severe first. The list is empty if the comparison
/// passes.
pub fn failures(comparison: &Comparison, config: &Config, details: &ReportDetails) -> Vec<String> {
    let context = ReportContext::new(comparison, config, details);
    let mut lines = Vec::new();
    for name in &details.unmet {
        lines.push(format!("required benchmark not measured: {name}"));
    }
    lines.extend(failed_verdicts(&context));
    if context.fails(FailOn::Inconclusive) {
        lines.extend(undecided(&context));
    }
    for scope in &comparison.scopes {
        for (word, names, fails) in [
            ("missing", &scope.missing, context.fails(FailOn::Missing)),
            ("new", &scope.new, context.fails(FailOn::New)),
        ] {
            if fails || details.failed.contains(&FailureReason::NothingCompared) {
                for name in names {
                    let name = context.name(&scope.scope, name).plain();
                    lines.push(format!("{word}: {name}"));
                }
            }
        }
    }
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    if more > 0 {
        let more = counted(more, "more benchmark");
        lines.push(format!("and {more}; `--json` lists all"));
    }
    lines.iter().map(|line| safe(line)).collect()
}

/// Returns a line for each benchmark with a failing metric, sorted by severity and then by loss.
fn failed_verdicts(context: &ReportContext<'_>) -> Vec<String> {
    let mut failed = Vec::new();
    for (scope, scenario) in context.scenarios() {
        let mut gravest: Option<FailOn> = None;
        let mut largest: f64 = 0.0;
        let mut clauses = Vec::new();
        for metric in &scenario.metrics {
            let Some(verdict) = failing_verdict(context, metric) else {
                continue;
            };
            gravest = Some(gravest.map_or(verdict, |gravest| gravest.min(verdict)));
            largest = largest.max(loss(metric).unwrap_or_default());
            let found = FoundMetric {
                scope,
                scenario,
                metric,
            };
            let mut clause = sentence(metric, context.config);
            // The primary metric represents the benchmark.
            if !found.is_primary() {
                clause = format!("{}: {clause}", metric.metric.label);
            }
            clauses.push(clause);
        }
        if let Some(verdict) = gravest {
            let name = context.name(&scope.scope, &scenario.scenario).plain();
            let line = format!("{}: {name}: {}", verdict.word(), clauses.join("; "));
            failed.push((verdict, largest, line));
        }
    }
    failed.sort_by(|one, other| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1)));
    failed.into_iter().map(|(.., line)| line).collect()
}

/// Returns a line for each finding that makes a whole input inconclusive. If noise would hide a doubling in most benchmarks,
/// the lines of these benchmarks follow.
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
            let name = context.name(&scope.scope, &scenario.scenario).plain();
            lines.push(format!("inconclusive: {name}: noise would hide a doubling"));
        }
    }
    lines
}

/// Returns the verdict on a metric if it fails the comparison.
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
            // A metric that is no longer measured also fails if missing benchmarks fail.
            let fails = context.fails(FailOn::Missing) || context.fails(FailOn::Unmeasured);
            return fails.then_some(FailOn::Unmeasured);
        }
        _ if judgement.moved => FailOn::Moved,
        _ => return None,
    };
    context.fails(verdict).then_some(verdict)
}
