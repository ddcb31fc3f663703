//! The resolution of times, as far as their samples show it: a clock that has few ticks in a sample gives whole ticks, and
//! with a fixed number of iterations each, whole shares of one.

use crate::statistics::order::sorted;
use perf_model::metric::Metric;
use perf_model::row::Value;
use perf_model::suite::Measurement;

/// The fewest samples of a side that show a step.
const FEWEST: usize = 8;
/// The fewest values of them.
const FEWEST_VALUES: usize = 3;
/// The most steps in a time: one of more is smaller than the limits of noisy times.
const MOST_STEPS: f64 = 50.0;
/// The deviation from whole steps, as stored times have fewer digits.
const ROUNDING: f64 = 0.05;
/// One step more or less may be the same time, two are not: midway.
const EXCUSED: f64 = 1.5;

/// The difference that one tick of the clock makes, with half a tick in reserve; `None` where the samples show no ticks.
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

/// The smallest difference within ordered samples, if each value is there three times on average. One far sample is no tick, nor
/// are two values that a benchmark alternates between.
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
