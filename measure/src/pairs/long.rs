//! Benchmarks with operations longer than a scheduler time slice. On a busy machine, every sample of them is interrupted.
//!
//! Such a benchmark is judged by the difference in processor time between a process run with many iterations and one with few. The
//! difference excludes process start and preparation. Benchmarks that wait, or that use several threads or processes, are
//! judged by wall time instead.

mod costs;

use std::num::NonZeroU64;
use std::ops::RangeInclusive;
use std::time::Duration;

use crate::bench_tools::ToolKind;
use perf_cli::term;
use perf_model::diagnostic::{counted, named};
use perf_model::row::{Name, Row};
use perf_verdict::rules::pairs::LOOKS;
use perf_verdict::statistics::order::{median, sorted};

pub(super) use self::costs::times;
use self::costs::{Costs, TIMES};
use super::display::open_benchmarks;
use super::{LIMIT, Measurement, is_look};
use crate::guardian::Stopped;
use crate::process::CommandSpec;
use crate::sampling::Overhead;
use crate::schedule::Side;

/// The shortest long operation, in seconds: longer than a time slice.
const LONG: f64 = 0.004;
/// Iterations of the shorter process run. Go runs one extra iteration unless the number is one.
const FEWER: u32 = 2;
/// Possible differences in processor time between both process runs, in seconds. The largest one that leaves time for
/// [`ROOM`] pairs is used. Process start varies by some milliseconds, about 8% of 0.16 s for the difference of two sides.
const DIFFERENCES: [f64; 4] = [0.64, 0.4, 0.25, 0.16];
/// The number of pairs that should fit into the time.
const ROOM: f64 = 24.0;
/// The most seconds for one benchmark's pairs.
const MOST: f64 = 240.0;
/// Ratio of processor time to wall time without the run queue, as the median of the trial runs. Beyond this range, the
/// benchmark waits or uses several threads. It is 1 for pure computation, but less certain the busier the machine is.
const MAY_COMPUTE: RangeInclusive<f64> = 0.8..=1.25;
/// The same range for the first pairs.
const COMPUTES: RangeInclusive<f64> = 0.88..=1.14;
/// The longest process start, as a share of the difference in processor time.
const MOST_START: f64 = 1.0;
/// The number of trial runs per side.
const TRIALS: usize = 3;

/// The result of running a benchmark alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trial {
    /// It only computes, in one thread.
    Computes,
    /// Process start takes longer than the iterations.
    StartsLong,
    /// It waits, uses several threads or processes, or cannot run alone.
    Rejected,
}

/// The benchmarks that run alone.
#[derive(Debug, Default)]
pub(super) struct LongBenchmarks {
    all: Vec<LongBenchmark>,
    is_chosen: bool,
    /// Whether all other benchmarks have a verdict.
    are_others_done: bool,
}

/// A benchmark that runs alone.
#[derive(Clone, Debug)]
struct LongBenchmark {
    name: Name,
    /// Iterations of the longer process run.
    iterations: u32,
    /// The duration of [`ROOM`] pairs, in seconds.
    room: f64,
    more: [CommandSpec; 2],
    fewer: [CommandSpec; 2],
    /// Whether it is undecided.
    is_open: bool,
    /// Ratios of processor time to wall time without the run queue, of base and head.
    shares: [Vec<f64>; 2],
    /// The tool's rows of base and head, in case the benchmark is rejected later.
    printed: [Vec<Row>; 2],
    /// Whether it turned out to wait or to use several threads.
    is_rejected: bool,
}

impl LongBenchmarks {
    /// Whether this benchmark runs alone.
    pub(super) fn has(&self, name: &str) -> bool {
        self.all.iter().any(|long| &*long.name == name)
    }

    /// Whether other benchmarks still run as well.
    pub(super) fn has_others(&self) -> bool {
        !self.are_others_done
    }

    /// The number of pairs before benchmarks run alone; `None` if none does.
    pub(super) fn since(&self) -> Option<usize> {
        (!self.all.is_empty()).then_some(LOOKS[0].pairs)
    }

    /// Whether there is an analysis of these benchmarks after this many pairs of all benchmarks.
    pub(super) fn is_look(&self, pairs: usize) -> bool {
        self.since()
            .and_then(|since| pairs.checked_sub(since))
            .is_some_and(is_look)
    }

    /// Selects the benchmarks for the next pairs, and returns those that do not run alone.
    pub(super) fn select(&mut self, benchmarks: &[String]) -> Vec<String> {
        for long in &mut self.all {
            long.is_open = benchmarks.iter().any(|name| **name == *long.name);
        }
        let others: Vec<String> = benchmarks
            .iter()
            .filter(|name| !self.has(name))
            .cloned()
            .collect();
        self.are_others_done = others.is_empty() && self.all.iter().any(|long| long.is_open);
        others
    }
}

impl Measurement<'_> {
    /// Chooses the undecided benchmarks that will run alone. Returns whether there are any.
    ///
    /// # Errors
    /// The measurement was stopped.
    pub(super) fn choose_long_benchmarks(&mut self) -> anyhow::Result<bool> {
        if std::mem::replace(&mut self.long.is_chosen, true) || self.processors.is_some() {
            return Ok(false);
        }
        let mut open = self.compared(open_benchmarks).0;
        let config = &self.sampling.config;
        open.retain(|benchmark| {
            let mut names = TIMES
                .iter()
                .flat_map(|(printed, names, _)| names.iter().chain([printed]));
            names.all(|name| config.leaves_default(name, benchmark))
        });
        let long = open
            .iter()
            .filter_map(|name| self.long_operation(name).map(|operation| (name, operation)));
        let long: Vec<_> = long.collect();
        let (mut rejected, mut is_start_long) = (Vec::new(), false);
        for (at, (name, operation)) in long.iter().enumerate() {
            let taken: f64 = self.long.all.iter().map(|long| long.room).sum();
            #[expect(clippy::cast_precision_loss, reason = "a few benchmarks")]
            let share = |limit: Duration| {
                let left = limit.saturating_sub(self.start.elapsed()).as_secs_f64();
                (left - taken) / (long.len() - at) as f64
            };
            let seconds = share(self.request.budget());
            // Without a time limit, the fewest pairs are measured even beyond the budget.
            let most = self
                .request
                .time_limit
                .map_or_else(|| share(LIMIT).min(MOST), |_| seconds);
            let Some(mut long) = self.long_benchmark(name, *operation, seconds, most) else {
                continue;
            };
            let trial = if is_start_long {
                Trial::Rejected
            } else {
                self.trial(&mut long)?
            };
            // pytest takes seconds to start, with any benchmark, so one trial is enough.
            is_start_long |= trial == Trial::StartsLong && self.is_pytest();
            if trial == Trial::Computes {
                term::note(&long.note(operation.quickest));
                self.long.all.push(long);
            } else {
                rejected.push(String::clone(name));
            }
        }
        note_rejected(&rejected);
        Ok(!self.long.all.is_empty())
    }

    fn is_pytest(&self) -> bool {
        self.tool.as_ref().is_some_and(|options| {
            matches!(
                options.tool(),
                ToolKind::PytestBenchmark | ToolKind::PytestCodspeed
            )
        })
    }

    /// The time of the head's operation; `None` if it is short.
    fn long_operation(&self, benchmark: &str) -> Option<Operation> {
        let rows = self.rows[1]
            .iter()
            .filter(|row| &*row.key.scenario == benchmark);
        let seconds = rows.filter_map(|row| {
            let (printed, _, unit) = times(&row.metrics)?;
            let typical = row.metrics.get(printed)?.as_f64() / unit;
            let quickest = row.metrics.get(&format!("{printed}.d1"));
            Some((
                quickest.map_or(typical, |quickest| quickest.as_f64() / unit),
                typical,
            ))
        });
        let (quickest, typical): (Vec<f64>, Vec<f64>) = seconds.unzip();
        let quickest = quickest
            .into_iter()
            .min_by(f64::total_cmp)
            .filter(|seconds| *seconds > LONG)?;
        Some(Operation {
            quickest,
            typical: median(&sorted(&typical))?,
        })
    }

    /// Plans a benchmark's process runs for this many seconds. Returns `None` if even the fewest iterations take longer
    /// than `most`, or the tool cannot run the benchmark alone.
    fn long_benchmark(
        &self,
        name: &str,
        operation: Operation,
        seconds: f64,
        most: f64,
    ) -> Option<LongBenchmark> {
        let tool = self.tool.as_ref()?;
        let [.., least] = DIFFERENCES;
        let fitting = DIFFERENCES
            .into_iter()
            .find(|difference| operation.iterations(*difference).1 <= seconds);
        let (iterations, room) = operation.iterations(fitting.unwrap_or(least));
        if fitting.is_none() && room > most {
            return None;
        }
        let of = |number: u32| tool.iterations(NonZeroU64::new(number.into())?, name);
        let (more, fewer) = (of(iterations)?, of(FEWER)?);
        Some(LongBenchmark {
            name: name.into(),
            iterations,
            room,
            more,
            fewer,
            is_open: true,
            shares: Default::default(),
            printed: Default::default(),
            is_rejected: false,
        })
    }

    /// Runs a benchmark alone, to check that this works and that it only computes, in one thread.
    fn trial(&mut self, long: &mut LongBenchmark) -> anyhow::Result<Trial> {
        for side in [Side::Base, Side::Current].repeat(TRIALS) {
            match self.run_iterations(long, side, 0) {
                Err(error) if error.is::<Stopped>() => return Err(error),
                // For example pytest: its start varies by more than the slowdowns to be found.
                Ok(Some((_, costs))) if costs.start > MOST_START => return Ok(Trial::StartsLong),
                Ok(Some((_, costs))) => {
                    long.shares[usize::from(side == Side::Current)].push(costs.share);
                }
                Ok(None) | Err(_) => return Ok(Trial::Rejected),
            }
            if long.shares.iter().any(|shares| is_outside(shares)) {
                return Ok(Trial::Rejected);
            }
        }
        long.shares = Default::default();
        Ok(Trial::Computes)
    }

    /// Measures a pair of each benchmark that runs alone.
    ///
    /// # Errors
    /// A process run failed.
    pub(super) fn run_long_benchmarks(
        &mut self,
        order: [Side; 2],
        number: i64,
        new_rows: &mut [Vec<Row>; 2],
    ) -> anyhow::Result<()> {
        for at in 0..self.long.all.len() {
            let long = self.long.all[at].clone();
            if !long.is_open {
                continue;
            }
            let mut both = [None, None];
            for side in order {
                let measured = match self.run_iterations(&long, side, number) {
                    Err(error) if self.may_fail(side, &error) => {
                        self.sampling.count_failed_run(side, &long.name);
                        None
                    }
                    measured => measured?,
                };
                both[usize::from(side == Side::Current)] = measured;
            }
            // A pair needs a value from both sides.
            let [Some((base, of_base)), Some((current, of_current))] = both else {
                continue;
            };
            self.add_long_pair(at, [(base, of_base), (current, of_current)], new_rows);
        }
        if self.long.since() == Some(self.pairs) {
            // Remove their wall times so far.
            self.rows
                .iter_mut()
                .for_each(|rows| rows.retain(|row| !self.long.has(&row.key.scenario)));
        }
        Ok(())
    }

    /// Adds a pair: by processor time, or by the tool's times if the benchmark is rejected.
    fn add_long_pair(&mut self, at: usize, both: [(Row, Costs); 2], new_rows: &mut [Vec<Row>; 2]) {
        let method = Name::clone(&self.sampling.methodology);
        let long = &mut self.long.all[at];
        let is_rejected = long.add(both.each_ref().map(|(_, costs)| *costs));
        if is_rejected {
            note_rejected(&[long.name.to_string()]);
            for (rows, printed) in self.rows.iter_mut().zip(&mut long.printed) {
                rows.retain(|row| row.key.scenario != long.name);
                rows.append(printed);
            }
        }
        for ((row, costs), (new_rows, printed)) in both
            .into_iter()
            .zip(new_rows.iter_mut().zip(&mut long.printed))
        {
            if long.is_rejected {
                new_rows.push(row);
            } else {
                new_rows.extend(costs.judged(&row, &method));
                printed.push(row);
            }
        }
    }

    /// Runs a benchmark with more and with fewer iterations. Returns the row and the costs of one iteration; `None` if other
    /// benchmarks ran as well, or the processor time did not grow.
    fn run_iterations(
        &mut self,
        long: &LongBenchmark,
        side: Side,
        number: i64,
    ) -> anyhow::Result<Option<(Row, Costs)>> {
        let at = usize::from(side == Side::Current);
        let fewer = self.launches.launch_followed(&long.fewer[at])?;
        let more = self.launches.launch_followed(&long.more[at])?;
        let prepared = self.launches.sides.side(side);
        let (overhead, launch) = (
            Overhead {
                wall: 0.0,
                repeats: 1,
            },
            (&more, &long.more[at]),
        );
        let mut rows =
            self.sampling
                .rows(self.source, launch, (side, prepared), overhead, number)?;
        self.sampling.count_process_runs(side, &mut rows);
        let row = rows
            .pop()
            .filter(|row| rows.is_empty() && row.key.scenario == long.name);
        Ok(row.zip(Costs::of((&more, long.iterations), (&fewer, FEWER))))
    }
}

/// Seconds per operation.
#[derive(Clone, Copy, Debug)]
struct Operation {
    /// In the fastest samples.
    quickest: f64,
    /// In the median process run, including the run queue.
    typical: f64,
}

impl Operation {
    /// The iterations for this difference in processor time, and the seconds that [`ROOM`] pairs take. Some tools add an
    /// iteration to each process run.
    fn iterations(self, difference: f64) -> (u32, f64) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most 160"
        )]
        let iterations = FEWER + ((difference / self.quickest).ceil() as u32).max(1);
        (
            iterations,
            2.0 * ROOM * f64::from(iterations + FEWER + 2) * self.typical,
        )
    }
}

impl LongBenchmark {
    /// Adds the costs of a pair. Returns true if the benchmark is rejected, because it waits or uses several threads.
    fn add(&mut self, costs: [Costs; 2]) -> bool {
        for (shares, costs) in self.shares.iter_mut().zip(costs) {
            shares.push(costs.share);
        }
        let is_time = self.shares[0].len() == LOOKS[0].pairs;
        let is_rejected = is_time
            && !self
                .shares
                .iter()
                .all(|shares| is_within(shares, &COMPUTES));
        self.is_rejected |= is_rejected;
        is_rejected
    }

    fn note(&self, seconds: f64) -> String {
        format!(
            "`{}` takes {:.0} ms per operation, longer than a scheduler time slice: it now runs alone, with {} and {FEWER} \
             iterations, and is judged by the difference in processor time (`--as-is` leaves the command alone)",
            term::printable(&self.name),
            seconds * 1e3,
            self.iterations,
        )
    }
}

fn note_rejected(names: &[String]) {
    let shown: Vec<String> = names
        .iter()
        .map(|name| format!("`{}`", term::printable(name)))
        .collect();
    let (have, verb, why) = match &shown[..] {
        [] => return,
        [name] => (
            format!("{name} has"),
            "is",
            "it waits, uses several threads or processes, starts slowly, or cannot run alone",
        ),
        all => (
            format!(
                "{} ({}) have",
                counted(all.len() as u64, "benchmark"),
                named(all, 2)
            ),
            "are",
            "they wait, use several threads or processes, start slowly, or cannot run alone",
        ),
    };
    term::note(&format!(
        "{have} long operations, but {verb} judged by wall time: {why}"
    ));
}

/// Whether the median of all trials will be outside of the range, even if some trials are still to come.
fn is_outside(shares: &[f64]) -> bool {
    let count = |is: &dyn Fn(f64) -> bool| shares.iter().filter(|share| is(**share)).count();
    let (low, high) = (*MAY_COMPUTE.start(), *MAY_COMPUTE.end());
    2 * count(&|share| share < low).max(count(&|share| share > high)) > TRIALS
}

/// Whether the median is in this range.
fn is_within(shares: &[f64], range: &RangeInclusive<f64>) -> bool {
    median(&sorted(shares)).is_some_and(|share| range.contains(&share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_trials_alike_decide() {
        assert!(is_outside(&[1.3, 1.9]) && is_outside(&[1.3, 1.0, 1.9]) && is_outside(&[0.5, 0.6]));
        assert!(!is_outside(&[1.9]) && !is_outside(&[0.5, 1.9]) && !is_outside(&[1.0, 1.1, 1.9]));
    }

    #[test]
    fn shorter_operations_have_more_iterations() {
        let operation = Operation {
            quickest: 0.02,
            typical: 0.08,
        };
        let (iterations, room) = operation.iterations(0.4);
        assert!(iterations == 22 && (room - 2.0 * 24.0 * 26.0 * 0.08).abs() < 1e-9);
        assert_eq!(
            Operation {
                quickest: 3.0,
                typical: 3.0
            }
            .iterations(0.4)
            .0,
            3
        );
    }

    #[test]
    fn a_benchmark_that_waits_on_one_side_is_rejected() {
        let command = |words: &str| CommandSpec::parse(words, std::path::Path::new(".")).unwrap();
        let lines = || [command("a"), command("b")];
        let mut long = LongBenchmark {
            name: "parse".into(),
            iterations: 10,
            room: 10.0,
            more: lines(),
            fewer: lines(),
            is_open: true,
            shares: Default::default(),
            printed: Default::default(),
            is_rejected: false,
        };
        let costs = |share| Costs {
            processor: 0.02,
            share,
            start: 0.0,
        };
        let mut computing = long.clone();
        for pair in 1..=20 {
            let base = costs(if pair % 3 > 0 { 0.99 } else { f64::MAX });
            assert!(
                !computing.add([base, costs(1.02)]),
                "one process run in three is disturbed"
            );
            assert_eq!(long.add([base, costs(0.8)]), pair == 8);
        }
        assert!(long.is_rejected && !computing.is_rejected);
    }
}
