//! Gathers the evidence to compare, by scope and scenario.

use std::sync::Arc;

use indexmap::IndexSet;
use perf_config::Gate;
use perf_model::metric::Metric;
use perf_model::row::Name;
use perf_model::suite::{Definitions, Family, Measurement, ScopeRows, Suite};

use crate::comparison::ScopeComparison;
use crate::evidence::gate::budget;
use crate::evidence::{Earlier, Gatherer, ScopeRuns};
use crate::sides::Sides;
use crate::signals::shift::Distances;
use crate::signals::{ScreenedMetric, Signals};

/// One scope's scenarios before they are judged.
pub struct GatheredScope<'s, 'r> {
    /// The scope's comparison, still without its scenarios.
    pub compared: ScopeComparison,
    /// The scenarios to judge.
    pub scenarios: Vec<ScreenedScenario>,
    pub(super) runs: ScopeRuns<'s, 'r>,
}

/// A scenario's metrics, with their evidence and signals.
pub struct ScreenedScenario {
    /// The scenario's key.
    pub scenario: Name,
    /// The scenario's metrics. The primary metric comes first.
    pub metrics: Vec<ScreenedMetric>,
}

impl ScreenedScenario {
    /// Returns the first metric with a history. This metric represents the scenario in statistics of the suite.
    pub fn first_with_history(&self) -> Option<&ScreenedMetric> {
        self.metrics
            .iter()
            .find(|metric| metric.signals.band.is_some())
    }
}

impl Gatherer<'_> {
    /// True if nearly all rows shifted in this confirmation run, and the run is on this machine.
    pub fn is_shifted(&self, run: usize, distances: &Distances) -> bool {
        run < self.runs_here && distances.shift().is_some_and(|shift| shift.is_by_machine())
    }

    /// Gathers the evidence for all scenarios in one scope.
    pub fn gather<'s, 'r>(&self, name: &str, sides: &Sides<'s, 'r>) -> GatheredScope<'s, 'r> {
        let runs = ScopeRuns::new(name, sides);
        let mut compared = ScopeComparison {
            scope: name.to_owned(),
            ..ScopeComparison::default()
        };
        let mut scenarios: Vec<ScreenedScenario> = Vec::new();
        let mut unbased = Vec::new();
        for measurement in self.own(sides.current.scope(name)) {
            let is_blank = measurement.is_blank();
            if let Some(before) = runs.in_run(runs.baseline, measurement.scenario) {
                let mut newest = (runs.baseline, before);
                // If the baseline is not comparable, an older run may be. This does not apply to pairs, whose sides
                // were measured together.
                if !self.paired
                    && before.unlike(measurement).is_some()
                    && let Some(older) = runs.newest(measurement)
                    && older.1.unlike(measurement).is_none()
                {
                    newest = older;
                }
                if !(is_blank && before.is_blank()) {
                    scenarios.push(self.screened(measurement, newest, &runs));
                }
            } else if is_blank {
                // The scenario was skipped, so it is not new.
            } else if let Some(before) = runs.newest(measurement) {
                scenarios.push(self.screened(measurement, before, &runs));
            } else {
                compared.new.push(Name::clone(measurement.scenario));
                unbased.extend(self.unbased(measurement, &runs));
            }
        }
        scenarios.extend(unbased);
        for before in self.own(sides.baseline.scope(name)) {
            let now = runs.in_run(runs.current(), before.scenario);
            if now.is_some() || before.is_blank() {
                continue;
            }
            let chosen = before.chosen(self.config).into_iter();
            let mut metrics = chosen.chain(before.results(self.config));
            let seen =
                metrics.find_map(|metric| Some((before.value(&metric, self.config)?, metric)));
            if let Some((value, metric)) = seen {
                let scenario = Name::clone(before.scenario);
                compared.last_seen.insert(scenario, (metric, value));
            }
            compared.missing.push(Name::clone(before.scenario));
        }
        GatheredScope {
            compared,
            scenarios,
            runs,
        }
    }

    /// Gathers the evidence for a new scenario. Returns `None` unless a budget judges it.
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

    /// Returns the project's own measurements, leaving out other libraries in comparison benchmarks.
    fn own<'s, 'r>(&self, scope: Option<&'s ScopeRows<'r>>) -> Vec<&'s Measurement<'r>> {
        let comparison = self.config.comparison.as_ref();
        let subject = comparison.map(|comparison| &*comparison.subject);
        let all = scope.into_iter().flat_map(|scope| &scope.measurements);
        all.filter(|measurement| match measurement.family {
            Family::Own => true,
            Family::Comparison { technology, .. } => subject == Some(technology),
        })
        .collect()
    }

    /// Gathers the evidence and signals for each of a scenario's metrics.
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
            // If the baseline does not contain the metric, an older run may.
            let is_measured =
                |(_, side): &&Earlier<'s, 'r>| side.value(&metric, self.config).is_some();
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

    /// Returns the metrics to compare, the primary metric first: the metrics that the config lists, and all gated
    /// metrics. If the config lists none, returns all measured metrics.
    fn metrics(&self, current: &Measurement<'_>, baseline: &Measurement<'_>) -> Vec<Arc<Metric>> {
        let sides = [current, baseline];
        let results = sides.map(|side| side.results(self.config));
        let mut wanted: Vec<Arc<Metric>> = Vec::new();
        if let Some(chosen) = sides.iter().find_map(|side| side.chosen(self.config)) {
            wanted.push(chosen);
        } else {
            wanted.extend(results.iter().filter_map(|side| side.first().cloned()));
            // If throughput fell to zero, the wall time replaces it. The throughput still comes first.
            wanted.sort_by_key(|metric| metric.fallback_for.is_some());
        }
        match &self.config.deltas.also {
            None => wanted.extend(results.iter().flatten().cloned()),
            Some(also) => {
                wanted.extend(also.iter().map(|name| self.config.metric(name)));
                // Metrics that are gated by default stay gated, even if the config does not display them.
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
            // If throughput is zero on both sides, another metric replaces it.
            let named = self.config.metric(&gate.metric);
            let is_used = |side: &&Measurement<'_>| {
                let value = side.value(&named, self.config);
                value.is_some_and(|value| named.meaning.exact || value.as_f64() > 0.0)
            };
            if sides.iter().any(is_used) {
                wanted.push(named);
            }
        }
        // The config may list thousands of names, but only a few are measured.
        let mut metrics: Vec<Arc<Metric>> = Vec::new();
        for metric in wanted {
            let is_measured = sides
                .iter()
                .any(|side| side.value(&metric, self.config).is_some());
            if is_measured && !metrics.iter().any(|other| other.name == metric.name) {
                metrics.push(metric);
            }
        }
        metrics
    }

    /// Returns the metrics of gates that match no measured value on either side.
    pub(super) fn idle_gates(&self, current: &Suite<'_>, baseline: &Suite<'_>) -> Vec<Name> {
        let mut idle: Vec<&Gate> = self.config.gates.iter().flatten().collect();
        for scope in current.scopes.iter().chain(&baseline.scopes) {
            for side in self.own(Some(scope)) {
                if idle.is_empty() {
                    return Vec::new();
                }
                let results = side.results(self.config);
                idle.retain(|gate| {
                    !gate.covers(side.scenario, side.family) || !self.is_fed(gate, side, &results)
                });
            }
        }
        let names: IndexSet<Name> = idle.iter().map(|gate| Name::clone(&gate.metric)).collect();
        names.into_iter().collect()
    }

    /// True if this side contains a value that the gate judges.
    fn is_fed(&self, gate: &Gate, side: &Measurement<'_>, results: &[Arc<Metric>]) -> bool {
        let has = |metric: &Metric| {
            let decides = gate.rule.is_some() || budget(gate, metric).is_some();
            decides && side.value(metric, self.config).is_some()
        };
        if !gate.is_pattern() {
            return has(&self.config.metric(&gate.metric));
        }
        results
            .iter()
            .any(|metric| gate.looks_at(&metric.name) && has(metric))
    }
}
