//! What rows say of each metric: the evidence, gathered from both sides, the history and further runs.
//!
//! Rows are compared only with rows of the same scenario and scope, and times only with those of the same machine
//! class and methodology. What one side does not say is taken to be the same.

use perf_model::suite::Definitions;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use indexmap::IndexMap;
use perf_config::{Config, Gate};
use perf_model::methodology::are_built_otherwise;
use perf_model::metric::quantile_of;
use perf_model::metric::{GateRule, Metric};
use perf_model::row::{AGGREGATE, Name, Value};
use perf_model::suite::{Measurement, ScopeRows, Suite, Unlike};

use crate::compare::{Policy, Sides};
use crate::evidence::{Evidence, More};
use crate::rules::tails;
use crate::verdict::{Reason, Rule, TailFinding};

/// Metrics that say how many values a percentile was taken from, where a gate names none.
const COUNTS_OF_VALUES: [&str; 6] = ["requests", "iterations", "samples", "count", "values", "totalCount"];

/// One scope, arranged for looking up what belongs to a scenario.
pub(crate) struct ScopeData<'s, 'r> {
    current: Places<'s, 'r>,
    baseline: Places<'s, 'r>,
    /// Of each current scenario, the measurements of the history, oldest first.
    history: HashMap<&'s Name, Vec<Earlier<'s, 'r>>>,
    /// Of each further run.
    repeats: Vec<Places<'s, 'r>>,
}

/// An earlier measurement, and the place of its run in the history.
type Earlier<'s, 'r> = (usize, &'s Measurement<'r>);

/// The place of the baseline, which is the last.
const BASELINE: usize = usize::MAX;

/// Measurements of one scope by scenario.
type Places<'s, 'r> = HashMap<&'s Name, &'s Measurement<'r>>;

fn places<'s, 'r>(scope: Option<&'s ScopeRows<'r>>) -> Places<'s, 'r> {
    let all = scope.into_iter().flat_map(|scope| &scope.measurements);
    all.map(|measurement| (measurement.scenario, measurement)).collect()
}

impl<'s, 'r> ScopeData<'s, 'r> {
    /// Arranges what there is for this scope of both sides.
    pub(crate) fn new(
        current: &'s ScopeRows<'r>,
        baseline: &'s ScopeRows<'r>,
        sides: &Sides<'s, 'r>,
        config: &Config,
    ) -> Self {
        let mut history: HashMap<&'s Name, Vec<Earlier<'s, 'r>>> = HashMap::new();
        let scopes = |suites: &'s [Suite<'r>]| suites.iter().map(|suite| suite.scope(current.name));
        if !sides.history.is_empty() {
            history.extend(current.measurements.iter().map(|now| (now.scenario, Vec::new())));
        }
        for (run, scope) in scopes(sides.history).enumerate() {
            for earlier in scope.into_iter().flat_map(|scope| &scope.measurements) {
                if let Some(series) = history.get_mut(earlier.scenario) {
                    series.push((run, earlier));
                }
            }
        }
        let is_relative = config.gates.iter().flatten().any(|gate| gate.relative_to.is_some());
        let side = |scope| if is_relative { places(Some(scope)) } else { Places::new() };
        Self {
            current: side(current),
            baseline: side(baseline),
            history,
            repeats: scopes(sides.repeats).map(places).collect(),
        }
    }

    /// A scenario's earlier measurements that were taken as the current one was, each commit once, the baseline
    /// last.
    pub(crate) fn series(
        &self,
        current: &Measurement<'r>,
        baseline: &'s Measurement<'r>,
    ) -> Vec<Earlier<'s, 'r>> {
        let Some(earlier) = self.history.get(current.scenario).filter(|earlier| !earlier.is_empty()) else {
            return Vec::new();
        };
        let mut series: Vec<Earlier<'s, 'r>> = Vec::with_capacity(earlier.len() + 1);
        let mut commits: HashSet<&str> = HashSet::with_capacity(earlier.len() + 1);
        for (run, measurement) in earlier.iter().copied().chain([(BASELINE, baseline)]) {
            let commit = measurement.commit();
            // Where no row names its commit, the same rows again are the same measurement.
            let is_new = match (commit, series.last()) {
                ("", Some((_, last))) => last.rows != measurement.rows,
                ("", None) => true,
                _ => commit != current.commit() && commits.insert(commit),
            };
            if is_new && measurement.unlike(current).is_none() {
                series.push((run, measurement));
            }
        }
        series
    }
}

/// What was measured of one scenario.
pub(crate) struct Taken<'s, 'r> {
    pub(crate) current: &'s Measurement<'r>,
    pub(crate) baseline: &'s Measurement<'r>,
    /// Earlier measurements, as [`ScopeData::series`] has them.
    pub(crate) series: Vec<Earlier<'s, 'r>>,
}

/// What two measurements were not taken alike in, so that their times are not compared.
pub(crate) fn difference(before: &Measurement<'_>, now: &Measurement<'_>) -> Option<Reason> {
    before.unlike(now).map(|unlike| match unlike {
        Unlike::Machine => Reason::OtherMachine,
        Unlike::Method => {
            let methods = [before, now].map(|side| side.methodology().unwrap_or_default().into());
            Reason::OtherMethodology(Box::new(methods.into()))
        }
    })
}

/// Whether different toolchains built what was measured: their instructions are of two compilers.
fn is_built_otherwise(before: &Measurement<'_>, now: &Measurement<'_>) -> bool {
    let both = before.methodology().zip(now.methodology());
    both.is_some_and(|(before, now)| are_built_otherwise(before, now))
}

/// Whether a compiler decides the metric's number, by its nature or as it is gated.
fn is_compiled(metric: &Metric, rule: Rule) -> bool {
    let by_nature = metric.default_gate.is_some_and(|gate| gate.rule == GateRule::Count);
    by_nature || matches!(rule, Rule::Count(_))
}

/// Whether two machine classes execute the same instructions: of one architecture and one system.
fn is_alike(before: &Measurement<'_>, now: &Measurement<'_>) -> bool {
    const PARTS: [&str; 12] = [
        "x86_64",
        "aarch64",
        "arm64",
        "i686",
        "armv7",
        "riscv64",
        "s390x",
        "powerpc64",
        "linux",
        "windows",
        "macos",
        "darwin",
    ];
    let parts = |class: Option<&str>| -> Vec<&str> {
        let class = class.unwrap_or_default();
        PARTS.into_iter().filter(|part| class.split('-').any(|word| word == *part)).collect()
    };
    let (before, now) = (parts(before.machine_class()), parts(now.machine_class()));
    before == now && before.len() == 2
}

/// Gathers the evidence for the metrics of scenarios.
pub(crate) struct Gatherer<'c> {
    pub(crate) config: &'c Config,
    pub(crate) policy: &'c Policy,
    pub(crate) paired: bool,
}

impl Gatherer<'_> {
    /// What is known of one metric of a scenario that both sides have.
    pub(crate) fn evidence<'s, 'r>(
        &self,
        metric: &Arc<Metric>,
        taken: &Taken<'s, 'r>,
        data: &ScopeData<'s, 'r>,
    ) -> Evidence {
        let (current, baseline) = (taken.current, taken.baseline);
        let say = self.say(metric, current, baseline);
        let reference = say.gate.and_then(|gate| gate.relative_to.as_ref());
        let number =
            |side: &Measurement<'r>, scope: &Places<'s, 'r>| self.number(side, scope, metric, reference);
        let shown = |side: &Measurement<'r>| side.value(metric, self.config);
        let mut evidence = Evidence {
            rule: say.rule,
            limits: say.limits,
            baseline: number(baseline, &data.baseline),
            current: number(current, &data.current),
            shown: (shown(baseline), shown(current)),
            relative_to: reference.cloned(),
            outcome: current.outcome(),
            obstacle: None,
            ungated: None,
            more: None,
            metric: Arc::clone(metric),
        };
        evidence.obstacle = self.obstacle(&evidence, current, baseline, reference);
        evidence.ungated = self.ungated(&evidence, say.gate, current, baseline);
        evidence.more = self.more(&evidence, taken, data, reference);
        evidence
    }

    /// The number of a side; relative to another scenario of the same scope, their quotient.
    fn number(
        &self,
        side: &Measurement<'_>,
        scope: &Places<'_, '_>,
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
    ) -> Option<Box<Reason>> {
        if let Some(reference) = reference {
            let measured = |side: &Measurement<'_>| side.value(&evidence.metric, self.config).is_some();
            let is_lost = evidence.baseline.is_none() || evidence.current.is_none();
            let both = measured(current) && measured(baseline);
            return (is_lost && both).then(|| Box::new(Reason::NoReference(Name::clone(reference))));
        }
        if is_compiled(&evidence.metric, evidence.rule) && is_built_otherwise(baseline, current) {
            return Some(Box::new(Reason::OtherToolchain));
        }
        if evidence.metric.meaning.exact || matches!(evidence.rule, Rule::Exact) {
            return None;
        }
        let counted = matches!(evidence.rule, Rule::Count(_)) && is_alike(baseline, current);
        difference(baseline, current).filter(|_| !counted).map(Box::new)
    }

    /// Why a percentile is not gated: too few values, or nobody knows how many.
    fn ungated(
        &self,
        evidence: &Evidence,
        gate: Option<&Gate>,
        current: &Measurement<'_>,
        baseline: &Measurement<'_>,
    ) -> Option<Box<Reason>> {
        if evidence.rule == Rule::Report {
            return None;
        }
        let quantile = quantile_of(&evidence.metric.name)?;
        let needed = tails::needed(quantile);
        let named = gate.and_then(|gate| gate.values.as_ref());
        let of_side = |side: &Measurement<'_>| {
            let count = |name: &str| side.value(&self.config.metric(name), self.config);
            match named {
                Some(name) => count(name),
                None => COUNTS_OF_VALUES.into_iter().find_map(count),
            }
        };
        // A quantile of few values is none on either side.
        let sides = [of_side(current), of_side(baseline)].into_iter().flatten();
        let values = sides.min_by(|a, b| a.as_f64().total_cmp(&b.as_f64()));
        let told = match values {
            Some(values) => tails::is_told(quantile, values.as_f64()),
            // Who gates a percentile by name knows what it was taken from; the maximum nobody does.
            None => gate.is_some() && needed.is_some(),
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let values = values.map(|values| values.as_f64() as u64);
        (!told).then(|| Box::new(Reason::Tail(Box::new(TailFinding { quantile, values, needed }))))
    }

    fn more<'s, 'r>(
        &self,
        evidence: &Evidence,
        taken: &Taken<'s, 'r>,
        data: &ScopeData<'s, 'r>,
        reference: Option<&Name>,
    ) -> Option<Box<More>> {
        let Taken { current, baseline, series } = taken;
        let metric = &evidence.metric;
        let history = match reference {
            // The history knows measurements, not their scopes; a quotient needs both rows of one.
            Some(reference) => self.quotients(series, data, metric, reference),
            None => self.numbers(series, current, evidence),
        };
        let mut more = More { history, ..More::default() };
        if reference.is_none() && (current.rows.len() > 1 || baseline.rows.len() > 1) {
            let (base, now) = (self.launches(baseline, metric), self.launches(current, metric));
            if self.paired {
                let both = |(run, now): (&i64, &f64)| Some((*base.get(run)?, *now));
                more.pairs = now.iter().filter_map(both).collect();
            } else {
                more.base_launches = base.into_values().collect();
                more.current_launches = now.into_values().collect();
            }
        }
        more.repeats = data.repeats.iter().map(|run| self.repeat(run, current, metric, reference)).collect();
        (!more.is_empty()).then(|| Box::new(more))
    }

    /// The numbers of a series; counts only of what the current toolchain built.
    fn numbers(
        &self,
        series: &[Earlier<'_, '_>],
        current: &Measurement<'_>,
        evidence: &Evidence,
    ) -> Vec<f64> {
        let is_count = is_compiled(&evidence.metric, evidence.rule);
        let alike = series.iter().filter(|(_, earlier)| !is_count || !is_built_otherwise(earlier, current));
        alike.filter_map(|(_, earlier)| self.plain(earlier, &evidence.metric)).collect()
    }

    fn plain(&self, side: &Measurement<'_>, metric: &Metric) -> Option<f64> {
        side.value(metric, self.config).map(Value::as_f64)
    }

    /// The quotients of a series and its reference, each of two rows of one run that were taken alike.
    fn quotients<'s, 'r>(
        &self,
        series: &[Earlier<'s, 'r>],
        data: &ScopeData<'s, 'r>,
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

    /// A further run of a scenario: its launches, or the one number that stands for them.
    fn repeat(
        &self,
        run: &Places<'_, '_>,
        current: &Measurement<'_>,
        metric: &Metric,
        reference: Option<&Name>,
    ) -> Vec<f64> {
        let found = run.get(current.scenario).and_then(|again| {
            // A repeat on another machine says nothing of this one.
            let number = self.number(again, run, metric, reference)?;
            again.unlike(current).is_none().then_some((again, number))
        });
        let Some((again, number)) = found else { return Vec::new() };
        let launches: Vec<f64> = self.launches(again, metric).into_values().collect();
        if launches.len() > 1 && reference.is_none() { launches } else { vec![number.as_f64()] }
    }

    /// The numbers of single runs, by run index in ascending order.
    fn launches(&self, side: &Measurement<'_>, metric: &Metric) -> IndexMap<i64, f64> {
        let one = |row: &&perf_model::row::Row| {
            let alone = Measurement { scenario: side.scenario, family: side.family, rows: vec![*row] };
            Some((row.run_index, self.plain(&alone, metric)?))
        };
        let single = side.rows.iter().filter(|row| row.run_index != AGGREGATE);
        let mut launches: IndexMap<i64, f64> = single.filter_map(one).collect();
        launches.sort_unstable_keys();
        launches
    }
}
