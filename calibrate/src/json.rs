//! What was measured, for programs.

use serde::Serialize;

use crate::draw::Drawn;
use crate::power::{Goal, Measure};
use crate::rate::{GROWTHS, Power, Rate};
use crate::recommend::Advice;
use crate::replay::Replay;

/// All that a calibration found. `schema` is 1.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
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
    pull_requests: u64,
    regressed: u64,
    inconclusive: u64,
    environment_shifts: u64,
    threshold: PowerReport,
    /// The limits below; absent where they were not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    advised: Option<PowerReport>,
    history: PowerReport,
    history_confirmed: PowerReport,
    limits: Vec<LimitReport>,
}

/// One rule.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PowerReport {
    false_alarms: RateReport,
    found: Vec<FoundReport>,
}

/// What was drawn from A/A runs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DrawnReport {
    metrics: usize,
    pairs: usize,
    distinct_pairs: usize,
    #[serde(flatten)]
    power: PowerReport,
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
struct LimitReport {
    scenario: String,
    metric: String,
    /// The drop of throughput.
    threshold: f64,
    notices: f64,
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

impl Report {
    /// Of these parts.
    pub fn new(histories: Vec<HistoryReport>, pairs: Option<&Drawn>, goals: &[Measure]) -> Self {
        let goals = goals.iter().map(GoalReport::new).collect();
        Self { schema: 1, histories, pairs: pairs.map(DrawnReport::new), goals }
    }

    /// As JSON, with a line end.
    ///
    /// # Errors
    /// When it cannot be written as JSON; no such report is known.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|json| json + "\n")
    }
}

impl HistoryReport {
    /// What a replay came to, and the limits that its history allows.
    pub fn new(name: &str, replay: &Replay, advice: &[Advice]) -> Self {
        let limit = |advice: &Advice| LimitReport {
            scenario: advice.scenario.to_string(),
            metric: advice.metric.to_string(),
            threshold: advice.threshold,
            notices: advice.notices,
        };
        Self {
            name: name.to_owned(),
            pull_requests: replay.pull_requests(),
            regressed: replay.regressed,
            inconclusive: replay.inconclusive,
            environment_shifts: replay.shifts,
            threshold: PowerReport::new(&replay.threshold),
            advised: (replay.advised != Power::default()).then(|| PowerReport::new(&replay.advised)),
            history: PowerReport::new(&replay.alone),
            history_confirmed: PowerReport::new(&replay.confirmed),
            limits: advice.iter().map(limit).collect(),
        }
    }
}

impl PowerReport {
    fn new(power: &Power) -> Self {
        let found = GROWTHS.iter().zip(power.found);
        let found = found.map(|(growth, rate)| FoundReport { growth: *growth, rate: RateReport::new(rate) });
        Self { false_alarms: RateReport::new(power.false_alarms), found: found.collect() }
    }
}

impl DrawnReport {
    fn new(drawn: &Drawn) -> Self {
        let mut power = PowerReport::new(&drawn.power);
        let rates = power.found.iter_mut().map(|found| &mut found.rate);
        for rate in rates.chain([&mut power.false_alarms]) {
            (rate.low, rate.high) = (None, None);
        }
        Self { metrics: drawn.metrics, pairs: drawn.pairs, distinct_pairs: drawn.distinct, power }
    }
}

impl RateReport {
    fn new(rate: Rate) -> Self {
        let (low, high) = rate.interval();
        Self { hits: rate.hits, trials: rate.trials, share: rate.share(), low: Some(low), high: Some(high) }
    }
}

impl GoalReport {
    fn new(measure: &Measure) -> Self {
        let (at_most, at_least) = match measure.goal {
            Some(Goal::AtMost(goal)) => (Some(goal), None),
            Some(Goal::AtLeast(goal)) => (None, Some(goal)),
            None => (None, None),
        };
        Self {
            on: measure.on.clone(),
            rule: measure.rule,
            what: measure.what.clone(),
            rate: RateReport::new(measure.rate),
            at_most,
            at_least,
            met: measure.met().map(|met| met != crate::power::Met::No),
        }
    }
}
