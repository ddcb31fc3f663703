//! The rates of the rules, compared with their goals.

use std::path::Path;

use perf_config::Config;
use perf_verdict::rules::pairs::LOOKS;
use serde::Serialize;

use crate::machine;
use crate::plan::{GateWorkflow, ReplayPlan};
use crate::rate::{Estimate, Rate};
use crate::replay::{Replay, replay};
use crate::runs::RunHistory;
use crate::simulate::{self, Noise, SimulationSetting, is_acquitted, is_dependent, is_slower};

/// How many rows are made slower in a pull request. More would not make the result more certain, because they share its run.
const ROWS: usize = 8;

/// The goal for a rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum RateBound {
    /// At most this.
    AtMost(f64),
    /// At least this.
    AtLeast(f64),
}

/// How certainly a goal is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// Met even at the worse end of the interval.
    Surely,
    /// Met by the measured rate.
    Measured,
    /// Missed.
    No,
}

/// A measured rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// The data.
    pub on: String,
    /// The rule.
    pub rule: &'static str,
    /// The event.
    pub what: String,
    /// The share of trials with the event.
    pub rate: Estimate,
    /// The goal, if any.
    pub goal: Option<RateBound>,
}

impl Measure {
    /// How certainly the goal is met; `None` if there is no goal.
    pub fn met(&self) -> Option<Met> {
        let Estimate { low, high, .. } = self.rate;
        let share = self.rate.share();
        let (surely, measured) = match self.goal? {
            RateBound::AtMost(goal) => (high <= goal, share <= goal),
            RateBound::AtLeast(goal) => (low >= goal, share >= goal),
        };
        Some(match () {
            () if self.rate.rate.trials == 0 => Met::No,
            () if surely => Met::Surely,
            () if measured => Met::Measured,
            () => Met::No,
        })
    }
}

/// The number of simulations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trials {
    /// Unchanged suites at each noise level.
    pub suites: u64,
    /// Slower metrics at each noise level.
    pub metrics: u64,
}

/// Goals of the history rule on one history. The defaults are for noisy runners such as GitHub's. With few pull requests, a
/// single false alarm already exceeds a low goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HistoryGoals {
    /// The share of pull requests that may fail wrongly.
    pub false_alarms: f64,
    /// The share of 50% slowdowns that must be found.
    pub found: f64,
}

impl Default for HistoryGoals {
    fn default() -> Self {
        Self {
            false_alarms: 0.01,
            found: 0.55,
        }
    }
}

/// The rates of the rules on a history, with its goals.
pub fn measure_history(
    history: &RunHistory,
    plan: &ReplayPlan<'_>,
    goals: HistoryGoals,
) -> (Vec<Measure>, Replay) {
    let replay = replay(history, plan);
    let mut measures = Vec::new();
    for (rule, workflow, has_goals) in [
        ("limit", GateWorkflow::OneValue, false),
        ("history, next run", GateWorkflow::OtherRunner, true),
        ("history, same job", GateWorkflow::SameJob, false),
    ] {
        let record = replay.record(workflow);
        let mut add = |what: &str, rate, goal| {
            let goal = has_goals.then_some(goal);
            measures.push(Measure {
                on: history.name.clone(),
                rule,
                what: what.to_owned(),
                rate,
                goal,
            });
        };
        add(
            "false PRs",
            record.false_alarms(),
            RateBound::AtMost(goals.false_alarms),
        );
        add(
            "+50%",
            record.found_at(0.5),
            RateBound::AtLeast(goals.found),
        );
        add("+100%", record.found_at(1.0), RateBound::AtLeast(0.9));
    }
    (measures, replay)
}

/// The number of pairs at the final analysis.
const LAST: usize = LOOKS[LOOKS.len() - 1].pairs;

/// The rates of the pairs rule on simulated suites.
pub fn measure_simulation(trials: Trials, seed: u64) -> Vec<Measure> {
    let mut measures = Vec::new();
    for (noise, name) in [(Noise::Normal, "normal"), (Noise::Upwards, "one-sided")] {
        for (level, growth) in [(0.01, 0.05), (0.02, 0.05), (0.03, 0.05), (0.1, 0.1)] {
            let null = SimulationSetting::unchanged(noise, level, LAST, seed);
            // If false alarms are possible but rare, more trials are needed to show this.
            let suites = if level > 0.05 {
                4 * trials.suites
            } else {
                trials.suites
            };
            let goal = if level > 0.05 { 0.9 } else { 0.95 };
            let on = format!("{:.0}% {name} noise, {LAST} pairs", level * 100.0);
            let add = |what, rate, goal| measure(&on, what, rate, Some(goal));
            let rate = simulate::suites(&null, suites);
            measures.push(add(
                "false suites of 60".to_owned(),
                rate,
                RateBound::AtMost(0.001),
            ));
            let found = simulate::metrics(
                &SimulationSetting { growth, ..null },
                trials.metrics,
                is_slower,
            );
            let what = format!("+{:.0}% found", growth * 100.0);
            measures.push(add(what, found, RateBound::AtLeast(goal)));
        }
    }
    measures.extend(measure_boundaries(trials, seed));
    measures
}

/// The rates of the pairs rule for growth near its margins of 2% and 5%, and for dependent pairs.
fn measure_boundaries(trials: Trials, seed: u64) -> Vec<Measure> {
    let null = SimulationSetting::unchanged(Noise::Normal, 0.03, LAST, seed);
    let on = format!("3% normal noise, {LAST} pairs");
    let rate = |growth, is_shown| {
        simulate::metrics(
            &SimulationSetting { growth, ..null },
            trials.metrics,
            is_shown,
        )
    };
    let mut measures = vec![
        measure(
            &on,
            "false alarms at +2%".to_owned(),
            rate(0.02, is_slower),
            Some(RateBound::AtMost(0.001)),
        ),
        measure(
            &on,
            "+5% unchanged".to_owned(),
            rate(0.05, is_acquitted),
            Some(RateBound::AtMost(0.05)),
        ),
        measure(
            &on,
            "+10% found".to_owned(),
            rate(0.1, is_slower),
            Some(RateBound::AtLeast(0.99)),
        ),
        measure(
            &on,
            "falsely dependent".to_owned(),
            rate(0.0, is_dependent),
            Some(RateBound::AtMost(0.001)),
        ),
    ];
    for serial in [0.5, 0.9] {
        let dependent = SimulationSetting {
            serial,
            level: 0.015,
            ..null
        };
        let on = format!("1.5% normal noise, autocorrelation {serial}");
        let found = simulate::suites(&dependent, trials.suites / 4);
        measures.push(measure(&on, "false suites of 60".to_owned(), found, None));
        let open = simulate::metrics(&dependent, trials.metrics, is_dependent);
        measures.push(measure(&on, "falsely dependent".to_owned(), open, None));
    }
    measures
}

fn measure(on: &str, what: String, rate: Rate, goal: Option<RateBound>) -> Measure {
    Measure {
        on: on.to_owned(),
        rule: "pairs",
        what,
        rate: rate.into(),
        goal,
    }
}

/// The rate of the pairs rule on this machine.
pub fn measure_machine(program: &Path, blocks: usize) -> anyhow::Result<Measure> {
    let found = machine::blocks(program, blocks)?;
    let on = format!(
        "this machine, A/A, runs vary by {:.1}%",
        found.stray * 100.0
    );
    let what = "false blocks".to_owned();
    Ok(Measure {
        on,
        rule: "pairs",
        what,
        rate: found.slower.into(),
        goal: Some(RateBound::AtMost(0.0)),
    })
}

/// The default settings for replaying a project's own rows.
pub fn plan(config: &Config, rows: Option<usize>, seed: u64) -> ReplayPlan<'_> {
    let rows = rows.unwrap_or(ROWS);
    ReplayPlan {
        config,
        advised: None,
        limit: config.deltas.limit,
        rows,
        seed,
        without: None,
    }
}
