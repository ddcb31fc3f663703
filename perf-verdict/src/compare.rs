//! Two suites, compared scenario by scenario.

use std::collections::HashSet;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use perf_rows::catalogue::{Catalogue, Date, Family, Metric};
use perf_rows::row::{Name, Outcome, Value};
use perf_rows::suite::{Measurement, ScopeRows, Suite};

use crate::evidence::{Evidence, More};
use crate::gather::{Gatherer, ScopeData, Taken};
use crate::judge::{Surroundings, judge};
use crate::rules::guard::{Guard, Shift};
use crate::rules::history::Band;
use crate::screen::{Screen, Whole, guard};
use crate::self_test::{Blind, self_test};
use crate::verdict::{Because, Judgement, Rule, Verdict};
use crate::waive::{self, WaiverUse};

/// What is compared.
#[derive(Clone, Copy, Debug)]
pub struct Sides<'s, 'r> {
    /// What was measured now.
    pub current: &'s Suite<'r>,
    /// What it is compared with.
    pub baseline: &'s Suite<'r>,
    /// Earlier baselines, oldest first; the baseline itself may be the last.
    pub history: &'s [Suite<'r>],
    /// Further runs of what was measured now.
    pub repeats: &'s [Suite<'r>],
    /// Whether rows of the two sides that have the same run index were measured side by side.
    pub paired: bool,
}

impl<'s, 'r> Sides<'s, 'r> {
    /// One run and one baseline.
    pub fn new(current: &'s Suite<'r>, baseline: &'s Suite<'r>) -> Self {
        Self { current, baseline, history: &[], repeats: &[], paired: false }
    }
}

/// How far numbers may go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// How far a number may move before people are told, as a fraction of the baseline.
    pub tolerance: f64,
    /// How far throughput may drop before a change fails, where a gate has no threshold of its own.
    pub threshold: f64,
    /// Whether somebody chose that threshold, so that it counts beside what a history says.
    pub is_threshold_chosen: bool,
    /// Today, on which waivers may be over; `None` leaves all of them in force.
    pub today: Option<Date>,
    /// Whether to show that a regression would have been caught.
    pub self_test: bool,
}

impl Policy {
    /// Limits that nobody chose, and nothing else.
    pub const fn new(tolerance: f64, threshold: f64) -> Self {
        Self { tolerance, threshold, is_threshold_chosen: false, today: None, self_test: true }
    }

    /// The limits of a catalogue.
    pub fn of(catalogue: &Catalogue) -> Self {
        Self {
            tolerance: catalogue.deltas.tolerance,
            threshold: catalogue.deltas.threshold,
            is_threshold_chosen: catalogue.deltas.explicit_threshold,
            today: None,
            self_test: true,
        }
    }
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
    /// What each waiver was good for, in the order of the catalogue.
    pub waivers: Vec<WaiverUse>,
    /// Gated metrics that the gate would let pass whatever they cost.
    pub blind: Vec<Blind>,
    /// How many gated metrics were shown to be caught, had they regressed.
    pub tested: usize,
    /// How many further runs a suspect takes, and how many there are.
    pub repeats: (usize, usize),
}

/// One scope of both sides.
#[derive(Clone, Debug)]
pub struct ScopeComparison {
    /// Its name.
    pub scope: String,
    /// Scenarios that both sides have.
    pub scenarios: Vec<ScenarioComparison>,
    /// Scenarios that only the baseline has, and that no waiver excuses.
    pub missing: Vec<Name>,
    /// Scenarios that only the baseline has, and the place of the waiver that excuses each.
    pub excused: Vec<(Name, usize)>,
    /// Scenarios that only the current rows have.
    pub new: Vec<Name>,
    /// That nearly all of it moved at once.
    pub shift: Option<Shift>,
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
    /// The scenario whose number both are divided by before they are judged.
    pub relative_to: Option<Name>,
    /// What that comes to.
    pub judgement: Judgement,
    /// What there was to judge by besides one number a side.
    pub more: Option<Box<More>>,
    /// What is normal, where there is a history.
    pub band: Option<Band>,
}

impl MetricComparison {
    /// Whether something gates it, and it is not measured any more.
    fn vanished(&self) -> bool {
        matches!(self.judgement.because, Because::NoCurrent) && self.judgement.rule != Rule::Report
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
    /// Scenarios with an improved metric, and no regressed or inconclusive one.
    pub improved: usize,
    /// Scenarios with a metric of which the data cannot tell whether it regressed, and no regressed one.
    pub inconclusive: usize,
    /// Scenarios with a metric that both sides measured, and of which none could be compared.
    pub not_comparable: usize,
    /// Scenarios that regressed or are missing and that a waiver excuses.
    pub waived: usize,
    /// Scenarios with a metric over its soft limit.
    pub warned: usize,
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
            Some(grave @ (Verdict::Regressed | Verdict::Inconclusive)) => grave,
            _ if self.metrics.iter().any(MetricComparison::vanished) => Verdict::Unmeasured,
            gravest => gravest.unwrap_or(Verdict::Unmeasured),
        }
    }

    /// Whether a metric regressed, and no waiver excuses it.
    pub fn fails(&self) -> bool {
        let fails =
            |judgement: &Judgement| judgement.verdict == Verdict::Regressed && judgement.waived.is_none();
        self.metrics.iter().any(|metric| fails(&metric.judgement))
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
            tally.waived += scope.excused.len();
            tally.new += scope.new.len();
            for scenario in &scope.scenarios {
                tally.changed |= scenario.metrics.iter().any(|metric| metric.judgement.moved);
                tally.compared += usize::from(scenario.is_compared());
                tally.uncompared += usize::from(!scenario.is_compared());
                let elsewhere =
                    |metric: &MetricComparison| matches!(metric.judgement.because, Because::OtherMachine);
                tally.other_machine += usize::from(scenario.metrics.iter().any(elsewhere));
                tally.unmeasured += scenario.metrics.iter().filter(|metric| metric.vanished()).count();
                tally.warned += usize::from(scenario.metrics.iter().any(|metric| metric.judgement.warned));
                match scenario.verdict() {
                    Verdict::Regressed if scenario.fails() => tally.regressed += 1,
                    Verdict::Regressed => tally.waived += 1,
                    Verdict::Inconclusive => tally.inconclusive += 1,
                    Verdict::Improved => tally.improved += 1,
                    Verdict::NotComparable => tally.not_comparable += 1,
                    _ => {}
                }
            }
        }
        tally
    }
}

/// Compares the project's own scenarios, and its own comparison rows, of two suites.
pub fn compare(sides: &Sides<'_, '_>, catalogue: &Catalogue, policy: Policy) -> Comparison {
    let comparer = Comparer { catalogue, policy: &policy, paired: sides.paired };
    let mut earlier: IndexMap<&str, &ScopeRows<'_>> =
        sides.baseline.scopes.iter().map(|scope| (scope.name, scope)).collect();
    let mut gathered = Vec::with_capacity(sides.current.scopes.len());
    for scope in &sides.current.scopes {
        gathered.push(comparer.gather(scope.name, Some(scope), earlier.get(scope.name).copied(), sides));
    }
    let now: HashSet<&str> = sides.current.scopes.iter().map(|scope| scope.name).collect();
    earlier.retain(|name, _| !now.contains(name));
    gathered.extend(earlier.into_iter().map(|(name, scope)| comparer.gather(name, None, Some(scope), sides)));
    let idle_gates = comparer.idle_gates(sides.current, sides.baseline);
    let mut comparison = Comparison {
        scopes: Vec::with_capacity(gathered.len()),
        baseline_commits: commits(sides.baseline),
        current_commits: commits(sides.current),
        idle_gates,
        waivers: Vec::new(),
        blind: Vec::new(),
        tested: 0,
        repeats: (0, sides.repeats.len()),
        policy,
    };
    comparer.conclude(gathered, &mut comparison);
    comparison.waivers = waive::waive(&mut comparison.scopes, catalogue, policy.today);
    comparison
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
    policy: &'c Policy,
    paired: bool,
}

/// One scope of both sides, before anything is concluded.
struct Gathered {
    compared: ScopeComparison,
    scenarios: Vec<(Name, Vec<Evidence>, Vec<Screen>)>,
}

impl Comparer<'_> {
    fn gather<'s, 'r>(
        &self,
        name: &str,
        current: Option<&'s ScopeRows<'r>>,
        baseline: Option<&'s ScopeRows<'r>>,
        sides: &Sides<'s, 'r>,
    ) -> Gathered {
        let mut earlier: IndexMap<&Name, &'s Measurement<'r>> =
            self.own(baseline).map(|measurement| (measurement.scenario, measurement)).collect();
        let data =
            current.zip(baseline).map(|(now, before)| ScopeData::new(now, before, sides, self.catalogue));
        let mut gathered = Gathered {
            compared: ScopeComparison {
                scope: name.to_owned(),
                scenarios: vec![],
                missing: vec![],
                excused: vec![],
                new: vec![],
                shift: None,
            },
            scenarios: vec![],
        };
        let mut seen = vec![false; earlier.len()];
        for measurement in self.own(current) {
            match earlier.get_full(measurement.scenario) {
                // What was always left out is no news.
                None if measurement.is_blank() => {}
                None => gathered.compared.new.push(Name::clone(measurement.scenario)),
                Some((at, _, before)) if measurement.is_blank() && before.is_blank() => seen[at] = true,
                Some((at, _, before)) => {
                    seen[at] = true;
                    let data = data.as_ref();
                    gathered.scenarios.extend(data.map(|data| self.scenario(measurement, before, data)));
                }
            }
        }
        let mut seen = seen.into_iter();
        earlier.retain(|_, _| !seen.next().unwrap_or(false));
        let missing = earlier.into_iter().filter(|(_, before)| !before.is_blank());
        gathered.compared.missing.extend(missing.map(|(scenario, _)| Name::clone(scenario)));
        gathered
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

    fn scenario<'s, 'r>(
        &self,
        current: &'s Measurement<'r>,
        baseline: &'s Measurement<'r>,
        data: &ScopeData<'s, 'r>,
    ) -> (Name, Vec<Evidence>, Vec<Screen>) {
        let gatherer = Gatherer { catalogue: self.catalogue, policy: self.policy, paired: self.paired };
        let metrics = self.metrics(current, baseline).into_iter();
        let taken = Taken { current, baseline, series: data.series(current, baseline) };
        let evidence: Vec<Evidence> = metrics.map(|metric| gatherer.evidence(metric, &taken, data)).collect();
        // Most metrics have one number a side, and nothing to be screened.
        let screens = if evidence.iter().any(|evidence| evidence.more.is_some()) {
            evidence.iter().map(|evidence| Screen::of(evidence, &self.catalogue.history)).collect()
        } else {
            Vec::new()
        };
        (Name::clone(current.scenario), evidence, screens)
    }

    /// The second look, with what all of the suite tells.
    fn conclude(&self, mut gathered: Vec<Gathered>, comparison: &mut Comparison) {
        let metrics = gathered.iter_mut().flat_map(|scope| &mut scope.scenarios);
        let mut suite: Vec<(&Evidence, &mut Screen)> =
            metrics.flat_map(|(_, evidence, screens)| evidence.iter().zip(screens)).collect();
        let whole = Whole::of(&mut suite);
        comparison.repeats.0 = whole.repeats;
        let screens =
            |scope: &Gathered| guard(scope.scenarios.iter().map(|(_, _, screens)| screens.as_slice()));
        let guards: Vec<Guard> = gathered.iter().map(screens).collect();
        let everywhere = Guard::of_all(&guards);
        for (scope, own) in gathered.into_iter().zip(&guards) {
            // A scope of few rows shares the fate of the others.
            let guard = if own.is_telling() { own } else { &everywhere };
            let mut compared = scope.compared;
            compared.shift = guard.shift();
            let judger = Judger { catalogue: self.catalogue, policy: self.policy, whole: &whole, guard };
            for (name, evidence, screens) in scope.scenarios {
                let scenario = judger.scenario(name, evidence, &screens, comparison);
                compared.scenarios.push(scenario);
            }
            comparison.scopes.push(compared);
        }
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
            let is_measured = |side: &Measurement<'_>| {
                let mut results = if gate.is_pattern() { side.results(self.catalogue) } else { vec![] };
                results.retain(|metric| gate.looks_at(&metric.name));
                !results.is_empty() || (!gate.is_pattern() && self.value(side, &metric).is_some())
            };
            let has_work = |suite: &Suite<'_>| {
                let mut own = suite.scopes.iter().flat_map(|scope| self.own(Some(scope)));
                own.any(|side| gate.covers(side.scenario, side.family) && is_measured(side))
            };
            if !has_work(current) && !has_work(baseline) && !idle.contains(&gate.metric) {
                idle.push(Name::clone(&gate.metric));
            }
        }
        idle
    }
}

/// Judges the metrics of one scope.
struct Judger<'c> {
    catalogue: &'c Catalogue,
    policy: &'c Policy,
    whole: &'c Whole,
    guard: &'c Guard,
}

impl Judger<'_> {
    fn scenario(
        &self,
        scenario: Name,
        evidence: Vec<Evidence>,
        screens: &[Screen],
        comparison: &mut Comparison,
    ) -> ScenarioComparison {
        let none = Screen::default();
        let metrics = evidence.into_iter().enumerate().map(|(at, evidence)| {
            let screen = screens.get(at).unwrap_or(&none);
            let shift = screen.distance.and_then(|own| self.guard.shift_without(own));
            let around = Surroundings {
                tolerance: self.policy.tolerance,
                history: &self.catalogue.history,
                whole: self.whole.clone(),
                shift,
            };
            let judgement = judge(&evidence, screen, &around);
            if self.policy.self_test {
                match self_test(&evidence, &judgement, screen, &around) {
                    None => {}
                    Some(Ok(())) => comparison.tested += 1,
                    Some(Err(why)) => comparison.blind.push(Blind {
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
                more: evidence.more,
                band: screen.band,
            }
        });
        let metrics = metrics.collect();
        ScenarioComparison { scenario, metrics }
    }
}
