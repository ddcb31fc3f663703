//! Instruments: the clocks by which interleaved pairs can be gated. The quietest clock detects the smallest changes.
//!
//! Background load lengthens wall time, but barely affects processor time. So for CPU-bound programs, processor time is
//! usually the quietest. For programs that wait, wall time minus the time in the run queue is quieter.

use std::ops::RangeInclusive;

use crate::statistics::order::{quantile, sorted};
use perf_model::metric::{Metric, Unit};
use perf_model::row::{Row, Value};

use crate::signals::pairs::LOOKS;

/// A clock by which a time can be gated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Instrument {
    /// The user and system time of a process and its children. Each of the two is measured in ticks, but their sum is
    /// exact.
    Cpu,
    /// Wall time minus the time in the run queue. Available for single-threaded processes.
    Undelayed,
    /// Wall time: the elapsed time.
    Wall,
}

impl Instrument {
    /// All instruments, in order of preference if several are equally quiet.
    pub const ALL: [Self; 3] = [Self::Cpu, Self::Undelayed, Self::Wall];

    /// Returns the instrument that measures a metric, or `None` if the metric is neither a time nor a rate.
    pub fn of(metric: &Metric) -> Option<Self> {
        let at = NAMES
            .iter()
            .find_map(|names| names.iter().position(|name| *name == &*metric.name));
        match at {
            Some(at) => Self::ALL.get(at).copied(),
            None => is_speed(metric).then_some(Self::Wall),
        }
    }
}

/// True if the metric is a time or a rate.
pub fn is_speed(metric: &Metric) -> bool {
    let unit = metric.meaning.unit;
    matches!(unit, Unit::PerSecond | Unit::BytesPerSecond) || unit.seconds().is_some()
}

/// The instruments' metric names, in seconds and in nanoseconds. Each row is in the order of [`Instrument::ALL`].
const NAMES: [[&str; 3]; 2] = [
    ["cpuTimeS", "undelayedTimeS", "timeS"],
    ["cpuTimeNs", "undelayedTimeNs", "timeNs"],
];

/// The range of processor time, as a share of undelayed time, in which a program neither waits nor has several threads.
/// Below it, the program waits. Above it, several threads share the work, and the sum of their times would not show
/// that parallelism was lost.
const COMPUTES: RangeInclusive<f64> = 0.9..=1.1;
/// The quantile of a side's process runs that is checked. A process run that shares its processor with other processes
/// looks as if it waits, so the least disturbed quarter is representative.
const UNDISTURBED: f64 = 0.75;

/// Returns all instruments' metric names, if this name is one of them.
pub(crate) fn family(name: &str) -> Option<&'static [&'static str; 3]> {
    NAMES.iter().find(|names| names.contains(&name))
}

/// The metric of wall time including process start, which the other two instruments also include.
const GROSS: &str = "grossTimeS";

/// Returns the instrument that varies least in the pairs before the first interim analysis. Choosing it later would
/// amount to another analysis. Processor time is only eligible if the program neither waits nor has several threads.
/// Returns `None` if fewer than two instruments measured both sides.
pub(super) fn quietest(names: &[&str; 3], sides: [&[&Row]; 2]) -> Option<Instrument> {
    let sides = sides.map(|rows| Times::of(names, rows));
    let is_measured = |one: &&Instrument| sides.iter().all(|times| !times.by(**one).is_empty());
    if Instrument::ALL.iter().filter(is_measured).count() < 2 {
        return None;
    }
    let mut quietest = (Instrument::Wall, f64::INFINITY);
    for instrument in Instrument::ALL {
        if instrument == Instrument::Cpu && !sides.iter().all(Times::computes) {
            continue;
        }
        let noise = [&sides[0], &sides[1]].map(|times| times.noise(instrument));
        let [Some(one), Some(other)] = noise else {
            continue;
        };
        if one.max(other) < quietest.1 {
            quietest = (instrument, one.max(other));
        }
    }
    Some(quietest.0)
}

/// Returns the minimum growth of processor time that is gated in addition to the quietest clock, in the unit of the
/// times. It is the margin of pairs, applied to the fastest wall time. Returns `None` if the program neither waits nor
/// has several threads.
///
/// Programs that wait or have several threads must be judged by wall time, but background load can hide growth in wall
/// time that processor time shows. On the other hand, 10% more processor time does not matter for a benchmark that
/// mostly sleeps. The fastest process run is used because it is the least disturbed: at a load of 7, a quarter of the
/// `lz4` runs took three times as long.
pub(super) fn least_growth(names: &[&str; 3], sides: [&[&Row]; 2], margin: f64) -> Option<f64> {
    if sides.iter().all(|rows| Times::of(names, rows).computes()) {
        return None;
    }
    let [.., wall] = names;
    let rows = sides.iter().flat_map(|rows| rows.iter());
    let walls = rows.filter_map(|row| number(row, wall));
    walls
        .min_by(f64::total_cmp)
        .map(|wall| wall * margin.exp_m1())
}

/// Returns a process run's time, preferably the fastest decile of its samples.
fn number(row: &Row, name: &str) -> Option<f64> {
    let quickest = row.metrics.get(&format!("{name}.d1"));
    quickest
        .or_else(|| row.metrics.get(name))
        .map(Value::as_f64)
}

/// The times of one side's process runs. A list is empty if a row does not contain the time.
struct Times {
    by_instrument: [Vec<f64>; 3],
    gross: Vec<f64>,
}

impl Times {
    fn of(names: &[&str; 3], launches: &[&Row]) -> Self {
        let first = &launches[..launches.len().min(LOOKS[0].pairs)];
        let numbers = |name: &str| {
            first
                .iter()
                .map(|row| number(row, name))
                .collect::<Option<Vec<f64>>>()
                .unwrap_or_default()
        };
        Self {
            by_instrument: names.map(numbers),
            gross: numbers(GROSS),
        }
    }

    fn by(&self, instrument: Instrument) -> &[f64] {
        &self.by_instrument[instrument as usize]
    }

    /// True if the program keeps one processor busy all the time.
    fn computes(&self) -> bool {
        let known = [
            self.by(Instrument::Undelayed),
            &self.gross,
            self.by(Instrument::Wall),
        ];
        let awake = known
            .into_iter()
            .find(|times| !times.is_empty())
            .unwrap_or_default();
        let shares: Vec<f64> = self
            .by(Instrument::Cpu)
            .iter()
            .zip(awake)
            .map(|(cpu, awake)| cpu / awake)
            .collect();
        quantile(&sorted(&shares), UNDISTURBED).is_some_and(|share| COMPUTES.contains(&share))
    }

    /// Returns the interquartile range relative to the median.
    fn noise(&self, instrument: Instrument) -> Option<f64> {
        let ordered = sorted(self.by(instrument));
        let [first, middle, third] = [0.25, 0.5, 0.75].map(|share| quantile(&ordered, share));
        Some((third? - first?) / middle?).filter(|noise| noise.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(cpu: &[f64], undelayed: &[f64], wall: &[f64]) -> Times {
        Times {
            by_instrument: [cpu, undelayed, wall].map(<[f64]>::to_vec),
            gross: Vec::new(),
        }
    }

    #[test]
    fn processor_time_is_not_that_of_waiting_or_of_several_threads() {
        let wall = [1.0; 4];
        assert!(times(&[0.95; 4], &[], &wall).computes());
        assert!(!times(&[0.8; 4], &[], &wall).computes());
        assert!(!times(&[1.8; 4], &[], &wall).computes());
        assert!(!times(&[], &[], &wall).computes());
    }

    #[test]
    fn shared_processor_does_not_look_like_waiting() {
        assert!(times(&[0.95; 4], &[], &[1.0, 1.0, 2.0, 3.0]).computes());
        // All process runs were delayed, and the time in the run queue is known.
        assert!(times(&[0.95; 4], &[0.96; 4], &[2.0, 2.1, 2.2, 3.0]).computes());
        assert!(!times(&[0.95; 4], &[], &[2.0, 2.1, 2.2, 3.0]).computes());
    }

    #[test]
    fn noise_is_a_share() {
        let noise = times(&[0.008, 0.012, 0.008, 0.012], &[], &[1.0, 1.0, 1.0, 1.0]);
        assert!(
            noise.noise(Instrument::Cpu).unwrap() > 0.2
                && noise.noise(Instrument::Wall) == Some(0.0)
        );
        assert_eq!(noise.noise(Instrument::Undelayed), None);
    }
}
