//! Measures throughput over one continuous window, and cold starts, of a benchmark that runs operations on request.
//!
//! The benchmark reads a number of operations as a line on standard input, and runs them. It answers with a line
//! `elapsed_ns [allocations [bytes [gc_ns]]]` on standard output. It repeats this until its input ends. The benchmark
//! measures with its own clock, close to the work, so process start is not included.

mod args;
mod running;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use perf_cli::load::read_strictly;
use perf_cli::{Exit, ResultExt, term};
use perf_config::Config;
use perf_model::row::{AGGREGATE, Metrics, Name, Row, Value};
use perf_verdict::statistics::order::middle;

pub use self::args::Args;
use self::args::{Mode, Scenario};
use self::running::{Answer, RequestHarness};
use crate::guardian::Guardian;
use crate::judge::judge;
use crate::rows;

/// The target length of a batch in nanoseconds. It is long compared to the exchange of two lines, and short compared to the
/// window.
const BATCH_NS: f64 = 20e6;

/// Measures all scenarios, and writes one row for each.
///
/// # Errors
/// Fails if a benchmark cannot be started, or if it does not follow the protocol.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let config = perf_cli::load::config(args.config.as_deref())?;
    let scenarios = args.scenarios(&config)?;
    let guardian = Guardian::start()?;
    let mut rows = Vec::new();
    for scenario in &scenarios {
        rows.push(row(args, scenario, &guardian)?);
    }
    if args.baseline.is_none() || args.output.is_some() {
        rows::write(&rows, args.output.as_deref())?;
    }
    match &args.baseline {
        Some(path) => gate(args, &config, path, &rows),
        None => Ok(Exit::Ok),
    }
}

fn row(
    args: &Args,
    Scenario { name, line, mode }: &Scenario,
    guardian: &Guardian,
) -> anyhow::Result<Row> {
    let start = || RequestHarness::start(line, Duration::from_secs_f64(args.timeout), guardian);
    let (metrics, methodology) = match *mode {
        Mode::Cold(processes) => {
            let answers = (0..processes).map(|_| start()?.run(1));
            (
                cold(&answers.collect::<anyhow::Result<Vec<_>>>()?),
                "cold starts, one operation in each process",
            )
        }
        Mode::Window(warm_up, seconds) => {
            let mut harness = start()?;
            (
                window(|operations| harness.run(operations), warm_up, seconds * 1e9)?,
                "one continuous window",
            )
        }
    };
    Ok(rows::row(name, methodology, AGGREGATE, metrics))
}

/// Compares the rows with an earlier baseline.
fn gate(args: &Args, config: &Config, path: &Path, rows: &[Row]) -> anyhow::Result<Exit> {
    let mut stored = Vec::new();
    if path.try_exists().unwrap_or(true) {
        stored = read_strictly(path, config)?.rows;
    }
    let shown = term::shown(path);
    let mut baseline = Vec::new();
    for row in rows {
        let own = rows_of_name(&stored, row).with_context(|| format!("cannot use `{shown}`"))?;
        if own.is_empty() {
            let name = term::printable(&row.scenario);
            term::warn(&format!(
                "no baseline for `{name}` in `{shown}`: not compared"
            ));
        }
        baseline.extend(own);
    }
    judge(&baseline, rows, config, args.limit, args.exit_code)
}

/// Returns a row's baseline: the stored rows with the same name and platform, or otherwise the rows of the name's only
/// platform.
///
/// # Errors
/// Fails if the name has rows for several other platforms.
fn rows_of_name(stored: &[Row], row: &Row) -> anyhow::Result<Vec<Row>> {
    let mut own: Vec<Row> = stored.to_vec();
    own.retain(|other| other.scenario == row.scenario);
    if own.iter().any(|other| other.platform == row.platform) {
        own.retain(|other| other.platform == row.platform);
    }
    if own.iter().any(|other| other.platform != own[0].platform) {
        let name = term::printable(&row.scenario);
        return Err(anyhow!(
            "`{name}` has rows for several platforms, but none without a platform"
        ))
        .hint("keep only one platform's rows in the baseline");
    }
    for other in &mut own {
        let conditions = &mut Arc::make_mut(&mut other.key).conditions;
        Arc::make_mut(conditions).platform = Name::clone(&row.platform);
    }
    Ok(own)
}

/// Runs batches until the window is full. Throughput and allocations cover the same operations.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "operations of seconds are far below 2^53"
)]
fn window(
    mut run: impl FnMut(u64) -> anyhow::Result<Answer>,
    warm_up: u64,
    window_ns: f64,
) -> anyhow::Result<Metrics> {
    // Without a warm-up, the window starts with a batch of one operation.
    let mut pace = if warm_up > 0 {
        run(warm_up)?.nanoseconds / warm_up as f64
    } else {
        BATCH_NS
    };
    let mut batch = warm_up.max(1);
    let (mut operations, mut elapsed, mut counts) = (0_u64, 0.0, [Some(0_u64); 3]);
    while elapsed < window_ns {
        batch = if pace > 0.0 {
            (BATCH_NS / pace).clamp(1.0, 1e12) as u64
        } else {
            batch.saturating_mul(2)
        };
        let answer = run(batch)?;
        pace = answer.nanoseconds / batch as f64;
        operations += batch;
        elapsed += answer.nanoseconds;
        for (sum, more) in counts.iter_mut().zip(answer.counts) {
            *sum = sum.zip(more).and_then(|(sum, more)| sum.checked_add(more));
        }
        if operations > 1 << 52 {
            bail!("the benchmark reports that its operations take no time: does it run them?");
        }
    }
    let per = operations as f64;
    let [allocations, bytes, collected] = counts.map(|count| per_operation(count?, operations));
    Ok(rows::metrics([
        ("opsPerSecond", Value::new(per * 1e9 / elapsed)),
        ("timeNs", Value::new(elapsed / per)),
        ("allocations", allocations),
        ("allocatedBytes", bytes),
        ("gcTimeNs", collected),
    ]))
}

/// Returns the count per operation: an integer if all operations can have the same count, or otherwise a fraction.
fn per_operation(count: u64, operations: u64) -> Option<Value> {
    if count.is_multiple_of(operations) {
        return rows::count(count / operations);
    }
    Value::new(rows::float(count) / rows::float(operations))
}

/// Returns the medians of one operation in each of several new processes.
fn cold(answers: &[Answer]) -> Metrics {
    let times: Vec<f64> = answers.iter().map(|answer| answer.nanoseconds).collect();
    let counted = |at: usize| {
        let counts = answers
            .iter()
            .map(|answer| answer.counts[at].map(rows::float));
        let counts: Option<Vec<f64>> = counts.collect();
        Value::new(middle(&counts?)?)
    };
    rows::metrics([
        ("timeNs", middle(&times).and_then(Value::new)),
        ("allocations", counted(0)),
        ("allocatedBytes", counted(1)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes 50 ns and two allocations per operation, but ten times as long for the first thousand operations.
    #[derive(Default)]
    struct Script {
        run: u64,
        requests: Vec<u64>,
    }

    impl Script {
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        fn run(&mut self, operations: u64) -> Answer {
            let cold = 1000_u64.saturating_sub(self.run).min(operations);
            self.run += operations;
            self.requests.push(operations);
            let nanoseconds = 50.0 * operations as f64 + 450.0 * cold as f64;
            Answer {
                nanoseconds,
                counts: [Some(2 * operations), Some(64 * operations + 1), None],
            }
        }
    }

    #[test]
    fn warm_up_is_not_measured_and_the_window_is_filled() {
        let mut script = Script::default();
        let metrics = window(|operations| Ok(script.run(operations)), 10_000, 1e8).unwrap();
        assert_eq!(script.requests[0], 10_000);
        assert_eq!(metrics.get("timeNs"), Value::new(50.0));
        assert_eq!(metrics.get("opsPerSecond"), Value::new(2e7));
        assert_eq!(metrics.get("allocations"), Some(Value::Int(2)));
        assert!(
            metrics
                .get("allocatedBytes")
                .is_some_and(|bytes| (64.0..64.1).contains(&bytes.as_f64()))
        );
        assert_eq!(metrics.get("gcTimeNs"), None);
        assert!(script.run - 10_000 >= 2_000_000, "{}", script.run);
    }

    #[test]
    fn cold_times_one_operation_in_each_process() {
        let metrics = cold(&[(); 32].map(|()| Script::default().run(1)));
        assert_eq!(metrics.get("timeNs"), Value::new(500.0));
        assert_eq!(metrics.get("allocations"), Value::new(2.0));
    }

    #[test]
    fn baseline_of_another_platform_is_matched_by_name_if_it_is_the_only_one() {
        let stored = |platforms: &[&str]| -> Vec<Row> {
            let mut rows = Vec::new();
            for platform in platforms {
                let mut row = rows::row("parse", "one continuous window", -1, Metrics::default());
                let conditions = &mut Arc::make_mut(&mut row.key).conditions;
                Arc::make_mut(conditions).platform = (*platform).into();
                rows.push(row);
            }
            rows
        };
        let row = rows::row("parse", "one continuous window", -1, Metrics::default());
        let matched = |platforms: &[&str]| {
            let own = rows_of_name(&stored(platforms), &row);
            own.map(|own| {
                own.iter()
                    .map(|row| row.platform.to_string())
                    .collect::<Vec<_>>()
            })
        };
        assert_eq!(matched(&["ubuntu-24.04"; 2]).unwrap(), ["", ""]);
        assert_eq!(matched(&["ubuntu-24.04", ""]).unwrap(), [""]);
        assert_eq!(matched(&[]).unwrap(), [""; 0]);
        insta::assert_snapshot!(
            matched(&["windows", "linux"]).unwrap_err(),
            @"`parse` has rows for several platforms, but none without a platform"
        );
    }

    #[test]
    fn benchmark_without_elapsed_time_is_an_error() {
        let idle = Answer {
            nanoseconds: 0.0,
            counts: [None; 3],
        };
        assert!(window(|_| Ok(idle), 1, 1e9).is_err());
    }
}
