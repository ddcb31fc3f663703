//! Gathers the evidence for each metric from both sides, the history and the confirmation runs.
//!
//! Rows are compared only within the same scenario and scope. Times are compared only within the same machine type and
//! methodology; if a side does not state these, any value matches.

use std::sync::Arc;

use crate::statistics::order::{middle, scale};
use indexmap::IndexMap;
use perf_config::{Gate, Reference};
use perf_model::methodology::shared_output;
use perf_model::metric::{Direction, Metric, Unit, quantile_of};
use perf_model::row::{Name, Value};
use perf_model::suite::{Definitions, Measurement};

use super::gate::{Budgeted, Gatherer, usual_growth};
use super::launches::{self, Launch, Launches};
use super::obstacle::{self, Obstacle};
use super::runs::{Earlier, ScopeRuns};
use super::tail::Tail;
use super::{Evidence, ExtraEvidence, Iterations};
use crate::cost_scale::{cost, share};
use crate::verdict::Rule;

/// Metrics that contain the number of values that a percentile was computed from. They are tried in this order, unless
/// the gate sets one.
const COUNTS_OF_VALUES: [&str; 6] = [
    "requests",
    "iterations",
    "samples",
    "count",
    "values",
    "totalCount",
];

impl Gatherer<'_> {
    /// Gathers the evidence for one metric. `series` is the result of [`ScopeRuns::series`] for `current` and the
    /// baseline.
    pub(crate) fn evidence<'s, 'r>(
        &self,
        metric: &Arc<Metric>,
        current: &Measurement<'r>,
        (run, baseline): Earlier<'_, 'r>,
        series: &[Earlier<'s, 'r>],
        runs: &ScopeRuns<'s, 'r>,
    ) -> Evidence {
        let rows = baseline.rows.len() + current.rows.len();
        let usable = [baseline, current].map(|side| launches::usable(side, metric));
        let baseline = usable[0].as_ref().unwrap_or(baseline);
        let current = usable[1].as_ref().unwrap_or(current);
        let source = baseline.source_of(metric, self.config);
        let is_derived = source.is_some() && current.source_of(metric, self.config) == source;
        let mut gate = self.effective_gate(metric, is_derived, [baseline, current]);
        match &mut gate.rule {
            Rule::Limit(_) if gate.limits.floor.is_none() => {
                gate.limits.floor = launches::clock_resolution([baseline, current], metric);
            }
            Rule::Count(limit) => {
                let spread = spread(current, metric).max(spread(baseline, metric));
                *limit = limit.max(spread);
            }
            _ => {}
        }
        let reference = &gate.reference;
        let sources = MetricSources {
            gatherer: self,
            metric,
            reference,
            current,
            baseline,
            run,
            series,
            runs,
        };
        let judged = sources.numbers(reference);
        // A difference is displayed after the subtraction. A quotient is not displayed, because nobody measured it.
        let shown = if reference.relative_to.is_none() {
            judged
        } else {
            (sources.value(baseline), sources.value(current))
        };
        let budget = gate.budget.map(|(budget, of)| {
            let (baseline, current) = sources.numbers(&of);
            Budgeted {
                budget,
                reference: of,
                baseline,
                current,
            }
        });
        let mut extra = sources.extra(gate.rule);
        if let Rule::Count(limit) = &mut gate.rule
            && !gate.limits.is_chosen
        {
            let policy = &self.config.history;
            *limit = limit.max(usual_growth(&extra.history, policy.last, policy.least));
        }
        extra.dropped = rows - baseline.rows.len() - current.rows.len();
        Evidence {
            rule: gate.rule,
            limits: gate.limits,
            baseline: judged.0,
            current: judged.1,
            shown,
            reference: reference.clone(),
            budget,
            derived_from: source.filter(|_| is_derived).cloned(),
            older: (run != runs.baseline).then(|| baseline.commit().to_owned()),
            outcome: current.outcome(),
            obstacle: sources.obstacle(judged, gate.rule),
            exempt: gate.exempt,
            tail: sources.tail(gate.rule, gate.gate),
            extra,
            metric: Arc::clone(metric),
        }
    }
}

/// Everything that was measured for one metric in one scenario.
struct MetricSources<'m, 's, 'r> {
    gatherer: &'m Gatherer<'m>,
    metric: &'m Metric,
    reference: &'m Reference,
    current: &'m Measurement<'r>,
    baseline: &'m Measurement<'r>,
    /// The index of the run that contains [`Self::baseline`].
    run: usize,
    series: &'m [Earlier<'s, 'r>],
    runs: &'m ScopeRuns<'s, 'r>,
}

impl MetricSources<'_, '_, '_> {
    fn value(&self, side: &Measurement<'_>) -> Option<Value> {
        side.value(self.metric, self.gatherer.config)
    }

    /// Returns the baseline value and the current value, each after applying the reference scenarios of its own run.
    fn numbers(&self, reference: &Reference) -> (Option<Value>, Option<Value>) {
        let before = self.number(self.baseline, self.run, reference);
        let now = self.number(self.current, self.runs.current(), reference);
        let is_one_missing = before.is_some() != now.is_some();
        if is_one_missing && self.metric.is_omitted_if_zero() && self.is_cost_count() {
            // Tools print a failure count only if there are failures, so a missing count is zero.
            let zero = Some(Value::Int(0));
            return (before.or(zero), now.or(zero));
        }
        (before, now)
    }

    /// Returns one side's value after applying the reference scenarios, which are taken from `run`. If `minus` is set,
    /// its value is subtracted. If `relative_to` is set, the value is then divided by that scenario's value, from which
    /// `minus` is also subtracted. Returns `None` if one of the scenarios was not measured, or if nothing remains after
    /// a subtraction.
    fn number(&self, side: &Measurement<'_>, run: usize, reference: &Reference) -> Option<Value> {
        let own = self.value(side)?;
        if reference.is_none() {
            return Some(own);
        }
        let other = |name: &Name| Some(self.value(self.runs.in_run(run, name)?)?.as_f64());
        let minus = match &reference.minus {
            Some(name) => other(name)?,
            None => 0.0,
        };
        let mut number = own.as_f64() - minus;
        let mut is_left = number > 0.0;
        if let Some(name) = &reference.relative_to {
            let divisor = other(name)? - minus;
            is_left &= divisor > 0.0;
            number /= divisor;
        }
        let is_usable = reference.minus.is_none() || is_left;
        Value::new(number).filter(|_| is_usable)
    }

    fn obstacle(
        &self,
        (before, now): (Option<Value>, Option<Value>),
        rule: Rule,
    ) -> Option<Obstacle> {
        let (metric, reference) = (self.metric, self.reference);
        let (baseline, current) = (self.baseline, self.current);
        if before.is_none() && now.is_some_and(|now| now != Value::Int(0)) && self.may_appear() {
            return Some(Obstacle::MayHaveBeenZero);
        }
        if let Some(file) = baseline.methodology().and_then(shared_output) {
            return Some(Obstacle::SharedOutput(file.into()));
        }
        if reference.relative_to.is_none()
            && let Some(unlike) = obstacle::between(metric, rule, baseline, current)
        {
            return Some(unlike);
        }
        for side in [current, baseline] {
            if let Some(counts) = launches::unusable(side, metric) {
                return Some(Obstacle::FewPositive(counts));
            }
        }
        if let Some(doubt) = obstacle::contradiction(&metric.name, [current, baseline]) {
            return Some(doubt);
        }
        let is_measured = |side: &Measurement<'_>| self.value(side).is_some();
        let is_lost = before.is_none() || now.is_none();
        if !is_lost || !is_measured(current) || !is_measured(baseline) {
            return None;
        }
        for name in reference.names() {
            for run in [self.run, self.runs.current()] {
                if !self.runs.in_run(run, name).is_some_and(is_measured) {
                    return Some(Obstacle::NoReference(Name::clone(name)));
                }
            }
        }
        match (&reference.minus, &reference.relative_to) {
            (Some(minus), _) => Some(Obstacle::NothingLeft(Name::clone(minus))),
            (None, relative_to) => relative_to.clone().map(Obstacle::NoReference),
        }
    }

    /// True for a count that the baseline contains only for other benchmarks. If the count appears in this benchmark,
    /// it may have been zero before, or it may not have been reported. A count that is new in all benchmarks was not
    /// measured before.
    fn may_appear(&self) -> bool {
        let name = &self.metric.name;
        // In a layout, every row has a cell for the metric, which shows whether the metric was measured.
        let mut columns = self.gatherer.config.layouts.iter().flatten();
        self.reference.is_none()
            && self.is_cost_count()
            && !columns.any(|column| column == name)
            && self.runs.measured_before.contains(name)
    }

    /// True for an exact count whose lower values are better, in a benchmark that both sides measured.
    fn is_cost_count(&self) -> bool {
        let is_measured =
            |side: &Measurement<'_>| side.rows.iter().any(|row| !row.metrics.is_empty());
        let meaning = &self.metric.meaning;
        meaning.exact
            && meaning.unit == Unit::Count
            && meaning.direction == Direction::Lower
            && is_measured(self.baseline)
            && is_measured(self.current)
    }

    /// Returns why a percentile is informational: it is computed from too few values, or from an unknown number of
    /// values.
    fn tail(&self, rule: Rule, gate: Option<&Gate>) -> Option<Tail> {
        if let Rule::Report | Rule::Budget | Rule::Equal = rule {
            return None;
        }
        let quantile = quantile_of(&self.metric.name)?;
        let config = self.gatherer.config;
        let mut values = Vec::new();
        for side in [self.current, self.baseline] {
            let count = |name: &str| side.value(&config.metric(name), config);
            let of_side = match gate.and_then(|gate| gate.values.as_ref()) {
                Some(name) => count(name),
                None => COUNTS_OF_VALUES.into_iter().find_map(count),
            };
            values.extend(of_side.map(Value::as_f64));
        }
        // The side with fewer values determines whether they suffice.
        let values = values.into_iter().min_by(f64::total_cmp);
        Tail::insufficient(quantile, values, gate.is_some())
    }

    fn extra(&self, rule: Rule) -> ExtraEvidence {
        let mut extra = ExtraEvidence::default();
        let is_plain = self.reference.is_none();
        let is_compiled = is_plain && obstacle::is_compiled(self.metric, rule);
        for (run, earlier) in self.series {
            // Leave out counts from other toolchains, and quotients of rows that were measured under different
            // conditions.
            let is_other_build =
                is_compiled && obstacle::has_other_toolchain(earlier, self.current);
            let names = self.reference.names();
            let mut others = names.filter_map(|name| self.runs.in_run(*run, name));
            if is_other_build || others.any(|other| other.unlike(earlier).is_some()) {
                continue;
            }
            if let Some(number) = self.number(earlier, *run, self.reference) {
                extra.runs.push(*run);
                extra.history.push(number.as_f64());
            }
        }
        let paired = self.gatherer.paired;
        let is_several = self.current.rows.len() > 1 || self.baseline.rows.len() > 1;
        if is_plain && (paired || is_several) {
            let sides = [self.baseline, self.current].map(launches::by_launch);
            let iterations = sides.each_ref().map(|side| self.iterations(side));
            // Otherwise, each value is from its own process run.
            if iterations.iter().any(|side| side.count > 0) {
                extra.iterations = Some(iterations);
            }
            let [base, now] = sides.each_ref().map(|side| self.launches(side));
            if paired {
                extra.pairs = launches::in_pairs(&base, &now);
                let quickest = sides.map(|side| launches::quickest_samples(&side, self.metric));
                let quickest = launches::in_pairs(&quickest[0], &quickest[1]);
                if quickest.len() == extra.pairs.len() {
                    extra.middles = std::mem::replace(&mut extra.pairs, quickest);
                }
            } else {
                extra.base_launches = base.into_values().collect();
                extra.current_launches = now.into_values().collect();
                // If there are too few earlier values, the baseline's process runs together show the noise.
                let (policy, runs) = (&self.gatherer.config.history, extra.base_launches.len());
                let is_short = extra.history.len() < policy.least;
                if policy.is_rerun && is_short && runs >= policy.least {
                    extra.history.clone_from(&extra.base_launches);
                    extra.runs = (0..runs).collect();
                }
            }
        }
        let confirmation_runs = self.runs.confirmation_runs();
        extra.confirmation_runs = confirmation_runs
            .map(|run| self.confirmation_run(run))
            .collect();
        extra
    }

    /// Returns a confirmation run's values by process run, or its single value. Returns nothing if the run cannot
    /// confirm this metric.
    fn confirmation_run(&self, run: usize) -> Vec<f64> {
        let Some(rerun) = self.runs.in_run(run, self.current.scenario) else {
            return Vec::new();
        };
        let number = self.number(rerun, run, self.reference);
        // A run under different conditions, such as on another machine type, cannot confirm anything.
        let Some(number) = number.filter(|_| rerun.unlike(self.current).is_none()) else {
            return Vec::new();
        };
        let launches = self.launches(&launches::by_launch(rerun));
        if launches.len() > 1 && self.reference.is_none() {
            launches.into_values().collect()
        } else {
            vec![number.as_f64()]
        }
    }

    /// Returns one side's values by process run, in order.
    fn launches(&self, side: &Launches<'_>) -> IndexMap<Launch, f64> {
        let mut numbers = IndexMap::with_capacity(side.len());
        for (launch, rows) in side {
            numbers.extend(self.value(rows).map(|number| (*launch, number.as_f64())));
        }
        numbers
    }

    /// Counts one side's iterations within process runs, and estimates their noise.
    fn iterations(&self, side: &Launches<'_>) -> Iterations {
        let mut launches = 0;
        let mut distances = Vec::new();
        for ((number, _), rows) in side {
            // A row without a launch number is treated as a separate process run.
            if number.is_none() {
                continue;
            }
            let mut costs = Vec::with_capacity(rows.rows.len());
            for row in &rows.rows {
                if let Some(number) = self.value(&launches::part(rows, vec![*row])) {
                    costs.extend(cost(self.metric.meaning.direction, number.as_f64()));
                }
            }
            if let Some(usual) = middle(&costs) {
                launches += 1;
                distances.extend(costs.iter().map(|cost| cost - usual));
            }
        }
        Iterations {
            count: distances.len(),
            launches,
            noise: scale(&distances).map(share),
        }
    }
}

/// Returns the spread of a count between repetitions, relative to the lowest count. For `instructions`, the highest
/// count is in `instructions.upper`.
fn spread(side: &Measurement<'_>, metric: &Metric) -> f64 {
    let value = |name: &str| side.rows.iter().find_map(|row| row.metrics.get(name));
    let (least, most) = (
        value(&metric.name),
        value(&format!("{}.upper", metric.name)),
    );
    match (least.map(Value::as_f64), most.map(Value::as_f64)) {
        (Some(least), Some(most)) if least > 0.0 => (most - least) / least,
        _ => 0.0,
    }
}
