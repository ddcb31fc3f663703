//! One side's process runs: which of them have a usable value, and the clock resolution that their samples show.

use std::num::NonZeroU32;

use indexmap::IndexMap;
use perf_model::metric::{Direction, Metric};
use perf_model::row::{AGGREGATE, Row, Value};
use perf_model::suite::{Measurement, Rows};

use crate::statistics::order::sorted;

/// A side with at least this many rows may have one bad row, which is left out. With more rows, it may have one in
/// [`SHARE`].
const FEWEST: usize = 5;
const SHARE: usize = 10;

/// Identifies a process run: its number and 0, or no number and the run index of the row.
pub type Launch = (Option<NonZeroU32>, i64);

/// One side's rows by process run. The aggregate row is left out.
pub type Launches<'r> = IndexMap<Launch, Measurement<'r>>;

pub fn by_launch<'r>(side: &Measurement<'r>) -> Launches<'r> {
    let mut launches: Launches<'r> = IndexMap::new();
    for row in side.rows.iter().filter(|row| row.run_index != AGGREGATE) {
        let index = if row.launch.is_some() {
            0
        } else {
            row.run_index
        };
        let launch = launches.entry((row.launch, index));
        let rows = launch.or_insert_with(|| part(side, Rows::default()));
        rows.rows.push(row);
    }
    launches.sort_unstable_keys();
    launches
}

/// Returns a measurement of the same scenario with these rows only.
pub fn part<'r>(side: &Measurement<'r>, rows: Rows<'r>) -> Measurement<'r> {
    Measurement {
        scenario: side.scenario,
        family: side.family,
        rows,
    }
}

/// Returns the measurement without its bad rows. Returns `None` if all rows are good, or if too many are bad.
pub fn usable<'r>(side: &Measurement<'r>, metric: &Metric) -> Option<Measurement<'r>> {
    let bad = bad_rows(side, metric);
    let most = if side.rows.len() < FEWEST {
        0
    } else {
        (side.rows.len() / SHARE).max(1)
    };
    let kept = side.rows.iter().filter(|row| !is_bad(row, metric)).copied();
    (1..=most)
        .contains(&bad)
        .then(|| part(side, kept.collect()))
}

/// Returns how many rows are bad and how many rows there are, if some values are negative. The caller has already left
/// out bad rows if they are few. If they are many, the median of the other rows would hide a broken benchmark.
pub fn unusable(side: &Measurement<'_>, metric: &Metric) -> Option<(usize, usize)> {
    let is_negative = |row: &&Row| {
        row.metrics
            .get(&metric.name)
            .is_some_and(|value| value.as_f64() < 0.0)
    };
    let bad = bad_rows(side, metric);
    let is_usable = bad == 0 || !side.rows.iter().any(is_negative);
    (!is_usable).then_some((bad, side.rows.len()))
}

/// Returns the number of bad rows among several rows; 0 for a single row.
fn bad_rows(side: &Measurement<'_>, metric: &Metric) -> usize {
    if side.rows.len() < 2 {
        return 0;
    }
    side.rows.iter().filter(|row| is_bad(row, metric)).count()
}

/// True if the value is negative, or is a time of zero. Such values result from subtracting a no-op that took longer.
fn is_bad(row: &Row, metric: &Metric) -> bool {
    let is_time = metric.meaning.unit.seconds().is_some();
    let number = row.metrics.get(&metric.name).map(Value::as_f64);
    number.is_some_and(|number| number < 0.0 || (is_time && number == 0.0))
}

/// Returns pairs of values (base, current), for each process run that exists on both sides.
pub fn in_pairs(base: &IndexMap<Launch, f64>, current: &IndexMap<Launch, f64>) -> Vec<(f64, f64)> {
    current
        .iter()
        .filter_map(|(run, current)| Some((*base.get(run)?, *current)))
        .collect()
}

/// Returns the fastest decile of each process run's samples. Process runs whose row does not contain it are left out.
pub fn quickest_samples(side: &Launches<'_>, metric: &Metric) -> IndexMap<Launch, f64> {
    let end = if metric.meaning.direction == Direction::Higher {
        "d9"
    } else {
        "d1"
    };
    let name = format!("{}.{end}", metric.name);
    let mut quickest = IndexMap::with_capacity(side.len());
    for (launch, rows) in side {
        let decile = rows.rows.first().and_then(|row| row.metrics.get(&name));
        quickest.extend(decile.map(|decile| (*launch, decile.as_f64())));
    }
    quickest
}

/// With fewer samples, clock ticks cannot be recognised.
const FEWEST_SAMPLES: usize = 8;
/// The minimum number of different values among samples that show clock ticks.
const FEWEST_VALUES: usize = 3;
/// If a time has more ticks than this, a single tick is below the limits of noisy times.
const MOST_STEPS: f64 = 50.0;
/// The allowed deviation from a whole number of ticks, because stored times are rounded.
const ROUNDING: f64 = 0.05;
/// Differences of fewer ticks are ignored. A difference of one tick may be due to rounding, but two ticks are a change.
const EXCUSED: f64 = 1.5;

/// Estimates the minimum change that a coarse clock can show: one and a half clock ticks. The samples are multiples of
/// a tick or, with a fixed number of iterations, of a tick divided by that number. Returns `None` if the samples show
/// no ticks.
pub fn clock_resolution(sides: [&Measurement<'_>; 2], metric: &Metric) -> Option<f64> {
    if metric.meaning.unit.seconds().is_none() || metric.formula.is_some() {
        return None;
    }
    let samples = sides.map(|side| {
        let values = side.samples(&metric.name).into_iter();
        sorted(&values.map(Value::as_f64).collect::<Vec<f64>>())
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

/// Returns the smallest difference between sorted samples, if each value occurs at least three times on average.
/// Outliers and benchmarks that alternate between two values are not mistaken for ticks.
fn step(samples: &[f64]) -> Option<f64> {
    let values: Vec<&[f64]> = samples
        .chunk_by(|one, other| one.total_cmp(other).is_eq())
        .collect();
    let several = values.iter().filter(|value| value.len() > 1).count();
    let is_grid = values.len() >= FEWEST_VALUES && several > 1;
    let is_repeated = samples.len() >= FEWEST_SAMPLES && values.len() * 3 <= samples.len();
    let gaps = values.windows(2).map(|pair| pair[1][0] - pair[0][0]);
    gaps.min_by(f64::total_cmp)
        .filter(|_| is_grid && is_repeated)
}
