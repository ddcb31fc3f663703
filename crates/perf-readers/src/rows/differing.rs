//! Measurements of one name that are so far apart that they may be of different benchmarks.

use crate::rows::parse_report::Differing;
use perf_model::metric::spread_of;
use perf_model::row::{Name, Row, Value};

/// Runs of one benchmark differ by less.
const FACTOR: f64 = 2.0;

/// The metric compared first: the rate asked of a load generator tells more than the latency that results.
const RATE: &str = "requestsPerSecond";

/// True if two measurements are further apart than runs of one benchmark are.
pub(crate) fn is_far(least: Value, most: Value) -> bool {
    least.as_f64() > 0.0 && most.as_f64() > least.as_f64() * FACTOR
}

/// The measurements of one benchmark, each by its rows, if they are far apart.
pub(crate) fn differing(all: &[Vec<&Row>]) -> Option<Differing> {
    let first = all.iter().flatten().find(|row| !row.metrics.is_empty())?;
    let names = || first.metrics.iter().map(|(name, _)| name);
    let metric = names().find(|name| ***name == *RATE);
    let metric = metric.or_else(|| names().find(|name| spread_of(name).is_none()))?;
    let typical = |rows: &Vec<&Row>| middle(rows.iter().filter_map(|row| row.metrics.get(metric)).collect());
    let mut typical: Vec<Value> = all.iter().filter_map(typical).collect();
    typical.sort_by(|a, b| a.as_f64().total_cmp(&b.as_f64()));
    let ends = [*typical.first()?, *typical.last()?];
    let scenario = Name::clone(&first.scenario);
    is_far(ends[0], ends[1]).then(|| Differing { scenario, metric: Name::clone(metric), ends })
}

/// The value in the middle.
fn middle(mut values: Vec<Value>) -> Option<Value> {
    values.sort_by(|a, b| a.as_f64().total_cmp(&b.as_f64()));
    values.get(values.len() / 2).copied()
}
