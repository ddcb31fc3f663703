//! Gathers the evidence for each metric from both sides, the history and the confirmation runs.
//!
//! Rows are compared only within a scenario and scope, and times only within a machine type and methodology. A side
//! that states neither matches any.

use std::sync::Arc;

use crate::statistics::order::{middle, scale};
use indexmap::IndexMap;
use perf_config::{Config, Gate, Reference};
use perf_model::decimal::stored;
use perf_model::methodology::shared_output;
use perf_model::metric::{Direction, Metric, Unit, quantile_of};
use perf_model::row::{Name, Row, Value};
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

/// The measurements of one scenario.
pub(crate) struct Taken<'t, 's, 'r> {
    pub(crate) current: &'s Measurement<'r>,
    pub(crate) baseline: Earlier<'s, 'r>,
    /// Earlier measurements, as in [`ScopeRuns::series`].
    pub(crate) series: &'t [Earlier<'s, 'r>],
}

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
    /// Gathers the evidence for one metric.
    pub(crate) fn evidence<'s, 'r>(
        &self,
        metric: &Arc<Metric>,
        taken: &Taken<'_, 's, 'r>,
        data: &ScopeRuns<'s, 'r>,
    ) -> Evidence {
        let run = taken.baseline.0;
        let sides = [taken.baseline.1, taken.current];
        let kept = sides.map(|side| launches::usable(side, metric));
        let [baseline, current] = [0, 1].map(|at| kept[at].as_ref().map_or(sides[at], |kept| kept));
        let taken = &Taken {
            current,
            baseline: (run, baseline),
            series: taken.series,
        };
        let source = |side: &Measurement<'_>| side.source_of(metric, self.config).cloned();
        let derived_from = source(baseline).filter(|name| source(current).as_ref() == Some(name));
        let mut gate = self.effective_gate(metric, derived_from.is_some(), current, baseline);
        if let (Rule::Limit(_), None) = (gate.rule, gate.limits.floor) {
            gate.limits.floor = resolution::floor([baseline, current], metric);
        }
        let reference = gate.reference;
        let numbers = |reference: &Reference| {
            let before = self.number(baseline, metric, reference, |name| data.in_run(run, name));
            let now = self.number(current, metric, reference, |name| {
                data.current.get(name).copied()
            });
            (before, now)
        };
        let judged = numbers(reference);
        let judged = zero_if_omitted(judged, metric, [baseline, current]);
        // The difference after a subtraction is shown; a quotient is not, because nobody measured it.
        let shown = |side: &Measurement<'r>| side.value(metric, self.config);
        let is_shown = reference.relative_to.is_none();
        let shown = if is_shown {
            judged
        } else {
            (shown(baseline), shown(current))
        };
        let budget = gate.budget.map(|(budget, of)| {
            let is_judged = of == reference;
            let (baseline, current) = if is_judged { judged } else { numbers(of) };
            Box::new(Budgeted {
                budget,
                reference: of.clone(),
                is_judged,
                baseline,
                current,
            })
        });
        let mut evidence = Evidence {
            rule: above_spread(gate.rule, || {
                spread(current, metric).max(spread(baseline, metric))
            }),
            limits: gate.limits,
            baseline: judged.0,
            current: judged.1,
            shown,
            relative_to: reference.relative_to.clone().map(Box::new),
            minus: reference.minus.clone().map(Box::new),
            budget,
            derived_from: derived_from.map(Box::new),
            older: (run != BASELINE).then(|| baseline.commit().into()),
            outcome: current.outcome(),
            obstacle: None,
            exempt: gate.exempt,
            tail: None,
            extra: None,
            metric: Arc::clone(metric),
        };
        evidence.obstacle = if self.may_have_been_zero(&evidence, taken, reference, data) {
            Some(Obstacle::MayHaveBeenZero)
        } else {
            self.obstacle(&evidence, taken, reference, data)
        };
        evidence.tail = self.tail(&evidence, gate.gate, current, baseline);
        evidence.extra = self.extra(&evidence, taken, data, reference);
        let dropped: usize = sides
            .iter()
            .zip([baseline, current])
            .map(|(all, kept)| all.rows.len() - kept.rows.len())
            .sum();
        if dropped > 0 {
            evidence.extra.get_or_insert_default().dropped = dropped;
        }
        evidence
    }

    /// One side's number, minus or divided by the reference scenarios of its scope.
    fn number<'s, 'r: 's>(
        &self,
        side: &Measurement<'r>,
        metric: &Metric,
        reference: &Reference,
        find: impl Fn(&Name) -> Option<&'s Measurement<'r>>,
    ) -> Option<Value> {
        let own = side.value(metric, self.config)?;
        if reference.is_none() {
            return Some(own);
        }
        self.derived(own.as_f64(), metric, reference, find)
            .and_then(Value::new)
    }

    /// Subtracts `minus` from the number and from `relative_to`, and divides the two. `None` if one was not measured or
    /// nothing remains.
    fn derived<'s, 'r: 's>(
        &self,
        own: f64,
        metric: &Metric,
        reference: &Reference,
        find: impl Fn(&Name) -> Option<&'s Measurement<'r>>,
    ) -> Option<f64> {
        let value = |name: &Name| self.plain(find(name)?, metric);
        let minus = match &reference.minus {
            Some(name) => value(name)?,
            None => 0.0,
        };
        let rest = |number: f64| {
            Some(number - minus).filter(|rest| reference.minus.is_none() || *rest > 0.0)
        };
        match &reference.relative_to {
            Some(name) => Some(rest(own)? / rest(value(name)?)?),
            None => rest(own),
        }
    }

    fn obstacle(
        &self,
        evidence: &Evidence,
        taken: &Taken<'_, '_, '_>,
        reference: &Reference,
        data: &ScopeRuns<'_, '_>,
    ) -> Option<Obstacle> {
        let Taken {
            current,
            baseline: (run, baseline),
            ..
        } = *taken;
        if let Some(file) = baseline.methodology().and_then(shared_output) {
            return Some(Obstacle::SharedOutput(file.into()));
        }
        if reference.relative_to.is_none()
            && let Some(unlike) =
                obstacle::between(&evidence.metric, evidence.rule, baseline, current)
        {
            return Some(unlike);
        }
        let few = [current, baseline]
            .into_iter()
            .find_map(|side| launches::unusable(side, &evidence.metric));
        if let Some(counts) = few {
            return Some(Obstacle::FewPositive(counts));
        }
        if let Some(doubt) = obstacle::contradiction(&evidence.metric.name, [current, baseline]) {
            return Some(doubt);
        }
        let measured = |side: &Measurement<'_>| side.value(&evidence.metric, self.config).is_some();
        let is_lost = evidence.baseline.is_none() || evidence.current.is_none();
        if !(is_lost && measured(current) && measured(baseline)) {
            return None;
        }
        let has = |name: &Name| {
            let sides = [data.in_run(run, name), data.current.get(name).copied()];
            sides.into_iter().all(|side| side.is_some_and(measured))
        };
        let lost = reference.names().find(|name| !has(name));
        lost.map(|name| Obstacle::NoReference(Name::clone(name)))
            .or_else(|| reference.minus.clone().map(Obstacle::NothingLeft))
            .or_else(|| reference.relative_to.clone().map(Obstacle::NoReference))
    }

    /// True for a count that appears in this benchmark, while the baseline contains it for other benchmarks: it was
    /// zero, or is reported now. A count that is new in all benchmarks was not measured before.
    fn may_have_been_zero(
        &self,
        evidence: &Evidence,
        taken: &Taken<'_, '_, '_>,
        reference: &Reference,
        data: &ScopeRuns<'_, '_>,
    ) -> bool {
        let name = &evidence.metric.name;
        // A layout column has a cell in every row, which shows whether the metric was measured.
        let is_column = || {
            let mut columns = self.config.layouts.iter().flatten();
            columns.any(|column| column == name)
        };
        let appears =
            evidence.baseline.is_none() && evidence.current.is_some_and(|now| now != Value::Int(0));
        appears
            && reference.is_none()
            && is_cost_count(&evidence.metric, [taken.baseline.1, taken.current])
            && !is_column()
            && data.is_measured_before(name)
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
        let named = gate.and_then(|gate| gate.values.as_ref());
        let of_side = |side: &Measurement<'_>| {
            let count = |name: &str| side.value(&self.config.metric(name), self.config);
            match named {
                Some(name) => count(name),
                None => COUNTS_OF_VALUES.into_iter().find_map(count),
            }
        };
        // The side with fewer values decides.
        let sides = [of_side(current), of_side(baseline)].into_iter().flatten();
        let values = sides.map(Value::as_f64).min_by(f64::total_cmp);
        tail::insufficient(quantile, values, gate.is_some()).map(Box::new)
    }

    fn extra<'s, 'r>(
        &self,
        evidence: &Evidence,
        taken: &Taken<'_, 's, 'r>,
        data: &ScopeRuns<'s, 'r>,
        reference: &Reference,
    ) -> Option<Box<ExtraEvidence>> {
        let Taken {
            current,
            baseline: (_, baseline),
            series,
        } = *taken;
        let metric = &evidence.metric;
        let is_plain = reference.is_none();
        let history = if is_plain {
            self.numbers(series, current, evidence)
        } else {
            // A quotient needs both rows from one run.
            self.relative_numbers(series, data, metric, reference)
        };
        let (runs, history) = history.into_iter().unzip();
        let mut extra = ExtraEvidence {
            history,
            runs,
            ..ExtraEvidence::default()
        };
        let is_several = current.rows.len() > 1 || baseline.rows.len() > 1;
        if is_plain && (self.paired || is_several) {
            let sides = [baseline, current].map(launches::by_launch);
            extra.iterations = self.iterations(&sides, metric).map(Box::new);
            let [base, now] = [&sides[0], &sides[1]].map(|side| self.launches(side, metric));
            if self.paired {
                let middles = launches::in_pairs(&base, &now);
                let quickest =
                    [&sides[0], &sides[1]].map(|side| launches::quickest_samples(side, metric));
                match launches::in_pairs(&quickest[0], &quickest[1]) {
                    quickest if quickest.len() == middles.len() => {
                        (extra.pairs, extra.middles) = (quickest, middles);
                    }
                    _ => extra.pairs = middles,
                }
            } else {
                extra.base_launches = base.into_values().collect();
                self.count_runs(&mut extra);
                extra.current_launches = now.into_values().collect();
            }
        }
        extra.confirmation_runs = data
            .confirmation_runs
            .iter()
            .map(|run| self.repeat(run, current, metric, reference))
            .collect();
        (!extra.is_empty()).then(|| Box::new(extra))
    }

    /// If there are too few earlier values, also uses the baseline's process runs as history: together they show the
    /// noise.
    fn count_runs(&self, extra: &mut ExtraEvidence) {
        let (thresholds, runs) = (&self.config.history, extra.base_launches.len());
        if thresholds.is_rerun && extra.history.len() < thresholds.least && runs >= thresholds.least
        {
            extra.history.clone_from(&extra.base_launches);
            extra.runs = (0..runs).collect();
        }
    }

    /// A series' numbers. Counts from other toolchains are left out.
    fn numbers(
        &self,
        series: &[Earlier<'_, '_>],
        current: &Measurement<'_>,
        evidence: &Evidence,
    ) -> Vec<(usize, f64)> {
        let is_count = obstacle::is_compiled(&evidence.metric, evidence.rule);
        let differs = |earlier| is_count && obstacle::has_other_toolchain(earlier, current);
        let alike = series.iter().filter(|(_, earlier)| !differs(earlier));
        alike
            .filter_map(|(run, earlier)| Some((*run, self.plain(earlier, &evidence.metric)?)))
            .collect()
    }

    /// The number from one of several rows.
    fn single(&self, side: &Measurement<'_>, row: &Row, metric: &Metric) -> Option<f64> {
        match metric.formula {
            // There are thousands of rows, and a single one needs no median.
            None => Some(stored(row.metrics.get(&metric.name)?, metric.decimals).as_f64()),
            Some(_) => self.plain(&launches::part(side, vec![row]), metric),
        }
    }

    fn plain(&self, side: &Measurement<'_>, metric: &Metric) -> Option<f64> {
        side.value(metric, self.config).map(Value::as_f64)
    }

    /// A series' numbers relative to its references, each from one run under the same conditions.
    fn relative_numbers<'s, 'r>(
        &self,
        series: &[Earlier<'s, 'r>],
        data: &ScopeRuns<'s, 'r>,
        metric: &Metric,
        reference: &Reference,
    ) -> Vec<(usize, f64)> {
        let number = |(run, own): &Earlier<'s, 'r>| {
            let find = |name: &Name| {
                data.in_run(*run, name)
                    .filter(|other| other.unlike(own).is_none())
            };
            Some((
                *run,
                self.derived(self.plain(own, metric)?, metric, reference, find)?,
            ))
        };
        series
            .iter()
            .filter_map(number)
            .filter(|(_, number)| number.is_finite())
            .collect()
    }

    /// A scenario's confirmation run: its process runs, or its single number.
    fn repeat(
        &self,
        run: &ByScenario<'_, '_>,
        current: &Measurement<'_>,
        metric: &Metric,
        reference: &Reference,
    ) -> Vec<f64> {
        let found = run.get(current.scenario).and_then(|rerun| {
            // A run on another machine type cannot confirm anything.
            let number = self.number(rerun, metric, reference, |name| run.get(name).copied())?;
            rerun.unlike(current).is_none().then_some((rerun, number))
        });
        let Some((rerun, number)) = found else {
            return Vec::new();
        };
        let launches: Vec<f64> = self
            .launches(&launches::by_launch(rerun), metric)
            .into_values()
            .collect();
        if launches.len() > 1 && reference.is_none() {
            launches
        } else {
            vec![number.as_f64()]
        }
    }

    /// The numbers of process runs, in order.
    fn launches(&self, side: &Launches<'_>, metric: &Metric) -> IndexMap<Launch, f64> {
        side.iter()
            .filter_map(|(launch, rows)| Some((*launch, self.plain(rows, metric)?)))
            .collect()
    }

    /// Each side's iterations within process runs; `None` if each number is from its own process run.
    fn iterations(&self, sides: &[Launches<'_>; 2], metric: &Metric) -> Option<[Iterations; 2]> {
        let sides = [&sides[0], &sides[1]].map(|side| self.iterations_of(side, metric));
        sides.iter().any(|side| side.count > 0).then_some(sides)
    }

    fn iterations_of(&self, side: &Launches<'_>, metric: &Metric) -> Iterations {
        let mut launches = 0;
        let mut distances = Vec::new();
        for ((number, _), rows) in side {
            // A row without a launch number is its own process run.
            if number.is_none() {
                continue;
            }
            let mut costs = Vec::with_capacity(rows.rows.len());
            for row in rows.rows.iter() {
                let number = self.single(rows, row, metric);
                costs.extend(number.and_then(|number| cost(metric.meaning.direction, number)));
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

/// The gate's rule, with a limit of at least the spread of repeated counts.
fn above_spread(rule: Rule, spread: impl Fn() -> f64) -> Rule {
    match rule {
        Rule::Count(limit) => Rule::Count(limit.max(spread())),
        rule => rule,
    }
}
