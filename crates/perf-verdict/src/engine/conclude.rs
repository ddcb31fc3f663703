//! The second pass over a suite: the verdict of each metric, in the context of all others.

use perf_config::HistoryPolicy;
use perf_model::row::Name;
use perf_model::suite::Measurement;

use super::clocks;
use super::gather::{Comparer, Gathered, Pending, Screened};
use super::judge::{Context, judge};
use super::self_test::self_test;
use crate::cost_scale::cost;
use crate::evidence::{BASELINE, Evidence, ScopeRuns};
use crate::model::comparison::{
    Comparison, Details, MetricComparison, ScenarioComparison, ScopeComparison,
};
use crate::model::judgement::Judgement;
use crate::signals::alike::Likeness;
use crate::signals::band::{Band, Level};
use crate::signals::common::Deviations;
use crate::signals::related::RowFamily;
use crate::signals::residual::{Residual, SuiteRow, SuiteRuns};
use crate::signals::shift::{Distance, Distances, Shift};
use crate::signals::{self, Signals, SuiteStats};
use perf_model::parallel::in_halves;

/// The data that the metrics of a suite share, scope by scope.
pub(super) struct Common {
    pub(super) suite: SuiteStats,
    scopes: Vec<ScopeCommon>,
    all: ScopeCommon,
    likeness: Likeness,
    family: RowFamily,
    /// The indices of the earlier runs.
    earlier: Vec<usize>,
}

/// The data that the rows of one scope share.
struct ScopeCommon {
    distances: Distances,
    confirmation_runs: Vec<Distances>,
    shifted_runs: Vec<bool>,
    deviations: Deviations,
}

impl Common {
    pub(super) fn of(gathered: &mut [Gathered<'_, '_>], comparer: &Comparer<'_>) -> Self {
        let policy = &comparer.config.history;
        let scenarios = gathered.iter_mut().flat_map(|scope| &mut scope.scenarios);
        let screened = scenarios.filter_map(|pending| match pending {
            Pending::Screened(screened) => Some(&mut **screened),
            Pending::Plain(..) => None,
        });
        let mut suite: Vec<(&Evidence, &mut Signals)> = screened
            .flat_map(|screened| screened.evidence.iter().zip(&mut screened.all_signals))
            .collect();
        let suite = SuiteStats::of(&mut suite);
        let with_history = |scope| rows(scope).filter_map(first_with_history);
        let earlier = SuiteRuns::earlier(gathered.iter().flat_map(with_history), policy);
        let runs = SuiteRuns::new(&earlier, policy);
        let moving =
            |scope| with_history(scope).filter_map(|(evidence, band)| runs.row(evidence, band));
        let moving: Vec<Vec<SuiteRow<'_>>> = gathered
            .iter()
            .map(|scope| moving(scope).collect())
            .collect();
        let common = |distances, rows: Vec<_>, moving: &[&SuiteRow<'_>]| {
            let confirmation_runs = signals::distances_of_runs(rows);
            let is_shifted = |(at, repeat)| comparer.is_shifted(at, repeat);
            ScopeCommon {
                distances,
                shifted_runs: confirmation_runs
                    .iter()
                    .enumerate()
                    .map(is_shifted)
                    .collect(),
                confirmation_runs,
                deviations: Deviations::of(moving.iter().copied()),
            }
        };
        let scopes = gathered.iter().zip(&moving).map(|(scope, moving)| {
            let moving: Vec<_> = moving.iter().collect();
            common(
                signals::distances(rows(scope)),
                rows(scope).collect(),
                &moving,
            )
        });
        let scopes: Vec<ScopeCommon> = scopes.collect();
        let distances = Distances::of_all(
            &scopes
                .iter()
                .map(|scope| &scope.distances)
                .collect::<Vec<_>>(),
        );
        let moving: Vec<_> = moving.iter().flatten().collect();
        let all = common(distances, gathered.iter().flat_map(rows).collect(), &moving);
        let (likeness, family) = (Likeness::of(&moving, &runs), RowFamily::of(&moving, &runs));
        Self {
            suite,
            scopes,
            all,
            likeness,
            family,
            earlier,
        }
    }

    /// Judges the metrics of the scope at this place. One of few rows shifts with the others.
    pub(super) fn judger<'c>(&'c self, comparer: &'c Comparer<'c>, scope: usize) -> Judger<'c> {
        let own = &self.scopes[scope];
        let shifting = if own.distances.has_enough_rows() {
            own
        } else {
            &self.all
        };
        let deviating = if own.deviations.has_enough_rows() {
            own
        } else {
            &self.all
        };
        Judger {
            comparer,
            suite: self.suite,
            distances: &shifting.distances,
            confirmation_runs: &shifting.confirmation_runs,
            deviations: &deviating.deviations,
            likeness: &self.likeness,
            family: &self.family,
            runs: SuiteRuns::new(&self.earlier, &comparer.config.history),
            shifted_runs: &shifting.shifted_runs,
        }
    }
}

/// Judges all metrics of a suite.
pub(super) fn conclude(
    mut gathered: Vec<Gathered<'_, '_>>,
    comparer: &Comparer<'_>,
    comparison: &mut Comparison,
) {
    let common = Common::of(&mut gathered, comparer);
    comparison.confirmation_runs.0 = common.suite.confirmation_runs;
    for (at, scope) in gathered.into_iter().enumerate() {
        comparison.scopes.push(
            common
                .judger(comparer, at)
                .scope(scope, &mut comparison.tested),
        );
    }
}

/// The screened scenarios.
fn rows<'g>(scope: &'g Gathered<'_, '_>) -> impl Iterator<Item = (&'g [Evidence], &'g [Signals])> {
    scope.scenarios.iter().filter_map(|pending| match pending {
        Pending::Screened(screened) => Some((&*screened.evidence, &*screened.all_signals)),
        Pending::Plain(..) => None,
    })
}

/// The first metric of a scenario that has a history: the one that stands for it in its suite.
fn first_with_history<'g>(
    (metrics, all_signals): (&'g [Evidence], &'g [Signals]),
) -> Option<(&'g Evidence, &'g Band)> {
    metrics
        .iter()
        .zip(all_signals)
        .find_map(|(evidence, signals)| Some((evidence, signals.band.as_ref()?)))
}

/// Scenarios, and how many of their metrics passed the self-test.
#[derive(Default)]
struct Judged {
    scenarios: Vec<ScenarioComparison>,
    passed: usize,
}

/// Judges the metrics of one scope.
#[derive(Clone, Copy)]
pub(super) struct Judger<'c> {
    pub(super) comparer: &'c Comparer<'c>,
    suite: SuiteStats,
    pub(super) distances: &'c Distances,
    pub(super) confirmation_runs: &'c [Distances],
    deviations: &'c Deviations,
    likeness: &'c Likeness,
    family: &'c RowFamily,
    runs: SuiteRuns<'c>,
    pub(super) shifted_runs: &'c [bool],
}

impl Judger<'_> {
    fn scope(&self, scope: Gathered<'_, '_>, tested: &mut usize) -> ScopeComparison {
        let data = scope.data.as_ref();
        let judged = in_halves(scope.scenarios, |scenarios| {
            let mut judged = Judged {
                scenarios: Vec::with_capacity(scenarios.len()),
                ..Judged::default()
            };
            for pending in scenarios {
                let screened = match pending {
                    Pending::Screened(screened) => *screened,
                    Pending::Plain(current, baseline) => Screened {
                        scenario: Name::clone(current.scenario),
                        evidence: data.map_or_else(Vec::new, |data| {
                            self.comparer.evidence(current, (BASELINE, baseline), data)
                        }),
                        all_signals: Vec::new(),
                    },
                };
                self.judge(screened, data, &mut judged);
            }
            vec![judged]
        });
        let mut compared = scope.compared;
        compared.shift = self.distances.shift().filter(Shift::is_by_machine);
        for Judged { scenarios, passed } in judged {
            compared.scenarios.extend(scenarios);
            *tested += passed;
        }
        compared
    }

    fn judge(&self, screened: Screened, data: Option<&ScopeRuns<'_, '_>>, judged: &mut Judged) {
        let Screened {
            scenario,
            evidence,
            all_signals,
        } = screened;
        let none = Signals::default();
        let first = all_signals
            .iter()
            .position(|signals| signals.band.is_some());
        // Collecting would go on using the memory of the evidence, which is larger.
        let mut metrics = Vec::with_capacity(evidence.len());
        for (at, mut evidence) in evidence.into_iter().enumerate() {
            let signals = all_signals.get(at).unwrap_or(&none);
            let context = self.context(&evidence, signals, first == Some(at));
            let mut judgement = judge(&evidence, signals, &context);
            let test = || {
                self_test(
                    &mut evidence,
                    &judgement,
                    signals,
                    &context,
                    self.comparer.thresholds.fails,
                )
            };
            match self.comparer.thresholds.self_test.then(test).flatten() {
                None => {}
                Some(Ok(())) => judged.passed += 1,
                Some(Err(why)) => judgement.cannot_fail = Some(why),
            }
            let level = data.and_then(|data| level(&evidence, signals, &scenario, data));
            metrics.push(compared(evidence, judgement, signals, level));
        }
        if self.comparer.paired {
            clocks::settle(&mut metrics, &scenario, self.comparer.config);
        }
        judged
            .scenarios
            .push(ScenarioComparison { scenario, metrics });
    }

    fn history(&self) -> &HistoryPolicy {
        &self.comparer.config.history
    }

    /// The residuals of a metric, where its cost grows by this distance.
    pub(super) fn residuals(
        &self,
        evidence: &Evidence,
        signals: &Signals,
        growth: f64,
    ) -> Vec<Residual> {
        let runs = &self.runs;
        let row = signals
            .band
            .as_ref()
            .and_then(|band| runs.row(evidence, band));
        let Some(row) = row else { return Vec::new() };
        let common = self.deviations.residual(&row, runs);
        let alike = self.likeness.residual(&row, runs, growth);
        let related = self.family.residual(&row, runs, growth);
        [common, alike, related].into_iter().flatten().collect()
    }

    fn context<'s>(
        &'s self,
        evidence: &Evidence,
        signals: &Signals,
        is_first: bool,
    ) -> Context<'s> {
        let residuals = if is_first {
            self.residuals(evidence, signals, 0.0)
        } else {
            Vec::new()
        };
        self.context_with(evidence, signals.distance, residuals, self.shifted_runs)
    }

    /// The context of a metric with this distance from its history.
    pub(super) fn context_with<'s>(
        &'s self,
        evidence: &Evidence,
        distance: Option<Distance>,
        residuals: Vec<Residual>,
        shifted_runs: &'s [bool],
    ) -> Context<'s> {
        // A quotient of two rows of one run does not depend on the machine.
        let is_quotient = evidence.relative_to.is_some();
        let common = match distance {
            _ if is_quotient => None,
            Some(own) => self.distances.shift_without(own),
            None => self.distances.shift(),
        };
        let (shift, is_slower_by_code) = match common {
            Some(shift) if !shift.is_by_machine() => (None, true),
            Some(shift) if shift.distance > 0.0 && is_settled(evidence, shifted_runs) => {
                (None, false)
            }
            shift => (shift, false),
        };
        Context {
            residuals,
            tolerance: self.comparer.thresholds.tolerance,
            limit: self.comparer.thresholds.limit,
            without: None,
            history: self.history(),
            suite: self.suite,
            shift,
            is_slower_by_code,
            shifted_runs: if is_quotient { &[] } else { shifted_runs },
        }
    }
}

/// True if a confirmation run measured the metric without the shift, or on another machine: it settles what the
/// shift leaves open.
fn is_settled(evidence: &Evidence, shifted_runs: &[bool]) -> bool {
    let runs = evidence
        .extra
        .iter()
        .flat_map(|extra| &extra.confirmation_runs)
        .zip(shifted_runs);
    runs.into_iter()
        .any(|(run, is_shifted)| !run.is_empty() && !is_shifted)
}

/// The present level of a metric whose history has changed its level.
fn level(
    evidence: &Evidence,
    signals: &Signals,
    scenario: &Name,
    data: &ScopeRuns<'_, '_>,
) -> Option<Level> {
    let (extra, step) = (evidence.extra.as_deref()?, signals.band?.level?);
    let newest = extra.runs.iter().zip(&extra.history).rev();
    let has_cost = |number: f64| cost(evidence.direction(), number).is_some();
    let first = newest
        .filter(|(_, number)| has_cost(**number))
        .nth(step.values - 1);
    // Runs of one commit that stand in for a history changed their level since none.
    let is_history = extra.history != extra.base_launches;
    let since = first
        .filter(|_| is_history)
        .and_then(|(run, _)| data.in_run(*run, scenario));
    Some(step.report(evidence.direction(), since.map(Measurement::commit)))
}

fn compared(
    evidence: Evidence,
    judgement: Judgement,
    signals: &Signals,
    level: Option<Level>,
) -> MetricComparison {
    let (baseline, current) = evidence.shown;
    let details = Details {
        relative_to: evidence.relative_to,
        minus: evidence.minus,
        budget: evidence.budget.map(|budgeted| Box::new(budgeted.budget)),
        derived_from: evidence.derived_from,
        older: evidence.older,
        extra: evidence.extra,
        band: signals.band.map(Box::new),
        level: level.map(Box::new),
    };
    MetricComparison {
        metric: evidence.metric,
        baseline,
        current,
        outcome: evidence.outcome,
        judgement,
        details: details.into(),
    }
}
