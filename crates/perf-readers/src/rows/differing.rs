//! Measurements of one name that are so far apart that they may be of different benchmarks.

use crate::rows::parse_report::Differing;
use perf_model::metric::spread_of;
use perf_model::row::{Name, Row, Value};

/// Runs of one benchmark differ by less.
const FACTOR: f64 = 2.0;

/// The metric compared first: the rate asked of a load generator tells more than the latency that results.
pub(crate) const RATE: &str = "requestsPerSecond";

/// True if two measurements are further apart than runs of one benchmark are.
pub(crate) fn is_far(least: Value, most: Value) -> bool {
    least.as_f64() > 0.0 && most.as_f64() > least.as_f64() * FACTOR
}

/// The main metric of a measurement: percentiles and spreads vary more, and latencies follow from rates.
pub(crate) fn main_metric<'n, I: Iterator<Item = &'n str>>(
    names: impl Fn() -> I,
) -> Option<&'n str> {
    names()
        .find(|metric| *metric == RATE)
        .or_else(|| names().find(|metric| spread_of(metric).is_none()))
}

/// The least and the greatest of some values.
pub(crate) fn ends(mut values: Vec<Value>) -> Option<[Value; 2]> {
    values.sort_by(|one, other| one.as_f64().total_cmp(&other.as_f64()));
    Some([*values.first()?, *values.last()?])
}

/// The measurements of one benchmark, each by its rows, if they are far apart.
pub(crate) fn differing(all: &[Vec<&Row>]) -> Option<Differing> {
    let first = all.iter().flatten().find(|row| !row.metrics.is_empty())?;
    let metric = main_metric(|| first.metrics.iter().map(|(name, _)| &**name))?;
    let typical = |rows: &Vec<&Row>| {
        middle(
            rows.iter()
                .filter_map(|row| row.metrics.get(metric))
                .collect(),
        )
    };
    let ends = ends(all.iter().filter_map(typical).collect())?;
    let scenario = Name::clone(&first.scenario);
    is_far(ends[0], ends[1]).then(|| Differing {
        scenario,
        metric: metric.into(),
        ends,
    })
}

/// The value in the middle.
fn middle(mut values: Vec<Value>) -> Option<Value> {
    values.sort_by(|a, b| a.as_f64().total_cmp(&b.as_f64()));
    values.get(values.len() / 2).copied()
}
