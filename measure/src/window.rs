//! Throughput over one continuous window, and cold starts, of a harness that runs operations on request.
//!
//! The harness reads a number of operations as a line on standard input, runs them, and answers with a line
//! `elapsed_ns [allocations]` on standard output, until its input ends. So it measures with its own clock, next to the
//! work, and what starting it costs is no part of the number.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ChildStdin;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use perf_cli::load::read_strictly;
use perf_cli::{Exit, Failure, term};
use perf_model::row::{AGGREGATE, Metrics, Row, Value};

use crate::arguments::growth;
use crate::guardian::Guardian;
use crate::judge::{judge, policy};
use crate::process::Line;
use crate::rows;
use crate::talking::Talking;

/// Operations before anything counts.
const WARM_UP: u64 = 10_000;
/// How long a batch should take: long against the exchange of two lines, short against the window.
const BATCH_NS: f64 = 20e6;

/// Measure throughput over one window, and cold starts, of a harness that runs operations on request
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The harness, started without a shell
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,

    /// The benchmark's name [default: the command]
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    name: Option<String>,

    /// How many seconds of operations the window has
    #[arg(short, long, value_name = "SECONDS", default_value_t = 5.0, value_parser = seconds)]
    window: f64,

    /// Operations before the window
    #[arg(long, value_name = "N", default_value_t = WARM_UP, hide_short_help = true)]
    warm_up: u64,

    /// Instead, time one operation in each of N fresh processes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), conflicts_with_all = ["window", "warm_up"])]
    cold: Option<u32>,

    /// Give up when an answer takes longer, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds, hide_short_help = true)]
    timeout: f64,

    /// Compare with the row of the same name in these rows; without one the comparison is skipped
    #[arg(short, long, value_name = "CSV", help_heading = "Gate")]
    baseline: Option<PathBuf>,

    /// Fail what costs more than this many times as much [default: the limits of the config]
    #[arg(short, long, value_name = "FACTOR", value_parser = growth, requires = "baseline", help_heading = "Gate")]
    limit: Option<f64>,

    /// Exit with 1 when it regressed
    #[arg(short, long, requires = "baseline", help_heading = "Gate")]
    exit_code: bool,

    /// The config file [default: perf-gate.toml]
    #[arg(short, long, value_name = "FILE", help_heading = "Gate", hide_short_help = true)]
    config: Option<PathBuf>,

    /// The row [default: standard output, unless a baseline is given]
    #[arg(short, long, value_name = "CSV")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
The harness reads a number of operations as a line, runs them, and answers
with a line `elapsed_ns [allocations]`, until its input ends. In Python:

  import sys, time
  for line in sys.stdin:
      start = time.perf_counter_ns()
      for _ in range(int(line)):
          work()
      print(time.perf_counter_ns() - start, flush=True)

Examples:
  perf-gate measure window -- python3 bench/parse.py
  perf-gate measure window --cold 32 --name 'first parse' -- ./target/release/parse-bench

As a local gate, one command to capture a baseline and one to check against it:
  perf-gate measure window --name parse --output baseline.csv -- ./bench
  perf-gate measure window --name parse --baseline baseline.csv --limit 1.5 \\
    --exit-code -- ./bench

Exit codes: 0 measured; 1 with --exit-code, it regressed; 2 the harness
did not answer as above";

/// What a harness answered.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Answer {
    nanoseconds: f64,
    allocations: Option<u64>,
}

/// What runs operations: the harness, or a script in a test.
trait Operations {
    fn run(&mut self, operations: u64) -> anyhow::Result<Answer>;
}

/// Measures, and writes a row.
///
/// # Errors
/// A harness that cannot be started, or that does not answer as it should.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let guardian = Guardian::start().context("cannot start the guardian process")?;
    let here = std::env::current_dir().context("cannot determine the working directory")?;
    let line = Line::of(args.command.clone(), &here)?;
    let start = || Harness::start(&line, Duration::from_secs_f64(args.timeout), &guardian);
    let (metrics, methodology) = match args.cold {
        Some(processes) => (cold(processes, start)?, "cold starts, one operation in each process"),
        None => (window(&mut start()?, args.warm_up, args.window * 1e9)?, "one continuous window"),
    };
    let scenario = args.name.clone().unwrap_or_else(|| line.shown());
    let row = rows::row(&scenario, methodology, AGGREGATE, metrics);
    if args.baseline.is_none() || args.output.is_some() {
        rows::write(std::slice::from_ref(&row), args.output.as_deref())?;
    }
    match &args.baseline {
        Some(path) => gate(args, path, row),
        None => Ok(Exit::Ok),
    }
}

/// Compares with a baseline that was captured before.
fn gate(args: &Args, path: &Path, row: Row) -> anyhow::Result<Exit> {
    let config = perf_cli::load::config(args.config.as_deref())?;
    let exists = path.try_exists().unwrap_or(true);
    let mut baseline = if exists { read_strictly(path, &config)?.rows } else { Vec::new() };
    baseline.retain(|other| other.scenario == row.scenario);
    if baseline.is_empty() {
        let (name, path) = (term::printable(&row.scenario), term::shown(path));
        term::warn(&format!("no baseline: `{path}` has no row of `{name}`, so nothing is compared"));
    }
    judge(&baseline, &[row], &config, policy(&config, args.limit), args.exit_code)
}

/// Batches until the window is full; throughput and allocations are those of the same operations.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "operations of seconds are far below 2^53"
)]
fn window(harness: &mut impl Operations, warm_up: u64, window_ns: f64) -> anyhow::Result<Metrics> {
    let mut batch = warm_up.max(1);
    let mut pace = harness.run(batch)?.nanoseconds / batch as f64;
    let (mut operations, mut elapsed, mut allocations) = (0_u64, 0.0, Some(0_u64));
    while elapsed < window_ns {
        batch = if pace > 0.0 { (BATCH_NS / pace).clamp(1.0, 1e12) as u64 } else { batch.saturating_mul(2) };
        let answer = harness.run(batch)?;
        pace = answer.nanoseconds / batch as f64;
        operations += batch;
        elapsed += answer.nanoseconds;
        allocations = allocations.zip(answer.allocations).and_then(|(sum, more)| sum.checked_add(more));
        if operations > 1 << 52 {
            return Err(Failure::new(
                "the harness answers without doing the operations: no time passes in them",
            )
            .into());
        }
    }
    let per = operations as f64;
    Ok(rows::metrics([
        ("opsPerSecond", Value::new(per / (elapsed / 1e9))),
        ("timeNs", Value::new(elapsed / per)),
        ("allocations", allocations.and_then(|count| per_operation(count, operations))),
    ]))
}

/// A count that belongs to each operation is exact; what some operations have more of is not.
#[expect(clippy::cast_precision_loss, reason = "counts of a window are far below 2^53")]
fn per_operation(count: u64, operations: u64) -> Option<Value> {
    if count.is_multiple_of(operations) {
        return i64::try_from(count / operations).ok().map(Value::Int);
    }
    Value::new(count as f64 / operations as f64)
}

/// One operation in each of several fresh processes: the medians.
#[expect(clippy::cast_precision_loss, reason = "allocations of one operation are far below 2^53")]
fn cold<O: Operations>(
    processes: u32,
    mut start: impl FnMut() -> anyhow::Result<O>,
) -> anyhow::Result<Metrics> {
    let answers = (0..processes).map(|_| start()?.run(1)).collect::<anyhow::Result<Vec<_>>>()?;
    let times: Vec<f64> = answers.iter().map(|answer| answer.nanoseconds).collect();
    let allocations: Option<Vec<f64>> =
        answers.iter().map(|answer| answer.allocations.map(|count| count as f64)).collect();
    Ok(rows::metrics([
        ("timeNs", median(&times).and_then(Value::new)),
        ("allocations", allocations.and_then(|counts| median(&counts)).and_then(Value::new)),
    ]))
}

fn median(values: &[f64]) -> Option<f64> {
    perf_stats::order::median(&perf_stats::order::sorted(values))
}

/// A running harness.
struct Harness<'g> {
    _child: Talking<'g>,
    input: ChildStdin,
    answers: Receiver<std::io::Result<String>>,
    shown: String,
    timeout: Duration,
}

impl<'g> Harness<'g> {
    fn start(line: &Line, timeout: Duration, guardian: &'g Guardian) -> anyhow::Result<Self> {
        let (child, input, output) = Talking::start(line, guardian)?;
        let (sender, answers) = mpsc::channel();
        // A read has no time limit, so it waits in a thread of its own.
        thread::spawn(move || BufReader::new(output).lines().try_for_each(|line| sender.send(line)));
        Ok(Self { _child: child, input, answers, shown: line.shown(), timeout })
    }

    fn broken(&self, why: &str) -> anyhow::Error {
        Failure::new(format!("`{}` {why}", self.shown))
            .hint("it must answer each number of operations with a line `elapsed_ns [allocations]`, flushed")
            .into()
    }
}

impl Operations for Harness<'_> {
    fn run(&mut self, operations: u64) -> anyhow::Result<Answer> {
        let sent = writeln!(self.input, "{operations}").and_then(|()| self.input.flush());
        let ended = "ended without an answer";
        sent.map_err(|_| self.broken(ended))?;
        match self.answers.recv_timeout(self.timeout) {
            Ok(Ok(line)) => Answer::parse(&line)
                .ok_or_else(|| self.broken(&format!("answered `{}`", term::printable_within(&line, 60)))),
            Ok(Err(error)) => Err(self.broken(&format!("cannot be read: {error}"))),
            Err(RecvTimeoutError::Timeout) => {
                Err(self.broken(&format!("did not answer within {} s", self.timeout.as_secs_f64())))
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.broken(ended)),
        }
    }
}

impl Answer {
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let nanoseconds =
            words.next()?.parse::<f64>().ok().filter(|time| time.is_finite() && *time >= 0.0)?;
        let allocations = words.next().map(str::parse).transpose().ok()?;
        words.next().is_none().then_some(Self { nanoseconds, allocations })
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| (0.001..=86_400.0).contains(seconds));
    seconds.ok_or_else(|| "seconds from 0.001 to 86400".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 50 ns and two allocations an operation, the first thousand at ten times that.
    #[derive(Default)]
    struct Script {
        run: u64,
        requests: Vec<u64>,
    }

    impl Operations for Script {
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        fn run(&mut self, operations: u64) -> anyhow::Result<Answer> {
            let cold = 1000_u64.saturating_sub(self.run).min(operations);
            self.run += operations;
            self.requests.push(operations);
            let nanoseconds = 50.0 * operations as f64 + 450.0 * cold as f64;
            Ok(Answer { nanoseconds, allocations: Some(2 * operations) })
        }
    }

    #[test]
    fn warm_up_is_not_counted_and_the_window_is_filled() {
        let mut script = Script::default();
        let metrics = window(&mut script, 10_000, 1e8).unwrap();
        assert_eq!(script.requests[0], 10_000);
        assert_eq!(metrics.get("timeNs"), Value::new(50.0));
        assert_eq!(metrics.get("opsPerSecond"), Value::new(2e7));
        assert_eq!(metrics.get("allocations"), Some(Value::Int(2)));
        assert!(script.run - 10_000 >= 2_000_000, "{}", script.run);
    }

    #[test]
    fn cold_times_one_operation_in_each_process() {
        let metrics = cold(32, || Ok(Script::default())).unwrap();
        assert_eq!(metrics.get("timeNs"), Value::new(500.0));
        assert_eq!(metrics.get("allocations"), Value::new(2.0));
    }

    #[test]
    fn harness_without_work_ends_in_an_error() {
        struct Idle;
        impl Operations for Idle {
            fn run(&mut self, _: u64) -> anyhow::Result<Answer> {
                Ok(Answer { nanoseconds: 0.0, allocations: None })
            }
        }
        assert!(window(&mut Idle, 1, 1e9).is_err());
    }

    #[test]
    fn answers_have_a_time_and_at_most_a_count() {
        let of = |line| Answer::parse(line).map(|answer| (answer.nanoseconds, answer.allocations));
        assert_eq!(of("1200.5 7\r"), Some((1200.5, Some(7))));
        assert_eq!(of("1200"), Some((1200.0, None)));
        for line in ["", "fast", "-1", "inf", "1 2 3", "1 many"] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
