//! The parts of a suite that are launched one after the other, each with the number of iterations that takes as long as a
//! sample should.
//!
//! Go finds the number of iterations for a time anew for each sample: it runs the benchmark three times or more, each time behind
//! a collection of garbage, and for code that allocates a sample depends on the number. With the number given, the same time
//! holds twice as many samples, which vary less.
//!
//! On several processors, Go's runtime moves code from one to another and collects garbage beside it. Of code that is as fast on one, samples
//! on one vary less.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;
use std::ops::RangeInclusive;
use std::sync::Arc;

use perf_model::row::{Key, Name, Row};

use super::long::times;
use crate::process::CommandSpec;
use crate::rows::name_as_known;

/// The length of a sample, in seconds; the number of iterations is the power of two that comes nearest to it.
const SAMPLE: f64 = 0.002;
/// The longest sample of the slower side, in seconds.
const LONGEST: f64 = 0.02;
/// The most iterations of a sample, as a power of two.
const MOST: i32 = 40;

/// The variable that sets the processors of Go's runtime.
pub(super) const PROCESSORS: &str = "GOMAXPROCS";
/// The time on one processor as a share of that on all where a benchmark gains nothing by others, nor loses by waiting for them.
const AS_FAST: RangeInclusive<f64> = 0.75..=1.1;
/// The largest such share of one side, whose samples may have been disturbed.
const LARGEST_SHARE: f64 = 1.25;

/// Benchmarks that are launched together.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The commands, the base's first; `None` for a side that has none of the benchmarks.
    pub(super) lines: [Option<CommandSpec>; 2],
    /// The benchmarks, where these are not all of the suite: a filter may launch more.
    pub(super) benchmarks: Option<Vec<String>>,
}

impl Part {
    /// The whole suite.
    pub(super) fn whole(lines: [CommandSpec; 2]) -> Self {
        Self {
            lines: lines.map(Some),
            benchmarks: None,
        }
    }

    /// Leaves out what is measured in other parts.
    pub(super) fn retain(&self, rows: &mut Vec<Row>) {
        let Some(benchmarks) = &self.benchmarks else {
            return;
        };
        let has = |name: &str| benchmarks.iter().any(|benchmark| benchmark == name);
        name_with_number(rows, benchmarks);
        name_as_known(rows, has);
        rows.retain(|row| has(&row.key.scenario));
    }
}

/// Benchmarks of which a sample has the same number of iterations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Work {
    pub(super) iterations: NonZeroU64,
    /// True if they are measured on one processor.
    pub(super) is_serial: bool,
    /// The benchmarks of each side.
    pub(super) benchmarks: [Vec<String>; 2],
}

/// The seconds of an operation of each benchmark of a launch. `None` if a row has no time of an operation.
pub(super) fn operations(rows: &[Row]) -> Option<Vec<(Name, f64)>> {
    let operation = |row: &Row| {
        let (name, _, unit) = times(&row.metrics)?;
        // The quickest samples are those that nothing disturbed.
        let quickest = row
            .metrics
            .get(&format!("{name}.d1"))
            .or_else(|| row.metrics.get(name))?;
        Some((Name::clone(&row.key.scenario), quickest.as_f64() / unit))
    };
    rows.iter().map(operation).collect()
}

/// Gives rows the number at the end of their names that was taken for the processors, as one processor has none there: of
/// `Read/size-8` alone.
fn name_with_number(rows: &mut [Row], benchmarks: &[String]) {
    let is_known = |name: &str| benchmarks.iter().any(|benchmark| benchmark == name);
    let printed: BTreeSet<Name> = rows
        .iter()
        .map(|row| Name::clone(&row.key.scenario))
        .collect();
    for row in rows.iter_mut().filter(|row| !is_known(&row.key.scenario)) {
        let is_number = |rest: &str| {
            rest.strip_prefix('-')
                .is_some_and(|number| number.parse::<u32>().is_ok())
        };
        let is_whole =
            |name: &&String| name.strip_prefix(&*row.key.scenario).is_some_and(is_number);
        // One that was printed itself is another benchmark.
        let mut whole = benchmarks
            .iter()
            .filter(|name| !printed.contains(name.as_str()))
            .filter(is_whole);
        if let (Some(name), None) = (whole.next(), whole.next()) {
            row.key = Key {
                scenario: name.as_str().into(),
                conditions: Arc::clone(&row.key.conditions),
            }
            .into();
        }
    }
}

/// The least seconds of an operation of each benchmark.
pub(super) type Quickest = BTreeMap<Name, f64>;

/// The benchmarks of both sides that are as fast on one processor, by the quicker side and, with more noise, by each of them: what
/// became parallel, or serial, is not.
pub(super) fn serial(all: &[Quickest; 2], one: &[Quickest; 2]) -> BTreeSet<Name> {
    let least = |times: &[Quickest; 2], name: &Name| {
        times
            .iter()
            .filter_map(|side| side.get(name))
            .copied()
            .reduce(f64::min)
            .unwrap_or(f64::NAN)
    };
    let is_as_fast = |name: &&Name| {
        let mut sides = all
            .iter()
            .zip(one)
            .filter_map(|(all, one)| Some(one.get(*name)? / all.get(*name)?));
        AS_FAST.contains(&(least(one, name) / least(all, name)))
            && sides.all(|share| share <= LARGEST_SHARE)
    };
    one.iter()
        .flat_map(BTreeMap::keys)
        .filter(is_as_fast)
        .cloned()
        .collect()
}

/// The times of each benchmark on the quicker and on the slower side.
fn quicker_and_slower(operations: &[Vec<(Name, f64)>; 2]) -> BTreeMap<&Name, [f64; 2]> {
    let mut seconds: BTreeMap<&Name, [f64; 2]> = BTreeMap::new();
    for (name, time) in operations.iter().flatten() {
        let [quicker, slower] = seconds.entry(name).or_insert([*time; 2]);
        (*quicker, *slower) = (quicker.min(*time), slower.max(*time));
    }
    seconds
}

/// The benchmarks by the number of iterations, which is the same for both sides: by the quicker one, as the other may have been
/// disturbed, but not more than [`LONGEST`] allows. Only those below the same parent are together, whose filter launches no
/// others.
pub(super) fn works(operations: &[Vec<(Name, f64)>; 2], serial: &BTreeSet<Name>) -> Vec<Work> {
    let mut works: BTreeMap<(i32, bool, &str), Work> = BTreeMap::new();
    for (name, [quicker, slower]) in quicker_and_slower(operations) {
        let is_serial = serial.contains(name);
        let power = power(quicker.max(slower * SAMPLE / LONGEST));
        let parent = name.rsplit_once('/').map_or("", |(parent, _)| parent);
        let iterations = NonZeroU64::new(1 << power).unwrap_or(NonZeroU64::MIN);
        let empty = || Work {
            iterations,
            is_serial,
            benchmarks: Default::default(),
        };
        let work = works
            .entry((power, is_serial, parent))
            .or_insert_with(empty);
        for (benchmarks, operations) in work.benchmarks.iter_mut().zip(operations) {
            if operations.iter().any(|(other, _)| other == name) {
                benchmarks.push(name.to_string());
            }
        }
    }
    works.into_values().collect()
}

/// The power of two that so long an operation is repeated.
fn power(seconds: f64) -> i32 {
    (0..MOST)
        .find(|power| seconds * 2f64.powi(*power) * std::f64::consts::SQRT_2 > SAMPLE)
        .unwrap_or(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(times: &[(&str, f64)]) -> Vec<(Name, f64)> {
        times
            .iter()
            .map(|(name, nanoseconds)| (Name::from(*name), nanoseconds * 1e-9))
            .collect()
    }

    #[test]
    fn benchmarks_as_long_are_together() {
        let base = side(&[("e.org/p.BenchmarkA", 500.0), ("e.org/p.BenchmarkB", 30.0)]);
        let current = side(&[
            ("e.org/p.BenchmarkA", 510.0),
            ("e.org/p.BenchmarkB", 900.0),
            ("e.org/p.BenchmarkC/x", 600.0),
            ("e.org/p.BenchmarkD", 5e6),
            ("e.org/p.BenchmarkE", 0.0),
        ]);
        let serial = [Name::from("e.org/p.BenchmarkA")].into();
        let works = works(&[base, current], &serial);
        let work = |iterations, base: &[&str], current: &[&str]| Work {
            iterations: NonZeroU64::new(iterations).unwrap(),
            is_serial: base == ["BenchmarkA"],
            benchmarks: [base, current]
                .map(|names| names.iter().map(|name| format!("e.org/p.{name}")).collect()),
        };
        let expected = [
            work(1, &[], &["BenchmarkD"]),
            work(4096, &[], &["BenchmarkC/x"]),
            work(4096, &["BenchmarkA"], &["BenchmarkA"]),
            work(16_384, &["BenchmarkB"], &["BenchmarkB"]),
            work(1 << MOST, &[], &["BenchmarkE"]),
        ];
        assert_eq!(works, expected);
    }

    #[test]
    fn what_other_processors_speed_up_or_slow_down_is_not_serial() {
        let times = |times: &[(&str, f64)]| {
            times
                .iter()
                .map(|(name, time)| (Name::from(*name), *time))
                .collect()
        };
        let all: Quickest = times(&[
            ("A", 100.0),
            ("Parallel", 50.0),
            ("Contended", 90.0),
            ("Became", 100.0),
            ("Gone", 1.0),
        ]);
        let now: Quickest = times(&[
            ("A", 140.0),
            ("Parallel", 50.0),
            ("Contended", 90.0),
            ("Became", 50.0),
        ]);
        let one: Quickest = times(&[
            ("A", 95.0),
            ("Parallel", 100.0),
            ("Contended", 30.0),
            ("Became", 100.0),
        ]);
        let one_now: Quickest = times(&[
            ("A", 170.0),
            ("Parallel", 100.0),
            ("Contended", 30.0),
            ("Became", 100.0),
        ]);
        assert_eq!(
            serial(&[all.clone(), now], &[one.clone(), one_now]),
            [Name::from("A")].into()
        );
        let gained: Quickest = times(&[("A", 70.0)]);
        let found = serial(&[all, gained], &[one.clone(), one]);
        assert!(
            !found.contains("A"),
            "a third less time by a second processor"
        );
    }

    #[test]
    fn names_that_end_in_a_number_keep_it() {
        let named = |printed: &[&str], known: &[&str]| {
            let row = |name: &&str| {
                let key = Key {
                    scenario: (*name).into(),
                    ..Key::default()
                };
                crate::rows::of_key(key.into(), 0, perf_model::row::Metrics::default())
            };
            let mut rows: Vec<Row> = printed.iter().map(row).collect();
            name_with_number(
                &mut rows,
                &known.iter().map(ToString::to_string).collect::<Vec<_>>(),
            );
            rows.iter()
                .map(|row| row.key.scenario.to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            named(&["Read/size", "Scan"], &["Read/size-8", "Scan", "Scan-2"]),
            ["Read/size-8", "Scan"]
        );
        assert_eq!(
            named(&["Read/size"], &["Read/size-8", "Read/size-16"]),
            ["Read/size"],
            "whichever it is"
        );
        assert_eq!(
            named(&["Read/size", "Read/size-8"], &["Read/size-8"]),
            ["Read/size", "Read/size-8"]
        );
    }
}
