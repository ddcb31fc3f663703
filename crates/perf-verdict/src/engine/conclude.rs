//! The second pass over a suite: the verdict of each metric, in the context of all others.

use perf_config::HistoryPolicy;
use perf_model::row::Name;

use super::gather::{Comparer, Gathered, Pending, Screened};
use super::judge::{Context, judge_among};
use super::self_test::self_test;
use crate::evidence::{BASELINE, Evidence};
use crate::model::comparison::{Comparison, Details, MetricComparison, ScenarioComparison, ScopeComparison};
use crate::model::judgement::Judgement;
use crate::screen::alike::Likeness;
use crate::screen::common::Deviations;
use crate::screen::{self, Screen, SuiteStats};
use crate::signals::band::Band;
use crate::signals::shift::{Distances, Shift};
use crate::verdict::Powers;
use perf_model::parallel::in_halves;

/// Judges all metrics of a suite.
pub(super) fn conclude(
    mut gathered: Vec<Gathered<'_, '_>>,
    comparer: &Comparer<'_>,
    comparison: &mut Comparison,
) {
    let scenarios = gathered.iter_mut().flat_map(|scope| &mut scope.scenarios);
    let screened = scenarios.filter_map(|pending| match pending {
        Pending::Screened(screened) => Some(&mut **screened),
        Pending::Plain(..) => None,
    });
    let mut suite: Vec<(&Evidence, &mut Screen)> =
        screened.flat_map(|screened| screened.evidence.iter().zip(&mut screened.screens)).collect();
    let suite = SuiteStats::of(&mut suite);
    comparison.repeats.0 = suite.repeats;
    let scopes: Vec<Distances> = gathered.iter().map(|scope| screen::distances(rows(scope))).collect();
    let repeats: Vec<Vec<Distances>> =
        gathered.iter().map(|scope| screen::distances_of_repeats(rows(scope))).collect();
    let all = Distances::of_all(&scopes);
    let all_repeats = screen::distances_of_repeats(gathered.iter().flat_map(rows));
    let deviations: Vec<Deviations> =
        gathered.iter().map(|scope| Deviations::of(rows(scope).filter_map(first_with_history))).collect();
    let all_deviations = Deviations::of(gathered.iter().flat_map(rows).filter_map(first_with_history));
    let likeness = Likeness::of(gathered.iter().flat_map(rows).filter_map(first_with_history));
    let scopes = scopes.iter().zip(&repeats).zip(&deviations);
    for (scope, ((own, repeats), deviations)) in gathered.into_iter().zip(scopes) {
        // A scope of few rows shifts with the others.
        let (distances, repeats) = if own.has_enough_rows() { (own, repeats) } else { (&all, &all_repeats) };
        let is_shifted = |(at, repeat): (usize, &Distances)| {
            !comparer.elsewhere.contains(&at) && repeat.shift().is_some_and(|shift| shift.is_by_machine())
        };
        let shifted_repeats: Vec<bool> = repeats.iter().enumerate().map(is_shifted).collect();
        let deviations = if deviations.has_enough_rows() { deviations } else { &all_deviations };
        let shifted_repeats = &shifted_repeats;
        let judger = Judger { comparer, suite, distances, deviations, likeness: &likeness, shifted_repeats };
        comparison.scopes.push(judger.scope(scope, &mut comparison.tested));
    }
}

/// The screened scenarios.
fn rows<'g>(scope: &'g Gathered<'_, '_>) -> impl Iterator<Item = (&'g [Evidence], &'g [Screen])> {
    scope.scenarios.iter().filter_map(|pending| match pending {
        Pending::Screened(screened) => Some((&*screened.evidence, &*screened.screens)),
        Pending::Plain(..) => None,
    })
}

/// The first metric of a scenario that has a history: the one that stands for it in its suite.
fn first_with_history<'g>(
    (metrics, screens): (&'g [Evidence], &'g [Screen]),
) -> Option<(&'g Evidence, &'g Band)> {
    metrics.iter().zip(screens).find_map(|(evidence, screen)| Some((evidence, screen.band.as_ref()?)))
}

/// Scenarios, and how many of their metrics passed the self-test.
#[derive(Default)]
struct Judged {
    scenarios: Vec<ScenarioComparison>,
    passed: usize,
}

/// Judges the metrics of one scope.
struct Judger<'c> {
    comparer: &'c Comparer<'c>,
    suite: SuiteStats,
    distances: &'c Distances,
    deviations: &'c Deviations,
    likeness: &'c Likeness,
    shifted_repeats: &'c [bool],
}

impl Judger<'_> {
    fn scope(&self, scope: Gathered<'_, '_>, tested: &mut usize) -> ScopeComparison {
        let data = scope.data.as_ref();
        let judged = in_halves(scope.scenarios, |scenarios| {
            let mut powers = Powers::default();
            let mut judged = Judged { scenarios: Vec::with_capacity(scenarios.len()), ..Judged::default() };
            for pending in scenarios {
                let screened = match pending {
                    Pending::Screened(screened) => *screened,
                    Pending::Plain(current, baseline) => Screened {
                        scenario: Name::clone(current.scenario),
                        evidence: data.map_or_else(Vec::new, |data| {
                            self.comparer.evidence(current, (BASELINE, baseline), data)
                        }),
                        screens: Vec::new(),
                    },
                };
                self.judge(screened, &mut powers, &mut judged);
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

    fn judge(&self, screened: Screened, powers: &mut Powers, judged: &mut Judged) {
        let Screened { scenario, evidence, screens } = screened;
        let none = Screen::default();
        let first = screens.iter().position(|screen| screen.band.is_some());
        // Collecting would go on using the memory of the evidence, which is larger.
        let mut metrics = Vec::with_capacity(evidence.len());
        for (at, mut evidence) in evidence.into_iter().enumerate() {
            let screen = screens.get(at).unwrap_or(&none);
            let context = self.context(&evidence, screen, first == Some(at));
            let mut judgement = judge_among(&evidence, screen, &context, powers);
            let test = || self_test(&mut evidence, &judgement, screen, &context, self.comparer.policy.fails);
            match self.comparer.policy.self_test.then(test).flatten() {
                None => {}
                Some(Ok(())) => judged.passed += 1,
                Some(Err(why)) => judgement.cannot_fail = Some(why),
            }
            metrics.push(compared(evidence, judgement, screen));
        }
        judged.scenarios.push(ScenarioComparison { scenario, metrics });
    }

    fn history(&self) -> &HistoryPolicy {
        &self.comparer.config.history
    }

    /// True if a confirmation run measured the metric without the shift, or on another machine: it settles what the
    /// shift leaves open.
    fn is_settled(&self, evidence: &Evidence) -> bool {
        let runs = evidence.extra.iter().flat_map(|extra| &extra.repeats).zip(self.shifted_repeats);
        runs.into_iter().any(|(run, is_shifted)| !run.is_empty() && !is_shifted)
    }

    fn context(&self, evidence: &Evidence, screen: &Screen, is_first: bool) -> Context<'_> {
        // A quotient of two rows of one run does not depend on the machine.
        let is_quotient = evidence.relative_to.is_some();
        let common = match screen.distance {
            _ if is_quotient => None,
            Some(own) => self.distances.shift_without(own),
            None => self.distances.shift(),
        };
        let (shift, is_slower_by_code) = match common {
            Some(shift) if !shift.is_by_machine() => (None, true),
            Some(shift) if shift.distance > 0.0 && self.is_settled(evidence) => (None, false),
            shift => (shift, false),
        };
        let residuals = |band: &Band| {
            let policy = self.history();
            let common = self.deviations.residual(evidence, band, policy);
            common.into_iter().chain(self.likeness.residual(evidence, band, policy)).collect()
        };
        Context {
            residuals: screen.band.as_ref().filter(|_| is_first).map_or_else(Vec::new, residuals),
            tolerance: self.comparer.policy.tolerance,
            threshold: self.comparer.policy.threshold,
            history: self.history(),
            suite: self.suite,
            shift,
            is_slower_by_code,
            shifted_repeats: if is_quotient { &[] } else { self.shifted_repeats },
        }
    }
}

fn compared(evidence: Evidence, judgement: Judgement, screen: &Screen) -> MetricComparison {
    let (baseline, current) = evidence.shown;
    let details = Details {
        relative_to: evidence.relative_to,
        minus: evidence.minus,
        budget: evidence.budget.map(|budgeted| Box::new(budgeted.budget)),
        derived_from: evidence.derived_from,
        older: evidence.older,
        extra: evidence.extra,
        band: screen.band.map(Box::new),
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
