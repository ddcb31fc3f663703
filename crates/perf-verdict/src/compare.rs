//! Two suites, compared scenario by scenario.

use perf_model::suite::Definitions;
use std::collections::HashSet;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use perf_config::{Config, Date};
use perf_model::metric::Metric;
use perf_model::row::{Name, Outcome, Value};
use perf_model::suite::Family;
use perf_model::suite::{Measurement, ScopeRows, Suite};

use crate::conclude::{Gathered, conclude};
use crate::evidence::{Evidence, More};
use crate::gather::{Gatherer, ScopeData, Taken};
use crate::halves::in_halves;
use crate::rules::guard::Shift;
use crate::rules::history::Band;
use crate::screen::Screen;
use crate::self_test::Blind;
use crate::verdict::Judgement;
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

    /// The limits of a config.
    pub fn of(config: &Config) -> Self {
        Self {
            tolerance: config.deltas.tolerance,
            threshold: config.deltas.threshold,
            is_threshold_chosen: config.deltas.explicit_threshold,
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
    /// What each waiver was good for, in the order of the config.
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
    pub band: Option<Box<Band>>,
}

impl MetricComparison {
    /// What is normal, where there is a history.
    pub fn band(&self) -> Option<Band> {
        self.band.as_deref().copied()
    }
}

/// Compares the project's own scenarios, and its own comparison rows, of two suites.
pub fn compare(sides: &Sides<'_, '_>, config: &Config, policy: Policy) -> Comparison {
    let comparer = Comparer { config, policy: &policy, paired: sides.paired };
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
    conclude(gathered, config, &policy, &mut comparison);
    comparison.waivers = waive::waive(&mut comparison.scopes, config, policy.today);
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
    config: &'c Config,
    policy: &'c Policy,
    paired: bool,
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
        let data = current.zip(baseline).map(|(now, before)| ScopeData::new(now, before, sides, self.config));
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
        let mut both: Vec<(&'s Measurement<'r>, &'s Measurement<'r>)> = Vec::new();
        let mut seen = vec![false; earlier.len()];
        for measurement in self.own(current) {
            match earlier.get_full(measurement.scenario) {
                // What was always left out is no news.
                None if measurement.is_blank() => {}
                None => gathered.compared.new.push(Name::clone(measurement.scenario)),
                Some((at, _, before)) if measurement.is_blank() && before.is_blank() => seen[at] = true,
                Some((at, _, before)) => {
                    seen[at] = true;
                    both.push((measurement, before));
                }
            }
        }
        if let Some(data) = &data {
            gathered.scenarios = in_halves(both, |both| {
                both.into_iter().map(|(now, before)| self.scenario(now, before, data)).collect()
            });
        }
        let mut seen = seen.into_iter();
        earlier.retain(|_, _| !seen.next().unwrap_or(false));
        let missing = earlier.into_iter().filter(|(_, before)| !before.is_blank());
        gathered.compared.missing.extend(missing.map(|(scenario, _)| Name::clone(scenario)));
        gathered
    }

    /// What the project answers for: everything but other libraries.
    fn own<'s, 'r>(&self, scope: Option<&'s ScopeRows<'r>>) -> impl Iterator<Item = &'s Measurement<'r>> {
        let subject = self.config.comparison.as_ref().map(|comparison| Name::clone(&comparison.subject));
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
        let gatherer = Gatherer { config: self.config, policy: self.policy, paired: self.paired };
        let metrics = self.metrics(current, baseline).into_iter();
        let taken = Taken { current, baseline, series: data.series(current, baseline) };
        let evidence: Vec<Evidence> =
            metrics.map(|metric| gatherer.evidence(&metric, &taken, data)).collect();
        // Most metrics have one number a side, and nothing to be screened.
        let screens = if evidence.iter().any(|evidence| evidence.more.is_some()) {
            evidence.iter().map(|evidence| Screen::of(evidence, &self.config.history)).collect()
        } else {
            Vec::new()
        };
        (Name::clone(current.scenario), evidence, screens)
    }

    /// The metrics that are compared, the primary one first: those that the config shows and those that it
    /// gates, or without either every one that is a result on either side.
    fn metrics(&self, current: &Measurement<'_>, baseline: &Measurement<'_>) -> Vec<Arc<Metric>> {
        let mut metrics: Vec<Arc<Metric>> = Vec::new();
        let mut add = |metric: Arc<Metric>| {
            if !metrics.iter().any(|other| other.name == metric.name) {
                metrics.push(metric);
            }
        };
        let results = [current, baseline].map(|side| side.results(self.config));
        let mut gated: Vec<Arc<Metric>> = Vec::new();
        for gate in self.config.gates.iter().flatten() {
            if gate.covers(current.scenario, current.family) {
                let measured = results.iter().flatten().filter(|metric| gate.looks_at(&metric.name));
                let named = (!gate.is_pattern()).then(|| self.config.metric(&gate.metric));
                // A throughput of nothing on both sides is what another metric stands in for.
                let counts = |side: &Measurement<'_>, metric: &Metric| {
                    let value = self.value(side, metric);
                    value.is_some_and(|value| metric.meaning.exact || value.as_f64() > 0.0)
                };
                let named = named.filter(|metric| counts(current, metric) || counts(baseline, metric));
                gated.extend(measured.filter(|_| gate.is_pattern()).cloned().chain(named));
            }
        }
        match self.config.primary_of(current.scenario) {
            Some(name) => add(self.config.metric(name)),
            None => first_results(&results).for_each(&mut add),
        }
        match &self.config.deltas.also {
            None => results.into_iter().flatten().for_each(&mut add),
            Some(also) => also.iter().map(|name| self.config.metric(name)).for_each(&mut add),
        }
        gated.into_iter().for_each(&mut add);
        metrics.retain(|metric| [current, baseline].iter().any(|side| self.value(side, metric).is_some()));
        metrics
    }

    fn value(&self, side: &Measurement<'_>, metric: &Metric) -> Option<Value> {
        side.value(metric, self.config)
    }

    fn idle_gates(&self, current: &Suite<'_>, baseline: &Suite<'_>) -> Vec<Name> {
        let gates = self.config.gates.iter().flatten();
        let mut idle: Vec<Name> = Vec::new();
        for gate in gates {
            let metric = self.config.metric(&gate.metric);
            let is_measured = |side: &Measurement<'_>| {
                let mut results = if gate.is_pattern() { side.results(self.config) } else { vec![] };
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
