//! The level of a flagged row before and after, and a second run's simulated value in the same job.

use std::collections::HashMap;

use perf_config::Config;
use perf_model::metric::Direction;
use perf_model::row::{Metrics, Name, Row, Value};
use perf_model::suite::Definitions;
use perf_verdict::cost_scale::cost;
use perf_verdict::signals::returns;
use perf_verdict::statistics::order::middle;

use crate::series::{RowSeries, Sampled};

/// The share of the difference between two runs that the runner causes. A second run in the same job shares it. On
/// hosted runners, the cause is mostly the processor model.
pub const SHARED: f64 = 0.9;

/// The change of a flagged value, compared with the runs before and after.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LevelChange {
    /// The growth of the cost over the median of the ten runs before, as a share.
    pub growth: f64,
    /// Whether it stayed: the later half of the next ten runs is closer to the flagged value than to that median.
    pub stays: bool,
    /// Whether it stayed, and the run before was already closer to the flagged value. Then an earlier change was
    /// merged, and this pull request did not cause it.
    pub is_merged: bool,
}

/// The change of a row in a run.
pub fn change(
    series: &RowSeries<'_>,
    run: usize,
    scenario: &str,
    metric: &str,
    config: &Config,
    is_there: impl Fn(&str) -> bool,
) -> LevelChange {
    let none = LevelChange::default();
    let Some((values, at)) = series.of_row(run, scenario, is_there) else {
        return none;
    };
    let direction = config.metric(metric).meaning.direction;
    let cost_of = |(_, rows): &Sampled<'_>| typical(rows.iter().copied(), metric, direction);
    let mut costs: Vec<f64> = values[..at].iter().filter_map(cost_of).collect();
    let place = costs.len();
    let (Some(before), Some(now)) = (returns::level_before(&costs, place), cost_of(&values[at]))
    else {
        return none;
    };
    let is_merged = costs
        .last()
        .is_some_and(|last| last - before > (now - before) / 2.0);
    costs.extend(values[at..].iter().filter_map(cost_of));
    let stays = !returns::came_back(&costs, place);
    let is_merged = stays && is_merged;
    LevelChange {
        growth: (now - before).exp_m1(),
        stays,
        is_merged,
    }
}

/// The cost of a row: the median of its samples.
fn typical<'r>(
    rows: impl Iterator<Item = &'r Row>,
    metric: &str,
    direction: Direction,
) -> Option<f64> {
    let costs = rows.filter_map(|row| cost(direction, row.metrics.get(metric)?.as_f64()));
    middle(&costs.collect::<Vec<_>>())
}

/// Simulates confirmation runs in the same job: moves each value towards the current one by [`SHARED`], except exact
/// counts.
pub fn in_same_job(
    current: &[Row],
    confirmation_runs: &[Vec<Row>],
    config: &Config,
) -> Vec<Vec<Row>> {
    let current = by_key(current);
    let moved = |rows: &Vec<Row>| {
        let run = by_key(rows);
        rows.iter()
            .map(|row| moved(row, &run, &current, config))
            .collect()
    };
    confirmation_runs.iter().map(moved).collect()
}

/// The samples by platform and scenario.
type Samples<'r> = HashMap<(&'r Name, &'r Name), Vec<&'r Row>>;

fn by_key(rows: &[Row]) -> Samples<'_> {
    let mut samples = Samples::new();
    for row in rows {
        samples
            .entry((&row.platform, &row.scenario))
            .or_default()
            .push(row);
    }
    samples
}

fn moved(row: &Row, run: &Samples<'_>, current: &Samples<'_>, config: &Config) -> Row {
    let one = |(name, value): (&Name, Value)| {
        let meaning = config.metric(name).meaning;
        let cost_in = |samples: &Samples<'_>| {
            let rows = samples.get(&(&row.platform, &row.scenario))?;
            typical(rows.iter().copied(), name, Direction::Lower)
        };
        let distance = cost_in(current)
            .zip(cost_in(run))
            .filter(|_| !meaning.exact);
        let moved = distance
            .and_then(|(here, there)| Value::new(value.as_f64() * (SHARED * (here - there)).exp()));
        (Name::clone(name), moved.unwrap_or(value))
    };
    Row {
        metrics: row.metrics.iter().map(one).collect::<Metrics>(),
        ..row.clone()
    }
}
