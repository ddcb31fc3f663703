//! The measured rates as JSON, for programs.

use serde::Serialize;

use crate::conclude::{Conclusion, Confirm, Recommendation};
use crate::draw::Drawn;
use crate::plan::{GateWorkflow, NumberPlace};
use crate::power::{Measure, RateBound};
use crate::rate::{Estimate, GROWTHS, Power, Record};
use crate::recommend::Advice;
use crate::replay::{Flag, Replay, WorkflowVerdict};

/// All that a calibration found. `schema` is 1.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CalibrationReport {
    schema: u32,
    /// The rules on each history.
    pub histories: Vec<HistoryReport>,
    /// Pairs that were drawn from A/A runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<DrawnReport>,
    /// Rates beside their goals.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<GoalReport>,
}

/// One history.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryReport {
    name: String,
    pull_requests: usize,
    /// The confirmation of a suspect: `same-job`, `other-runner` or `pairs`; the next five fields are of it.
    confirm: &'static str,
    regressed: usize,
    inconclusive: usize,
    environment_shifts: usize,
    /// Flagged rows that came back to their level.
    passing: Vec<PassingReport>,
    /// Flagged rows that stayed at their level.
    lasting: Vec<LastingReport>,
    /// `history`, with the best way to confirm, `limits` or `pairs`.
    recommended: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    recommended_confirm: Option<&'static str>,
    limit: PowerReport,
    /// The limits below; absent where they were not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    advised: Option<PowerReport>,
    /// The history where suspects fail.
    history: PowerReport,
    /// Without a confirmation run.
    history_screen: PowerReport,
    history_same_job: PowerReport,
    /// Confirmed by the next run.
    history_confirmed: PowerReport,
    history_pairs: PowerReport,
    limits: Vec<LimitReport>,
}

/// One rule.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PowerReport {
    /// Pull requests that fail although the level comes back.
    false_alarms: RateReport,
    /// Pull requests that fail for a change that stays.
    lasting: RateReport,
    found: Vec<FoundReport>,
}

/// The rates of pairs that were drawn from A/A runs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DrawnReport {
    metrics: usize,
    pairs: usize,
    distinct_pairs: usize,
    false_alarms: RateReport,
    found: Vec<FoundReport>,
}

#[derive(Debug, Serialize)]
struct PassingReport {
    #[serde(flatten)]
    place: PlaceReport,
    times: u64,
}

#[derive(Debug, Serialize)]
struct LastingReport {
    commit: String,
    #[serde(flatten)]
    place: PlaceReport,
    /// The growth of the cost.
    growth: f64,
    /// True if an earlier pull request had brought the change.
    merged: bool,
}

#[derive(Debug, Serialize)]
struct PlaceReport {
    scope: String,
    scenario: String,
    metric: String,
}

#[derive(Debug, Serialize)]
struct FoundReport {
    growth: f64,
    #[serde(flatten)]
    rate: RateReport,
}

#[derive(Debug, Serialize)]
struct RateReport {
    hits: u64,
    trials: u64,
    share: f64,
    /// With [`Self::high`], the interval; absent where trials depend on each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<f64>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LimitReport {
    scenario: String,
    metric: String,
    /// The drop of throughput.
    limit: f64,
    notices: f64,
    /// True if the limit finds a doubled cost.
    worth_having: bool,
}

/// One rate and its goal.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GoalReport {
    on: String,
    rule: &'static str,
    what: String,
    #[serde(flatten)]
    rate: RateReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_least: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    met: Option<bool>,
}

impl CalibrationReport {
    /// The report of these parts.
    pub fn new(histories: Vec<HistoryReport>, pairs: Option<&Drawn>, goals: &[Measure]) -> Self {
        let goals = goals.iter().map(GoalReport::new).collect();
        Self { schema: 1, histories, pairs: pairs.map(DrawnReport::new), goals }
    }

    /// The report as JSON, with a line end.
    ///
    /// # Errors
    /// When it cannot be written as JSON; no such report is known.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|json| json + "\n")
    }
}

impl HistoryReport {
    /// The report on a replay, with the limits that its history allows.
    pub fn new(name: &str, replay: &Replay, advice: &[Advice], confirm: Confirm) -> Self {
        let limit = |advice: &Advice| LimitReport {
            scenario: advice.scenario.to_string(),
            metric: advice.metric.to_string(),
            limit: advice.limit,
            notices: advice.notices,
            worth_having: advice.is_worth_having(),
        };
        let workflow = confirm.workflow();
        let of = |workflow| PowerReport::new(&replay.record(workflow));
        let recommended = Conclusion::of(replay, confirm).recommended;
        Self {
            name: name.to_owned(),
            pull_requests: replay.pull_requests.len(),
            confirm: name_of(confirm),
            regressed: replay.count(workflow, WorkflowVerdict::Regressed),
            inconclusive: replay.count(workflow, WorkflowVerdict::Inconclusive),
            environment_shifts: replay.shifts(),
            passing: replay.passing(workflow).into_iter().map(PassingReport::new).collect(),
            lasting: replay
                .lasting(workflow)
                .map(|(commit, flag)| LastingReport::new(commit, flag))
                .collect(),
            recommended: match recommended {
                Recommendation::History(_) => "history",
                Recommendation::Limits => "limits",
                Recommendation::PairsAlone => "pairs",
            },
            recommended_confirm: match recommended {
                Recommendation::History(confirm) => Some(name_of(confirm)),
                _ => None,
            },
            limit: of(GateWorkflow::OneValue),
            advised: Some(of(GateWorkflow::Advised)).filter(|advised| advised.false_alarms.trials > 0),
            history: of(GateWorkflow::Strict),
            history_screen: of(GateWorkflow::Screen),
            history_same_job: of(GateWorkflow::SameJob),
            history_confirmed: of(GateWorkflow::OtherRunner),
            history_pairs: PowerReport::new(&replay.with_pairs()),
            limits: advice.iter().map(limit).collect(),
        }
    }
}

fn name_of(confirm: Confirm) -> &'static str {
    match confirm {
        Confirm::SameJob => "same-job",
        Confirm::OtherRunner => "other-runner",
        Confirm::Pairs => "pairs",
    }
}

impl PassingReport {
    fn new((place, times): (&NumberPlace, u64)) -> Self {
        Self { place: PlaceReport::new(place), times }
    }
}

impl LastingReport {
    fn new(commit: &str, flag: &Flag) -> Self {
        Self {
            commit: commit.to_owned(),
            place: PlaceReport::new(&flag.place),
            growth: flag.change.growth,
            merged: flag.change.is_merged,
        }
    }
}

impl PlaceReport {
    fn new(place: &NumberPlace) -> Self {
        let [scope, scenario, metric] =
            [&place.scope, &place.scenario, &place.metric].map(ToString::to_string);
        Self { scope, scenario, metric }
    }
}

impl PowerReport {
    fn new(record: &Record) -> Self {
        Self {
            false_alarms: RateReport::new(&record.false_alarms()),
            lasting: RateReport::new(&record.lasting()),
            found: found(&record.found()),
        }
    }
}

fn found(found: &[Estimate]) -> Vec<FoundReport> {
    let found = GROWTHS.iter().zip(found);
    found.map(|(growth, rate)| FoundReport { growth: *growth, rate: RateReport::new(rate) }).collect()
}

impl DrawnReport {
    fn new(drawn: &Drawn) -> Self {
        let Power { false_alarms, found: drawn_found, .. } = drawn.power;
        let unsure = |rate: RateReport| RateReport { low: None, high: None, ..rate };
        let found = found(&drawn_found.map(Estimate::from)).into_iter();
        Self {
            metrics: drawn.metrics,
            pairs: drawn.pairs,
            distinct_pairs: drawn.distinct,
            false_alarms: unsure(RateReport::new(&false_alarms.into())),
            found: found.map(|one| FoundReport { rate: unsure(one.rate), ..one }).collect(),
        }
    }
}

impl RateReport {
    fn new(estimate: &Estimate) -> Self {
        let Estimate { rate, low, high } = *estimate;
        Self { hits: rate.hits, trials: rate.trials, share: rate.share(), low: Some(low), high: Some(high) }
    }
}

impl GoalReport {
    fn new(measure: &Measure) -> Self {
        let (at_most, at_least) = match measure.goal {
            Some(RateBound::AtMost(goal)) => (Some(goal), None),
            Some(RateBound::AtLeast(goal)) => (None, Some(goal)),
            None => (None, None),
        };
        Self {
            on: measure.on.clone(),
            rule: measure.rule,
            what: measure.what.clone(),
            rate: RateReport::new(&measure.rate),
            at_most,
            at_least,
            met: measure.met().map(|met| met != crate::power::Met::No),
        }
    }
}
