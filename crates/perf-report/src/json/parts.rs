//! Converts a comparison's scopes, benchmarks and metrics.

use perf_config::Config;
use perf_model::row::{Name, Value};
use perf_verdict::cost_scale::rounded;
use perf_verdict::{MetricComparison, Reason, ScenarioComparison, ScopeComparison};

use super::{Excused, MetricReport, ReferenceReport, ScenarioReport, ScopeReport, facts};
use crate::reasons::{applied_limit, decided_by, rule_word, sentence};
use crate::report::ProfiledBenchmark;
use crate::series::median_of;
use crate::subject::change_of;

pub(super) fn scope_report(
    scope: &ScopeComparison,
    config: &Config,
    profiled: &[ProfiledBenchmark],
) -> ScopeReport {
    let mut excused = Vec::new();
    for (name, at) in &scope.excused {
        if let Some(waived) = facts::waived(*at, config) {
            excused.push(Excused {
                scenario: name.to_string(),
                waived,
            });
        }
    }
    let keys = |names: &[Name]| names.iter().map(ToString::to_string).collect();
    let scenarios = scope.scenarios.iter();
    ScopeReport {
        scope: scope.scope.clone(),
        shift: scope.shift,
        scenarios: scenarios
            .map(|scenario| scenario_report(scenario, config, profiled))
            .collect(),
        missing: keys(&scope.missing),
        excused,
        new: keys(&scope.new),
    }
}

fn scenario_report(
    scenario: &ScenarioComparison,
    config: &Config,
    profiled: &[ProfiledBenchmark],
) -> ScenarioReport {
    let mut functions = Vec::new();
    for profiled in profiled {
        if *profiled.benchmark == *scenario.scenario {
            functions.clone_from(&profiled.functions);
        }
    }
    let metrics = scenario.metrics.iter();
    ScenarioReport {
        scenario: scenario.scenario.to_string(),
        label: config.label(&scenario.scenario).to_owned(),
        verdict: scenario.verdict(),
        functions,
        metrics: metrics
            .map(|metric| metric_report(metric, config))
            .collect(),
    }
}

fn metric_report(compared: &MetricComparison, config: &Config) -> MetricReport {
    let judgement = &compared.judgement;
    let change = |distance| change_of(compared.metric.meaning.direction, distance);
    let loss = match &judgement.reason {
        Reason::Limit(finding) => Some(finding.loss),
        _ => None,
    };
    let finding = judgement.reason.report();
    let reference = &compared.reference;
    MetricReport {
        metric: compared.metric.name.to_string(),
        better: compared.metric.meaning.direction,
        unit: compared.metric.meaning.unit,
        baseline: compared.baseline.and_then(number),
        older_baseline: compared.older.clone(),
        current: compared.current.and_then(number),
        change: judgement.change,
        reference: median_of(compared).map(|found| ReferenceReport {
            median: rounded(found.number),
            values: found.values,
            change: rounded(change(found.distance)),
        }),
        verdict: judgement.verdict,
        rule: rule_word(judgement.rule).into(),
        limit: applied_limit(compared).map(rounded),
        loss,
        reason: (!judgement.is_within_limits()).then(|| sentence(compared, config)),
        decided_by: decided_by(compared).into(),
        suspect: judgement.is_suspect(),
        confirmation: judgement.reason.suspicion(),
        warned: judgement.warned,
        waived: judgement.waived.and_then(|at| facts::waived(at, config)),
        relative_to: reference.relative_to.as_ref().map(ToString::to_string),
        minus: reference.minus.as_ref().map(ToString::to_string),
        budget: compared.budget,
        noise: judgement.power.noise.map(rounded),
        detectable: judgement
            .power
            .detectable
            .map(|cost| rounded(change(cost.ln_1p()))),
        too_tight: judgement.power.is_too_tight,
        band: compared
            .band
            .map(|band| band.report(compared.metric.meaning.direction)),
        level: compared.level.clone(),
        finding,
        history: compared.extra.history.clone(),
    }
}

fn number(value: Value) -> Option<serde_json::Number> {
    match value {
        Value::Int(whole) => Some(whole.into()),
        Value::Real(real) => serde_json::Number::from_f64(real),
    }
}
