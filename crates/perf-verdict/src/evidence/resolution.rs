//! The resolution of times, as far as their samples show it: a clock that has few ticks in a sample gives whole ticks, and
//! with a fixed number of iterations each, whole shares of one.

use perf_model::metric::Metric;
use perf_model::row::Value;
use perf_model::suite::Measurement;
use perf_stats::order::sorted;

/// The fewest samples of a side that show a step.
const FEWEST: usize = 8;
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
        let all: Vec<f64> = side.samples(&metric.name).into_iter().map(Value::as_f64).collect();
        sorted(&all)
    });
    let step = samples.iter().filter_map(|side| step(side)).min_by(f64::total_cmp)?;
    let is_whole = |time: &f64| {
        let steps = time / step;
        steps <= MOST_STEPS && (steps - steps.round()).abs() <= ROUNDING
    };
    samples.iter().flatten().all(is_whole).then_some(EXCUSED * step)
}

/// The smallest difference within ordered samples, if each value is there three times on average.
fn step(samples: &[f64]) -> Option<f64> {
    let gaps = samples.windows(2).map(|pair| pair[1] - pair[0]);
    let gaps: Vec<f64> = gaps.filter(|gap| *gap > 0.0).collect();
    let is_repeated = samples.len() >= FEWEST && (gaps.len() + 1) * 3 <= samples.len();
    gaps.into_iter().min_by(f64::total_cmp).filter(|_| is_repeated)
}
