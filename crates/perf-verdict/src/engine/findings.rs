//! The effect of findings about the two inputs on the verdicts: the one place that decides it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;
use perf_config::Config;
use perf_model::finding::{Finding, FindingEffect, FindingKind};
use perf_model::row::{Name, Outcome};
use perf_model::suite::Definitions;

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
pub(super) fn apply(
    sides: &Sides<'_, '_>,
    config: &Config,
    scopes: &mut [ScopeComparison],
) -> Vec<SideFinding> {
    let mut all = failed_rows(sides, scopes);
    for scope in &mut *scopes {
        all.extend(contradictions(scope));
    }
    all.extend(collapsed(scopes));
    if sides.findings.is_empty() && sides.baseline_findings.is_empty() {
        return all;
    }
    let mut affected: Vec<AffectedScope<'_>> = scopes.iter_mut().map(AffectedScope::new).collect();
    for (findings, is_in_baseline) in [(sides.findings, false), (sides.baseline_findings, true)] {
        for finding in findings {
            all.push(SideFinding {
                finding: finding.clone(),
                is_in_baseline,
                effect: apply_one(finding, is_in_baseline, config, &mut affected),
            });
        }
    }
    for scope in affected {
        scope.remove_moved();
    }
    all
}

/// Applies one finding. Its effect is [`FindingEffect::Listed`] if no verdict of a benchmark shows it.
fn apply_one(
    finding: &Finding,
    is_in_baseline: bool,
    config: &Config,
    scopes: &mut [AffectedScope<'_>],
) -> FindingEffect {
    let Some(benchmark) = &finding.benchmark else {
        return match finding.kind.effect() {
            // An input is not a benchmark that could be missing.
            FindingEffect::Missing | FindingEffect::Inconclusive => FindingEffect::Inconclusive,
            FindingEffect::Listed => FindingEffect::Listed,
        };
    };
    let stated = finding.rows.as_ref().map(|rows| &rows.platform);
    let stated = stated.filter(|platform| !platform.is_empty());
    let scope_of_rows = stated.map(|platform| config.scope_of(platform).map(|(_, name)| name));
    let mut effects = Vec::new();
    for one in scopes {
        if scope_of_rows.is_some_and(|name| name != Some(&*one.scope.scope)) {
            continue;
        }
        effects.push(match finding.kind.effect() {
            FindingEffect::Missing if is_in_baseline => one.set_new(benchmark),
            FindingEffect::Missing => one.set_missing(benchmark),
            FindingEffect::Inconclusive => one.set_inconclusive(benchmark, &finding.text),
            FindingEffect::Listed => FindingEffect::Listed,
        });
    }
    // The order of effects begins with the strongest.
    effects.into_iter().min().unwrap_or(FindingEffect::Listed)
}

/// A scope to which findings are applied.
struct AffectedScope<'s> {
    scope: &'s mut ScopeComparison,
    /// The places of the benchmarks that were not moved.
    places: HashMap<Name, usize, RandomState>,
    missing: HashSet<Name, RandomState>,
    /// The benchmarks that are missing or new instead.
    moved: HashSet<usize, RandomState>,
    /// The benchmarks that the baseline never measured.
    failed_before: HashSet<Name, RandomState>,
}

impl<'s> AffectedScope<'s> {
    fn new(scope: &'s mut ScopeComparison) -> Self {
        let names = scope.scenarios.iter().enumerate();
        Self {
            places: names
                .map(|(at, one)| (Name::clone(&one.scenario), at))
                .collect(),
            missing: scope.missing.iter().cloned().collect(),
            moved: HashSet::default(),
            failed_before: HashSet::default(),
            scope,
        }
    }

    /// Removes the moved benchmarks from their former lists.
    fn remove_moved(self) {
        let mut at = 0;
        self.scope.scenarios.retain(|_| {
            at += 1;
            !self.moved.contains(&(at - 1))
        });
        self.scope
            .missing
            .retain(|name| !self.failed_before.contains(name));
    }

    /// Moves a benchmark without a number in this run to the missing ones. With one, only some of its rows failed.
    fn set_missing(&mut self, benchmark: &Name) -> FindingEffect {
        if self.missing.contains(benchmark) {
            return FindingEffect::Missing;
        }
        let Some(&at) = self.places.get(benchmark) else {
            return FindingEffect::Listed;
        };
        let metrics = &self.scope.scenarios[at].metrics;
        if metrics.iter().any(|metric| metric.current.is_some()) {
            return self.set_inconclusive(benchmark, PARTLY_FAILED);
        }
        let mut measured = metrics
            .iter()
            .filter_map(|metric| Some((Arc::clone(&metric.metric), metric.baseline?)));
        let Some(last_seen) = measured.next() else {
            return FindingEffect::Listed;
        };
        self.scope
            .last_seen
            .insert(Name::clone(benchmark), last_seen);
        self.scope.missing.push(Name::clone(benchmark));
        self.missing.insert(Name::clone(benchmark));
        self.places.remove(benchmark);
        self.moved.insert(at);
        FindingEffect::Missing
    }

    /// Moves a benchmark without a number in the baseline to the new ones. With one, only some of its rows failed.
    fn set_new(&mut self, benchmark: &Name) -> FindingEffect {
        if self.missing.contains(benchmark) {
            if !self.scope.last_seen.contains_key(benchmark) {
                self.failed_before.insert(Name::clone(benchmark));
            }
            return FindingEffect::Listed;
        }
        let Some(&at) = self.places.get(benchmark) else {
            return FindingEffect::Listed;
        };
        let metrics = &self.scope.scenarios[at].metrics;
        if metrics.iter().any(|metric| metric.baseline.is_some()) {
            return self.set_inconclusive(benchmark, PARTLY_FAILED);
        }
        if metrics.iter().any(|metric| metric.current.is_some()) {
            self.scope.new.push(Name::clone(benchmark));
            self.places.remove(benchmark);
            self.moved.insert(at);
        }
        FindingEffect::Listed
    }

    /// Leaves a benchmark at best inconclusive, if its verdict can show that.
    fn set_inconclusive(&mut self, benchmark: &Name, text: &str) -> FindingEffect {
        let mut is_shown = self.missing.contains(benchmark);
        if let Some(&at) = self.places.get(benchmark) {
            for metric in &mut self.scope.scenarios[at].metrics {
                is_shown |= doubt(metric, text);
            }
        }
        if is_shown {
            FindingEffect::Inconclusive
        } else {
            FindingEffect::Listed
        }
    }
}

/// Findings for failed process runs that no reader reported. The successful runs leave the benchmark at best inconclusive.
fn failed_rows(sides: &Sides<'_, '_>, scopes: &mut [ScopeComparison]) -> Vec<SideFinding> {
    let known: HashSet<&Name, RandomState> = sides
        .findings
        .iter()
        .filter(|one| one.kind.effect() != FindingEffect::Listed)
        .filter_map(|one| one.benchmark.as_ref())
        .collect();
    let mut found = Vec::new();
    for scenario in scopes.iter_mut().flat_map(|scope| &mut scope.scenarios) {
        let mut is_doubtful = false;
        for metric in &mut scenario.metrics {
            let is_partly_failed = metric.outcome == Outcome::Failed && metric.current.is_some();
            is_doubtful |= is_partly_failed && doubt(metric, PARTLY_FAILED);
        }
        if is_doubtful && !known.contains(&scenario.scenario) {
            let name = Name::clone(&scenario.scenario);
            found.push(SideFinding {
                finding: Finding::about(FindingKind::PartlyFailed, name, PARTLY_FAILED),
                is_in_baseline: false,
                effect: FindingEffect::Inconclusive,
            });
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
        for at in 0..scenario.metrics.len() {
            let Some((source, factor)) = excess_over_source(scenario, at) else {
                continue;
            };
            if factor < FACTOR {
                continue;
            }
            let [derived, of] = [at, source].map(|at| &scenario.metrics[at].metric.name);
            let text = format!("{derived} is {factor:.1}× worse than {of} explains");
            let effect = if doubt(&mut scenario.metrics[source], &text) {
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
    }
    found
}

/// The place of the metric that a derived one is computed from, and the factor by which the derived one is worse.
fn excess_over_source(scenario: &ScenarioComparison, at: usize) -> Option<(usize, f64)> {
    let derived = &scenario.metrics[at];
    let Some(NotGated::Derived) = derived.judgement.not_gated() else {
        return None;
    };
    let name = derived.derived_from.as_deref()?;
    let is_source = |one: &MetricComparison| one.metric.name == *name;
    let place = scenario.metrics.iter().position(is_source)?;
    let source = &scenario.metrics[place];
    if !source.judgement.is_compared() {
        return None;
    }
    // If only the source improved, the derived metric did not get worse.
    let factor = (1.0 + derived.growth()?) / (1.0 + source.growth()?.max(0.0));
    Some((place, factor))
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
    matches!(
        judgement.verdict,
        Verdict::Regressed | Verdict::Inconclusive
    )
}
