//! The gate that applies to a metric, with its limits resolved.

use perf_config::{Gate, Reference};
use perf_model::metric::{GateRule, Metric};
use perf_model::row::Name;
use perf_model::suite::{Definitions, Measurement};

use super::budget::Budget;
use super::gather::Gatherer;
use super::user_time::{USER, WALL, prefers_user_time};
use crate::verdict::{Limits, Rule};

/// The growth of a count that one source shows from build to build.
pub(crate) const DEFAULT_GROWTH: f64 = 0.002;

/// The rule and the limits of one metric.
pub(crate) struct EffectiveGate<'c> {
    pub(crate) rule: Rule,
    pub(crate) limits: Limits,
    pub(crate) gate: Option<&'c Gate>,
    pub(crate) reference: &'c Reference,
    pub(crate) budget: Option<(Budget, &'c Reference)>,
    /// Whether user time is gated instead of this wall time.
    pub(crate) by_user_time: bool,
}

const NO_REFERENCE: &Reference = &Reference { minus: None, relative_to: None };

impl<'c> Gatherer<'c> {
    /// The first gate with a rule for the metric that covers the scenario, without any the metric's default; and the
    /// first budget. What is another form of a measurement has a gate only where one names it.
    pub(super) fn effective_gate(
        &self,
        metric: &Metric,
        is_derived: bool,
        current: &Measurement<'_>,
        baseline: &Measurement<'_>,
    ) -> EffectiveGate<'c> {
        let positive = |name: &Name| {
            let value = baseline.value(&self.config.metric(name), self.config);
            value.is_some_and(|value| value.as_f64() > 0.0)
        };
        let gates = self.gates.iter().copied().filter(|gate| {
            gate.looks_at(&metric.name)
                && !(is_derived && gate.is_pattern())
                && gate.requires.as_ref().is_none_or(positive)
        });
        let with_budget = gates.clone().find_map(|gate| Some((gate, budget(gate, metric)?)));
        let with_rule = gates.clone().find(|gate| gate.rule.is_some());
        let mut effective = if self.config.has_rules() {
            let rule = with_rule.and_then(|gate| gate.rule);
            self.rule(rule, with_rule.and_then(|gate| gate.threshold), with_rule, metric)
        } else {
            self.default_gate(metric, is_derived, current, baseline)
        };
        let Some((gate, budget)) = with_budget else { return effective };
        if effective.rule == Rule::Report {
            (effective.rule, effective.gate, effective.reference) =
                (Rule::Budget, Some(gate), &gate.reference);
        }
        effective.budget = Some((budget, &gate.reference));
        effective
    }

    /// The metric's own gate; in pairs, user time is gated instead of wall time where it shows smaller changes.
    fn default_gate(
        &self,
        metric: &Metric,
        is_derived: bool,
        current: &Measurement<'_>,
        baseline: &Measurement<'_>,
    ) -> EffectiveGate<'c> {
        let is_time = [WALL, USER].contains(&&*metric.name);
        let by_user_time = is_time
            && self.paired
            && [baseline, current].into_iter().all(|side| prefers_user_time(&side.rows));
        let gate = match &*metric.name {
            WALL if by_user_time => None,
            USER if by_user_time => Some((GateRule::Threshold, None)),
            _ => metric.default_gate.filter(|_| !is_derived).map(|gate| (gate.rule, gate.threshold)),
        };
        let effective = self.rule(gate.map(|(rule, _)| rule), gate.and_then(|gate| gate.1), None, metric);
        EffectiveGate { by_user_time: by_user_time && gate.is_none(), ..effective }
    }

    fn rule(
        &self,
        rule: Option<GateRule>,
        threshold: Option<f64>,
        gate: Option<&'c Gate>,
        metric: &Metric,
    ) -> EffectiveGate<'c> {
        let is_threshold = rule == Some(GateRule::Threshold);
        let limits = Limits {
            warn: gate.and_then(|gate| gate.warn),
            floor: gate.and_then(|gate| gate.floor.as_ref()?.in_unit(metric.meaning.unit)),
            is_chosen: threshold.is_some() || (is_threshold && self.policy.is_threshold_chosen),
        };
        let rule = match rule {
            None => Rule::Report,
            Some(GateRule::Exact) => Rule::Exact,
            Some(GateRule::Count) => Rule::Count(threshold.unwrap_or(DEFAULT_GROWTH)),
            Some(GateRule::Equal) => Rule::Equal,
            Some(GateRule::Threshold) => Rule::Threshold(threshold.unwrap_or(self.policy.threshold)),
        };
        let reference = gate.map_or(NO_REFERENCE, |gate| &gate.reference);
        EffectiveGate { rule, limits, gate, reference, budget: None, by_user_time: false }
    }
}

/// The budget of a gate in the unit of what it judges; `None` where the metric has no such unit.
fn budget(gate: &Gate, metric: &Metric) -> Option<Budget> {
    let budget = gate.budget?;
    let [max, min] = [budget.max, budget.min].map(|end| end?.in_unit(metric.meaning.unit));
    (max.is_some() || min.is_some()).then_some(Budget { max, min })
}
