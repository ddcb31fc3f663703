//! Two suites, compared scenario by scenario.

use std::collections::HashSet;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use perf_rows::catalogue::{Catalogue, Family, GateRule, Metric};
use perf_rows::row::{Name, Outcome, Value};
use perf_rows::suite::{Measurement, ScopeRows, Suite};

use crate::judge::{Because, Judgement, Rule, Verdict, judge};

/// By how much of its throughput a program may fall for a larger count: a growth of 0.2 % is what the same program
/// shows from build to build.
const MORE_COUNTS: f64 = 0.002 / 1.002;

/// How far numbers may go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// How far a number may move before people are told, as a fraction of the baseline.
    pub tolerance: f64,
    /// How far throughput may drop before a change fails, where a gate has no threshold of its own.
    pub threshold: f64,
}

/// Two suites, compared.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Scopes that either side has: the current ones in headline order, then those that vanished.
    pub scopes: Vec<ScopeComparison>,
    /// What the limits were.
    pub policy: Policy,
    /// The commits that the baseline measured.
    pub baseline_commits: Vec<String>,
    /// The commits that were measured now.
    pub current_commits: Vec<String>,
    /// Metrics of gates that no row of either side has, so that the gate decides nothing.
    pub idle_gates: Vec<Name>,
}

/// One scope of both sides.
#[derive(Clone, Debug)]
pub struct ScopeComparison {
    /// Its name.
    pub scope: String,
    /// Scenarios that both sides have.
    pub scenarios: Vec<ScenarioComparison>,
    /// Scenarios that only the baseline has.
    pub missing: Vec<Name>,
    /// Scenarios that only the current rows have.
    pub new: Vec<Name>,
}

/// One scenario of both sides.
#[derive(Clone, Debug)]
pub struct ScenarioComparison {
    /// What was measured.
    pub scenario: Name,
    /// Its metrics: the primary one first.
    pub metrics: Vec<MetricComparison>,
}

/// One metric of both sides.
#[derive(Clone, Debug)]
pub struct MetricComparison {
    /// The metric.
    pub metric: Arc<Metric>,
    /// What the baseline has.
    pub baseline: Option<Value>,
    /// What was measured now.
    pub current: Option<Value>,
    /// What became of the current measurement.
    pub outcome: Outcome,
    /// What that comes to.
    pub judgement: Judgement,
}

impl MetricComparison {
    /// Whether something gates it, and it is not measured any more.
    fn vanished(&self) -> bool {
        self.judgement.because == Because::NoCurrent && self.judgement.rule != Rule::Report
    }
}

/// How many scenarios came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Any number moved beyond its tolerance.
    pub changed: bool,
    /// Scenarios with a metric that both sides measured and that could be compared.
    pub compared: usize,
    /// Scenarios of both sides without one.
    pub uncompared: usize,
    /// Scenarios with a metric that was measured on another machine, and therefore not compared.
    pub other_machine: usize,
    /// Gated metrics that the baseline has and the current rows have not.
    pub unmeasured: usize,
    /// Scenarios with a regressed metric.
    pub regressed: usize,
    /// Scenarios with an improved metric and no regressed one.
    pub improved: usize,
    /// Scenarios that only the baseline has.
    pub missing: usize,
    /// Scenarios that only the current rows have.
    pub new: usize,
}

impl ScenarioComparison {
    /// The verdict on the scenario: the gravest of its metrics'. A gated metric that is not measured any more
    /// weighs more than others that are well, as nothing is known of it.
    pub fn verdict(&self) -> Verdict {
        let gravest = self.metrics.iter().map(|metric| metric.judgement.verdict).min();
        match gravest {
            Some(Verdict::Regressed) => Verdict::Regressed,
            _ if self.metrics.iter().any(MetricComparison::vanished) => Verdict::Unmeasured,
            gravest => gravest.unwrap_or(Verdict::Unmeasured),
        }
    }

    fn is_compared(&self) -> bool {
        let uncompared = [Verdict::NotComparable, Verdict::Unmeasured];
        self.metrics.iter().any(|metric| !uncompared.contains(&metric.judgement.verdict))
    }
}

impl Comparison {
    /// Counts over all scopes.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for scope in &self.scopes {
            tally.missing += scope.missing.len();
            tally.new += scope.new.len();
            for scenario in &scope.scenarios {
                tally.changed |= scenario.metrics.iter().any(|metric| metric.judgement.moved);
                tally.compared += usize::from(scenario.is_compared());
                tally.uncompared += usize::from(!scenario.is_compared());
                let elsewhere = |metric: &MetricComparison| metric.judgement.because == Because::OtherMachine;
                tally.other_machine += usize::from(scenario.metrics.iter().any(elsewhere));
                tally.unmeasured += scenario.metrics.iter().filter(|metric| metric.vanished()).count();
                match scenario.verdict() {
                    Verdict::Regressed => tally.regressed += 1,
                    Verdict::Improved => tally.improved += 1,
                    _ => {}
                }
            }
        }
        tally
    }
}

/// Compares the project's own scenarios, and its own comparison rows, of two suites.
pub fn compare(
    current: &Suite<'_>,
    baseline: &Suite<'_>,
    catalogue: &Catalogue,
    policy: Policy,
) -> Comparison {
    let comparer = Comparer { catalogue, policy };
    let mut earlier: IndexMap<&str, &ScopeRows<'_>> =
        baseline.scopes.iter().map(|scope| (scope.name, scope)).collect();
    let mut scopes = Vec::with_capacity(current.scopes.len());
    for scope in &current.scopes {
        scopes.push(comparer.scope(scope.name, Some(scope), earlier.get(scope.name).copied()));
    }
    let now: HashSet<&str> = current.scopes.iter().map(|scope| scope.name).collect();
    earlier.retain(|name, _| !now.contains(name));
    scopes.extend(earlier.into_iter().map(|(name, scope)| comparer.scope(name, None, Some(scope))));
    Comparison {
        scopes,
        policy,
        baseline_commits: commits(baseline),
        current_commits: commits(current),
        idle_gates: comparer.idle_gates(current, baseline),
    }
}

/// What stands for a scenario on either side. A throughput that fell to nothing comes before the wall clock
/// that stands in for it.
fn first_results(results: &[Vec<Arc<Metric>>; 2]) -> impl Iterator<Item = Arc<Metric>> {
    let mut first: Vec<_> = results.iter().filter_map(|side| side.first().cloned()).collect();
    first.sort_by_key(|metric| metric.fallback_for.is_some());
    first.into_iter()
}

fn commits(suite: &Suite<'_>) -> Vec<String> {
    let commits: IndexSet<&str> = suite.measurements().map(Measurement::commit).collect();
    commits.into_iter().filter(|commit| !commit.is_empty()).map(str::to_owned).collect()
}

struct Comparer<'c> {
    catalogue: &'c Catalogue,
    policy: Policy,
}

impl Comparer<'_> {
    fn scope(
        &self,
        name: &str,
        current: Option<&ScopeRows<'_>>,
        baseline: Option<&ScopeRows<'_>>,
    ) -> ScopeComparison {
        let mut earlier: IndexMap<&Name, &Measurement<'_>> =
            self.own(baseline).map(|measurement| (measurement.scenario, measurement)).collect();
        let mut compared =
            ScopeComparison { scope: name.to_owned(), scenarios: vec![], missing: vec![], new: vec![] };
        let mut seen = vec![false; earlier.len()];
        for measurement in self.own(current) {
            match earlier.get_full(measurement.scenario) {
                // What was always left out is no news.
                None if measurement.is_blank() => {}
                None => compared.new.push(Name::clone(measurement.scenario)),
                Some((at, _, before)) if measurement.is_blank() && before.is_blank() => seen[at] = true,
                Some((at, _, before)) => {
                    seen[at] = true;
                    compared.scenarios.push(self.scenario(measurement, before));
                }
            }
        }
        let mut seen = seen.into_iter();
        earlier.retain(|_, _| !seen.next().unwrap_or(false));
        let missing = earlier.into_iter().filter(|(_, before)| !before.is_blank());
        compared.missing.extend(missing.map(|(scenario, _)| Name::clone(scenario)));
        compared
    }

    /// What the project answers for: everything but other libraries.
    fn own<'s, 'r>(&self, scope: Option<&'s ScopeRows<'r>>) -> impl Iterator<Item = &'s Measurement<'r>> {
        let subject = self.catalogue.comparison.as_ref().map(|comparison| Name::clone(&comparison.subject));
        scope.into_iter().flat_map(|scope| &scope.measurements).filter(move |measurement| {
            match measurement.family {
                Family::Own => true,
                Family::Comparison { technology, .. } => subject.as_deref() == Some(technology),
            }
        })
    }

    fn scenario(&self, current: &Measurement<'_>, baseline: &Measurement<'_>) -> ScenarioComparison {
        let classes = baseline.machine_class().zip(current.machine_class());
        let other_machine = classes.is_some_and(|(before, now)| before != now);
        let outcome = current.outcome();
        let metrics = self.metrics(current, baseline).into_iter().map(|metric| {
            let (before, now) = (self.value(baseline, &metric), self.value(current, &metric));
            let rule = self.rule(&metric, current, baseline);
            let mut judgement = judge(metric.meaning, before, now, rule, self.policy.tolerance);
            let comparable = metric.meaning.exact || judgement.verdict == Verdict::Unmeasured;
            if other_machine && !comparable {
                judgement.verdict = Verdict::NotComparable;
                judgement.because = Because::OtherMachine;
                judgement.moved = false;
            }
            MetricComparison { metric, baseline: before, current: now, outcome, judgement }
        });
        ScenarioComparison { scenario: Name::clone(current.scenario), metrics: metrics.collect() }
    }

    /// The metrics that are compared, the primary one first: those that the catalogue shows and those that it
    /// gates, or without either every one that is a result on either side.
    fn metrics(&self, current: &Measurement<'_>, baseline: &Measurement<'_>) -> Vec<Arc<Metric>> {
        let mut metrics: Vec<Arc<Metric>> = Vec::new();
        let mut add = |metric: Arc<Metric>| {
            if !metrics.iter().any(|other| other.name == metric.name) {
                metrics.push(metric);
            }
        };
        let results = [current, baseline].map(|side| side.results(self.catalogue));
        match self.catalogue.primary_of(current.scenario) {
            Some(name) => add(self.catalogue.metric(name)),
            None => first_results(&results).for_each(&mut add),
        }
        match &self.catalogue.deltas.also {
            None => results.into_iter().flatten().for_each(&mut add),
            Some(also) => also.iter().map(|name| self.catalogue.metric(name)).for_each(&mut add),
        }
        for gate in self.catalogue.gates.iter().flatten() {
            let metric = self.catalogue.metric(&gate.metric);
            let counts =
                |side: &Measurement<'_>| self.value(side, &metric).is_some_and(|value| value.as_f64() > 0.0);
            if gate.covers(current.scenario, current.family) && (counts(current) || counts(baseline)) {
                add(metric);
            }
        }
        metrics.retain(|metric| [current, baseline].iter().any(|side| self.value(side, metric).is_some()));
        metrics
    }

    fn value(&self, side: &Measurement<'_>, metric: &Metric) -> Option<Value> {
        side.value(metric, self.catalogue)
    }

    fn idle_gates(&self, current: &Suite<'_>, baseline: &Suite<'_>) -> Vec<Name> {
        let gates = self.catalogue.gates.iter().flatten();
        let mut idle: Vec<Name> = Vec::new();
        for gate in gates {
            let metric = self.catalogue.metric(&gate.metric);
            let has_work = |suite: &Suite<'_>| {
                let mut own = suite.scopes.iter().flat_map(|scope| self.own(Some(scope)));
                own.any(|side| gate.covers(side.scenario, side.family) && self.value(side, &metric).is_some())
            };
            if !has_work(current) && !has_work(baseline) && !idle.contains(&gate.metric) {
                idle.push(Name::clone(&gate.metric));
            }
        }
        idle
    }

    /// What decides about a metric of this scenario: the first gate for it that covers the scenario.
    fn rule(&self, metric: &Metric, current: &Measurement<'_>, baseline: &Measurement<'_>) -> Rule {
        let (rule, threshold) = match &self.catalogue.gates {
            None => (
                metric.default_gate.map(|gate| gate.rule),
                metric.default_gate.and_then(|gate| gate.threshold),
            ),
            Some(gates) => {
                let positive = |name: &Name| {
                    let value = self.value(baseline, &self.catalogue.metric(name));
                    value.is_some_and(|value| value.as_f64() > 0.0)
                };
                let gate = gates.iter().find(|gate| {
                    gate.metric == metric.name
                        && gate.covers(current.scenario, current.family)
                        && gate.requires.as_ref().is_none_or(positive)
                });
                (gate.map(|gate| gate.rule), gate.and_then(|gate| gate.threshold))
            }
        };
        match rule {
            None => Rule::Report,
            Some(GateRule::Exact) => Rule::Exact,
            Some(GateRule::Count) => Rule::Threshold(MORE_COUNTS),
            Some(GateRule::Threshold) => Rule::Threshold(threshold.unwrap_or(self.policy.threshold)),
        }
    }
}
