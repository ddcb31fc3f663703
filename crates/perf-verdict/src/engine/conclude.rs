//! The second pass over a suite: the verdict of each metric, in the context of all others.

use perf_config::Config;
use perf_model::row::Name;

use super::halves::in_halves;
use super::judge::{Context, judge};
use super::screen::{Screen, SuiteStats, guard, guards_of_repeats};
use super::self_test::{Blind, self_test};
use crate::evidence::Evidence;
use crate::model::comparison::{Comparison, MetricComparison, Policy, ScenarioComparison, ScopeComparison};
use crate::rules::environment::Guard;

/// The evidence of one scope, screened but not judged.
pub(crate) struct Gathered {
    pub(crate) compared: ScopeComparison,
    pub(crate) scenarios: Vec<(Name, Vec<Evidence>, Vec<Screen>)>,
}

/// Judges all metrics of a suite.
pub(crate) fn conclude(
    mut gathered: Vec<Gathered>,
    config: &Config,
    policy: &Policy,
    comparison: &mut Comparison,
) {
    let metrics = gathered.iter_mut().flat_map(|scope| &mut scope.scenarios);
    let mut suite: Vec<(&Evidence, &mut Screen)> =
        metrics.flat_map(|(_, evidence, screens)| evidence.iter().zip(screens)).collect();
    let suite_stats = SuiteStats::of(&mut suite);
    comparison.repeats.0 = suite_stats.repeats;
    let screens = |scope: &Gathered| guard(scope.scenarios.iter().map(|(_, _, screens)| screens.as_slice()));
    let guards: Vec<Guard> = gathered.iter().map(screens).collect();
    let everywhere = Guard::of_all(&guards);
    let repeats: Vec<Vec<Guard>> = gathered.iter().map(|scope| guards_of_repeats(rows(scope))).collect();
    let all_repeats = guards_of_repeats(gathered.iter().flat_map(rows));
    for ((scope, own), repeats) in gathered.into_iter().zip(&guards).zip(&repeats) {
        // A scope of few rows shifts with the others.
        let (guard, repeats) =
            if own.has_enough_rows() { (own, repeats) } else { (&everywhere, &all_repeats) };
        let shifted_repeats: Vec<bool> = repeats.iter().map(|repeat| repeat.shift().is_some()).collect();
        let mut compared = scope.compared;
        compared.shift = guard.shift();
        let judger =
            Judger { config, policy, suite_stats: &suite_stats, guard, shifted_repeats: &shifted_repeats };
        let scenarios = in_halves(scope.scenarios, |scenarios| {
            scenarios
                .into_iter()
                .map(|(name, evidence, screens)| judger.scenario(name, evidence, &screens))
                .collect()
        });
        compared.scenarios.reserve_exact(scenarios.len());
        for (scenario, tested, blind) in scenarios {
            compared.scenarios.push(scenario);
            comparison.tested += tested;
            comparison.blind.extend(blind);
        }
        comparison.scopes.push(compared);
    }
}

fn rows(scope: &Gathered) -> impl Iterator<Item = (&[Evidence], &[Screen])> {
    scope.scenarios.iter().map(|(_, evidence, screens)| (evidence.as_slice(), screens.as_slice()))
}

/// A scenario, how many of its metrics passed the self-test, and which failed it.
type Judged = (ScenarioComparison, usize, Vec<Blind>);

/// Judges the metrics of one scope.
struct Judger<'c> {
    config: &'c Config,
    policy: &'c Policy,
    suite_stats: &'c SuiteStats,
    guard: &'c Guard,
    shifted_repeats: &'c [bool],
}

impl Judger<'_> {
    fn scenario(&self, scenario: Name, evidence: Vec<Evidence>, screens: &[Screen]) -> Judged {
        let none = Screen::default();
        let (mut tested, mut blind) = (0, Vec::new());
        let metrics = evidence.into_iter().enumerate().map(|(at, mut evidence)| {
            let screen = screens.get(at).unwrap_or(&none);
            let shift = match screen.distance {
                // A quotient of two rows of one run does not depend on the machine.
                _ if evidence.relative_to.is_some() => None,
                Some(own) => self.guard.shift_without(own),
                None => self.guard.shift(),
            };
            let context = Context {
                tolerance: self.policy.tolerance,
                history: &self.config.history,
                suite: self.suite_stats.clone(),
                shift,
                shifted_repeats: if evidence.relative_to.is_some() {
                    Vec::new()
                } else {
                    self.shifted_repeats.to_vec()
                },
            };
            let judgement = judge(&evidence, screen, &context);
            if self.policy.self_test {
                match self_test(&mut evidence, &judgement, screen, &context) {
                    None => {}
                    Some(Ok(())) => tested += 1,
                    Some(Err(why)) => blind.push(Blind {
                        scenario: Name::clone(&scenario),
                        metric: Name::clone(&evidence.metric.name),
                        why,
                    }),
                }
            }
            MetricComparison {
                metric: evidence.metric,
                baseline: evidence.shown.0,
                current: evidence.shown.1,
                outcome: evidence.outcome,
                relative_to: evidence.relative_to,
                judgement,
                extra: evidence.extra,
                band: screen.band.map(Box::new),
            }
        });
        let metrics = metrics.collect();
        (ScenarioComparison { scenario, metrics }, tested, blind)
    }
}
