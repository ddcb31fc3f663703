//! One pull request, judged by each way to gate, as it is and with a row made slower.

use perf_config::Config;
use perf_model::metric::Direction;
use perf_model::row::{Metrics, Name, Row, Value};
use perf_model::suite::{Definitions, Filter, Suite};
use perf_verdict::{Comparison, Policy, Rule, Sides, Verdict, compare};

use crate::plan::{GateWorkflow, NumberPlace, ReplayPlan};
use crate::rate::{GROWTHS, Rate};

/// The rows of one pull request, before they are arranged.
pub struct PullRequestRows {
    pub current: Vec<Row>,
    pub baseline: Vec<Row>,
    /// Oldest first.
    pub history: Vec<Vec<Row>>,
    /// Confirmation runs on other runners: the next runs.
    pub repeats: Vec<Vec<Row>>,
    /// Confirmation runs in the same job, as they would have been.
    pub same_job: Vec<Vec<Row>>,
}

/// A run, and the runs that may confirm it.
pub struct MeasuredRun<'r> {
    current: std::borrow::Cow<'r, [Row]>,
    repeats: Vec<std::borrow::Cow<'r, [Row]>>,
    same_job: Vec<std::borrow::Cow<'r, [Row]>>,
}

impl PullRequestRows {
    /// The run as it was measured.
    pub fn as_measured(&self) -> MeasuredRun<'_> {
        self.each(Into::into)
    }

    /// The run with one number changed by a factor.
    fn slower(&self, place: &NumberPlace, factor: f64, config: &Config) -> MeasuredRun<'_> {
        self.each(|rows| slower(rows, place, factor, config).into())
    }

    fn each<'r>(&'r self, change: impl Fn(&'r [Row]) -> std::borrow::Cow<'r, [Row]>) -> MeasuredRun<'r> {
        MeasuredRun {
            current: change(&self.current),
            repeats: self.repeats.iter().map(|rows| change(rows)).collect(),
            same_job: self.same_job.iter().map(|rows| change(rows)).collect(),
        }
    }
}

/// The parts of a pull request that stay the same while rows are made slower.
pub struct ReplayCase<'c> {
    plan: &'c ReplayPlan<'c>,
    strict: &'c Config,
    current: &'c [Row],
    baseline: Suite<'c>,
    history: Vec<Suite<'c>>,
}

impl<'c> ReplayCase<'c> {
    /// The case of these rows; `strict` is the config in which what is suspect fails.
    pub fn new(plan: &'c ReplayPlan<'c>, strict: &'c Config, rows: &'c PullRequestRows) -> Self {
        let suite = |rows: &'c Vec<Row>| Suite::new(rows, plan.config, &Filter::default());
        Self {
            plan,
            strict,
            current: &rows.current,
            baseline: suite(&rows.baseline),
            history: rows.history.iter().filter(|rows| !rows.is_empty()).map(suite).collect(),
        }
    }

    /// The number of confirmation runs that the suite takes, at least one.
    pub fn repeats_needed(&self) -> usize {
        let current = self.suite(self.current);
        let sides = Sides { history: &self.history, ..Sides::new(&current, &self.baseline) };
        compare(&sides, self.strict, self.policy()).repeats.0.max(1)
    }

    fn policy(&self) -> Policy {
        Policy { self_test: false, threshold: self.plan.threshold, ..Policy::of(self.plan.config) }
    }

    fn suite<'r>(&self, rows: &'r [Row]) -> Suite<'r>
    where
        'c: 'r,
    {
        Suite::new(rows, self.plan.config, &Filter::default())
    }

    /// The comparison by one way to gate; `None` where it was not asked for.
    pub fn judge(&self, workflow: GateWorkflow, rows: &MeasuredRun<'_>) -> Option<Comparison> {
        let config = match workflow {
            GateWorkflow::Strict => self.strict,
            GateWorkflow::Advised => self.plan.advised?,
            _ => self.plan.config,
        };
        let repeats: &[_] = match workflow {
            GateWorkflow::SameJob => &rows.same_job,
            GateWorkflow::OtherRunner => &rows.repeats,
            _ => &[],
        };
        let history: &[_] = match workflow {
            GateWorkflow::OneValue | GateWorkflow::Advised => &[],
            _ => &self.history,
        };
        let suite = |rows| Suite::new(rows, self.plan.config, &Filter::default());
        let current = suite(&rows.current);
        let repeats: Vec<Suite<'_>> = repeats.iter().map(|rows| suite(rows)).collect();
        let sides = Sides { history, repeats: &repeats, ..Sides::new(&current, &self.baseline) };
        Some(compare(&sides, config, self.policy()))
    }

    /// Makes one number slower by each growth, and sees which of them a way to gate finds. What finds a growth finds
    /// every larger one, as an improvement never adds a regression; so not every growth is tried.
    pub fn inject(
        &self,
        workflow: GateWorkflow,
        place: &NumberPlace,
        rows: &PullRequestRows,
        found: &mut [Rate; GROWTHS.len()],
    ) {
        if workflow == GateWorkflow::Advised && self.plan.advised.is_none() {
            return;
        }
        let (mut low, mut high) = (0, GROWTHS.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.finds(workflow, place, rows, GROWTHS[middle]) { high = middle } else { low = middle + 1 }
        }
        for (at, found) in found.iter_mut().enumerate() {
            found.add(at >= low);
        }
    }

    /// True if a way to gate finds one number whose cost is higher by `growth`.
    fn finds(
        &self,
        workflow: GateWorkflow,
        place: &NumberPlace,
        rows: &PullRequestRows,
        growth: f64,
    ) -> bool {
        let config = self.plan.config;
        let direction = config.metric(&place.metric).meaning.direction;
        let factor = if direction == Direction::Higher { 1.0 / (1.0 + growth) } else { 1.0 + growth };
        let judged = self.judge(workflow, &rows.slower(place, factor, config));
        judged.is_some_and(|judged| verdict(&judged, place) == Some(Verdict::Regressed))
    }
}

fn slower(rows: &[Row], place: &NumberPlace, factor: f64, config: &Config) -> Vec<Row> {
    let mut rows = rows.to_vec();
    for row in rows.iter_mut().filter(|row| row.scenario == place.scenario) {
        let scope = config.scope_of(&row.platform).map(|(_, name)| name);
        if scope == Some(&*place.scope) {
            row.metrics = scaled(&row.metrics, &place.metric, factor);
        }
    }
    rows
}

fn scaled(metrics: &Metrics, metric: &str, factor: f64) -> Metrics {
    let one = |(name, value): (&Name, Value)| {
        let slower = if **name == *metric { Value::new(value.as_f64() * factor) } else { None };
        (Name::clone(name), slower.unwrap_or(value))
    };
    metrics.iter().map(one).collect()
}

/// The numbers that the history rule judges: timed and gated, with a history, and read rather than computed.
pub fn places(comparison: &Comparison, config: &Config) -> Vec<NumberPlace> {
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
            places.extend(judged.map(|metric| NumberPlace {
                scope: scope.scope.as_str().into(),
                scenario: Name::clone(&scenario.scenario),
                metric: Name::clone(&metric.metric.name),
            }));
        }
    }
    places
}

/// The verdict of a comparison on a number; `None` where it is not compared.
pub fn verdict(comparison: &Comparison, place: &NumberPlace) -> Option<Verdict> {
    let scope = comparison.scopes.iter().find(|scope| *scope.scope == *place.scope)?;
    let scenario = scope.scenarios.iter().find(|scenario| scenario.scenario == place.scenario)?;
    let metric = scenario.metrics.iter().find(|metric| metric.metric.name == place.metric)?;
    Some(metric.judgement.verdict)
}
