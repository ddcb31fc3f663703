//! One pull request, judged in each gate workflow: unchanged, and with one row made slower.

use perf_config::{Config, HistoryPolicy, Suspects};
use perf_model::metric::Direction;
use perf_model::row::{Name, Row};
use perf_model::suite::{Filter, Suite};
use perf_verdict::evidence::Gatherer;
use perf_verdict::{Reason, Rule, Sides, Thresholds, Verdict};

use crate::plan::{GateWorkflow, NumberPlace, ReplayPlan};
use crate::prepared::{PreparedComparison, ReplayedMetric, Variation};
use crate::rate::{GROWTHS, Rate};

/// The maximum number of confirmation runs of a suite.
pub const MOST_REPEATS: usize = 2;

/// The rows that one pull request is compared with.
pub struct PullRequestRows {
    /// Each row's newest earlier value.
    pub baseline: Vec<Row>,
    /// The first [`MOST_REPEATS`] are the next runs of the history, as if on another runner. The rest, as many again,
    /// are simulated reruns in the same job.
    pub confirmation_runs: Vec<Vec<Row>>,
}

pub struct PullRequestSuites<'r> {
    pub baseline: Suite<'r>,
    pub confirmation_runs: Vec<Suite<'r>>,
}

impl<'r> PullRequestSuites<'r> {
    pub fn new(rows: &'r PullRequestRows, config: &'r Config) -> Self {
        let suite = |rows: &'r Vec<Row>| Suite::new(rows, config, &Filter::default());
        Self {
            baseline: suite(&rows.baseline),
            confirmation_runs: rows.confirmation_runs.iter().map(suite).collect(),
        }
    }
}

/// The gatherers of one pull request, one for each set of data that gate workflows use.
pub struct Gatherers<'c> {
    plan: &'c ReplayPlan<'c>,
    history: Gatherer<'c>,
    one_value: Gatherer<'c>,
    advised: Option<Gatherer<'c>>,
}

impl<'c> Gatherers<'c> {
    /// Prepares comparisons of a run with everything before it.
    pub fn new(
        plan: &'c ReplayPlan<'c>,
        thresholds: &'c Thresholds,
        sides: &Sides<'_, '_>,
    ) -> Self {
        let one_value = Sides::new(sides.current, sides.baseline);
        Self {
            plan,
            history: Gatherer::new(sides, plan.config, thresholds),
            one_value: Gatherer::new(&one_value, plan.config, thresholds),
            advised: plan
                .advised
                .map(|advised| Gatherer::new(&one_value, advised, thresholds)),
        }
    }
}

/// The comparisons of one pull request, with their evidence.
pub struct ReplayCase<'c, 's, 'r> {
    history: PreparedComparison<'c, 's, 'r>,
    one_value: PreparedComparison<'c, 's, 'r>,
    advised: Option<PreparedComparison<'c, 's, 'r>>,
    policy: &'c HistoryPolicy,
    strict: HistoryPolicy,
    without: Option<fn(&Reason) -> bool>,
}

/// Metrics that several workflows judge alike, except for confirmation.
pub struct JudgedMetrics<'m> {
    pub workflows: &'static [GateWorkflow],
    pub metrics: Vec<ReplayedMetric<'m>>,
}

impl<'c, 's, 'r> ReplayCase<'c, 's, 'r> {
    /// Gathers the evidence for this run: the run, everything before it, and its confirmation runs.
    pub fn new(gatherers: &'c Gatherers<'c>, sides: &Sides<'s, 'r>) -> Self {
        let one_value = Sides::new(sides.current, sides.baseline);
        let plan = gatherers.plan;
        let advised = gatherers.advised.as_ref();
        Self {
            history: PreparedComparison::new(sides, &gatherers.history),
            one_value: PreparedComparison::new(&one_value, &gatherers.one_value),
            advised: advised.map(|advised| PreparedComparison::new(&one_value, advised)),
            policy: &plan.config.history,
            strict: HistoryPolicy {
                suspects: Suspects::Fail,
                ..plan.config.history
            },
            without: plan.without,
        }
    }

    /// Whether nearly all rows in a scope moved at once.
    pub fn is_shifted(&self) -> bool {
        self.history.is_shifted()
    }

    /// The metrics for workflows with a history.
    pub fn with_history(&self) -> JudgedMetrics<'_> {
        use GateWorkflow::{OtherRunner, SameJob, Signals, Strict};
        let workflows = &[Signals, Strict, SameJob, OtherRunner];
        JudgedMetrics {
            workflows,
            metrics: self.history.metrics(self.without),
        }
    }

    /// The metrics for all workflows, grouped by the data that the workflows use.
    pub fn all(&self) -> Vec<JudgedMetrics<'_>> {
        let [one_value, advised] = [Some(&self.one_value), self.advised.as_ref()];
        let plain = [
            (&[GateWorkflow::OneValue], one_value),
            (&[GateWorkflow::Advised], advised),
        ];
        let plain = plain.into_iter().filter_map(|(workflows, prepared)| {
            Some(JudgedMetrics {
                workflows,
                metrics: prepared?.metrics(self.without),
            })
        });
        std::iter::once(self.with_history()).chain(plain).collect()
    }

    /// The variation for a workflow, with costs that are higher by this share.
    pub fn variation(&self, workflow: GateWorkflow, growth: f64) -> Variation<'_> {
        let needed = self
            .history
            .needed_confirmation_runs()
            .clamp(1, MOST_REPEATS);
        let confirmation_runs = match workflow {
            GateWorkflow::OtherRunner => 0..needed,
            GateWorkflow::SameJob => MOST_REPEATS..MOST_REPEATS + needed,
            _ => 0..0,
        };
        let history = if workflow == GateWorkflow::Strict {
            &self.strict
        } else {
            self.policy
        };
        Variation {
            history,
            confirmation_runs,
            factor: 1.0 + growth,
        }
    }

    /// Makes one metric slower by each growth, and records which of them a workflow detects. A rule that detects a
    /// growth also detects larger ones, so a binary search suffices.
    pub fn inject(
        &self,
        judged: &JudgedMetrics<'_>,
        place: &NumberPlace,
        mut add: impl FnMut(GateWorkflow, [Rate; GROWTHS.len()]),
    ) {
        let Some(metric) = judged.metrics.iter().find(|metric| is_at(metric, place)) else {
            return;
        };
        let residual = metric.residual(f64::INFINITY);
        for workflow in judged.workflows {
            let finds = |growth: &f64| {
                metric.verdict(&self.variation(*workflow, *growth), residual.as_ref())
                    == Verdict::Regressed
            };
            let missed = GROWTHS.partition_point(|growth| !finds(growth));
            add(
                *workflow,
                std::array::from_fn(|at| Rate {
                    hits: u64::from(at >= missed),
                    trials: 1,
                }),
            );
        }
    }
}

fn is_at(metric: &ReplayedMetric<'_>, place: &NumberPlace) -> bool {
    *metric.scenario == place.scenario
        && metric.evidence().metric.name == place.metric
        && *metric.scope == *place.scope
}

pub fn place(metric: &ReplayedMetric<'_>) -> NumberPlace {
    NumberPlace {
        scope: metric.scope.into(),
        scenario: Name::clone(metric.scenario),
        metric: Name::clone(&metric.evidence().metric.name),
    }
}

/// Whether a metric can be made slower: it has a limit, is not computed, and has a later value.
pub fn can_be_slower(metric: &ReplayedMetric<'_>, verdict: Verdict) -> bool {
    let evidence = metric.evidence();
    let mut confirmation_runs = evidence.extra.confirmation_runs.iter();
    matches!(evidence.rule, Rule::Limit(_))
        && confirmation_runs.next().is_some_and(|run| !run.is_empty())
        && evidence.metric.formula.is_none()
        && evidence.direction() != Direction::Unknown
        && !matches!(verdict, Verdict::NotComparable | Verdict::Unmeasured)
}
