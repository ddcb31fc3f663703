//! The gate that applies to a metric, and its limits in the metric's unit.

use perf_config::{Config, Gate, Reference};
use perf_model::methodology::RANDOM_ORDER;
use perf_model::metric::{Direction, GateRule, Metric, Unit, is_noise};
use perf_model::row::{Name, Value};
use perf_model::suite::{Definitions, Measurement};
use serde::{Deserialize, Serialize};

use super::Evidence;
use super::instrument::{self, Instrument};
use crate::cost_scale::distance_of_limit;
use crate::sides::Sides;
use crate::signals::pairs::SLOWER;
use crate::statistics::order::{quantile, sorted, steps};
use crate::thresholds::Thresholds;
use crate::verdict::{Limits, Rule};

/// The default limit on the growth of a count: how much counts of unchanged code usually grow from build to build.
pub(crate) const DEFAULT_GROWTH: f64 = 0.002;

/// Smaller differences between sizes are ignored: the mean size over many allocations can be fractional.
const HALF_A_BYTE: f64 = 0.5;
/// The smallest margin that pairs can be tested against, as a distance: 0.1%.
const FINEST: f64 = 0.000_999_500_333_083_5; // ln 1.001

/// The rule and the limits that a gate sets for a metric.
pub(crate) struct EffectiveGate<'c> {
    pub(crate) rule: Rule,
    pub(crate) limits: Limits,
    pub(crate) gate: Option<&'c Gate>,
    pub(crate) reference: Reference,
    pub(crate) budget: Option<(Budget, Reference)>,
    /// Why the metric has no rule; `None` if it has one.
    pub(crate) exempt: Option<NotGated>,
}

/// A metric's allowed range, in the metric's unit or as a ratio.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Budget {
    /// The largest allowed value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// The smallest allowed value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
}

impl Budget {
    /// Returns the bound that a value violates, if any.
    pub(crate) fn exceeded(&self, number: f64) -> Option<Bound> {
        let over = self.max.filter(|max| number > *max).map(Bound::Max);
        over.or(self.min.filter(|min| number < *min).map(Bound::Min))
    }

    /// Returns a value that clearly violates the budget.
    pub(crate) fn beyond(&self) -> Option<Value> {
        let number = self
            .max
            .map(|max| 10.0 * max + 1.0)
            .or(self.min.map(|min| min / 10.0))?;
        Value::new(number)
    }
}

/// A budget, and the values that it applies to.
#[derive(Clone, Debug)]
pub struct Budgeted {
    /// The allowed range of [`Self::current`].
    pub budget: Budget,
    /// The reference scenarios of the budget's values.
    pub reference: Reference,
    /// The baseline value, relative to the reference.
    pub baseline: Option<Value>,
    /// The current value, relative to the reference.
    pub current: Option<Value>,
}

/// One end of a budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// The value must not be larger than this.
    Max(f64),
    /// The value must not be smaller than this.
    Min(f64),
}

impl Bound {
    /// Returns the bound's value.
    pub fn number(self) -> f64 {
        match self {
            Self::Max(number) | Self::Min(number) => number,
        }
    }
}

/// Why a metric has no rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotGated {
    /// No gate in the config includes it.
    NoGate,
    /// Metrics of this kind are gated only if a gate lists them.
    Informational,
    /// The metric is a part of another one, the tail of a distribution, or a counter, and thus mostly noise.
    Noise,
    /// Another clock in the same run is gated instead, because it varies less.
    Quieter(Instrument),
    /// The metric is computed from another metric, which is gated instead.
    Derived,
    /// It is unknown whether a lower or a higher value is better.
    UnknownDirection,
    /// The metric is a percentile of too few values, or the maximum.
    Tail,
}

/// Returns the margin that pairs are tested against, as a distance: 2%, or the user's limit if that is lower.
fn margin(chosen: Option<f64>) -> f64 {
    chosen
        .filter(|chosen| (FINEST..SLOWER).contains(chosen))
        .unwrap_or(SLOWER)
}

impl Evidence {
    /// True if a gate applies to the metric, so that a change or a value can fail it.
    pub fn is_gated(&self) -> bool {
        self.not_gated().is_none()
    }

    /// Returns the user's limit, converted to a distance.
    pub(crate) fn chosen_distance(&self) -> Option<f64> {
        match self.rule {
            Rule::Limit(limit) if self.limits.is_chosen => {
                distance_of_limit(self.direction(), limit)
            }
            _ => None,
        }
    }

    /// Returns the margin that pairs are tested against, as a distance: 2%, or the user's limit if that is lower.
    pub(crate) fn margin(&self) -> f64 {
        margin(self.chosen_distance())
    }

    /// Returns why the metric is not gated; `None` if it is gated.
    pub fn not_gated(&self) -> Option<NotGated> {
        match self.rule {
            _ if self.budget.is_some() => None,
            Rule::Report => Some(self.exempt.unwrap_or(NotGated::Informational)),
            Rule::Equal | Rule::Budget => None,
            _ if self.tail.is_some() => Some(NotGated::Tail),
            _ => (self.direction() == Direction::Unknown).then_some(NotGated::UnknownDirection),
        }
    }
}

/// Gathers the evidence for a comparison. Holds the config, and everything that does not depend on a single metric.
#[derive(Clone)]
pub struct Gatherer<'c> {
    pub(crate) config: &'c Config,
    pub(crate) thresholds: &'c Thresholds,
    pub(crate) paired: bool,
    /// True if some of the rows are pairs and some are not, according to their methodology.
    is_partly_paired: bool,
    /// The number of confirmation runs on this machine. They come before the runs on other machines.
    pub(crate) runs_here: usize,
    /// All gates in the config or, after [`Self::for_scenario`], the gates that cover the scenario.
    pub(crate) gates: Vec<&'c Gate>,
}

impl<'c> Gatherer<'c> {
    /// Prepares to gather the evidence for a comparison.
    pub fn new(sides: &Sides<'_, '_>, config: &'c Config, thresholds: &'c Thresholds) -> Self {
        let mut gatherer = Self::of_gates(config, thresholds);
        let mut states = sides.current.measurements().map(is_pair);
        let first = states.next();
        gatherer.is_partly_paired = states.any(|other| Some(other) != first);
        gatherer.paired = sides.paired;
        gatherer.runs_here = sides.confirmation_runs.len();
        gatherer
    }

    /// Prepares only to look up the gates in a config, without pairs and confirmation runs.
    pub(super) fn of_gates(config: &'c Config, thresholds: &'c Thresholds) -> Self {
        Self {
            config,
            thresholds,
            paired: false,
            is_partly_paired: false,
            runs_here: 0,
            gates: config.gates.iter().flatten().collect(),
        }
    }

    /// Returns a copy with only the gates that cover a scenario, so that their patterns are not matched again for each
    /// metric.
    pub(crate) fn for_scenario(&self, side: &Measurement<'_>) -> Self {
        let mut gatherer = self.clone();
        gatherer.paired &= !self.is_partly_paired || is_pair(side);
        gatherer
            .gates
            .retain(|gate| gate.covers(side.scenario, side.family));
        gatherer
    }

    /// Returns the gate of a metric. Its rule comes from the first gate that covers the metric and the scenario and
    /// sets a rule; if there is none, the metric has its default rule, provided that the config leaves it in force. Its
    /// budget comes from the first gate that sets one. Patterns do not match derived metrics.
    pub(super) fn effective_gate(
        &self,
        metric: &Metric,
        is_derived: bool,
        sides: [&Measurement<'_>; 2],
    ) -> EffectiveGate<'c> {
        let is_positive = |name: &Name| {
            let value = sides[0].value(&self.config.metric(name), self.config);
            value.is_some_and(|value| value.as_f64() > 0.0)
        };
        let mut with_rule = None;
        let mut with_budget = None;
        for &gate in &self.gates {
            let is_included = gate.looks_at(&metric.name)
                && !(is_derived && gate.is_pattern())
                && (!gate.is_for_usual_metrics || metric.default_gate == Some(GateRule::Limit))
                && gate.requires.as_ref().is_none_or(is_positive);
            if is_included && with_rule.is_none() && gate.rule.is_some() {
                with_rule = Some(gate);
            }
            if is_included && with_budget.is_none() {
                with_budget = budget(gate, metric).map(|budget| (gate, budget));
            }
        }
        let leaves_default = self.config.leaves_default(&metric.name, sides[0].scenario);
        let mut effective = if with_rule.is_none() && leaves_default {
            self.default_gate(metric, is_derived, sides)
        } else {
            self.rule(with_rule.and_then(|gate| gate.rule), with_rule, metric)
        };
        if with_rule.is_some() && effective.exempt.is_some() && self.is_replaced(metric, sides) {
            effective.exempt = Some(NotGated::Quieter(Instrument::Cpu));
        }
        if let Some((gate, budget)) = with_budget {
            if effective.rule == Rule::Report {
                effective.rule = Rule::Budget;
                effective.gate = Some(gate);
                effective.reference = gate.reference.clone();
            }
            effective.budget = Some((budget, gate.reference.clone()));
        }
        effective
    }

    /// Returns the metric's default gate. If pairs were measured with several clocks, only the quietest clock is gated,
    /// unless a gate in the config chooses a clock. Next to a quieter clock, processor time may also be gated, with a
    /// floor.
    fn default_gate(
        &self,
        metric: &Metric,
        is_derived: bool,
        sides: [&Measurement<'_>; 2],
    ) -> EffectiveGate<'c> {
        let is_unknown = metric.meaning.direction == Direction::Unknown;
        let mut gate = metric.default_gate.filter(|_| !is_derived);
        let mut exempt = if is_derived {
            NotGated::Derived
        } else if is_unknown {
            NotGated::UnknownDirection
        } else if is_noise(&metric.name) || self.is_counter(metric) {
            NotGated::Noise
        } else {
            NotGated::Informational
        };
        let mut least_growth = None;
        let is_default = |name: &&str| self.config.leaves_default(name, sides[0].scenario);
        let rows = sides.map(|side| side.rows.as_slice());
        if self.paired
            && let Some(names) = instrument::family(&metric.name)
            && names.iter().all(is_default)
            && let Some(quietest) = instrument::quietest(names, rows)
        {
            exempt = NotGated::Quieter(quietest);
            let mut is_gated = names[quietest as usize] == &*metric.name;
            if quietest != Instrument::Cpu && names[0] == &*metric.name {
                // Background load can hide growth in wall time that processor time shows.
                let limit = self.thresholds.limit.ln_1p();
                let chosen = self.thresholds.is_limit_chosen.then_some(limit);
                least_growth = instrument::least_growth(names, rows, margin(chosen));
                is_gated |= least_growth.is_some();
            }
            gate = is_gated.then_some(GateRule::Limit);
        }
        let mut effective = self.rule(gate, None, metric);
        effective.limits.floor = effective.limits.floor.or(least_growth);
        effective.exempt = gate.is_none().then_some(exempt);
        effective
    }

    /// True if the config gates processor time instead of this time, and both sides measured processor time.
    fn is_replaced(&self, metric: &Metric, sides: [&Measurement<'_>; 2]) -> bool {
        let Some([cpu, ..]) = instrument::family(&metric.name) else {
            return false;
        };
        let of_cpu = self.config.metric(cpu);
        let is_measured = |side: &&Measurement<'_>| side.value(&of_cpu, self.config).is_some();
        let gates = self.gates.iter();
        let mut of_cpu_time = gates.filter(|gate| gate.looks_at(cpu) && gate.requires.is_none());
        let rule = of_cpu_time.find_map(|gate| gate.rule);
        *cpu != &*metric.name
            && rule.is_some_and(|rule| rule != GateRule::None)
            && sides.iter().all(is_measured)
    }

    /// True for a counter that comes from a tool and is not listed in the config, such as the processor's cache misses.
    fn is_counter(&self, metric: &Metric) -> bool {
        matches!(metric.meaning.unit, Unit::Count | Unit::Percent)
            && !self.config.lists_metric(&metric.name)
    }

    fn rule(
        &self,
        rule: Option<GateRule>,
        gate: Option<&'c Gate>,
        metric: &Metric,
    ) -> EffectiveGate<'c> {
        let limit = gate.and_then(|gate| gate.limit);
        let is_limit = rule == Some(GateRule::Limit);
        let unit = metric.meaning.unit;
        let mut floor = gate.and_then(|gate| gate.floor.as_ref()?.in_unit(unit));
        if floor.is_none() && is_limit && unit == Unit::Bytes {
            floor = Some(HALF_A_BYTE);
        }
        let limits = Limits {
            warn: gate.and_then(|gate| gate.warn),
            floor,
            is_chosen: limit.is_some() || (is_limit && self.thresholds.is_limit_chosen),
        };
        let rule = match rule {
            None | Some(GateRule::None) => Rule::Report,
            Some(GateRule::Exact) => Rule::Exact,
            Some(GateRule::Count) => Rule::Count(limit.unwrap_or(DEFAULT_GROWTH)),
            Some(GateRule::Equal) => Rule::Equal,
            Some(GateRule::Limit) => Rule::Limit(limit.unwrap_or(self.thresholds.limit)),
        };
        let reference = gate.map(|gate| gate.reference.clone()).unwrap_or_default();
        let exempt = (rule == Rule::Report).then_some(NotGated::NoGate);
        EffectiveGate {
            rule,
            limits,
            gate,
            reference,
            budget: None,
            exempt,
        }
    }
}

/// True if the methodology of the rows says that they are pairs.
fn is_pair(measured: &Measurement<'_>) -> bool {
    measured
        .methodology()
        .is_some_and(|method| method.contains(RANDOM_ORDER))
}

/// Converts a gate's budget to the metric's unit. Returns `None` if the units do not match.
pub(crate) fn budget(gate: &Gate, metric: &Metric) -> Option<Budget> {
    let budget = gate.budget?;
    let [max, min] = [budget.max, budget.min].map(|end| end?.in_unit(metric.meaning.unit));
    (max.is_some() || min.is_some()).then_some(Budget { max, min })
}

/// Returns the largest usual growth between consecutive earlier counts, as a share, but at least [`DEFAULT_GROWTH`].
/// The counts are oldest first, and only the `last` ones are used. With fewer than `fewest`, the default is returned.
pub(crate) fn usual_growth(counts: &[f64], last: usize, fewest: usize) -> f64 {
    let used = &counts[counts.len().saturating_sub(last)..];
    if used.len() < fewest {
        return DEFAULT_GROWTH;
    }
    let logarithms: Vec<f64> = used
        .iter()
        .filter(|count| **count > 0.0)
        .map(|count| count.ln())
        .collect();
    let ordered = sorted(&steps(&logarithms));
    let quartiles = quantile(&ordered, 0.25).zip(quantile(&ordered, 0.75));
    quartiles.map_or(DEFAULT_GROWTH, |(first, third)| {
        DEFAULT_GROWTH.max((third + 3.0 * (third - first)).exp_m1())
    })
}
