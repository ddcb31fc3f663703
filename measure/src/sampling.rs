//! Reads one process run's result rows. They come from its benchmark tool, or otherwise contain the process's cost.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use perf_cli::load::history::name_run_as_now;
use perf_cli::load::{known_format, read_since};
use perf_cli::{Failure, ResultExt, term};
use perf_config::Config;
use perf_model::aggregate::aggregate_launch;
use perf_model::diagnostic::counted;
use perf_model::finding::{Finding, FindingKind};
use perf_model::methodology::with_shared_output;
use perf_model::metric::metric;
use perf_model::row::{Conditions, Key, Metrics, Name, Outcome, Row, Value};
use perf_readers::{Collector, Format, ParseReport};

use crate::pairs::prepare::sides::Sides;
use crate::pairs::request::PairsRequest;
use crate::process::{CommandSpec, Launch};
use crate::rows::{self, known_name};
use crate::schedule::Side;

/// The metric for wall time, without the time of a no-op.
pub const WALL: &str = "timeS";
/// The metric for wall time, including the time of a no-op.
pub const GROSS: &str = "grossTimeS";
/// The metric for processor time in user mode.
pub const USER: &str = "userS";
/// The metric for user plus system time. The kernel splits these two by ticks, but their sum is exact.
pub const CPU: &str = "cpuTimeS";

/// The rows of both sides, collected from their process runs.
pub struct Sampling<'c> {
    /// The project's config.
    pub config: &'c Config,
    /// Base and head.
    pub sides: &'c Sides,
    /// The output format; `None` to detect it.
    pub format: Option<&'static Format>,
    /// The measurement's request.
    pub request: &'c PairsRequest,
    /// The benchmark name for the process itself.
    pub name: Name,
    /// Whether the process itself is the benchmark, because no tool prints or writes results. The warm-up run decides
    /// this.
    pub is_process: bool,
    /// The methodology of the rows, to which fingerprints are added.
    pub methodology: Name,
    /// A file with code of the head that the base executed, if any.
    pub shared_output: Option<String>,
    /// The rows of base and head.
    pub rows: [Vec<Row>; 2],
    /// Findings about base and head, without duplicates.
    pub findings: [Vec<Finding>; 2],
    /// How many process runs each benchmark had, for base and head.
    process_runs: [BTreeMap<Name, ProcessRuns>; 2],
}

/// How many process runs a benchmark had.
#[derive(Default)]
struct ProcessRuns {
    measured: u64,
    failed: u64,
    /// The last failed process run's row.
    row: Option<Row>,
}

/// The results of a command's warm-up run.
#[derive(Default)]
pub struct Origin {
    /// The detected format.
    pub format: Option<&'static str>,
    /// One row for each benchmark; empty if the process itself is the benchmark.
    pub rows: Vec<Row>,
    /// The reason why results are missing.
    pub unread: String,
    /// Whether a benchmark was printed under an old name, with which a filter would not find it.
    pub is_renamed: bool,
}

impl<'c> Sampling<'c> {
    /// Creates a collection without rows. Until the warm-up run finds results, the process itself is the benchmark.
    ///
    /// # Errors
    /// Fails if the requested format is unknown.
    pub fn new(
        request: &'c PairsRequest,
        config: &'c Config,
        sides: &'c Sides,
    ) -> anyhow::Result<Self> {
        let format = match &request.format {
            Some(name) => Some(known_format("--format", name, config)?),
            None => None,
        };
        let command = || sides.side(Side::Current).command.shown();
        Ok(Self {
            config,
            sides,
            format,
            request,
            name: rows::shortened(&request.name.clone().unwrap_or_else(command)),
            is_process: true,
            methodology: "".into(),
            shared_output: None,
            rows: Default::default(),
            findings: Default::default(),
            process_runs: Default::default(),
        })
    }

    /// Determines the source of a command's rows from its warm-up run. If `is_one_of_several`, the command may print no
    /// results.
    ///
    /// # Errors
    /// Fails if the output cannot be read, if it must contain results but does not, or if the results file does not
    /// exist.
    pub fn origin(
        &self,
        launch: &Launch,
        line: &CommandSpec,
        is_one_of_several: bool,
    ) -> anyhow::Result<Origin> {
        let mut report = self.tool_report(launch, line)?;
        let is_renamed = self.rename(&mut report);
        if !is_one_of_several {
            let needs_results = self.format.is_some() || self.request.output_of.is_some();
            if needs_results && report.rows.is_empty() {
                return Err(anyhow!("`{}` printed no benchmark results", line.shown()))
                    .hint("specify its results with `--format` and `--output-of`");
            }
            // If the user named the benchmark, the process may be it even if its output looks like results.
            if report.has_only_unread_results() && self.request.name.is_none() {
                return Err(unreadable(&report, line));
            }
        }
        Ok(Origin {
            format: report.inputs.first().map(|input| input.format),
            unread: unread(&report),
            is_renamed,
            rows: aggregate_launch(report.rows),
        })
    }

    /// Reads one process run's rows, and sets their pair number. A no-op takes `noop` seconds.
    ///
    /// # Errors
    /// Fails if the output cannot be read.
    pub fn read(
        &mut self,
        side: Side,
        (launch, line): (&Launch, &CommandSpec),
        noop: f64,
        pair: i64,
    ) -> anyhow::Result<Vec<Row>> {
        let mut rows = if self.is_process {
            vec![self.process_row(launch, noop)]
        } else {
            let mut report = self.tool_report(launch, line)?;
            self.rename(&mut report);
            let known = &mut self.findings[side as usize];
            for finding in report.findings {
                // A single failed process run does not fail the benchmark: `add_rows` counts it instead.
                let is_counted = finding.kind == FindingKind::Failed && finding.benchmark.is_some();
                if !is_counted && !known.contains(&finding) {
                    known.push(finding);
                }
            }
            let format = report.inputs.first().map_or("", |input| input.format);
            let mut rows = aggregate_launch(report.rows);
            for row in &mut rows {
                summary_as_samples(&mut row.metrics, format, line.has_module());
            }
            rows
        };
        for row in &mut rows {
            row.run_index = pair;
            row.key = self.key(&row.key, side);
        }
        Ok(rows)
    }

    /// Counts each benchmark's process runs, and adds the rows that did not fail. `settle_process_runs` reports the others.
    pub fn add_rows(&mut self, side: Side, rows: Vec<Row>) {
        let all = &mut self.process_runs[side as usize];
        for row in rows {
            let runs = all.entry(Name::clone(&row.scenario)).or_default();
            if row.outcome == Outcome::Failed {
                runs.failed += 1;
                runs.row = Some(row);
            } else {
                runs.measured += 1;
                self.rows[side as usize].push(row);
            }
        }
    }

    /// Adds findings about failed process runs, and a failed row for each benchmark without any measured run.
    pub fn settle_process_runs(&mut self) {
        for side in 0..2 {
            let process_runs = &self.process_runs[side];
            let findings = &mut self.findings[side];
            for finding in findings.iter_mut() {
                if let Some(benchmark) = &mut finding.benchmark
                    && let Some(name) =
                        known_name(benchmark, |name| process_runs.contains_key(name))
                {
                    *benchmark = name;
                }
            }
            for (name, runs) in process_runs {
                if runs.failed == 0 {
                    continue;
                }
                let (kind, text) = if runs.measured == 0 {
                    self.rows[side].extend(runs.row.clone());
                    (FindingKind::Failed, "failed".to_owned())
                } else {
                    let all = counted(runs.failed + runs.measured, "process run");
                    (
                        FindingKind::PartlyFailed,
                        format!("{} of {all} failed", runs.failed),
                    )
                };
                findings.push(Finding::about(kind, Name::clone(name), text));
            }
        }
    }

    /// Returns failed rows for all benchmarks in the side's first process run.
    pub fn failed_rows(&self, side: Side, pair: i64) -> Vec<Row> {
        let shown = &self.rows[side as usize];
        let first = shown.first().map(|row| row.run_index);
        let mut keys: Vec<_> = shown
            .iter()
            .take_while(|row| Some(row.run_index) == first)
            .map(|row| Arc::clone(&row.key))
            .collect();
        if keys.is_empty() {
            keys.push(self.key(&self.process_key(), side));
        }
        let row = |key| Row {
            outcome: Outcome::Failed,
            ..rows::of_key(key, pair, Metrics::default())
        };
        keys.into_iter().map(row).collect()
    }

    /// Returns the key for a process that is itself the benchmark.
    fn process_key(&self) -> Key {
        Key {
            scenario: Name::clone(&self.name),
            ..Key::default()
        }
    }

    fn key(&self, printed: &Key, side: Side) -> Arc<Key> {
        let prepared = self.sides.side(side);
        let mut conditions = Conditions::clone(&printed.conditions);
        if conditions.commit.is_empty() {
            conditions.commit = prepared.commit.as_str().into();
        }
        let mut methodology = self.methodology.to_string();
        if !prepared.fingerprints.is_empty() {
            methodology = format!("{methodology} {}", prepared.fingerprints);
        }
        // Rows of a base that executed the head's code must not be compared.
        if let (Side::Base, Some(file)) = (side, &self.shared_output) {
            methodology = with_shared_output(&methodology, file);
        }
        conditions.methodology = Some(methodology.into());
        Arc::new(Key {
            scenario: Name::clone(&printed.scenario),
            conditions: conditions.into(),
        })
    }

    fn tool_report(&self, launch: &Launch, line: &CommandSpec) -> anyhow::Result<ParseReport> {
        let path = line.results.as_ref().or(self.request.output_of.as_ref());
        let path = path.map(|path| line.outside(path));
        // Some JavaScript runtimes do not load `batches.mjs`, which writes the file.
        match path.filter(|path| !line.has_module() || path.exists()) {
            Some(path) => read_since(&[path], self.format, self.config, Some(launch.started)),
            None => read_output(launch, self.format, self.config),
        }
    }

    /// Gives renamed benchmarks their current names. Returns whether there are any.
    fn rename(&self, report: &mut ParseReport) -> bool {
        let names = rows::names(&report.rows);
        name_run_as_now(report, self.config);
        report.rows.iter().any(|row| !names.contains(&row.scenario))
    }

    fn process_row(&self, launch: &Launch, noop: f64) -> Row {
        let times = f64::from(launch.repeats);
        let once = |sum: f64| Value::new(sum / times);
        let net = launch.wall / times - noop;
        let switches = launch
            .switches
            .map(|switches| switches / i64::from(launch.repeats));
        let metrics = rows::metrics([
            (WALL, Value::new(net)),
            (USER, once(launch.user)),
            ("systemS", once(launch.system)),
            (CPU, once(launch.user + launch.system)),
            ("memoryBytes", rows::count(launch.peak)),
            (GROSS, once(launch.wall)),
            // Wall time without the time in the run queue.
            (
                "undelayedTimeS",
                launch.delay.and_then(|delay| once(launch.wall - delay)),
            ),
            ("contextSwitches", switches.map(Value::Int)),
        ]);
        rows::of_key(self.process_key().into(), 0, metrics)
    }
}

/// Parses the standard output of a process run. Without a `format`, the format is detected.
///
/// # Errors
/// Fails if the output cannot be read.
pub fn read_output(
    launch: &Launch,
    format: Option<&Format>,
    config: &Config,
) -> anyhow::Result<ParseReport> {
    let mut collector = Collector::new(config);
    let mut output = launch.output.as_slice();
    let read = match format {
        Some(format) => collector.read_as(format, "its output", &mut output),
        None => collector.read("its output", &mut output),
    };
    read.context("cannot read the output of the command")?;
    Ok(collector.finish())
}

/// Creates the error for output with results that cannot be read. Timing the whole command instead would hide the
/// problem.
fn unreadable(report: &ParseReport, line: &CommandSpec) -> anyhow::Error {
    let nowhere = if cfg!(windows) { "NUL" } else { "/dev/null" };
    let mut error = Failure::new(format!(
        "the output of `{}` cannot be read as benchmark results",
        line.shown()
    ));
    if let Err(no_rows) = report.require_rows() {
        error = error.hint(no_rows.hint.replace("`its output`", "its output"));
    }
    let redirect = format!("to time the command itself, redirect its output to {nowhere}");
    error.hint(redirect).into()
}

/// Returns the reason why the output contains no results.
fn unread(report: &ParseReport) -> String {
    if let Some(row) = report.skipped().next() {
        return term::printable_within(&row.text, SHOWN);
    }
    if let Some((format, but)) = report.inputs.first().and_then(|input| input.nearest) {
        return format!("it looks like {format}, but {but}");
    }
    if report.unlisted.is_empty() {
        "no line is a result".to_owned()
    } else {
        "the config lists none of its benchmarks".to_owned()
    }
}

/// The maximum number of characters of a line in a message.
const SHOWN: usize = 160;
/// Formats of tools that time batches of calls, so that their minimum is precise.
const BATCHED: [&str; 4] = ["mitata", "mitata-json", "mitata-text", "divan"];
/// The shortest time, in seconds, of a single call that a nanosecond clock measures with 0.1% precision.
const READABLE: f64 = 1e-6;

/// Sets p10 to the minimum, for tools that print only a summary of many samples. A mean includes interruptions by other
/// processes: on a machine that was overcommitted fourfold, mitata's means varied by 10 to 50%, but its minima only by
/// 0 to 5%. If `has_module`, the tool times batches, so the minimum is precise even for short calls.
pub fn summary_as_samples(metrics: &mut Metrics, format: &str, has_module: bool) {
    let mut changed: Vec<(Name, Value)> = Vec::new();
    for (name, minimum) in metrics.iter() {
        let Some(of) = name.strip_suffix(".min") else {
            continue;
        };
        let quickest: Name = format!("{of}.d1").into();
        if let Some(value) = metrics.get(&quickest) {
            // For two rounds, Python extrapolates the first quartile to a value below both, and often below zero.
            if value.as_f64() < minimum.as_f64() {
                changed.push((quickest, minimum));
            }
        } else if let Some(unit) = metric(of).meaning.unit.seconds() {
            let is_readable = unit * minimum.as_f64() >= READABLE;
            if has_module || BATCHED.contains(&format) || is_readable {
                changed.push((quickest, minimum));
            }
        }
    }
    for (name, value) in changed {
        metrics.change(&name, |_| value);
        // `insert` keeps an existing value, which was changed above.
        metrics.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the p10 that is derived from a minimum.
    fn quickest(of: &str, minimum: f64, format: &str) -> Option<f64> {
        let mut metrics = Metrics::default();
        metrics.insert(format!("{of}.min").into(), Value::new(minimum).unwrap());
        summary_as_samples(
            &mut metrics,
            format.trim_end_matches(" in batches"),
            format.ends_with(" in batches"),
        );
        metrics.get(&format!("{of}.d1")).map(Value::as_f64)
    }

    #[test]
    fn p10_is_at_least_the_minimum() {
        let of = |quartile: i64| {
            let mut metrics = Metrics::default();
            metrics.insert("timeNs.min".into(), Value::Int(130));
            metrics.insert("timeNs.d1".into(), Value::Int(quartile));
            summary_as_samples(&mut metrics, "codspeed", false);
            metrics.get("timeNs.d1").map(Value::as_f64)
        };
        assert_eq!([of(-369), of(135)], [Some(130.0), Some(135.0)]);
    }

    #[test]
    fn precise_minima_become_p10() {
        assert_eq!(quickest("timeMs", 0.0042, "vitest"), Some(0.0042));
        assert_eq!(
            quickest("timeMs", 0.000_042, "vitest"),
            None,
            "too short for the clock"
        );
        assert_eq!(
            quickest("timeMs", 0.000_042, "vitest in batches"),
            Some(0.000_042)
        );
        assert_eq!(
            quickest("timeNs", 3.5, "mitata"),
            Some(3.5),
            "a mean of many calls"
        );
        assert_eq!(quickest("heapBytes", 5.0, "mitata"), None);
    }
}
