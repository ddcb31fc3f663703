//! Gathers everything to compare, by scope and scenario.

use std::cell::LazyCell;
use std::collections::HashSet;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use perf_config::Gate;
use perf_model::metric::Metric;
use perf_model::parallel::in_halves;
use perf_model::row::{Name, Value};
use perf_model::suite::{Definitions, Family, Measurement, ScopeRows, Suite};

use crate::comparison::ScopeComparison;
use crate::evidence::gate::budget;
use crate::evidence::{Earlier, Gatherer, ScopeRuns};
use crate::sides::Sides;
use crate::signals::shift::Distances;
use crate::signals::{ScreenedMetric, Signals};

/// The scenarios of one scope, not judged yet.
pub struct GatheredScope<'s, 'r> {
    /// The scope without its scenarios.
    pub compared: ScopeComparison,
    /// The scenarios to judge.
    pub scenarios: Vec<ScreenedScenario>,
    /// `None` if the current run does not contain the scope.
    pub(super) runs: Option<ScopeRuns<'s, 'r>>,
}

/// A scenario with its metrics.
pub struct ScreenedScenario {
    /// Its key.
    pub scenario: Name,
    /// Its metrics.
    pub metrics: Vec<ScreenedMetric>,
}

impl ScreenedScenario {
    /// The first metric with a history, which represents the scenario in its suite.
    pub fn first_with_history(&self) -> Option<&ScreenedMetric> {
        self.metrics
            .iter()
            .find(|metric| metric.signals.band.is_some())
    }
}

impl Gatherer<'_> {
    /// True if nearly all rows shifted in a confirmation run on this machine.
    pub fn is_shifted(&self, run: usize, distances: &Distances) -> bool {
        run < self.runs_here && distances.shift().is_some_and(|shift| shift.is_by_machine())
    }

    /// Gathers the evidence for one scope.
    pub fn gather<'s, 'r>(
        &self,
        name: &str,
        current: Option<&'s ScopeRows<'r>>,
        baseline: Option<&'s ScopeRows<'r>>,
        sides: &Sides<'s, 'r>,
    ) -> GatheredScope<'s, 'r> {
        let mut earlier: IndexMap<&Name, &'s Measurement<'r>> = self
            .own(baseline)
            .map(|measurement| (measurement.scenario, measurement))
            .collect();
        let mut compared = ScopeComparison {
            scope: name.to_owned(),
            ..ScopeComparison::default()
        };
        let mut scenarios = Vec::new();
        let runs = current.map(|now| ScopeRuns::new(now, baseline, sides));
        if let Some(runs) = &runs {
            let mut both: Vec<(&'s Measurement<'r>, Earlier<'s, 'r>)> = Vec::new();
            let mut unbased = Vec::new();
            let mut seen: HashSet<&Name> = HashSet::default();
            for measurement in self.own(current) {
                let before = earlier.get(measurement.scenario).copied();
                let is_blank = measurement.is_blank();
                if let Some(before) = before {
                    seen.insert(measurement.scenario);
                    if !(is_blank && before.is_blank()) {
                        both.push((measurement, self.comparable(measurement, before, runs)));
                    }
                } else if is_blank {
                    // A scenario without any measurement is not new.
                } else if let Some(before) = runs.newest(measurement) {
                    both.push((measurement, before));
                } else {
                    compared.new.push(Name::clone(measurement.scenario));
                    unbased.extend(self.unbased(measurement, runs));
                }
            }
            scenarios = in_halves(both, |both| {
                both.into_iter()
                    .map(|(now, before)| self.screened(now, before, runs))
                    .collect()
            });
            scenarios.extend(unbased);
            earlier.retain(|scenario, _| !seen.contains(scenario));
        }
        for (scenario, before) in earlier.into_iter().filter(|(_, before)| !before.is_blank()) {
            if let Some(seen) = self.first_value(before) {
                compared.last_seen.insert(Name::clone(scenario), seen);
            }
            compared.missing.push(Name::clone(scenario));
        }
        GatheredScope {
            compared,
            scenarios,
            runs,
        }
    }

    /// The baseline of a measurement: the newest one, or an older one if only that is comparable. Pairs come from one
    /// measurement, and stay together.
    fn comparable<'s, 'r>(
        &self,
        current: &Measurement<'r>,
        baseline: &'s Measurement<'r>,
        runs: &ScopeRuns<'s, 'r>,
    ) -> Earlier<'s, 'r> {
        if !self.paired
            && baseline.unlike(current).is_some()
            && let Some((run, before)) = runs.newest(current)
            && before.unlike(current).is_none()
        {
            return (run, before);
        }
        (runs.baseline, baseline)
    }

    /// A new scenario, if budgets judge it.
    fn unbased<'s, 'r>(
        &self,
        current: &'s Measurement<'r>,
        runs: &ScopeRuns<'s, 'r>,
    ) -> Option<ScreenedScenario> {
        if !self.config.has_budgets() {
            return None;
        }
        let nothing = Measurement {
            scenario: current.scenario,
            family: current.family,
            rows: Vec::new(),
        };
        let mut new = self.screened(current, (runs.baseline, &nothing), runs);
        new.metrics
            .retain(|metric| metric.evidence.budget.is_some());
        (!new.metrics.is_empty()).then_some(new)
    }

    /// The project's own measurements, without other libraries.
    fn own<'s, 'r>(
        &self,
        scope: Option<&'s ScopeRows<'r>>,
    ) -> impl Iterator<Item = &'s Measurement<'r>> {
        let comparison = self.config.comparison.as_ref();
        let subject = comparison.map(|comparison| Name::clone(&comparison.subject));
        scope
            .into_iter()
            .flat_map(|scope| &scope.measurements)
            .filter(move |measurement| match measurement.family {
                Family::Own => true,
                Family::Comparison { technology, .. } => subject.as_deref() == Some(technology),
            })
    }

    /// Gathers the evidence and signals for each metric in a scenario.
    fn screened<'s, 'r>(
        &self,
        current: &'s Measurement<'r>,
        baseline: Earlier<'s, 'r>,
        runs: &ScopeRuns<'s, 'r>,
    ) -> ScreenedScenario {
        let gatherer = self.for_scenario(current);
        let series = runs.series(current, baseline);
        let mut metrics = Vec::new();
        for metric in gatherer.metrics(current, baseline.1) {
            // A metric that the baseline does not contain may be in an older run.
            let is_measured = |(_, side): &&Earlier<'s, 'r>| self.value(side, &metric).is_some();
            let mut newest_first = [&baseline].into_iter().chain(series.iter().rev());
            let baseline = *newest_first.find(is_measured).unwrap_or(&baseline);
            let evidence = gatherer.evidence(&metric, current, baseline, &series, runs);
            let signals = Signals::of(&evidence, &self.config.history);
            metrics.push(ScreenedMetric { evidence, signals });
        }
        ScreenedScenario {
            scenario: Name::clone(current.scenario),
            metrics,
        }
    }

    /// The metrics to compare, the primary one first: those listed or gated in the config, or all results if the config
    /// lists none.
    fn metrics(&self, current: &Measurement<'_>, baseline: &Measurement<'_>) -> Vec<Arc<Metric>> {
        let sides = [current, baseline];
        let results = sides.map(|side| side.results(self.config));
        let mut wanted: Vec<Arc<Metric>> = Vec::new();
        if let Some(chosen) = sides.iter().find_map(|side| side.chosen(self.config)) {
            wanted.push(chosen);
        } else {
            wanted.extend(results.iter().filter_map(|side| side.first().cloned()));
            // A throughput that fell to zero precedes the wall clock that replaces it.
            wanted.sort_by_key(|metric| metric.fallback_for.is_some());
        }
        match &self.config.deltas.also {
            None => wanted.extend(results.iter().flatten().cloned()),
            Some(also) => {
                wanted.extend(also.iter().map(|name| self.config.metric(name)));
                // The choice of displayed metrics does not change the gates.
                let fails = |metric: &&Arc<Metric>| {
                    metric.default_gate.is_some()
                        && self.config.leaves_default(&metric.name, current.scenario)
                        && current.source_of(metric, self.config).is_none()
                };
                wanted.extend(results.iter().flatten().filter(fails).cloned());
            }
        }
        for gate in &self.gates {
            if gate.is_pattern() {
                let mut matching: Vec<Arc<Metric>> = results.iter().flatten().cloned().collect();
                matching.retain(|metric| gate.looks_at(&metric.name));
                wanted.extend(matching);
                continue;
            }
            // If a throughput is zero on both sides, another metric replaces it.
            let named = self.config.metric(&gate.metric);
            let is_used = |side: &&Measurement<'_>| {
                let value = self.value(side, &named);
                value.is_some_and(|value| named.meaning.exact || value.as_f64() > 0.0)
            };
            if sides.iter().any(is_used) {
                wanted.push(named);
            }
        }
        // The config may list thousands of names, but only a few are measured.
        let mut metrics: Vec<Arc<Metric>> = Vec::new();
        for metric in wanted {
            let is_measured = sides.iter().any(|side| self.value(side, &metric).is_some());
            if is_measured && !metrics.iter().any(|other| other.name == metric.name) {
                metrics.push(metric);
            }
        }
        metrics
    }

    /// The result that represents a measurement.
    fn first_value(&self, side: &Measurement<'_>) -> Option<(Arc<Metric>, Value)> {
        let chosen = side.chosen(self.config).into_iter();
        for metric in chosen.chain(side.results(self.config)) {
            if let Some(value) = self.value(side, &metric) {
                return Some((metric, value));
            }
        }
        None
    }

    fn value(&self, side: &Measurement<'_>, metric: &Metric) -> Option<Value> {
        side.value(metric, self.config)
    }

    /// The metrics of gates that match no measured value on either side.
    pub(super) fn idle_gates(&self, current: &Suite<'_>, baseline: &Suite<'_>) -> Vec<Name> {
        let mut idle: Vec<&Gate> = self.config.gates.iter().flatten().collect();
        for scope in current.scopes.iter().chain(&baseline.scopes) {
            for side in self.own(Some(scope)) {
                if idle.is_empty() {
                    return Vec::new();
                }
                let results = LazyCell::new(|| side.results(self.config));
                idle.retain(|gate| {
                    !gate.covers(side.scenario, side.family) || !self.is_fed(gate, side, &results)
                });
            }
        }
        let names: IndexSet<Name> = idle.iter().map(|gate| Name::clone(&gate.metric)).collect();
        names.into_iter().collect()
    }

    /// True if a side contains a value that the gate judges.
    fn is_fed(&self, gate: &Gate, side: &Measurement<'_>, results: &[Arc<Metric>]) -> bool {
        let has = |metric: &Metric| {
            let decides = gate.rule.is_some() || budget(gate, metric).is_some();
            decides && self.value(side, metric).is_some()
        };
        if !gate.is_pattern() {
            return has(&self.config.metric(&gate.metric));
        }
        results
            .iter()
            .any(|metric| gate.looks_at(&metric.name) && has(metric))
    }
}
