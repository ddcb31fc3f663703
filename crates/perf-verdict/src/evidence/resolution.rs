//! The clock resolution, estimated from the samples. A coarse clock gives whole ticks; with a fixed number of
//! iterations, the same fractions of a tick.

use crate::statistics::order::sorted;
use perf_model::metric::Metric;
use perf_model::row::Value;
use perf_model::suite::Measurement;

/// With fewer samples, ticks are not visible.
const FEWEST: usize = 8;
/// The minimum number of different values.
const FEWEST_VALUES: usize = 3;
/// If a time has more ticks than this, one tick is below the limits of noisy times.
const MOST_STEPS: f64 = 50.0;
/// The allowed deviation from whole ticks, because stored times are rounded.
const ROUNDING: f64 = 0.05;
/// A difference of one tick may be rounding, two ticks are a change: the middle.
const EXCUSED: f64 = 1.5;

/// The minimum change: one and a half clock ticks. `None` if the samples show no ticks.
pub(super) fn floor(sides: [&Measurement<'_>; 2], metric: &Metric) -> Option<f64> {
    let is_time = metric.meaning.unit.seconds().is_some() && metric.formula.is_none();
    let is_several = sides.iter().any(|side| side.rows.len() >= FEWEST);
    if !is_time || !is_several {
        return None;
    }
    let samples = sides.map(|side| {
        let all: Vec<f64> = side
            .samples(&metric.name)
            .into_iter()
            .map(Value::as_f64)
            .collect();
        sorted(&all)
    });
    let step = samples
        .iter()
        .filter_map(|side| step(side))
        .min_by(f64::total_cmp)?;
    let is_whole = |time: &f64| {
        let steps = time / step;
        steps <= MOST_STEPS && (steps - steps.round()).abs() <= ROUNDING
    };
    samples
        .iter()
        .flatten()
        .all(is_whole)
        .then_some(EXCUSED * step)
}

/// The smallest difference between sorted samples, if each value occurs three times on average. Outliers and benchmarks
/// that alternate between two values do not look like ticks.
fn step(samples: &[f64]) -> Option<f64> {
    let values: Vec<&[f64]> = samples
        .chunk_by(|one, other| one.total_cmp(other).is_eq())
        .collect();
    let several = values.iter().filter(|value| value.len() > 1).count();
    let is_grid = values.len() >= FEWEST_VALUES && several > 1;
    let is_repeated = samples.len() >= FEWEST && values.len() * 3 <= samples.len();
    let gaps = values.windows(2).map(|pair| pair[1][0] - pair[0][0]);
    gaps.min_by(f64::total_cmp)
        .filter(|_| is_grid && is_repeated)
}
