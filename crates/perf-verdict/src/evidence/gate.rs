//! The gate that applies to a metric, with its limits resolved.

use perf_config::Gate;
use perf_model::metric::{GateRule, Metric};
use perf_model::row::Name;
use perf_model::suite::{Definitions, Measurement};

use super::Gatherer;
use super::waiting::{USER, WALL, waits};
use crate::model::{Limits, Rule};
use crate::rules::count;

/// The rule and the limits of one metric.
pub(crate) struct EffectiveGate<'c> {
    pub(crate) rule: Rule,
    pub(crate) limits: Limits,
    pub(crate) gate: Option<&'c Gate>,
    /// Whether user time is gated instead of this wall time.
    pub(crate) by_user_time: bool,
}

impl<'c> Gatherer<'c> {
    /// The first gate for the metric that covers the scenario; without gates the metric's default. What is another form
    /// of a measurement has a gate only where one names it.
    pub(super) fn effective_gate(
        &self,
        metric: &Metric,
        is_derived: bool,
        current: &Measurement<'_>,
        baseline: &Measurement<'_>,
    ) -> EffectiveGate<'c> {
        let Some(gates) = &self.config.gates else {
            return self.default_gate(metric, is_derived, current, baseline);
        };
        let positive = |name: &Name| {
            let value = baseline.value(&self.config.metric(name), self.config);
            value.is_some_and(|value| value.as_f64() > 0.0)
        };
        let gate = gates.iter().find(|gate| {
            gate.looks_at(&metric.name)
                && !(is_derived && gate.is_pattern())
                && gate.covers(current.scenario, current.family)
                && gate.relative_to.as_ref() != Some(current.scenario)
                && gate.requires.as_ref().is_none_or(positive)
        });
        self.rule(gate.map(|gate| gate.rule), gate.and_then(|gate| gate.threshold), gate, metric)
    }

    /// The metric's own gate; in pairs of a command that does not wait, user time is gated instead of wall time.
    fn default_gate(
        &self,
        metric: &Metric,
        is_derived: bool,
        current: &Measurement<'_>,
        baseline: &Measurement<'_>,
    ) -> EffectiveGate<'c> {
        let is_time = [WALL, USER].contains(&&*metric.name);
        let by_user_time =
            is_time && self.paired && [baseline, current].into_iter().all(|side| !waits(&side.rows));
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
            Some(GateRule::Count) => Rule::Count(threshold.unwrap_or(count::DEFAULT)),
            Some(GateRule::Threshold) => Rule::Threshold(threshold.unwrap_or(self.policy.threshold)),
        };
        EffectiveGate { rule, limits, gate, by_user_time: false }
    }
}
