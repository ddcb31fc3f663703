//! The second pass over a suite: judges each metric, now that the evidence for all metrics is known.

use perf_model::row::Name;
use perf_model::suite::Measurement;

use super::adjust::settle_clocks;
use super::gather::{GatheredScope, ScreenedScenario};
use super::judge::{Context, judge};
use super::self_test::self_test;
use crate::comparison::{Comparison, MetricComparison, ScenarioComparison, ScopeComparison};
use crate::cost_scale::{cost, rounded, value};
use crate::evidence::{Evidence, Gatherer, ScopeRuns};
use crate::signals::band::Level;
use crate::signals::related::{RelatedRows, Residual};
use crate::signals::shift::{Distance, Distances, Shift};
use crate::signals::{self, ScreenedMetric, Signals, SuiteStats};

/// Data about the whole suite that the verdict on each metric depends on.
pub struct SuiteContext<'c> {
    gatherer: &'c Gatherer<'c>,
    /// Statistics of the whole suite, from which the rules derive their requirements.
    pub stats: SuiteStats,
    scopes: Vec<ScopeShift>,
    all: ScopeShift,
    /// The deviations of all rows with a history, to find related rows.
    pub related: RelatedRows<'c>,
}

/// How far a scope's rows are from their histories.
pub struct ScopeShift {
    /// The rows' distances in the current run.
    pub distances: Distances,
    /// The rows' distances in each confirmation run.
    pub confirmation_runs: Vec<Distances>,
    /// For each confirmation run, whether nearly all rows shifted.
    pub shifted_runs: Vec<bool>,
}

impl<'c> SuiteContext<'c> {
    /// Collects the data from all scopes, and completes the signals that depend on the whole suite.
    pub fn new(unjudged: &mut [GatheredScope<'_, '_>], gatherer: &'c Gatherer<'c>) -> Self {
        let mut metrics: Vec<&mut ScreenedMetric> = Vec::new();
        for scenario in unjudged.iter_mut().flat_map(|scope| &mut scope.scenarios) {
            metrics.extend(&mut scenario.metrics);
        }
        let stats = SuiteStats::of(&mut metrics);
        let mut scopes = Vec::with_capacity(unjudged.len());
        let mut all_rows: Vec<&ScreenedMetric> = Vec::new();
        for scope in unjudged.iter() {
            let mut rows = Vec::new();
            for scenario in &scope.scenarios {
                rows.extend(scenario.first_with_history());
            }
            scopes.push(ScopeShift::new(&rows, gatherer));
            all_rows.extend(rows);
        }
        Self {
            gatherer,
            stats,
            scopes,
            all: ScopeShift::new(&all_rows, gatherer),
            related: RelatedRows::new(&all_rows, &gatherer.config.history),
        }
    }

    /// Returns the shift of the scope with this index. A scope with few rows uses the shift of all scopes together.
    pub fn scope(&self, at: usize) -> &ScopeShift {
        let own = &self.scopes[at];
        if own.distances.has_enough_rows() {
            own
        } else {
            &self.all
        }
    }

    /// Returns the context of a metric. `distance` is the metric's own distance from its history, which is excluded
    /// from the shift.
    pub fn context<'s>(
        &'s self,
        scope: &ScopeShift,
        evidence: &Evidence,
        distance: Option<Distance>,
        residual: Option<Residual>,
        shifted_runs: &'s [bool],
    ) -> Context<'s> {
        // The machine's speed cancels out in a quotient of two rows from the same run.
        let is_quotient = evidence.reference.relative_to.is_some();
        let common = match distance {
            _ if is_quotient => None,
            Some(own) => scope.distances.shift_without(own),
            None => scope.distances.shift(),
        };
        let (shift, is_slower_by_code) = match common {
            Some(shift) if !shift.is_by_machine() => (None, true),
            Some(shift) if shift.distance > 0.0 && is_settled(evidence, shifted_runs) => {
                (None, false)
            }
            shift => (shift, false),
        };
        Context {
            tolerance: self.gatherer.thresholds.tolerance,
            limit: self.gatherer.thresholds.limit,
            without: None,
            history: &self.gatherer.config.history,
            suite: self.stats,
            shift,
            is_slower_by_code,
            residual,
            shifted_runs: if is_quotient { &[] } else { shifted_runs },
        }
    }
}

impl ScopeShift {
    fn new(rows: &[&ScreenedMetric], gatherer: &Gatherer<'_>) -> Self {
        let distances = rows.iter().filter_map(|row| row.signals.distance);
        let confirmation_runs = signals::distances_of_runs(rows);
        let mut shifted_runs = Vec::with_capacity(confirmation_runs.len());
        for (at, run) in confirmation_runs.iter().enumerate() {
            shifted_runs.push(gatherer.is_shifted(at, run));
        }
        Self {
            distances: Distances::new(distances),
            confirmation_runs,
            shifted_runs,
        }
    }
}

/// Judges a suite's metrics, and adds the scopes to the comparison.
pub(super) fn conclude(
    mut unjudged: Vec<GatheredScope<'_, '_>>,
    gatherer: &Gatherer<'_>,
    comparison: &mut Comparison,
) {
    let suite = SuiteContext::new(&mut unjudged, gatherer);
    comparison.confirmation_runs.0 = suite.stats.confirmation_runs;
    for (at, scope) in unjudged.into_iter().enumerate() {
        let shift = suite.scope(at);
        let runs = &scope.runs;
        let mut judged_scope: ScopeComparison = scope.compared;
        judged_scope.shift = shift.distances.shift().filter(Shift::is_by_machine);
        for scenario in scope.scenarios {
            let (scenario, passed) = judge_scenario(&suite, shift, scenario, runs);
            judged_scope.scenarios.push(scenario);
            comparison.tested += passed;
        }
        comparison.scopes.push(judged_scope);
    }
}

/// Judges a scenario's metrics, and returns how many passed the self-test.
fn judge_scenario(
    suite: &SuiteContext<'_>,
    shift: &ScopeShift,
    screened: ScreenedScenario,
    runs: &ScopeRuns<'_, '_>,
) -> (ScenarioComparison, usize) {
    let gatherer = suite.gatherer;
    let scenario = screened.scenario;
    let first = screened
        .metrics
        .iter()
        .position(|metric| metric.signals.band.is_some());
    let mut passed = 0;
    let mut metrics = Vec::with_capacity(screened.metrics.len());
    for (at, metric) in screened.metrics.into_iter().enumerate() {
        // The first metric with a history represents the scenario.
        let mut residual = None;
        if first == Some(at) {
            residual = suite.related.residual(&metric, 0.0);
        }
        let signals = &metric.signals;
        let shifted_runs = &shift.shifted_runs;
        let evidence = &metric.evidence;
        let context = suite.context(shift, evidence, signals.distance, residual, shifted_runs);
        let mut judgement = judge(evidence, signals, &context);
        if gatherer.thresholds.self_test {
            let fails = gatherer.thresholds.fails;
            match self_test(evidence, &judgement, signals, &context, fails) {
                None => {}
                Some(Ok(())) => passed += 1,
                Some(Err(why)) => judgement.cannot_fail = Some(why),
            }
        }
        let level = level(&metric.evidence, signals, &scenario, runs);
        let ScreenedMetric { evidence, signals } = metric;
        metrics.push(MetricComparison {
            metric: evidence.metric,
            baseline: evidence.shown.0,
            current: evidence.shown.1,
            outcome: evidence.outcome,
            judgement,
            reference: evidence.reference,
            budget: evidence.budget.map(|budgeted| budgeted.budget),
            derived_from: evidence.derived_from,
            older: evidence.older,
            extra: evidence.extra,
            band: signals.band,
            level,
        });
    }
    if gatherer.paired {
        settle_clocks(&mut metrics, &scenario, gatherer.config);
    }
    (ScenarioComparison { scenario, metrics }, passed)
}

/// True if a confirmation run measured the metric without the shift, or on another machine. The confirmation run then
/// decides despite the shift.
fn is_settled(evidence: &Evidence, shifted_runs: &[bool]) -> bool {
    let mut runs = evidence.extra.confirmation_runs.iter().zip(shifted_runs);
    runs.any(|(run, is_shifted)| !run.is_empty() && !is_shifted)
}

/// Returns the metric's current level, if the level changed during its history.
fn level(
    evidence: &Evidence,
    signals: &Signals,
    scenario: &Name,
    data: &ScopeRuns<'_, '_>,
) -> Option<Level> {
    let (extra, step) = (&evidence.extra, signals.band?.level?);
    let direction = evidence.direction();
    let mut since = None;
    // Repeated runs of one commit do not show which commit changed the level.
    if extra.history != extra.base_launches {
        let newest = extra.runs.iter().zip(&extra.history).rev();
        let mut at_level = newest.filter(|(_, number)| cost(direction, **number).is_some());
        let first = at_level.nth(step.values - 1);
        since = first.and_then(|(run, _)| data.in_run(*run, scenario));
    }
    let since = since.map(Measurement::commit);
    Some(Level {
        now: rounded(value(direction, step.now)),
        before: rounded(value(direction, step.before)),
        values: step.values,
        since: since.filter(|commit| !commit.is_empty()).map(Into::into),
    })
}
