//! The effect of findings about the two inputs on the verdicts: the one place that decides it.

use perf_model::finding::{Finding, FindingEffect, FindingKind};
use perf_model::row::{Name, Outcome};

use crate::evidence::gate::NotGated;
use crate::evidence::obstacle::Obstacle;
use crate::model::comparison::{
    MetricComparison, ScenarioComparison, ScopeComparison, SideFinding,
};
use crate::rules::Reason;
use crate::sides::Sides;
use crate::verdict::Verdict;

/// The text for a benchmark with both failed and successful process runs.
const PARTLY_FAILED: &str = "some of its process runs failed";

/// Applies all findings to the verdicts, and returns each with the effect that it had.
pub(super) fn apply(sides: &Sides<'_, '_>, scopes: &mut [ScopeComparison]) -> Vec<SideFinding> {
    let mut all = failed_rows(sides, scopes);
    for scope in &mut *scopes {
        all.extend(contradictions(scope));
    }
    all.extend(collapsed(scopes));
    for (findings, is_in_baseline) in [(sides.findings, false), (sides.baseline_findings, true)] {
        for finding in findings {
            all.push(SideFinding {
                finding: finding.clone(),
                is_in_baseline,
                effect: apply_one(finding, is_in_baseline, scopes),
            });
        }
    }
    all
}

/// Applies one finding. Its effect is [`FindingEffect::Listed`] if no verdict of a benchmark shows it.
fn apply_one(
    finding: &Finding,
    is_in_baseline: bool,
    scopes: &mut [ScopeComparison],
) -> FindingEffect {
    let effect = finding.kind.effect();
    let Some(benchmark) = finding.benchmark.as_deref() else {
        // An input is not a benchmark that could be missing.
        return effect.max(FindingEffect::Inconclusive);
    };
    let mut is_shown = false;
    for scope in scopes {
        is_shown |= match effect {
            FindingEffect::Missing if is_in_baseline => set_new(scope, benchmark),
            FindingEffect::Missing => set_missing(scope, benchmark),
            FindingEffect::Inconclusive => set_inconclusive(scope, benchmark, &finding.text),
            FindingEffect::Listed => false,
        };
    }
    if is_shown {
        effect
    } else {
        FindingEffect::Listed
    }
}

/// Marks a benchmark that failed in this run as missing. Returns true if the baseline measured it.
fn set_missing(scope: &mut ScopeComparison, benchmark: &str) -> bool {
    if scope.missing.iter().any(|name| **name == *benchmark) {
        return true;
    }
    let Some(at) = position(scope, benchmark) else {
        return false;
    };
    let measured_before = scope.scenarios[at].metrics.iter().find_map(|metric| {
        let before = metric.baseline?;
        Some((metric.metric.clone(), before))
    });
    let Some(last_seen) = measured_before else {
        return false;
    };
    let name = scope.scenarios.remove(at).scenario;
    scope.last_seen.insert(name.clone(), last_seen);
    scope.missing.push(name);
    true
}

/// Marks a benchmark that failed in the baseline as new. Returns false, because "new" does not show the failure.
fn set_new(scope: &mut ScopeComparison, benchmark: &str) -> bool {
    scope.missing.retain(|name| **name != *benchmark);
    if let Some(at) = position(scope, benchmark) {
        let name = scope.scenarios.remove(at).scenario;
        scope.new.push(name);
    }
    false
}

/// Leaves a benchmark at best inconclusive. Returns true if its verdict shows that.
fn set_inconclusive(scope: &mut ScopeComparison, benchmark: &str, text: &str) -> bool {
    let Some(at) = position(scope, benchmark) else {
        return scope.missing.iter().any(|name| **name == *benchmark);
    };
    let mut is_shown = false;
    for metric in &mut scope.scenarios[at].metrics {
        is_shown |= doubt(metric, text);
    }
    is_shown
}

/// Findings for failed process runs in this run. A benchmark with other, successful runs is at best inconclusive. If all runs
/// of a benchmark failed, it is listed if it is new; otherwise its verdict already shows that it is no longer measured.
fn failed_rows(sides: &Sides<'_, '_>, scopes: &mut [ScopeComparison]) -> Vec<SideFinding> {
    let mut found = Vec::new();
    for scope in scopes {
        for scenario in &mut scope.scenarios {
            let mut is_doubtful = false;
            for metric in &mut scenario.metrics {
                let is_partly_failed =
                    metric.outcome == Outcome::Failed && metric.current.is_some();
                is_doubtful |= is_partly_failed && doubt(metric, PARTLY_FAILED);
            }
            if is_doubtful {
                let name = Name::clone(&scenario.scenario);
                found.push(SideFinding {
                    finding: Finding::about(FindingKind::Failed, name, PARTLY_FAILED),
                    is_in_baseline: false,
                    effect: FindingEffect::Inconclusive,
                });
            }
        }
        let current = sides.current.scope(&scope.scope);
        let measurements = current.into_iter().flat_map(|scope| &scope.measurements);
        for measured in measurements.filter(|one| one.outcome() == Outcome::Failed) {
            if scope.new.contains(measured.scenario) {
                let name = Name::clone(measured.scenario);
                found.push(SideFinding {
                    finding: Finding::about(FindingKind::Failed, name, "failed"),
                    is_in_baseline: false,
                    effect: FindingEffect::Listed,
                });
            }
        }
    }
    found
}

/// Derived metrics that contradict their gated source: a rate that became at least twice as bad as the time it is computed
/// from.
fn contradictions(scope: &mut ScopeComparison) -> Vec<SideFinding> {
    const FACTOR: f64 = 2.0;
    let mut found = Vec::new();
    for scenario in &mut scope.scenarios {
        let Some((derived, source, factor)) = worst_derived(scenario) else {
            continue;
        };
        if factor < FACTOR {
            continue;
        }
        let text = format!("{derived} is {factor:.1}× worse, but {source} is not");
        let mut is_shown = false;
        for metric in &mut scenario.metrics {
            is_shown |= doubt(metric, &text);
        }
        let effect = if is_shown {
            FindingEffect::Inconclusive
        } else {
            FindingEffect::Listed
        };
        found.push(SideFinding {
            finding: Finding::about(FindingKind::Ambiguous, scenario.scenario.clone(), text),
            is_in_baseline: false,
            effect,
        });
    }
    found
}

/// The derived metric that got worse by the largest factor relative to its source, with the source and the factor.
fn worst_derived(scenario: &ScenarioComparison) -> Option<(String, String, f64)> {
    let mut worst: Option<(String, String, f64)> = None;
    for derived in &scenario.metrics {
        let Some(NotGated::Derived) = derived.judgement.not_gated() else {
            continue;
        };
        let Some(name) = derived.derived_from.as_deref() else {
            continue;
        };
        let source = scenario
            .metrics
            .iter()
            .find(|metric| metric.metric.name == *name);
        let Some(source) = source.filter(|source| source.judgement.is_compared()) else {
            continue;
        };
        let (Some(own), Some(of_source)) = (derived.growth(), source.growth()) else {
            continue;
        };
        // A gain of the source alone is no loss of the other.
        let factor = (1.0 + own) / (1.0 + of_source.max(0.0));
        if worst.as_ref().is_none_or(|(.., most)| factor > *most) {
            worst = Some((derived.metric.name.to_string(), name.to_string(), factor));
        }
    }
    worst
}

/// Reports that several benchmarks lost most of their cost at once, probably because they no longer do their work.
fn collapsed(scopes: &[ScopeComparison]) -> Option<SideFinding> {
    const LOST: f64 = 0.8;
    const SEVERAL: usize = 2;
    let mut found: Vec<(f64, &str)> = Vec::new();
    for scenario in scopes.iter().flat_map(|scope| &scope.scenarios) {
        let gated = scenario
            .metrics
            .iter()
            .filter(|metric| metric.judgement.is_gated());
        let growths = gated.filter_map(MetricComparison::growth);
        let least = growths.fold(0.0, f64::min);
        if least <= -LOST {
            found.push((-least, &scenario.scenario));
        }
    }
    if found.len() < SEVERAL {
        return None;
    }
    let (most, name) = found.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let text = format!(
        "{} benchmarks lost at least {:.0}% of their cost at once ({name}: −{:.1}%): check that they still do their work",
        found.len(),
        100.0 * LOST,
        100.0 * most
    );
    Some(SideFinding {
        finding: Finding::about_input(FindingKind::Collapsed, text),
        is_in_baseline: false,
        effect: FindingEffect::Listed,
    })
}

/// Leaves a gated metric at best inconclusive. Returns true if its verdict shows that.
fn doubt(metric: &mut MetricComparison, text: &str) -> bool {
    let judgement = &mut metric.judgement;
    if !judgement.is_gated() {
        return false;
    }
    if matches!(
        judgement.verdict,
        Verdict::Improved | Verdict::Moved | Verdict::Unchanged
    ) {
        judgement.verdict = Verdict::Inconclusive;
        judgement.reason = Reason::Obstacle(Obstacle::Doubtful(text.into()));
    }
    judgement.verdict <= Verdict::Inconclusive
}

fn position(scope: &ScopeComparison, benchmark: &str) -> Option<usize> {
    let is_meant = |scenario: &ScenarioComparison| *scenario.scenario == *benchmark;
    scope.scenarios.iter().position(is_meant)
}
