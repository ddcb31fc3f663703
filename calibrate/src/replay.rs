//! A history, replayed as if each of its runs had been a pull request.
//!
//! Rows of run *t* are judged by [`compare()`], as they would be by the gate: against the last value before, with all
//! values before as the history, and confirmed by the next ones after. Only rows with enough earlier values and
//! enough later ones count, so that each rule is asked the same. Then the cost of one row at a time is multiplied,
//! at *t* and in what confirms it, and everything is judged again.

use perf_model::parallel;
use perf_model::suite::Definitions;
use std::collections::BTreeMap;

use perf_config::{Config, Suspects};
use perf_model::metric::Direction;
use perf_model::row::{Metrics, Name, Row, Value};
use perf_model::suite::{Filter, Suite};
use perf_verdict::{Comparison, Policy, Rule, Sides, Verdict, compare};

use crate::random::Random;
use crate::rate::{GROWTHS, Power, Rate};
use crate::runs::History;
use crate::series::Series;

/// What is replayed how.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'c> {
    /// What the project says of its rows.
    pub config: &'c Config,
    /// The same with the gates that are advised, when they are asked too.
    pub advised: Option<&'c Config>,
    /// The drop of throughput that the fixed threshold allows.
    pub threshold: f64,
    /// How many rows of a pull request are made slower, one at a time; `None` takes all of them.
    pub rows: Option<usize>,
    /// What chooses them.
    pub seed: u64,
}

/// What a replay came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// The fixed threshold against the last value.
    pub threshold: Power,
    /// The advised thresholds against the last value; nothing where they were not asked.
    pub advised: Power,
    /// The history alone: what is suspect fails.
    pub alone: Power,
    /// The history, confirmed by the next run.
    pub confirmed: Power,
    /// Pull requests with a confirmed row.
    pub regressed: u64,
    /// Pull requests without one, and with a row whose data were not conclusive.
    pub inconclusive: u64,
    /// Pull requests in which nearly all rows moved at once.
    pub shifts: u64,
    /// How often each row was falsely confirmed: by scope, scenario and metric.
    pub confirmed_rows: BTreeMap<Place, u64>,
}

/// Where a number is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The scope.
    pub scope: Name,
    /// The scenario.
    pub scenario: Name,
    /// The metric.
    pub metric: Name,
}

impl Replay {
    /// How many pull requests there were.
    pub fn pull_requests(&self) -> u64 {
        self.confirmed.false_alarms.trials
    }

    fn merge(&mut self, other: &Self) {
        self.threshold.merge(&other.threshold);
        self.advised.merge(&other.advised);
        self.alone.merge(&other.alone);
        self.confirmed.merge(&other.confirmed);
        self.regressed += other.regressed;
        self.inconclusive += other.inconclusive;
        self.shifts += other.shifts;
        for (place, times) in &other.confirmed_rows {
            *self.confirmed_rows.entry(place.clone()).or_default() += times;
        }
    }
}

/// Replays a history, on all cores.
pub fn replay(history: &History, plan: &Plan<'_>) -> Replay {
    let series = Series::of(history);
    let mut strict = plan.config.clone();
    strict.history.suspects = Suspects::Fail;
    let judges = Judges { plan, strict: &strict, series: &series };
    let cores = parallel::cores();
    let parts = parallel::parts(cores, |core| {
        (core..history.runs.len()).step_by(cores).fold(Replay::default(), |mut sum, run| {
            sum.merge(&judges.pull_request(run));
            sum
        })
    });
    let mut sum = Replay::default();
    for part in &parts {
        sum.merge(part);
    }
    sum
}

struct Judges<'j> {
    plan: &'j Plan<'j>,
    strict: &'j Config,
    series: &'j Series<'j>,
}

/// The rows of one pull request, before they are arranged.
struct Rows {
    current: Vec<Row>,
    baseline: Vec<Row>,
    /// Oldest first.
    history: Vec<Vec<Row>>,
    repeats: Vec<Vec<Row>>,
}

impl Judges<'_> {
    fn pull_request(&self, run: usize) -> Replay {
        let mut replay = Replay::default();
        // A suite of many metrics takes more than one confirmation run.
        let Some(needed) = self.rows(run, 1).map(|rows| self.repeats_needed(&rows)) else { return replay };
        let Some(rows) = self.rows(run, needed) else { return replay };
        let case = Case::new(self, &rows);
        let unchanged = case.judge(&rows.current, &rows.repeats);
        let places = places(&unchanged[2], self.plan.config);
        if places.is_empty() {
            return replay;
        }
        let flagged = |comparison: &Comparison| {
            places.iter().any(|place| verdict(comparison, place) == Some(Verdict::Regressed))
        };
        replay.threshold.false_alarms.add(flagged(&unchanged[0]));
        if self.plan.advised.is_some() {
            replay.advised.false_alarms.add(flagged(&unchanged[3]));
        }
        replay.alone.false_alarms.add(flagged(&unchanged[1]));
        replay.confirmed.false_alarms.add(flagged(&unchanged[2]));
        let open = places.iter().any(|place| verdict(&unchanged[2], place) == Some(Verdict::Inconclusive));
        replay.shifts += u64::from(unchanged[2].scopes.iter().any(|scope| scope.shift.is_some()));
        replay.regressed += u64::from(flagged(&unchanged[2]));
        replay.inconclusive += u64::from(open && !flagged(&unchanged[2]));
        for place in places.iter().filter(|place| verdict(&unchanged[2], place) == Some(Verdict::Regressed)) {
            *replay.confirmed_rows.entry(place.clone()).or_default() += 1;
        }
        for place in self.chosen(places, run) {
            case.inject(&place, &rows, &mut replay);
        }
        replay
    }

    /// Those that are made slower.
    fn chosen(&self, mut places: Vec<Place>, run: usize) -> Vec<Place> {
        let mut random = Random::new(self.plan.seed, run as u64);
        while self.plan.rows.is_some_and(|most| places.len() > most) {
            places.swap_remove(random.below(places.len()));
        }
        places
    }

    fn rows(&self, run: usize, after: usize) -> Option<Rows> {
        let policy = self.plan.config.history;
        let around = self.series.around(run, policy.least, after);
        let copies = |place: &dyn Fn(usize) -> Option<usize>| -> Vec<Row> {
            let values = around.iter().filter_map(|(values, at)| values.get(place(*at)?));
            values.flat_map(|(_, rows)| rows.iter().copied().cloned()).collect()
        };
        let earlier = |back: usize| copies(&|at| at.checked_sub(back));
        let later = |on: usize| copies(&|at| at.checked_add(on));
        (!around.is_empty()).then(|| Rows {
            current: later(0),
            baseline: earlier(1),
            history: (1..=policy.last).rev().map(earlier).collect(),
            repeats: (1..=after).map(later).collect(),
        })
    }

    fn repeats_needed(&self, rows: &Rows) -> usize {
        Case::new(self, rows).judge(&rows.current, &[])[1].repeats.0.max(1)
    }
}

/// What does not change while rows are made slower.
struct Case<'c> {
    plan: &'c Plan<'c>,
    strict: &'c Config,
    baseline: Suite<'c>,
    history: Vec<Suite<'c>>,
}

impl<'c> Case<'c> {
    fn new(judges: &Judges<'c>, rows: &'c Rows) -> Self {
        let suite = |rows: &'c Vec<Row>| Suite::new(rows, judges.plan.config, &Filter::default());
        Self {
            plan: judges.plan,
            strict: judges.strict,
            baseline: suite(&rows.baseline),
            history: rows.history.iter().filter(|rows| !rows.is_empty()).map(suite).collect(),
        }
    }

    /// By the threshold, by the history alone, by the history with what confirms it, and by the advised thresholds if
    /// they are asked.
    fn judge(&self, current: &[Row], repeats: &[Vec<Row>]) -> Vec<Comparison> {
        let config = self.plan.config;
        let suite = |rows| Suite::new(rows, config, &Filter::default());
        let (current, repeats) = (suite(current), repeats.iter().map(|rows| suite(rows)).collect::<Vec<_>>());
        let policy = Policy { self_test: false, threshold: self.plan.threshold, ..Policy::of(config) };
        let one = Sides::new(&current, &self.baseline);
        let alone = Sides { history: &self.history, ..one };
        let confirmed = Sides { repeats: &repeats, ..alone };
        let mut judged = vec![
            compare(&one, config, policy),
            compare(&alone, self.strict, policy),
            compare(&confirmed, config, policy),
        ];
        judged.extend(self.plan.advised.map(|advised| compare(&one, advised, policy)));
        judged
    }

    /// Makes one number slower by each growth, and sees which rules find it. What finds a growth finds every larger
    /// one, as an improvement never adds a regression; so not every growth is tried.
    fn inject(&self, place: &Place, rows: &Rows, replay: &mut Replay) {
        let mut known: [Option<Vec<bool>>; GROWTHS.len()] = Default::default();
        let powers = [&mut replay.threshold, &mut replay.alone, &mut replay.confirmed, &mut replay.advised];
        let asked = if self.plan.advised.is_some() { 4 } else { 3 };
        for (rule, power) in powers.into_iter().enumerate().take(asked) {
            let (mut low, mut high) = (0, GROWTHS.len());
            while low < high {
                let middle = usize::midpoint(low, high);
                let found = known[middle].get_or_insert_with(|| self.finds(place, rows, GROWTHS[middle]));
                if found[rule] { high = middle } else { low = middle + 1 }
            }
            for (at, found) in power.found.iter_mut().enumerate() {
                found.add(at >= low);
            }
        }
    }

    /// Which rules find that one number costs so much more.
    fn finds(&self, place: &Place, rows: &Rows, growth: f64) -> Vec<bool> {
        let direction = self.plan.config.metric(&place.metric).meaning.direction;
        let factor = if direction == Direction::Higher { 1.0 / (1.0 + growth) } else { 1.0 + growth };
        let slower = |rows: &[Row]| self.slower(rows, place, factor);
        let repeats: Vec<Vec<Row>> = rows.repeats.iter().map(|rows| slower(rows)).collect();
        let judged = self.judge(&slower(&rows.current), &repeats);
        judged.iter().map(|comparison| verdict(comparison, place) == Some(Verdict::Regressed)).collect()
    }

    fn slower(&self, rows: &[Row], place: &Place, factor: f64) -> Vec<Row> {
        let mut rows = rows.to_vec();
        for row in rows.iter_mut().filter(|row| row.scenario == place.scenario) {
            let scope = self.plan.config.scope_of(&row.platform).map(|(_, name)| name);
            if scope == Some(&*place.scope) {
                row.metrics = scaled(&row.metrics, &place.metric, factor);
            }
        }
        rows
    }
}

fn scaled(metrics: &Metrics, metric: &str, factor: f64) -> Metrics {
    let one = |(name, value): (&Name, Value)| {
        let slower = if **name == *metric { Value::new(value.as_f64() * factor) } else { None };
        (Name::clone(name), slower.unwrap_or(value))
    };
    metrics.iter().map(one).collect()
}

/// The numbers that the history rule judges: timed and gated, with a history, and read rather than computed.
fn places(comparison: &Comparison, config: &Config) -> Vec<Place> {
    let mut places = Vec::new();
    for scope in &comparison.scopes {
        for scenario in &scope.scenarios {
            let judged = scenario.metrics.iter().filter(|metric| {
                matches!(metric.judgement.rule, Rule::Threshold(_))
                    && metric.band.is_some()
                    && metric.metric.formula.is_none()
                    && config.metric(&metric.metric.name).meaning.direction != Direction::Unknown
                    && !matches!(metric.judgement.verdict, Verdict::NotComparable | Verdict::Unmeasured)
            });
            places.extend(judged.map(|metric| Place {
                scope: scope.scope.as_str().into(),
                scenario: Name::clone(&scenario.scenario),
                metric: Name::clone(&metric.metric.name),
            }));
        }
    }
    places
}

fn verdict(comparison: &Comparison, place: &Place) -> Option<Verdict> {
    let scope = comparison.scopes.iter().find(|scope| *scope.scope == *place.scope)?;
    let scenario = scope.scenarios.iter().find(|scenario| scenario.scenario == place.scenario)?;
    let metric = scenario.metrics.iter().find(|metric| metric.metric.name == place.metric)?;
    Some(metric.judgement.verdict)
}

/// The rate at which pull requests were inconclusive.
pub fn inconclusive(replay: &Replay) -> Rate {
    Rate { hits: replay.inconclusive, trials: replay.pull_requests() }
}
