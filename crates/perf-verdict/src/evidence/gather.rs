//! Gathers the evidence for each metric from both sides, the history and the confirmation runs.
//!
//! Rows are compared only within a scenario and scope, and times only within a machine type and methodology. A side
//! that states neither matches any.

use std::sync::Arc;

use crate::statistics::order::{middle, scale};
use indexmap::IndexMap;
use perf_config::{Config, Gate, Reference};
use perf_model::methodology::shared_output;
use perf_model::metric::{Direction, Metric, Unit, quantile_of};
use perf_model::row::{Name, Value};
use perf_model::suite::{Definitions, Measurement};

use super::budget::Budgeted;
use super::launches::{self, Launch, Launches};
use super::obstacle::{self, Obstacle};
use super::resolution;
use super::runs::{BASELINE, ByScenario, Earlier, ScopeRuns};
use super::tail::{self, Tail};
use super::{Evidence, ExtraEvidence, Iterations};
use crate::cost_scale::{cost, share};
use crate::thresholds::Thresholds;
use crate::verdict::Rule;

/// Metrics with the number of values in a percentile, unless the gate specifies one.
const COUNTS_OF_VALUES: [&str; 6] = [
    "requests",
    "iterations",
    "samples",
    "count",
    "values",
    "totalCount",
];

/// Gathers the evidence for the metrics of scenarios.
pub(crate) struct Gatherer<'c> {
    pub(crate) config: &'c Config,
    pub(crate) thresholds: &'c Thresholds,
    pub(crate) paired: bool,
    /// The gates that cover the scenario; their patterns are matched once, not for each metric.
    pub(crate) gates: Vec<&'c Gate>,
}

impl<'c> Gatherer<'c> {
    /// Prepares one scenario with the gates that cover it.
    pub(crate) fn new(
        (config, thresholds, paired): (&'c Config, &'c Thresholds, bool),
        gates: impl IntoIterator<Item = &'c Gate>,
        side: &Measurement<'_>,
    ) -> Self {
        let gates = gates
            .into_iter()
            .filter(|gate| gate.covers(side.scenario, side.family))
            .collect();
        Self {
            config,
            thresholds,
            paired,
            gates,
        }
    }

    /// Gathers the evidence for one metric. The baseline and the series are as in [`ScopeRuns::series`].
    pub(crate) fn evidence<'s, 'r>(
        &self,
        metric: &Arc<Metric>,
        current: &Measurement<'r>,
        (run, baseline): Earlier<'_, 'r>,
        series: &[Earlier<'s, 'r>],
        data: &ScopeRuns<'s, 'r>,
    ) -> Evidence {
        let rows = baseline.rows.len() + current.rows.len();
        let usable = [baseline, current].map(|side| launches::usable(side, metric));
        let baseline = usable[0].as_ref().unwrap_or(baseline);
        let current = usable[1].as_ref().unwrap_or(current);
        let source = baseline.source_of(metric, self.config);
        let is_derived = source.is_some() && current.source_of(metric, self.config) == source;
        let mut gate = self.effective_gate(metric, is_derived, current, baseline);
        if let (Rule::Limit(_), None) = (gate.rule, gate.limits.floor) {
            gate.limits.floor = resolution::floor([baseline, current], metric);
        }
        if let Rule::Count(limit) = &mut gate.rule {
            *limit = limit
                .max(spread(current, metric))
                .max(spread(baseline, metric));
        }
        let reference = gate.reference;
        let sources = MetricSources {
            config: self.config,
            paired: self.paired,
            metric,
            reference,
            current,
            baseline,
            run,
            series,
            data,
        };
        let judged = zero_if_omitted(sources.numbers(reference), metric, [baseline, current]);
        // The difference after a subtraction is shown; a quotient is not, because nobody measured it.
        let shown = if reference.relative_to.is_none() {
            judged
        } else {
            (sources.value(baseline), sources.value(current))
        };
        let budget = gate.budget.map(|(budget, of)| {
            let is_judged = of == reference;
            let (baseline, current) = if is_judged {
                judged
            } else {
                sources.numbers(of)
            };
            Box::new(Budgeted {
                budget,
                reference: of.clone(),
                is_judged,
                baseline,
                current,
            })
        });
        let mut evidence = Evidence {
            rule: gate.rule,
            limits: gate.limits,
            baseline: judged.0,
            current: judged.1,
            shown,
            relative_to: reference.relative_to.clone().map(Box::new),
            minus: reference.minus.clone().map(Box::new),
            budget,
            derived_from: source.filter(|_| is_derived).cloned().map(Box::new),
            older: (run != BASELINE).then(|| baseline.commit().into()),
            outcome: current.outcome(),
            obstacle: None,
            exempt: gate.exempt,
            tail: None,
            extra: None,
            metric: Arc::clone(metric),
        };
        evidence.obstacle = sources.obstacle(&evidence);
        evidence.tail = self.tail(&evidence, gate.gate, current, baseline);
        let mut extra = sources.extra(evidence.rule);
        extra.dropped = rows - baseline.rows.len() - current.rows.len();
        if !extra.is_empty() {
            evidence.extra = Some(Box::new(extra));
        }
        evidence
    }

    /// Why a percentile is informational: too few values, or an unknown number of them.
    fn tail(
        &self,
        evidence: &Evidence,
        gate: Option<&Gate>,
        current: &Measurement<'_>,
        baseline: &Measurement<'_>,
    ) -> Option<Box<Tail>> {
        if let Rule::Report | Rule::Budget | Rule::Equal = evidence.rule {
            return None;
        }
        let quantile = quantile_of(&evidence.metric.name)?;
        // The side with fewer values decides.
        let mut values: Option<f64> = None;
        for side in [current, baseline] {
            let count = |name: &str| side.value(&self.config.metric(name), self.config);
            let of_side = match gate.and_then(|gate| gate.values.as_ref()) {
                Some(name) => count(name),
                None => COUNTS_OF_VALUES.into_iter().find_map(count),
            };
            if let Some(of_side) = of_side.map(Value::as_f64) {
                values = Some(values.map_or(of_side, |least| least.min(of_side)));
            }
        }
        tail::insufficient(quantile, values, gate.is_some()).map(Box::new)
    }
}

/// Everything that was measured of one metric in one scenario.
struct MetricSources<'m, 's, 'r> {
    config: &'m Config,
    paired: bool,
    metric: &'m Metric,
    reference: &'m Reference,
    current: &'m Measurement<'r>,
    baseline: &'m Measurement<'r>,
    /// The index of the baseline's run.
    run: usize,
    series: &'m [Earlier<'s, 'r>],
    data: &'m ScopeRuns<'s, 'r>,
}

impl<'s, 'r> MetricSources<'_, 's, 'r> {
    fn value(&self, side: &Measurement<'_>) -> Option<Value> {
        side.value(self.metric, self.config)
    }

    fn plain(&self, side: &Measurement<'_>) -> Option<f64> {
        self.value(side).map(Value::as_f64)
    }

    /// The baseline's and the current number, minus or divided by the reference scenarios of their scope.
    fn numbers(&self, reference: &Reference) -> (Option<Value>, Option<Value>) {
        let before = self.number(self.baseline, reference, &|name| {
            self.data.in_run(self.run, name)
        });
        let now = self.number(self.current, reference, &|name| {
            self.data.current.get(name).copied()
        });
        (before, now)
    }

    fn number(
        &self,
        side: &Measurement<'_>,
        reference: &Reference,
        find: &dyn Fn(&Name) -> Option<&'s Measurement<'r>>,
    ) -> Option<Value> {
        let own = self.value(side)?;
        if reference.is_none() {
            return Some(own);
        }
        Value::new(self.derived(own.as_f64(), reference, find)?)
    }

    /// Subtracts `minus` from the number and from `relative_to`, and divides the two. `None` if one was not measured or
    /// nothing remains.
    fn derived(
        &self,
        own: f64,
        reference: &Reference,
        find: &dyn Fn(&Name) -> Option<&'s Measurement<'r>>,
    ) -> Option<f64> {
        let minus = match &reference.minus {
            Some(name) => self.plain(find(name)?)?,
            None => 0.0,
        };
        let is_left = |number: f64| reference.minus.is_none() || number > 0.0;
        let own = Some(own - minus).filter(|own| is_left(*own))?;
        let Some(name) = &reference.relative_to else {
            return Some(own);
        };
        let divisor = self.plain(find(name)?)? - minus;
        is_left(divisor).then_some(own / divisor)
    }

    fn obstacle(&self, evidence: &Evidence) -> Option<Obstacle> {
        let (metric, reference) = (self.metric, self.reference);
        let (baseline, current) = (self.baseline, self.current);
        if self.may_have_been_zero(evidence) {
            return Some(Obstacle::MayHaveBeenZero);
        }
        if let Some(file) = baseline.methodology().and_then(shared_output) {
            return Some(Obstacle::SharedOutput(file.into()));
        }
        if reference.relative_to.is_none()
            && let Some(unlike) = obstacle::between(metric, evidence.rule, baseline, current)
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
        let is_lost = evidence.baseline.is_none() || evidence.current.is_none();
        let is_measured = |side: &Measurement<'_>| self.value(side).is_some();
        if !is_lost || !is_measured(current) || !is_measured(baseline) {
            return None;
        }
        for name in reference.names() {
            let current = self.data.current.get(name).copied();
            for side in [self.data.in_run(self.run, name), current] {
                if !side.is_some_and(is_measured) {
                    return Some(Obstacle::NoReference(Name::clone(name)));
                }
            }
        }
        match (&reference.minus, &reference.relative_to) {
            (Some(minus), _) => Some(Obstacle::NothingLeft(Name::clone(minus))),
            (None, relative_to) => relative_to.clone().map(Obstacle::NoReference),
        }
    }

    /// True for a count that appears in this benchmark, while the baseline contains it for other benchmarks: it was
    /// zero, or is reported now. A count that is new in all benchmarks was not measured before.
    fn may_have_been_zero(&self, evidence: &Evidence) -> bool {
        let name = &self.metric.name;
        let appears =
            evidence.baseline.is_none() && evidence.current.is_some_and(|now| now != Value::Int(0));
        if !appears
            || !self.reference.is_none()
            || !is_cost_count(self.metric, [self.baseline, self.current])
        {
            return false;
        }
        // A layout column has a cell in every row, which shows whether the metric was measured.
        let is_column = self.config.layouts.iter().flatten().any(|one| one == name);
        !is_column && self.data.is_measured_before(name)
    }

    fn extra(&self, rule: Rule) -> ExtraEvidence {
        let (runs, history) = self.history(rule).into_iter().unzip();
        let mut extra = ExtraEvidence {
            history,
            runs,
            ..ExtraEvidence::default()
        };
        let is_several = self.current.rows.len() > 1 || self.baseline.rows.len() > 1;
        if self.reference.is_none() && (self.paired || is_several) {
            let sides = [self.baseline, self.current].map(launches::by_launch);
            extra.iterations = self.iterations(&sides);
            let [base, now] = [&sides[0], &sides[1]].map(|side| self.launches(side));
            if self.paired {
                let middles = launches::in_pairs(&base, &now);
                let [base, now] = [&sides[0], &sides[1]]
                    .map(|side| launches::quickest_samples(side, self.metric));
                let quickest = launches::in_pairs(&base, &now);
                if quickest.len() == middles.len() {
                    (extra.pairs, extra.middles) = (quickest, middles);
                } else {
                    extra.pairs = middles;
                }
            } else {
                extra.base_launches = base.into_values().collect();
                extra.current_launches = now.into_values().collect();
                self.use_baseline_as_history(&mut extra);
            }
        }
        for run in &self.data.confirmation_runs {
            extra.confirmation_runs.push(self.confirmation_run(run));
        }
        extra
    }

    /// If there are too few earlier values, also uses the baseline's process runs as history: together they show the
    /// noise.
    fn use_baseline_as_history(&self, extra: &mut ExtraEvidence) {
        let (policy, runs) = (&self.config.history, extra.base_launches.len());
        if policy.is_rerun && extra.history.len() < policy.least && runs >= policy.least {
            extra.history.clone_from(&extra.base_launches);
            extra.runs = (0..runs).collect();
        }
    }

    /// The earlier numbers, each with the index of its run.
    fn history(&self, rule: Rule) -> Vec<(usize, f64)> {
        let is_plain = self.reference.is_none();
        let is_compiled = is_plain && obstacle::is_compiled(self.metric, rule);
        let mut numbers = Vec::with_capacity(self.series.len());
        for (run, earlier) in self.series {
            // Counts from other toolchains are left out.
            if is_compiled && obstacle::has_other_toolchain(earlier, self.current) {
                continue;
            }
            let mut number = self.plain(earlier);
            if !is_plain {
                // A quotient needs both rows from one run under the same conditions.
                let find = |name: &Name| {
                    let other = self.data.in_run(*run, name)?;
                    other.unlike(earlier).is_none().then_some(other)
                };
                number = number
                    .and_then(|own| self.derived(own, self.reference, &find))
                    .filter(|number| number.is_finite());
            }
            numbers.extend(number.map(|number| (*run, number)));
        }
        numbers
    }

    /// The process runs of a confirmation run, or its single number.
    fn confirmation_run(&self, run: &ByScenario<'s, 'r>) -> Vec<f64> {
        let Some(rerun) = run.get(self.current.scenario) else {
            return Vec::new();
        };
        let number = self.number(rerun, self.reference, &|name| run.get(name).copied());
        // A run on another machine type cannot confirm anything.
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

    /// The numbers of process runs, in order.
    fn launches(&self, side: &Launches<'_>) -> IndexMap<Launch, f64> {
        side.iter()
            .filter_map(|(launch, rows)| Some((*launch, self.plain(rows)?)))
            .collect()
    }

    /// Each side's iterations within process runs; `None` if each number is from its own process run.
    fn iterations(&self, sides: &[Launches<'_>; 2]) -> Option<Box<[Iterations; 2]>> {
        let sides = [&sides[0], &sides[1]].map(|side| self.iterations_of(side));
        let is_any = sides.iter().any(|side| side.count > 0);
        is_any.then(|| Box::new(sides))
    }

    fn iterations_of(&self, side: &Launches<'_>) -> Iterations {
        let mut launches = 0;
        let mut distances = Vec::new();
        for ((number, _), rows) in side {
            // A row without a launch number is its own process run.
            if number.is_none() {
                continue;
            }
            let mut costs = Vec::with_capacity(rows.rows.len());
            for row in &rows.rows {
                let number = self.plain(&launches::part(rows, vec![*row]));
                costs.extend(number.and_then(|number| cost(self.metric.meaning.direction, number)));
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

/// Both numbers, with zero for a missing failure count: tools print it only if there are failures.
fn zero_if_omitted(
    (before, now): (Option<Value>, Option<Value>),
    metric: &Metric,
    sides: [&Measurement<'_>; 2],
) -> (Option<Value>, Option<Value>) {
    let zero = Some(Value::Int(0));
    let may_be_zero = metric.is_omitted_if_zero() && is_cost_count(metric, sides);
    match (before, now) {
        (None, Some(_)) if may_be_zero => (zero, now),
        (Some(_), None) if may_be_zero => (before, zero),
        both => both,
    }
}

/// True for an exact cost count in a benchmark that both sides measured.
fn is_cost_count(metric: &Metric, sides: [&Measurement<'_>; 2]) -> bool {
    let is_measured = |side: &Measurement<'_>| side.rows.iter().any(|row| !row.metrics.is_empty());
    metric.meaning.exact
        && metric.meaning.unit == Unit::Count
        && metric.meaning.direction == Direction::Lower
        && sides.into_iter().all(is_measured)
}

/// The spread of repeated counts relative to the lowest, from `instructions` and `instructions.upper`.
fn spread(side: &Measurement<'_>, metric: &Metric) -> f64 {
    let value = |name: &str| {
        side.rows
            .iter()
            .find_map(|row| row.metrics.get(name))
            .map(Value::as_f64)
    };
    let both = value(&metric.name).zip(value(&format!("{}.upper", metric.name)));
    both.filter(|(least, _)| *least > 0.0)
        .map_or(0.0, |(least, most)| (most - least) / least)
}
