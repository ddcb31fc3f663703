//! Replays a history as if each of its runs had been a pull request.
//!
//! Every row in a run is judged as [`perf_verdict::compare()`] would have judged it on that day: against its newest
//! earlier value, with all earlier runs as the history, and confirmed by its next values. A row with too few earlier
//! values gets the fixed limit, and one without a later value is not confirmed. Then the cost of one row at a time is
//! multiplied, in the run and its confirmation runs, and that row is judged again.

use std::collections::BTreeMap;

use perf_model::parallel;
use perf_model::row::{Name, Row};
use perf_model::suite::{Definitions, Filter, Suite};
use perf_verdict::{Sides, Thresholds, Verdict};

use crate::case::{
    Gatherers, JudgedMetrics, MOST_REPEATS, PullRequestRows, PullRequestSuites, ReplayCase,
    can_be_slower, place,
};
use crate::levels::{self, LevelChange};
use crate::plan::{GateWorkflow, NumberPlace, ReplayPlan};
use crate::prepared::ReplayedMetric;
use crate::progress::Progress;
use crate::random::RandomStream;
use crate::rate::{GROWTHS, Power, Rate, Record};
use crate::runs::RunHistory;
use crate::series::RowSeries;

/// The result of a replay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replay {
    /// The pull requests in order.
    pub pull_requests: Vec<PullRequest>,
}

/// The results of a pull request in each workflow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PullRequest {
    /// Its commit.
    pub commit: Name,
    powers: [Power; GateWorkflow::ALL.len()],
    is_open: [bool; GateWorkflow::ALL.len()],
    flags: Vec<(GateWorkflow, Flag)>,
    /// Whether nearly all rows moved at once.
    pub shift: bool,
}

/// A workflow's verdict on a pull request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WorkflowVerdict {
    /// No row fails, and none is inconclusive.
    #[default]
    Passed,
    /// A row fails.
    Regressed,
    /// A row is inconclusive, and none fails.
    Inconclusive,
}

/// A row that a workflow flagged.
#[derive(Clone, Debug, PartialEq)]
pub struct Flag {
    /// The flagged metric.
    pub place: NumberPlace,
    /// The change compared with the runs before, and whether it stayed.
    pub change: LevelChange,
}

impl PullRequest {
    /// A workflow's verdict.
    pub fn outcome(&self, workflow: GateWorkflow) -> WorkflowVerdict {
        match self.flags(workflow).next() {
            Some(_) => WorkflowVerdict::Regressed,
            None if self.is_open[workflow as usize] => WorkflowVerdict::Inconclusive,
            None => WorkflowVerdict::Passed,
        }
    }

    fn add_found(&mut self, workflow: GateWorkflow, found: [Rate; GROWTHS.len()]) {
        for (all, one) in self.powers[workflow as usize].found.iter_mut().zip(found) {
            all.merge(one);
        }
    }

    /// The rows that a workflow flagged.
    pub fn flags(&self, workflow: GateWorkflow) -> impl Iterator<Item = &Flag> {
        self.flags
            .iter()
            .filter(move |(by, _)| *by == workflow)
            .map(|(_, flag)| flag)
    }
}

impl Replay {
    /// The false alarms and detection rates of a workflow.
    pub fn record(&self, workflow: GateWorkflow) -> Record {
        Record(
            self.pull_requests
                .iter()
                .map(|pull| pull.powers[workflow as usize])
                .collect(),
        )
    }

    /// The history, confirmed by interleaved pairs. Assumes that pairs refute every false alarm and confirm every
    /// injected slowdown. The simulation measures how often they do.
    pub fn with_pairs(&self) -> Record {
        let both = |pull: &PullRequest| Power {
            found: pull.powers[GateWorkflow::Strict as usize].found,
            ..pull.powers[GateWorkflow::Signals as usize]
        };
        Record(self.pull_requests.iter().map(both).collect())
    }

    /// The number of pull requests with this verdict.
    pub fn count(&self, workflow: GateWorkflow, outcome: WorkflowVerdict) -> usize {
        self.pull_requests
            .iter()
            .filter(|pull| pull.outcome(workflow) == outcome)
            .count()
    }

    /// The number of pull requests with an environment shift.
    pub fn shifts(&self) -> usize {
        self.pull_requests.iter().filter(|pull| pull.shift).count()
    }

    /// How often a workflow flagged each row, in pull requests whose flagged rows all returned to their level.
    pub fn passing(&self, workflow: GateWorkflow) -> BTreeMap<&NumberPlace, u64> {
        let mut places = BTreeMap::new();
        let is_wrong = |pull: &&PullRequest| !pull.flags(workflow).any(|flag| flag.change.stays);
        for flag in self
            .pull_requests
            .iter()
            .filter(is_wrong)
            .flat_map(|pull| pull.flags(workflow))
        {
            *places.entry(&flag.place).or_default() += 1;
        }
        places
    }

    /// The number of pull requests that a workflow flagged only for changes that were merged before.
    pub fn after_merged(&self, workflow: GateWorkflow) -> usize {
        let stayed = |pull: &PullRequest| -> Vec<bool> {
            let flags = pull.flags(workflow).filter(|flag| flag.change.stays);
            flags.map(|flag| flag.change.is_merged).collect()
        };
        let is_after =
            |merged: Vec<bool>| !merged.is_empty() && merged.into_iter().all(|is_merged| is_merged);
        self.pull_requests
            .iter()
            .filter(|pull| is_after(stayed(pull)))
            .count()
    }

    /// The flagged rows that stayed at their new level, with the commits.
    pub fn lasting(&self, workflow: GateWorkflow) -> impl Iterator<Item = (&Name, &Flag)> {
        let pulls = self.pull_requests.iter();
        pulls
            .flat_map(move |pull| pull.flags(workflow).map(|flag| (&pull.commit, flag)))
            .filter(|(_, flag)| flag.change.stays)
    }
}

/// Replays a history on all cores.
pub fn replay(history: &RunHistory, plan: &ReplayPlan<'_>) -> Replay {
    let judges = Judges {
        plan,
        thresholds: Thresholds {
            self_test: false,
            limit: plan.limit,
            ..Thresholds::of(plan.config)
        },
        series: &RowSeries::of(history),
        suites: &parallel::map(&history.runs, |run| {
            Suite::new(&run.rows, plan.config, &Filter::default())
        }),
        history,
        progress: Progress::new(history.runs.len()),
    };
    let runs: Vec<usize> = (0..history.runs.len()).collect();
    let pull_requests = parallel::map(&runs, |run| judges.pull_request(*run));
    judges.progress.end();
    Replay {
        pull_requests: pull_requests.into_iter().flatten().collect(),
    }
}

struct Judges<'j> {
    plan: &'j ReplayPlan<'j>,
    thresholds: Thresholds,
    series: &'j RowSeries<'j>,
    suites: &'j [Suite<'j>],
    history: &'j RunHistory,
    progress: Progress,
}

impl Judges<'_> {
    /// Replays a run as a pull request; `None` if it has no row with enough earlier values and a later one.
    fn pull_request(&self, run: usize) -> Option<PullRequest> {
        self.progress.step();
        let rows = self.rows(run)?;
        let suites = PullRequestSuites::new(&rows, self.plan.config);
        let sides = Sides {
            history: &self.suites[..run],
            confirmation_runs: &suites.confirmation_runs,
            ..Sides::new(&self.suites[run], &suites.baseline)
        };
        let gatherers = Gatherers::new(self.plan, &self.thresholds, &sides);
        let case = ReplayCase::new(&gatherers, &sides);
        let mut pull = PullRequest {
            commit: Name::clone(&self.history.runs[run].name),
            shift: case.is_shifted(),
            ..PullRequest::default()
        };
        let places = self.places(&case, run)?;
        for judged in case.all() {
            self.unchanged(&case, &judged, run, &mut pull);
            for place in &places {
                case.inject(&judged, place, |workflow, found| {
                    pull.add_found(workflow, found);
                });
            }
        }
        Some(pull)
    }

    /// Chooses the metrics to make slower, at random; `None` if no metric has a history.
    fn places(&self, case: &ReplayCase<'_, '_, '_>, run: usize) -> Option<Vec<NumberPlace>> {
        let varied = case.variation(GateWorkflow::Signals, 0.0);
        let all = case.with_history().metrics;
        let fit =
            |metric: &&ReplayedMetric<'_>| can_be_slower(metric, metric.verdict(&varied, None));
        let fit: Vec<&ReplayedMetric<'_>> = all.iter().filter(fit).collect();
        fit.iter()
            .find(|metric| metric.screened.signals.band.is_some())?;
        let mut places: Vec<NumberPlace> = fit.into_iter().map(place).collect();
        let mut random = RandomStream::new(self.plan.seed, run as u64);
        while places.len() > self.plan.rows {
            places.swap_remove(random.below(places.len()));
        }
        Some(places)
    }

    /// Judges the unchanged run, and adds the verdicts of some workflows to the pull request.
    fn unchanged(
        &self,
        case: &ReplayCase<'_, '_, '_>,
        judged: &JudgedMetrics<'_>,
        run: usize,
        pull: &mut PullRequest,
    ) {
        let variations = judged
            .workflows
            .iter()
            .map(|workflow| (*workflow, case.variation(*workflow, 0.0)));
        let variations: Vec<_> = variations.collect();
        for metric in judged
            .metrics
            .iter()
            .filter(|metric| metric.evidence().is_gated())
        {
            let residual = metric.residual(1.0);
            for (workflow, varied) in &variations {
                match metric.verdict(varied, residual.as_ref()) {
                    Verdict::Regressed => {
                        pull.flags.push((*workflow, self.flag(run, &place(metric))));
                    }
                    Verdict::Inconclusive => pull.is_open[*workflow as usize] = true,
                    _ => {}
                }
            }
        }
        for workflow in judged.workflows {
            let flagged = pull.flags(*workflow).next().is_some();
            let lasts = pull.flags(*workflow).any(|flag| flag.change.stays);
            let power = &mut pull.powers[*workflow as usize];
            power.false_alarms.add(flagged && !lasts);
            power.lasting.add(lasts);
        }
    }

    fn flag(&self, run: usize, place: &NumberPlace) -> Flag {
        let config = self.plan.config;
        let is_there = |platform: &str| {
            config
                .scope_of(platform)
                .is_some_and(|(_, scope)| *scope == *place.scope)
        };
        let change = levels::change(
            self.series,
            run,
            &place.scenario,
            &place.metric,
            config,
            is_there,
        );
        Flag {
            place: place.clone(),
            change,
        }
    }

    /// Each row's newest earlier value and its next values; `None` if either does not exist.
    fn rows(&self, run: usize) -> Option<PullRequestRows> {
        let around = self.series.around(run);
        let copies = |place: &dyn Fn(usize) -> Option<usize>| -> Vec<Row> {
            let values = around
                .iter()
                .filter_map(|(values, at)| values.get(place(*at)?));
            values
                .flat_map(|(_, rows)| rows.iter().copied().cloned())
                .collect()
        };
        let baseline = copies(&|at| at.checked_sub(1));
        let mut confirmation_runs: Vec<Vec<Row>> = (1..=MOST_REPEATS)
            .map(|on| copies(&|at| at.checked_add(on)))
            .collect();
        if baseline.is_empty() || confirmation_runs[0].is_empty() {
            return None;
        }
        confirmation_runs.extend(levels::in_same_job(
            &self.history.runs[run].rows,
            &confirmation_runs,
            self.plan.config,
        ));
        Some(PullRequestRows {
            baseline,
            confirmation_runs,
        })
    }
}
