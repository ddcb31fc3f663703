//! Instruments: which of a run's times is gated in interleaved pairs. The quietest time shows the smallest changes.
//!
//! Background load stretches wall time, but hardly processor time. So processor time is usually quieter for CPU-bound
//! programs. For programs that wait, wall time minus the time in the run queue is quieter.

use std::ops::RangeInclusive;

use crate::statistics::order::{quantile, sorted};
use perf_model::metric::{Metric, Unit};
use perf_model::row::{Row, Value};

use crate::signals::pairs::LOOKS;

/// A time that can be gated instead of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Instrument {
    /// User and system time of a process and its children. Each is measured in ticks; their sum is exact.
    Cpu,
    /// Wall time minus the time in the run queue, for a single-threaded process.
    Undelayed,
    /// Wall time.
    Wall,
}

impl Instrument {
    /// The instruments by preference, if several are equally quiet.
    pub const ALL: [Self; 3] = [Self::Cpu, Self::Undelayed, Self::Wall];

    /// The instrument that measures a metric; `None` if it is neither a time nor a rate.
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

/// True for a time or a rate.
pub fn is_speed(metric: &Metric) -> bool {
    let unit = metric.meaning.unit;
    matches!(unit, Unit::PerSecond | Unit::BytesPerSecond) || unit.seconds().is_some()
}

/// Metric names by instrument, in seconds and in nanoseconds.
const NAMES: [[&str; 3]; 2] = [
    ["cpuTimeS", "undelayedTimeS", "timeS"],
    ["cpuTimeNs", "undelayedTimeNs", "timeNs"],
];

/// Processor time as a share of the undelayed time. Below it, the program waits. Above it, several threads share the
/// work, and lost parallelism would not show in their sum.
const COMPUTES: RangeInclusive<f64> = 0.9..=1.1;
/// A process run that shares its processor seems to wait, so the least disturbed quarter is used.
const UNDISTURBED: f64 = 0.75;

/// All instruments' metric names, if this name is one of them.
pub(crate) fn family(name: &str) -> Option<&'static [&'static str; 3]> {
    NAMES.iter().find(|names| names.contains(&name))
}

/// Wall time including process start, like the other two.
const GROSS: &str = "grossTimeS";

/// The quietest instrument in the pairs before the first interim analysis, because a later choice would be another
/// analysis. Processor time requires a program that neither waits nor has several threads. `None` if there is only one
/// instrument.
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

/// The minimum growth of processor time that is gated in addition to wall time, in its unit: the margin of pairs,
/// applied to the fastest wall time. `None` if the program neither waits nor has several threads.
///
/// Programs that wait or have several threads must be judged by wall time. Background load can hide growth in it, which
/// processor time shows. But if a benchmark mostly sleeps, 10% more processor time do not matter. The fastest process
/// run is the least disturbed: at a load of 7, a quarter of the `lz4` runs took three times as long.
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

/// A process run's time.
fn number(row: &Row, name: &str) -> Option<f64> {
    // Compare the fastest samples.
    let quickest = row.metrics.get(&format!("{name}.d1"));
    quickest
        .or_else(|| row.metrics.get(name))
        .map(Value::as_f64)
}

/// The times of one side's process runs; empty if a row does not contain the time.
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

    /// True if the processor is busy for all of the time.
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

    /// The interquartile range relative to the median.
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
