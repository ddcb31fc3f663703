//! The rates as JSON.

use serde::Serialize;

use crate::conclude::{Conclusion, Confirm, Recommendation};
use crate::draw::Drawn;
use crate::plan::{GateWorkflow, NumberPlace};
use crate::power::{Measure, Met, RateBound};
use crate::rate::{Estimate, GROWTHS, Rate, Record};
use crate::recommend::Advice;
use crate::replay::{Replay, WorkflowVerdict};

/// All results of a calibration. `schema` is 1.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CalibrationReport<'r> {
    schema: u32,
    /// The rules on each history.
    histories: Vec<HistoryReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<DrawnReport>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    goals: Vec<GoalReport<'r>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryReport {
    name: String,
    pull_requests: usize,
    /// The confirmation for `regressed`, `inconclusive`, `passing` and `lasting`.
    confirm: Confirm,
    regressed: usize,
    inconclusive: usize,
    environment_shifts: usize,
    /// Flagged rows that returned to their level.
    passing: Vec<PassingReport>,
    /// Flagged rows that stayed at the new level.
    lasting: Vec<LastingReport>,
    /// `history` (with `recommended_confirm`), `limits` or `pairs`.
    recommended: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    recommended_confirm: Option<Confirm>,
    limit: PowerReport,
    /// The limits below; absent if they were not replayed.
    #[serde(skip_serializing_if = "Option::is_none")]
    advised: Option<PowerReport>,
    /// The history with `suspects = "fail"`.
    history: PowerReport,
    /// Without a confirmation run.
    history_screen: PowerReport,
    history_same_job: PowerReport,
    /// Confirmed by the next run.
    history_confirmed: PowerReport,
    history_pairs: PowerReport,
    limits: Vec<LimitReport>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PowerReport {
    /// Pull requests that fail although the level returns.
    false_alarms: RateReport,
    /// Pull requests that fail because of a change that stays.
    lasting: RateReport,
    found: Vec<FoundReport>,
}

/// The rates of pairs that were drawn from A/A runs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct DrawnReport {
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
    growth: f64,
    /// Whether an earlier pull request had introduced the change.
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
    /// The ends of the interval; absent if trials are dependent.
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
    /// For throughput, how much it may drop.
    limit: f64,
    notices: f64,
    /// Whether the limit detects a doubled cost.
    worth_having: bool,
}

#[derive(Debug, Serialize)]
struct GoalReport<'m> {
    on: &'m str,
    rule: &'m str,
    what: &'m str,
    #[serde(flatten)]
    rate: RateReport,
    #[serde(flatten)]
    goal: Option<RateBound>,
    #[serde(skip_serializing_if = "Option::is_none")]
    met: Option<bool>,
}

impl<'r> CalibrationReport<'r> {
    pub fn new(histories: Vec<HistoryReport>, pairs: Option<&Drawn>, goals: &'r [Measure]) -> Self {
        let goals = goals.iter().map(GoalReport::new).collect();
        Self {
            schema: 1,
            histories,
            pairs: pairs.map(DrawnReport::new),
            goals,
        }
    }

    /// The report as JSON with a final newline.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|json| json + "\n")
    }
}

impl HistoryReport {
    /// The report on a replay, with the limits for its history.
    pub fn new(name: &str, replay: &Replay, advice: &[Advice], confirm: Confirm) -> Self {
        let limit = |advice: &Advice| LimitReport {
            scenario: advice.scenario.to_string(),
            metric: advice.metric.to_string(),
            limit: advice.limit,
            notices: advice.notices,
            worth_having: advice.is_worth_having(),
        };
        let passing = |(place, times): (&NumberPlace, u64)| PassingReport {
            place: place.into(),
            times,
        };
        let workflow = confirm.workflow();
        let lasting = replay
            .lasting(workflow)
            .map(|(commit, flag)| LastingReport {
                commit: commit.to_string(),
                place: (&flag.place).into(),
                growth: flag.change.growth,
                merged: flag.change.is_merged,
            });
        let of = |workflow| PowerReport::new(&replay.record(workflow));
        let recommended = Conclusion::of(replay, confirm).recommended;
        Self {
            name: name.to_owned(),
            pull_requests: replay.pull_requests.len(),
            confirm,
            regressed: replay.count(workflow, WorkflowVerdict::Regressed),
            inconclusive: replay.count(workflow, WorkflowVerdict::Inconclusive),
            environment_shifts: replay.shifts(),
            passing: replay.passing(workflow).into_iter().map(passing).collect(),
            lasting: lasting.collect(),
            recommended: match recommended {
                Recommendation::History(_) => "history",
                Recommendation::Limits => "limits",
                Recommendation::PairsAlone => "pairs",
            },
            recommended_confirm: match recommended {
                Recommendation::History(confirm) => Some(confirm),
                _ => None,
            },
            limit: of(GateWorkflow::OneValue),
            advised: Some(of(GateWorkflow::Advised))
                .filter(|advised| advised.false_alarms.trials > 0),
            history: of(GateWorkflow::Strict),
            history_screen: of(GateWorkflow::Signals),
            history_same_job: of(GateWorkflow::SameJob),
            history_confirmed: of(GateWorkflow::OtherRunner),
            history_pairs: PowerReport::new(&replay.with_pairs()),
            limits: advice.iter().map(limit).collect(),
        }
    }
}

impl From<&NumberPlace> for PlaceReport {
    fn from(place: &NumberPlace) -> Self {
        let [scope, scenario, metric] =
            [&place.scope, &place.scenario, &place.metric].map(ToString::to_string);
        Self {
            scope,
            scenario,
            metric,
        }
    }
}

impl PowerReport {
    fn new(record: &Record) -> Self {
        Self {
            false_alarms: record.false_alarms().into(),
            lasting: record.lasting().into(),
            found: found(record.found()),
        }
    }
}

fn found(rates: [impl Into<RateReport>; GROWTHS.len()]) -> Vec<FoundReport> {
    let rates = GROWTHS.into_iter().zip(rates);
    rates
        .map(|(growth, rate)| FoundReport {
            growth,
            rate: rate.into(),
        })
        .collect()
}

impl DrawnReport {
    fn new(drawn: &Drawn) -> Self {
        Self {
            metrics: drawn.metrics,
            pairs: drawn.pairs,
            distinct_pairs: drawn.distinct,
            false_alarms: drawn.power.false_alarms.into(),
            found: found(drawn.power.found),
        }
    }
}

impl From<Rate> for RateReport {
    fn from(rate: Rate) -> Self {
        Self {
            hits: rate.hits,
            trials: rate.trials,
            share: rate.share(),
            low: None,
            high: None,
        }
    }
}

impl From<Estimate> for RateReport {
    fn from(Estimate { rate, low, high }: Estimate) -> Self {
        Self {
            low: Some(low),
            high: Some(high),
            ..rate.into()
        }
    }
}

impl<'m> GoalReport<'m> {
    fn new(measure: &'m Measure) -> Self {
        Self {
            on: &measure.on,
            rule: measure.rule,
            what: &measure.what,
            rate: measure.rate.into(),
            goal: measure.goal,
            met: measure.met().map(|met| met != Met::No),
        }
    }
}
