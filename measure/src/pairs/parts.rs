//! Parts of a Go suite that run one after the other, each with its own number of iterations per sample.
//!
//! With a benchmark time, Go determines the iterations again for each sample: it runs the benchmark at least three times, each
//! time after a garbage collection, and code that allocates depends on the number of iterations. With fixed iterations, the
//! same time suffices for twice as many samples, which vary less.
//!
//! On several processors, Go's runtime moves goroutines between them and collects garbage concurrently. If code is equally fast
//! on one processor, its samples vary less there.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;
use std::ops::RangeInclusive;
use std::sync::Arc;

use perf_model::row::{Key, Name, Row};

use crate::process::CommandSpec;
use crate::rows::name_as_known;

/// The target length of a sample, in seconds. The number of iterations is the nearest power of two.
const SAMPLE: f64 = 0.002;
/// The slower side's longest sample, in seconds.
const LONGEST: f64 = 0.02;
/// The most iterations of a sample, as a power of two.
const MOST: i32 = 40;

/// The environment variable that sets the number of processors of Go's runtime.
pub(super) const PROCESSORS: &str = "GOMAXPROCS";
/// The ratio of the time on one processor to that on all, for a benchmark that neither gains by parallelism nor loses by
/// contention.
const AS_FAST: RangeInclusive<f64> = 0.75..=1.1;
/// The largest ratio of a single side, whose samples may have been disturbed.
const LARGEST_SHARE: f64 = 1.25;

/// Benchmarks that run in the same process.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The commands of base and head; `None` if a side has none of the benchmarks.
    pub(super) lines: [Option<CommandSpec>; 2],
    /// The benchmarks; `None` for all. The tool's filter may run more.
    pub(super) benchmarks: Option<Vec<String>>,
}

impl Part {
    /// Creates a part with the whole suite.
    pub(super) fn whole(lines: [CommandSpec; 2]) -> Self {
        Self {
            lines: lines.map(Some),
            benchmarks: None,
        }
    }

    /// Removes rows that are measured in other parts.
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

/// Benchmarks with the same number of iterations per sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Work {
    pub(super) iterations: NonZeroU64,
    /// Whether they run on one processor.
    pub(super) is_serial: bool,
    /// The benchmarks of base and head.
    pub(super) benchmarks: [Vec<String>; 2],
}

/// Seconds per operation of each benchmark, by its fastest samples, which are undisturbed. `None` if a row contains no such
/// time.
pub(super) fn operations(rows: &[Row]) -> Option<Vec<(Name, f64)>> {
    let mut operations = Vec::new();
    for row in rows {
        let metrics = &row.metrics;
        let time = metrics.get("ns/op.d1").or_else(|| metrics.get("ns/op"))?;
        operations.push((Name::clone(&row.key.scenario), time.as_f64() * 1e-9));
    }
    Some(operations)
}

/// Restores numbers at the end of benchmark names. Go appends the number of processors to each name, except for one processor,
/// so the end of `Read/size-8` was mistaken for it.
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
        // A printed name belongs to a different benchmark.
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

/// The shortest seconds per operation of each benchmark.
pub(super) type Quickest = BTreeMap<Name, f64>;

/// Benchmarks that are as fast on one processor: by their faster side, and, with more tolerance, on each side. Not those that the
/// change made parallel or serial.
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

/// Each benchmark's time on the faster and on the slower side.
fn quicker_and_slower(operations: &[Vec<(Name, f64)>; 2]) -> BTreeMap<&Name, [f64; 2]> {
    let mut seconds: BTreeMap<&Name, [f64; 2]> = BTreeMap::new();
    for (name, time) in operations.iter().flatten() {
        let [quicker, slower] = seconds.entry(name).or_insert([*time; 2]);
        (*quicker, *slower) = (quicker.min(*time), slower.max(*time));
    }
    seconds
}

/// Groups benchmarks by iterations, the same for both sides. The faster side determines them, because the other may have been
/// disturbed, but no sample exceeds [`LONGEST`]. Only benchmarks with the same parent are grouped, because only their filter
/// runs no others.
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

/// The number of iterations for an operation of this length, as a power of two.
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
    fn benchmarks_of_equal_length_share_a_part() {
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
    fn parallel_and_contended_benchmarks_are_not_serial() {
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
            "on all processors, the head takes a third less"
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
            "ambiguous"
        );
        assert_eq!(
            named(&["Read/size", "Read/size-8"], &["Read/size-8"]),
            ["Read/size", "Read/size-8"]
        );
    }
}
