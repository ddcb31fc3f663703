//! Adjusts verdicts after the rules: findings about the inputs make them doubtful, waivers excuse them, and if two
//! clocks are gated, one of them decides.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use perf_config::{Config, Date};
use perf_model::finding::{Finding, FindingEffect, FindingKind};
use perf_model::row::{Name, Outcome};
use perf_model::suite::Definitions;

use crate::comparison::{
    MetricComparison, ScenarioComparison, ScopeComparison, SideFinding, WaiverUse,
};
use crate::evidence::gate::NotGated;
use crate::evidence::instrument::{Instrument, family, is_speed};
use crate::evidence::obstacle::Obstacle;
use crate::rules::{CannotFail, Judgement, Reason};
use crate::sides::Sides;
use crate::verdict::{Rule, Verdict};

/// Applies all findings to the verdicts, and returns each finding with its effect.
pub fn apply(
    sides: &Sides<'_, '_>,
    config: &Config,
    scopes: &mut [ScopeComparison],
) -> Vec<SideFinding> {
    let mut all = failed_rows(sides, scopes);
    for scope in &mut *scopes {
        all.extend(contradictions(scope));
    }
    all.extend(collapsed(scopes));

    let mut stated = Vec::new();
    for (findings, is_in_baseline) in [(sides.findings, false), (sides.baseline_findings, true)] {
        for finding in findings {
            // A whole input cannot be missing, so a severe finding makes it inconclusive.
            let is_severe = finding.kind.effect() != FindingEffect::Listed;
            stated.push(SideFinding {
                finding: finding.clone(),
                is_in_baseline,
                effect: if finding.benchmark.is_none() && is_severe {
                    FindingEffect::Inconclusive
                } else {
                    FindingEffect::Listed
                },
            });
        }
    }
    for scope in scopes {
        let mut about: HashMap<Name, Vec<&mut SideFinding>> = HashMap::new();
        for found in &mut stated {
            if let Some(benchmark) = found.finding.benchmark.clone()
                && is_about_scope(&found.finding, &scope.scope, config)
            {
                about.entry(benchmark).or_default().push(found);
            }
        }
        if !about.is_empty() {
            apply_to_scope(scope, &mut about);
        }
    }
    all.extend(stated);
    all
}

/// Applies the findings about a scope's benchmarks. A finding that affects several verdicts keeps its strongest effect.
fn apply_to_scope(scope: &mut ScopeComparison, about: &mut HashMap<Name, Vec<&mut SideFinding>>) {
    for mut scenario in std::mem::take(&mut scope.scenarios) {
        let mut is_kept = true;
        for found in about.get_mut(&scenario.scenario).into_iter().flatten() {
            let effect = match found.finding.kind.effect() {
                FindingEffect::Listed => FindingEffect::Listed,
                FindingEffect::Inconclusive => doubt_all(&mut scenario, &found.finding),
                FindingEffect::Missing => {
                    let (effect, is_moved) =
                        apply_failure(scope, &mut scenario, found.is_in_baseline);
                    is_kept = !is_moved;
                    effect
                }
            };
            found.effect = found.effect.min(effect);
            if !is_kept {
                break;
            }
        }
        if is_kept {
            scope.scenarios.push(scenario);
        }
    }
    for benchmark in std::mem::take(&mut scope.missing) {
        let mut is_kept = true;
        for found in about.get_mut(&benchmark).into_iter().flatten() {
            let mut effect = found.finding.kind.effect();
            if found.is_in_baseline && effect == FindingEffect::Missing {
                // If the benchmark failed in the baseline and never had a value there, it is not missing now.
                is_kept = scope.last_seen.contains_key(&benchmark);
                effect = FindingEffect::Listed;
            }
            found.effect = found.effect.min(effect);
        }
        if is_kept {
            scope.missing.push(benchmark);
        }
    }
}

/// True if the finding is about this scope's rows, or does not say which rows it is about.
fn is_about_scope(finding: &Finding, scope: &str, config: &Config) -> bool {
    let Some(rows) = &finding.rows else {
        return true;
    };
    let of_rows = config.scope_of(&rows.platform).map(|(_, name)| name);
    rows.platform.is_empty() || of_rows.is_some_and(|name| *name == *scope)
}

/// Applies a benchmark's failure on one side. Returns the effect, and whether the benchmark was removed from the
/// compared scenarios: without a current value it is missing, and without a baseline value it is new. If it has both,
/// only some of its process runs failed.
fn apply_failure(
    scope: &mut ScopeComparison,
    scenario: &mut ScenarioComparison,
    is_in_baseline: bool,
) -> (FindingEffect, bool) {
    let name = &scenario.scenario;
    let last_seen = scenario
        .metrics
        .iter()
        .find_map(|metric| Some((Arc::clone(&metric.metric), metric.baseline?)));
    let is_measured = scenario
        .metrics
        .iter()
        .any(|metric| metric.current.is_some());
    match (is_in_baseline, is_measured, last_seen) {
        (true, true, None) => {
            scope.new.push(Name::clone(name));
            (FindingEffect::Listed, true)
        }
        (false, false, Some(last_seen)) => {
            scope.last_seen.insert(Name::clone(name), last_seen);
            scope.missing.push(Name::clone(name));
            (FindingEffect::Missing, true)
        }
        (_, false, None) => (FindingEffect::Listed, false),
        _ => {
            let finding = partly_failed(scenario);
            (doubt_all(scenario, &finding), false)
        }
    }
}

/// The finding if a benchmark has both failed and successful process runs.
fn partly_failed(scenario: &ScenarioComparison) -> Finding {
    let name = Name::clone(&scenario.scenario);
    let text = "some of its process runs failed";
    Finding::about(FindingKind::PartlyFailed, name, text)
}

/// Doubts all of a benchmark's gated metrics, and returns the strongest effect on them.
fn doubt_all(scenario: &mut ScenarioComparison, finding: &Finding) -> FindingEffect {
    let mut effect = FindingEffect::Listed;
    for metric in &mut scenario.metrics {
        effect = effect.min(doubt(metric, finding));
    }
    effect
}

/// Reports failed process runs that no reader reported. If the benchmark also has successful process runs, its verdict
/// is at best inconclusive.
fn failed_rows(sides: &Sides<'_, '_>, scopes: &mut [ScopeComparison]) -> Vec<SideFinding> {
    let known: HashSet<&Name> = sides
        .findings
        .iter()
        .filter(|one| one.kind.effect() != FindingEffect::Listed)
        .filter_map(|one| one.benchmark.as_ref())
        .collect();
    let mut found = Vec::new();
    for scenario in scopes.iter_mut().flat_map(|scope| &mut scope.scenarios) {
        let finding = partly_failed(scenario);
        let mut effect = FindingEffect::Listed;
        for metric in &mut scenario.metrics {
            if metric.outcome == Outcome::Failed && metric.current.is_some() {
                effect = effect.min(doubt(metric, &finding));
            }
        }
        if effect != FindingEffect::Listed && !known.contains(&scenario.scenario) {
            found.push(SideFinding {
                finding,
                is_in_baseline: false,
                effect,
            });
        }
    }
    found
}

/// Reports derived metrics that contradict their source: for example, a rate that became at least twice as bad as the
/// time that it is computed from.
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
            let text = format!("{derived} got {factor:.1}× worse than the change in {of} explains");
            let finding = Finding::about(FindingKind::Ambiguous, scenario.scenario.clone(), text);
            found.push(SideFinding {
                effect: doubt(&mut scenario.metrics[source], &finding),
                finding,
                is_in_baseline: false,
            });
        }
    }
    found
}

/// Returns the index of the metric that a derived metric is computed from, and the factor by which the derived metric
/// got worse than that source.
fn excess_over_source(scenario: &ScenarioComparison, at: usize) -> Option<(usize, f64)> {
    let derived = &scenario.metrics[at];
    let Some(NotGated::Derived) = derived.judgement.not_gated() else {
        return None;
    };
    let name = derived.derived_from.as_ref()?;
    let is_source = |one: &MetricComparison| one.metric.name == *name;
    let place = scenario.metrics.iter().position(is_source)?;
    let source = &scenario.metrics[place];
    if !source.judgement.is_compared() {
        return None;
    }
    // An improvement of the source must not make the derived metric look worse.
    let factor = (1.0 + derived.growth()?) / (1.0 + source.growth()?.max(0.0));
    Some((place, factor))
}

/// Reports that several benchmarks lost most of their cost at once, probably because they no longer do their work.
fn collapsed(scopes: &[ScopeComparison]) -> Option<SideFinding> {
    const LOST: f64 = 0.8;
    const SEVERAL: usize = 2;
    let mut count = 0;
    let mut most = (0.0, "");
    for scenario in scopes.iter().flat_map(|scope| &scope.scenarios) {
        let gated = scenario
            .metrics
            .iter()
            .filter(|metric| metric.judgement.is_gated());
        let growths = gated.filter_map(MetricComparison::growth);
        let lost = -growths.fold(0.0, f64::min);
        count += usize::from(lost >= LOST);
        if lost >= most.0 {
            most = (lost, &scenario.scenario);
        }
    }
    if count < SEVERAL {
        return None;
    }
    let (most, name) = most;
    let text = format!(
        "{count} benchmarks became at least {:.0}% cheaper at once ({name}: −{:.1}%): check that they still do their work",
        100.0 * LOST,
        100.0 * most
    );
    Some(SideFinding {
        finding: Finding::about_input(FindingKind::Collapsed, text),
        is_in_baseline: false,
        effect: FindingEffect::Listed,
    })
}

/// Makes a gated metric at best inconclusive or, if only its code's layout changed, a time or rate that pairs prove worse.
/// Returns `Listed` if the metric's verdict cannot show that.
fn doubt(metric: &mut MetricComparison, finding: &Finding) -> FindingEffect {
    let judgement = &mut metric.judgement;
    if !judgement.is_gated() {
        return FindingEffect::Listed;
    }
    let is_doubtful = if finding.kind == FindingKind::Layout {
        judgement.verdict == Verdict::Regressed
            && matches!(judgement.reason, Reason::Pairs(_))
            && is_speed(&metric.metric)
    } else {
        judgement.verdict.is_passed()
    };
    if is_doubtful {
        judgement.verdict = Verdict::Inconclusive;
        judgement.reason = Reason::Obstacle(Obstacle::Doubtful(finding.text.clone()));
    }
    match judgement.verdict {
        Verdict::Regressed | Verdict::Inconclusive => FindingEffect::Inconclusive,
        _ => FindingEffect::Listed,
    }
}

/// Marks the metrics and missing scenarios that waivers excuse, and returns how each waiver was used.
pub fn waive(
    scopes: &mut [ScopeComparison],
    config: &Config,
    today: Option<Date>,
) -> Vec<WaiverUse> {
    let mut uses = Vec::new();
    for waiver in &config.waivers {
        uses.push(WaiverUse {
            covered: 0,
            is_expired: today.is_some_and(|today| waiver.is_over(today)),
        });
    }
    if uses.is_empty() {
        return uses;
    }
    for scope in scopes {
        for scenario in &mut scope.scenarios {
            // Match patterns once per scenario, not for each metric.
            let covering = covering(config, &scenario.scenario);
            for metric in &mut scenario.metrics {
                let growth = metric.growth();
                let name = &metric.metric.name;
                let judgement = &mut metric.judgement;
                let mut excusing = covering.clone();
                excusing.retain(|at| config.waivers[*at].excuses(Some(name)));
                if judgement.cannot_fail.is_none() && judgement.is_compared() {
                    judgement.cannot_fail = first_valid(&excusing, &uses).map(CannotFail::Waived);
                }
                if let Verdict::Regressed | Verdict::Inconclusive = judgement.verdict {
                    excusing.retain(|at| config.waivers[*at].is_for(growth));
                    judgement.waived = excuse(&excusing, &mut uses);
                }
            }
        }
        for scenario in std::mem::take(&mut scope.missing) {
            let mut excusing = covering(config, &scenario);
            excusing
                .retain(|at| config.waivers[*at].excuses(None) && config.waivers[*at].is_for(None));
            match excuse(&excusing, &mut uses) {
                Some(waiver) => scope.excused.push((scenario, waiver)),
                None => scope.missing.push(scenario),
            }
        }
    }
    uses
}

/// Returns the indices of the waivers that cover a scenario.
fn covering(config: &Config, scenario: &str) -> Vec<usize> {
    let mut covering: Vec<usize> = (0..config.waivers.len()).collect();
    covering.retain(|at| config.waivers[*at].covers(scenario));
    covering
}

/// Uses the first valid waiver, and returns its index. If all waivers have expired, counts the first one as used and
/// returns `None`.
fn excuse(excusing: &[usize], uses: &mut [WaiverUse]) -> Option<usize> {
    let valid = first_valid(excusing, uses);
    let waiver = valid.or(excusing.first().copied())?;
    uses[waiver].covered += 1;
    valid
}

fn first_valid(excusing: &[usize], uses: &[WaiverUse]) -> Option<usize> {
    let mut waivers = excusing.iter().copied();
    waivers.find(|at| !uses[*at].is_expired)
}

/// If both processor time and wall time are gated, sets one of them aside if the other decides. Wall time decides if it
/// is conclusive, because parallel code costs processor time without making anybody wait. Otherwise, processor time
/// decides if it regressed.
pub fn settle_clocks(metrics: &mut [MetricComparison], scenario: &str, config: &Config) {
    let mut clocks = Vec::with_capacity(metrics.len());
    for metric in &*metrics {
        clocks.push(clock(metric, scenario, config));
    }
    let Some(cpu) = clocks
        .iter()
        .position(|clock| *clock == Some(Instrument::Cpu))
    else {
        return;
    };
    let names = family(&metrics[cpu].metric.name);
    let is_wall = |at: &usize| {
        *at != cpu && clocks[*at].is_some() && family(&metrics[*at].metric.name) == names
    };
    let Some(wall) = (0..metrics.len()).find(is_wall) else {
        return;
    };
    let wall_time = &metrics[wall].judgement;
    if wall_time.is_compared() && wall_time.verdict != Verdict::Inconclusive {
        set_aside(&mut metrics[cpu].judgement, Instrument::Wall);
    } else if metrics[cpu].judgement.verdict == Verdict::Regressed {
        set_aside(&mut metrics[wall].judgement, Instrument::Cpu);
    }
}

/// Returns the clock of a time in pairs that is gated by default rather than by the config.
fn clock(metric: &MetricComparison, scenario: &str, config: &Config) -> Option<Instrument> {
    let name = &metric.metric.name;
    let is_by_default = !metric.extra.pairs.is_empty()
        && family(name).is_some()
        && config.leaves_default(name, scenario);
    if is_by_default && metric.judgement.is_gated() {
        return Instrument::of(&metric.metric);
    }
    None
}

fn set_aside(judgement: &mut Judgement, by: Instrument) {
    let why = NotGated::Quieter(by);
    judgement.verdict = if judgement.moved {
        Verdict::Moved
    } else {
        Verdict::Unchanged
    };
    judgement.rule = Rule::Report;
    judgement.reason = Reason::NotGated(why);
    judgement.cannot_fail = Some(CannotFail::NotGated(why));
}
