//! Counts instructions. A count is the same in every run, unless the program uses random numbers.
//!
//! A small command often needs most of its instructions to start the process. So the count of a no-op is subtracted, unless
//! the program is static, because static programs start with far fewer instructions. If a benchmark has a set-up benchmark,
//! the set-up's count is subtracted instead.
//!
//! If a benchmark fails, its row is marked as `failed`, and the other benchmarks are not affected.

mod args;
mod compared;
mod folders;
mod functions;
mod net;
mod pipe;
pub mod valgrind;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::iter;
use std::path::Path;

use anyhow::Context;
use perf_cli::{Exit, failure, term};
use perf_model::row::Row;

pub use self::args::Args;
use self::net::Counts;
pub use self::valgrind::INSTRUCTIONS;
use self::valgrind::{CALLGRIND, Valgrind, total};
use crate::benchmarks::Benchmark;
use crate::guardian::{Guardian, Stopped};
use crate::process::{CommandSpec, Launcher};
use crate::rows;

/// The no-op's name. No benchmark can have an empty name.
const NOOP: &str = "";

/// Counts all benchmarks, and writes the rows.
///
/// # Errors
/// Fails if Valgrind is not installed, a set-up does not exist, the no-op fails, or the measurement is interrupted.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let benches = args.benches()?;
    let valgrind = Valgrind::find()?;
    let against = args.against.as_deref().map(folders::baseline).transpose()?;
    let guardian = Guardian::start()?;
    let temporary = guardian.temporary_folder()?;
    let within = args.details.as_deref().unwrap_or(temporary.path());
    let launcher = Launcher {
        guardian: &guardian,
        limit: args.timeout,
        deadline: None,
    };
    let counter = Counter {
        valgrind,
        within,
        launcher,
        times: args.times,
    };
    let mut counts = counter.count_all(&benches)?;
    let rows = rows_of(&benches, &mut counts);
    if let Some(folder) = &args.details {
        rows::write(&rows, Some(&folder.join(folders::ROWS)))?;
    }
    // With `--against`, standard output shows the comparison instead of the rows.
    if args.against.is_none() || args.output.is_some() {
        rows::write(&rows, args.output.as_deref())?;
    }
    if let (Some(folder), Some(before)) = (&args.against, against) {
        let details = |name: &str| {
            let before = functions::read(&folders::count_folder(folder, name)).ok()?;
            let after = functions::read(&folders::count_folder(within, name)).ok()?;
            Some((before, after))
        };
        term::stdout(&compared::markdown(&before, &rows, details))?;
    }
    for error in &counts.errors {
        term::error(error);
    }
    Ok(if counts.errors.is_empty() {
        Exit::Ok
    } else {
        Exit::Error
    })
}

/// Counts the instructions of one process run, including process start.
///
/// # Errors
/// Fails if Valgrind is not installed, or if the command fails.
pub fn instructions(line: &CommandSpec, launcher: &Launcher<'_>) -> anyhow::Result<u64> {
    let valgrind = Valgrind::find()?;
    let folder = launcher.guardian.temporary_folder()?;
    launcher.launch(&valgrind.under(line, folder.path()), 1, 0)?;
    total(folder.path())
}

/// Returns the words to put before a command to run it under callgrind, which writes one file per process to the directory.
///
/// # Errors
/// Fails if Valgrind is not installed.
pub fn callgrind(folder: &Path) -> anyhow::Result<Vec<OsString>> {
    Ok(Valgrind::find()?.words("callgrind", &CALLGRIND, folder))
}

/// The counts of all benchmarks.
#[derive(Default)]
struct CountedBenches {
    counts: BTreeMap<String, Counts>,
    /// Messages about the benchmarks that could not be counted.
    errors: Vec<String>,
}

struct Counter<'g> {
    valgrind: Valgrind,
    /// The directory for valgrind's files.
    within: &'g Path,
    launcher: Launcher<'g>,
    times: u32,
}

impl Counter<'_> {
    /// Counts the no-op and every benchmark.
    fn count_all(&self, benches: &[Benchmark]) -> anyhow::Result<CountedBenches> {
        let mut all = CountedBenches::default();
        let noop = Benchmark::new(NOOP.to_owned(), benches[0].line.noop());
        for bench in iter::once(&noop).chain(benches) {
            match self.count(bench) {
                Ok(counts) => all.counts.extend(counts),
                Err(error) if bench.name == NOOP || error.is::<Stopped>() => return Err(error),
                Err(error) => all.errors.push(message_with_hints(&error)),
            }
        }
        Ok(all)
    }

    /// Counts a benchmark, and its peer if it has one.
    fn count(&self, bench: &Benchmark) -> anyhow::Result<BTreeMap<String, Counts>> {
        let names = names_of(bench, &bench.name);
        let mut all = BTreeMap::new();
        for _ in 0..self.times {
            let totals = self.launch(bench, &names).with_context(|| {
                let shown = if bench.name == NOOP {
                    "a no-op"
                } else {
                    &bench.name
                };
                format!("cannot count `{}`", term::printable(shown))
            })?;
            for (name, total) in names.iter().zip(totals) {
                let counts = all.entry(name.clone()).or_insert(Counts {
                    least: total,
                    most: total,
                });
                counts.least = counts.least.min(total);
                counts.most = counts.most.max(total);
            }
        }
        Ok(all)
    }

    fn launch(&self, bench: &Benchmark, names: &[String]) -> anyhow::Result<Vec<u64>> {
        let mut own = Vec::new();
        for name in names {
            own.push(folders::empty_folder(self.within, name)?);
        }
        let line = self.valgrind.under(&bench.line, &own[0]);
        match bench.peer.as_ref().zip(own.get(1)) {
            Some((peer, folder)) => {
                pipe::run(&self.launcher, [&line, &self.valgrind.under(peer, folder)])?;
            }
            None => drop(self.launcher.launch(&line, 1, 0)?),
        }
        own.iter().map(|folder| total(folder)).collect()
    }
}

/// Returns the names under which a benchmark and its peer, if it has one, are counted.
fn names_of(bench: &Benchmark, name: &str) -> Vec<String> {
    let peer = bench.peer.iter().map(|_| format!("{name} (peer)"));
    iter::once(name.to_owned()).chain(peer).collect()
}

fn message_with_hints(error: &anyhow::Error) -> String {
    let message = failure::message(error);
    [vec![&*message], failure::hints(error)].concat().join("; ")
}

/// Returns a row with net counts for each benchmark and each peer. If one was not counted, its row is marked as failed.
fn rows_of(benches: &[Benchmark], counted: &mut CountedBenches) -> Vec<Row> {
    let mut rows = Vec::new();
    for bench in benches {
        let setups = bench.setup.as_ref().map(|setup| names_of(bench, setup));
        let lines = iter::once(&bench.line).chain(&bench.peer);
        for (at, (name, line)) in names_of(bench, &bench.name).iter().zip(lines).enumerate() {
            let setup = setups.as_ref().and_then(|setups| setups.get(at));
            let setup = setup.map(String::as_str);
            let row = match counted.counts.get(name) {
                Some(own) => net::row(name, *own, line, setup, &counted.counts),
                // There already is an error message about this benchmark.
                None => Ok(net::failed_row(name)),
            };
            rows.push(row.unwrap_or_else(|error| {
                counted.errors.push(message_with_hints(&error));
                net::failed_row(name)
            }));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use perf_model::row::{Outcome, Value};

    use super::*;

    fn bench(name: &str, words: &str, setup: Option<&str>) -> Benchmark {
        let line = CommandSpec::parse(words).unwrap();
        Benchmark {
            setup: setup.map(str::to_owned),
            ..Benchmark::new(name.to_owned(), line)
        }
    }

    fn counted(counts: &[(&str, u64)]) -> CountedBenches {
        let of = |count: u64| Counts {
            least: count,
            most: count,
        };
        CountedBenches {
            counts: counts
                .iter()
                .map(|(name, count)| ((*name).to_owned(), of(*count)))
                .collect(),
            errors: Vec::new(),
        }
    }

    #[test]
    fn noop_is_subtracted_only_from_programs_with_more_instructions() {
        let benches = [
            bench("small", "/none/a", None),
            bench("large", "/none/b", None),
        ];
        let mut counted = counted(&[(NOOP, 1000), ("small", 900), ("large", 5000)]);
        let rows = rows_of(&benches, &mut counted);
        let shown: Vec<_> = rows
            .iter()
            .map(|row| (row.metrics.get(INSTRUCTIONS), row.methodology.as_deref()))
            .collect();
        let expected = [
            (Some(Value::Int(900)), Some("cachegrind")),
            (Some(Value::Int(4000)), Some("cachegrind, net of a no-op")),
        ];
        assert_eq!(shown, expected);
        assert!(counted.errors.is_empty());
    }

    #[test]
    fn failed_benchmark_leaves_the_others_their_counts() {
        let benches = [
            bench("load", "/none/a", None),
            bench("query", "/none/a", Some("load")),
            bench("gone", "/none/a", None),
            bench("after gone", "/none/a", Some("gone")),
        ];
        let mut counted = counted(&[(NOOP, 10), ("load", 900), ("query", 300), ("after gone", 5)]);
        let rows = rows_of(&benches, &mut counted);
        let outcomes: Vec<_> = rows.iter().map(|row| row.outcome).collect();
        let failed = Outcome::Failed;
        assert_eq!(outcomes, [Outcome::Measured, failed, failed, failed]);
        insta::assert_snapshot!(counted.errors.join("\n"), @r"
        `query` has 300 instructions, fewer than its set-up `load` with 900
        cannot subtract the set-up of `after gone`: `gone` was not counted
        ");
    }
}
