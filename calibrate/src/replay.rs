//! A history, replayed as if each of its runs had been a pull request.
//!
//! Rows of run *t* are judged by [`perf_verdict::compare()`], as they would be by the gate: against the last value before,
//! with all values before as the history, and confirmed by the next ones after. Only rows with enough earlier values
//! and enough later ones count, so that each rule is asked the same. Then the cost of one row at a time is multiplied,
//! at *t* and in what confirms it, and everything is judged again.

use std::collections::BTreeMap;

use perf_config::{Config, Suspects};
use perf_model::parallel;
use perf_model::row::{Name, Row};
use perf_model::suite::Definitions;
use perf_verdict::Verdict;

use crate::case::{PullRequestRows, ReplayCase, places, verdict};
use crate::levels::{self, LevelChange};
use crate::plan::{GateWorkflow, NumberPlace, ReplayPlan};
use crate::random::RandomStream;
use crate::rate::{Power, Rate, Record};
use crate::runs::RunHistory;
use crate::series::{Around, RowSeries};

/// The result of a replay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replay {
    /// The pull requests, in their order.
    pub pull_requests: Vec<PullRequest>,
}

/// The result of one pull request, by each way to gate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PullRequest {
    /// Its commit.
    pub commit: Name,
    powers: [Power; GateWorkflow::ALL.len()],
    verdicts: [WorkflowVerdict; GateWorkflow::ALL.len()],
    flags: Vec<(GateWorkflow, Flag)>,
    /// True if nearly all rows moved at once.
    pub shift: bool,
}

/// The verdict of a workflow on a pull request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WorkflowVerdict {
    /// No row fails, and none is inconclusive.
    #[default]
    Passed,
    /// A row fails.
    Regressed,
    /// A row's data are not conclusive, and none fails.
    Inconclusive,
}

/// A row that a workflow flagged.
#[derive(Clone, Debug, PartialEq)]
pub struct Flag {
    /// The number that was flagged.
    pub place: NumberPlace,
    /// The distance of its value from the runs before, and whether it stayed there.
    pub change: LevelChange,
}

impl PullRequest {
    /// The verdict of a workflow on it.
    pub fn outcome(&self, workflow: GateWorkflow) -> WorkflowVerdict {
        self.verdicts[workflow as usize]
    }

    /// The rows that a workflow flagged.
    pub fn flags(&self, workflow: GateWorkflow) -> impl Iterator<Item = &Flag> {
        self.flags.iter().filter(move |(by, _)| *by == workflow).map(|(_, flag)| flag)
    }
}

impl Replay {
    /// The false alarms of a workflow, and the slowdowns that it found.
    pub fn record(&self, workflow: GateWorkflow) -> Record {
        Record(self.pull_requests.iter().map(|pull| pull.powers[workflow as usize]).collect())
    }

    /// The history, confirmed by interleaved pairs: what they refute is what no change made, and what they confirm is
    /// what was made slower. That they are right is measured by simulation ([`crate::simulate`]).
    pub fn with_pairs(&self) -> Record {
        let both = |pull: &PullRequest| Power {
            found: pull.powers[GateWorkflow::Strict as usize].found,
            ..pull.powers[GateWorkflow::Screen as usize]
        };
        Record(self.pull_requests.iter().map(both).collect())
    }

    /// The number of pull requests with this outcome.
    pub fn count(&self, workflow: GateWorkflow, outcome: WorkflowVerdict) -> usize {
        self.pull_requests.iter().filter(|pull| pull.outcome(workflow) == outcome).count()
    }

    /// The number of pull requests with an environment shift.
    pub fn shifts(&self) -> usize {
        self.pull_requests.iter().filter(|pull| pull.shift).count()
    }

    /// The number of flags of each row by a workflow, in pull requests whose rows all came back to their level.
    pub fn passing(&self, workflow: GateWorkflow) -> BTreeMap<&NumberPlace, u64> {
        let mut places = BTreeMap::new();
        let is_wrong = |pull: &&PullRequest| !pull.flags(workflow).any(|flag| flag.change.stays);
        for flag in self.pull_requests.iter().filter(is_wrong).flat_map(|pull| pull.flags(workflow)) {
            *places.entry(&flag.place).or_default() += 1;
        }
        places
    }

    /// The number of pull requests that a workflow flagged only for changes that earlier ones had brought.
    pub fn after_merged(&self, workflow: GateWorkflow) -> usize {
        let stayed = |pull: &PullRequest| -> Vec<bool> {
            let flags = pull.flags(workflow).filter(|flag| flag.change.stays);
            flags.map(|flag| flag.change.is_merged).collect()
        };
        let is_after =
            |merged: Vec<bool>| !merged.is_empty() && merged.into_iter().all(|is_merged| is_merged);
        self.pull_requests.iter().filter(|pull| is_after(stayed(pull))).count()
    }

    /// The flagged rows that stayed at their level, with the commits.
    pub fn lasting(&self, workflow: GateWorkflow) -> impl Iterator<Item = (&Name, &Flag)> {
        let pulls = self.pull_requests.iter();
        pulls
            .flat_map(move |pull| pull.flags(workflow).map(|flag| (&pull.commit, flag)))
            .filter(|(_, flag)| flag.change.stays)
    }
}

/// Replays a history, on all cores.
pub fn replay(history: &RunHistory, plan: &ReplayPlan<'_>) -> Replay {
    let mut strict = plan.config.clone();
    strict.history.suspects = Suspects::Fail;
    let judges = Judges { plan, strict: &strict, series: &RowSeries::of(history), history };
    let cores = parallel::cores();
    let parts = parallel::parts(cores, |core| {
        let runs = (core..history.runs.len()).step_by(cores);
        runs.filter_map(|run| Some((run, judges.pull_request(run)?))).collect::<Vec<_>>()
    });
    let mut all: Vec<(usize, PullRequest)> = parts.into_iter().flatten().collect();
    all.sort_by_key(|(run, _)| *run);
    Replay { pull_requests: all.into_iter().map(|(_, pull)| pull).collect() }
}

struct Judges<'j> {
    plan: &'j ReplayPlan<'j>,
    strict: &'j Config,
    series: &'j RowSeries<'j>,
    history: &'j RunHistory,
}

impl Judges<'_> {
    /// The result of a run as a pull request; `None` where it has no row with enough other values.
    fn pull_request(&self, run: usize) -> Option<PullRequest> {
        // A suite of many metrics takes more than one confirmation run.
        let first = self.rows(run, 1)?;
        let needed = ReplayCase::new(self.plan, self.strict, &first).repeats_needed();
        let rows = self.rows(run, needed)?;
        let case = ReplayCase::new(self.plan, self.strict, &rows);
        let confirmed = case.judge(GateWorkflow::OtherRunner, &rows.as_measured())?;
        let places = places(&confirmed, self.plan.config);
        if places.is_empty() {
            return None;
        }
        let mut pull = PullRequest {
            commit: Name::clone(&self.history.runs[run].name),
            shift: confirmed.scopes.iter().any(|scope| scope.shift.is_some()),
            ..PullRequest::default()
        };
        for workflow in GateWorkflow::ALL {
            self.unchanged(workflow, run, &rows, &case, &places, &mut pull);
        }
        for place in self.chosen(places, run) {
            for workflow in GateWorkflow::ALL {
                case.inject(workflow, &place, &rows, &mut pull.powers[workflow as usize].found);
            }
        }
        Some(pull)
    }

    /// Judges the run as it is, and adds the verdict of a workflow to the pull request.
    fn unchanged(
        &self,
        workflow: GateWorkflow,
        run: usize,
        rows: &PullRequestRows,
        case: &ReplayCase<'_>,
        places: &[NumberPlace],
        pull: &mut PullRequest,
    ) {
        let Some(judged) = case.judge(workflow, &rows.as_measured()) else { return };
        let judged = &judged;
        let are = |wanted| places.iter().filter(move |place| verdict(judged, place) == Some(wanted));
        let flags: Vec<Flag> = are(Verdict::Regressed).map(|place| self.flag(run, place)).collect();
        let is_open = are(Verdict::Inconclusive).next().is_some();
        let lasts = flags.iter().any(|flag| flag.change.stays);
        let power = &mut pull.powers[workflow as usize];
        power.false_alarms.add(!flags.is_empty() && !lasts);
        power.lasting.add(lasts);
        pull.verdicts[workflow as usize] = match () {
            () if !flags.is_empty() => WorkflowVerdict::Regressed,
            () if is_open => WorkflowVerdict::Inconclusive,
            () => WorkflowVerdict::Passed,
        };
        pull.flags.extend(flags.into_iter().map(|flag| (workflow, flag)));
    }

    fn flag(&self, run: usize, place: &NumberPlace) -> Flag {
        let config = self.plan.config;
        let is_there =
            |platform: &str| config.scope_of(platform).is_some_and(|(_, scope)| *scope == *place.scope);
        let change = levels::change(self.series, run, &place.scenario, &place.metric, config, is_there);
        Flag { place: place.clone(), change }
    }

    /// The places of rows that are made slower, chosen at random.
    fn chosen(&self, mut places: Vec<NumberPlace>, run: usize) -> Vec<NumberPlace> {
        let mut random = RandomStream::new(self.plan.seed, run as u64);
        while places.len() > self.plan.rows {
            places.swap_remove(random.below(places.len()));
        }
        places
    }

    fn rows(&self, run: usize, after: usize) -> Option<PullRequestRows> {
        let policy = self.plan.config.history;
        let around = self.series.around(run, policy.least, after);
        let copies = |place: &dyn Fn(usize) -> Option<usize>| -> Vec<Row> {
            let values = around.iter().filter_map(|(values, at)| values.get(place(*at)?));
            values.flat_map(|(_, rows)| rows.iter().copied().cloned()).collect()
        };
        let later = |on: usize| copies(&|at| at.checked_add(on));
        let current = later(0);
        let repeats: Vec<Vec<Row>> = (1..=after).map(later).collect();
        (!around.is_empty()).then(|| PullRequestRows {
            same_job: levels::in_same_job(&current, &repeats, self.plan.config),
            baseline: copies(&|at| at.checked_sub(1)),
            history: history(&around, policy.last),
            current,
            repeats,
        })
    }
}

/// The last values of each row, by the run that measured them: what rows have in common they have in one run, and a row
/// that skipped a run has no part in that.
fn history(around: &[Around<'_, '_>], last: usize) -> Vec<Vec<Row>> {
    let mut runs: BTreeMap<usize, Vec<Row>> = BTreeMap::new();
    for (values, at) in around {
        for (run, rows) in &values[at.saturating_sub(last)..*at] {
            runs.entry(*run).or_default().extend(rows.iter().copied().cloned());
        }
    }
    runs.into_values().collect()
}

/// The rate at which pull requests were inconclusive.
pub fn inconclusive(replay: &Replay, workflow: GateWorkflow) -> Rate {
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    Rate {
        hits: count(replay.count(workflow, WorkflowVerdict::Inconclusive)),
        trials: count(replay.pull_requests.len()),
    }
}
