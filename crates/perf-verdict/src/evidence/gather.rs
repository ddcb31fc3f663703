//! Gathers the evidence for each metric from both sides, the history and the confirmation runs.
//!
//! Rows are compared only with rows of the same scenario and scope, and times only with those of the same machine
//! class and methodology. A side that does not state one is taken to have the same.

use std::sync::Arc;

use indexmap::IndexMap;
use perf_config::{Config, Gate};
use perf_model::metric::{Metric, quantile_of};
use perf_model::row::{AGGREGATE, Name, Row, Value};
use perf_model::suite::{Definitions, Measurement};

use super::runs::{BASELINE, ByScenario, Earlier, ScopeRuns};
use super::{Evidence, ExtraEvidence};
use crate::model::Rule;
use crate::model::comparison::Policy;
use crate::rules::count;
use crate::rules::obstacle::{self, Obstacle};
use crate::rules::tail;

/// Metrics that count the values behind a percentile, where a gate names none.
const COUNTS_OF_VALUES: [&str; 6] = ["requests", "iterations", "samples", "count", "values", "totalCount"];

/// The measurements of one scenario.
pub(crate) struct Taken<'s, 'r> {
    pub(crate) current: &'s Measurement<'r>,
    pub(crate) baseline: &'s Measurement<'r>,
    /// Earlier measurements, as [`ScopeRuns::series`] has them.
    pub(crate) series: Vec<Earlier<'s, 'r>>,
}

/// Gathers the evidence for the metrics of scenarios.
pub(crate) struct Gatherer<'c> {
    pub(crate) config: &'c Config,
    pub(crate) policy: &'c Policy,
    pub(crate) paired: bool,
}

impl Gatherer<'_> {
    /// The evidence for one metric of a scenario that both sides have.
    pub(crate) fn evidence<'s, 'r>(
        &self,
        metric: &Arc<Metric>,
        taken: &Taken<'s, 'r>,
        data: &ScopeRuns<'s, 'r>,
    ) -> Evidence {
        let (current, baseline) = (taken.current, taken.baseline);
        let source = |side: &Measurement<'_>| side.source_of(metric, self.config).cloned();
        let derived_from = source(baseline).filter(|name| source(current).as_ref() == Some(name));
        let gate = self.effective_gate(metric, derived_from.is_some(), current, baseline);
        let reference = gate.gate.and_then(|gate| gate.relative_to.as_ref());
        let number =
            |side: &Measurement<'r>, scope: &ByScenario<'s, 'r>| self.number(side, scope, metric, reference);
        let shown = |side: &Measurement<'r>| side.value(metric, self.config);
        let mut evidence = Evidence {
            rule: count::above_spread(gate.rule, spread(current, metric).max(spread(baseline, metric))),
            limits: gate.limits,
            baseline: number(baseline, &data.baseline),
            current: number(current, &data.current),
            shown: (shown(baseline), shown(current)),
            relative_to: reference.cloned(),
            derived_from,
            outcome: current.outcome(),
            obstacle: None,
            by_user_time: gate.by_user_time,
            tail: None,
            extra: None,
            metric: Arc::clone(metric),
        };
        evidence.obstacle = self.obstacle(&evidence, current, baseline, reference);
        evidence.tail = self.tail(&evidence, gate.gate, current, baseline);
        evidence.extra = self.extra(&evidence, taken, data, reference);
        evidence
    }

    /// The number of a side; relative to another scenario of the same scope, their quotient.
    fn number(
        &self,
        side: &Measurement<'_>,
        scope: &ByScenario<'_, '_>,
        metric: &Metric,
        reference: Option<&Name>,
    ) -> Option<Value> {
        let own = side.value(metric, self.config)?;
        let Some(reference) = reference else { return Some(own) };
        let other = scope.get(reference)?;
        Value::new(own.as_f64() / other.value(metric, self.config)?.as_f64())
    }

    fn obstacle(
        &self,
        evidence: &Evidence,
        current: &Measurement<'_>,
        baseline: &Measurement<'_>,
        reference: Option<&Name>,
    ) -> Option<Obstacle> {
        let Some(reference) = reference else {
            return obstacle::between(&evidence.metric, evidence.rule, baseline, current);
        };
        let measured = |side: &Measurement<'_>| side.value(&evidence.metric, self.config).is_some();
        let is_lost = evidence.baseline.is_none() || evidence.current.is_none();
        let both = measured(current) && measured(baseline);
        (is_lost && both).then(|| Obstacle::NoReference(Name::clone(reference)))
    }

    /// Why a percentile is informational: it has too few values, or their number is unknown.
    fn tail(
        &self,
        evidence: &Evidence,
        gate: Option<&Gate>,
        current: &Measurement<'_>,
        baseline: &Measurement<'_>,
    ) -> Option<Box<tail::Finding>> {
        if evidence.rule == Rule::Report {
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
        taken: &Taken<'s, 'r>,
        data: &ScopeRuns<'s, 'r>,
        reference: Option<&Name>,
    ) -> Option<Box<ExtraEvidence>> {
        let Taken { current, baseline, series } = taken;
        let metric = &evidence.metric;
        let history = match reference {
            // The history knows measurements, not their scopes; a quotient needs both rows of one.
            Some(reference) => self.quotients(series, data, metric, reference),
            None => self.numbers(series, current, evidence),
        };
        let mut extra = ExtraEvidence { history, ..ExtraEvidence::default() };
        let is_several = current.rows.len() > 1 || baseline.rows.len() > 1;
        if reference.is_none() && (self.paired || is_several) {
            let (base, now) = (self.launches(baseline, metric), self.launches(current, metric));
            if self.paired {
                let both = |(run, now): (&i64, &f64)| Some((*base.get(run)?, *now));
                extra.pairs = now.iter().filter_map(both).collect();
            } else {
                extra.base_launches = base.into_values().collect();
                extra.current_launches = now.into_values().collect();
            }
        }
        extra.repeats = data.repeats.iter().map(|run| self.repeat(run, current, metric, reference)).collect();
        (!extra.is_empty()).then(|| Box::new(extra))
    }

    /// The numbers of a series; of counts only those from the current toolchain.
    fn numbers(
        &self,
        series: &[Earlier<'_, '_>],
        current: &Measurement<'_>,
        evidence: &Evidence,
    ) -> Vec<f64> {
        let is_count = obstacle::is_compiled(&evidence.metric, evidence.rule);
        let differs = |earlier| is_count && obstacle::has_other_toolchain(earlier, current);
        let alike = series.iter().filter(|(_, earlier)| !differs(earlier));
        alike.filter_map(|(_, earlier)| self.plain(earlier, &evidence.metric)).collect()
    }

    fn plain(&self, side: &Measurement<'_>, metric: &Metric) -> Option<f64> {
        side.value(metric, self.config).map(Value::as_f64)
    }

    /// The quotients of a series and its reference, each of two rows of one run under the same conditions.
    fn quotients<'s, 'r>(
        &self,
        series: &[Earlier<'s, 'r>],
        data: &ScopeRuns<'s, 'r>,
        metric: &Metric,
        reference: &Name,
    ) -> Vec<f64> {
        let of_run = |run: usize| match run {
            BASELINE => data.baseline.get(reference).copied(),
            run => {
                data.history.get(reference)?.iter().find(|(other, _)| *other == run).map(|(_, other)| *other)
            }
        };
        let quotient = |(run, own): &Earlier<'s, 'r>| {
            let other = of_run(*run).filter(|other| other.unlike(own).is_none())?;
            Some(self.plain(own, metric)? / self.plain(other, metric)?)
        };
        series.iter().filter_map(quotient).filter(|number| number.is_finite()).collect()
    }

    /// A confirmation run of a scenario: its launches, or the one number that stands for them.
    fn repeat(
        &self,
        run: &ByScenario<'_, '_>,
        current: &Measurement<'_>,
        metric: &Metric,
        reference: Option<&Name>,
    ) -> Vec<f64> {
        let found = run.get(current.scenario).and_then(|rerun| {
            // A run on another machine confirms nothing on this one.
            let number = self.number(rerun, run, metric, reference)?;
            rerun.unlike(current).is_none().then_some((rerun, number))
        });
        let Some((rerun, number)) = found else { return Vec::new() };
        let launches: Vec<f64> = self.launches(rerun, metric).into_values().collect();
        if launches.len() > 1 && reference.is_none() { launches } else { vec![number.as_f64()] }
    }

    /// The numbers of single runs, by run index in ascending order.
    fn launches(&self, side: &Measurement<'_>, metric: &Metric) -> IndexMap<i64, f64> {
        let one = |row: &&Row| {
            let alone = Measurement { scenario: side.scenario, family: side.family, rows: vec![*row] };
            Some((row.run_index, self.plain(&alone, metric)?))
        };
        let single = side.rows.iter().filter(|row| row.run_index != AGGREGATE);
        let mut launches: IndexMap<i64, f64> = single.filter_map(one).collect();
        launches.sort_unstable_keys();
        launches
    }
}

/// How far repeated counts lie apart, as a share of the lowest: `instructions.upper` beside `instructions`.
fn spread(side: &Measurement<'_>, metric: &Metric) -> f64 {
    let value = |name: &str| side.rows.iter().find_map(|row| row.metrics.get(name)).map(Value::as_f64);
    let both = value(&metric.name).zip(value(&format!("{}.upper", metric.name)));
    both.filter(|(least, _)| *least > 0.0).map_or(0.0, |(least, most)| (most - least) / least)
}
