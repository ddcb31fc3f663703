//! One process run's result rows: from its benchmark tool, or otherwise the cost of the process.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context;
use perf_cli::{Failure, term};
use perf_config::Config;
use perf_model::aggregate::aggregate_launch;
use perf_model::diagnostic::counted;
use perf_model::finding::{Finding, FindingKind};
use perf_model::metric::metric;
use perf_model::row::{Conditions, Key, Metrics, Name, Outcome, Row, Value};
use perf_readers::{Collector, Format, ParseReport};

use crate::pairs::prepare::sides::Prepared;
use crate::process::{CommandSpec, Launch};
use crate::rows::{self, name_findings_as_known};
use crate::schedule::Side;

/// Wall time, without the time of a no-op.
pub const WALL: &str = "timeS";
/// Wall time, with the time of a no-op.
pub const GROSS: &str = "grossTimeS";
/// Processor time in user mode.
pub const USER: &str = "userS";
/// User plus system time. The kernel splits them by ticks, but their sum is exact.
pub const CPU: &str = "cpuTimeS";
/// Wall time without the time in the run queue.
const UNDELAYED: &str = "undelayedTimeS";
/// Processor time in the kernel.
pub const SYSTEM: &str = "systemS";
/// Context switches.
pub const SWITCHES: &str = "contextSwitches";
/// Peak resident memory.
pub const MEMORY: &str = "memoryBytes";

/// Conversion of process runs to rows.
#[derive(Clone, Debug)]
pub struct Sampling<'c> {
    /// The project's config.
    pub config: &'c Config,
    /// The output format; `None` to detect it.
    pub format: Option<&'static Format>,
    /// The file or directory with the tool's results, relative to the side's directory.
    pub output_of: Option<PathBuf>,
    /// The command's benchmark name.
    pub name: Name,
    /// The methodology that the rows state.
    pub methodology: Name,
    /// Findings about base and head, without duplicates.
    pub findings: [Vec<Finding>; 2],
    /// Each benchmark's process runs, for base and head.
    pub process_runs: [BTreeMap<Name, ProcessRuns>; 2],
}

/// Counts of a benchmark's process runs.
#[derive(Clone, Debug, Default)]
pub struct ProcessRuns {
    measured: u64,
    failed: u64,
    /// The last failed run's row.
    row: Option<Row>,
}

/// The source of a command's rows. The warm-up run decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The benchmark tool prints or writes results.
    BenchTool,
    /// Without results, the process itself is the benchmark.
    Process,
}

/// The results of a command's warm-up run.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The source of its rows.
    pub source: Source,
    /// The format that was detected.
    pub format: Option<&'static str>,
    /// One row for each benchmark.
    pub rows: Vec<Row>,
    /// The reason why results are missing.
    pub unread: Option<String>,
}

/// Costs of starting a process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overhead {
    /// Wall time of a no-op, in seconds.
    pub wall: f64,
    /// How often each process run repeats the command.
    pub repeats: u32,
}

impl Sampling<'_> {
    /// Determines the source of a command's rows from its warm-up run. One of several commands may have no results.
    ///
    /// # Errors
    /// The output cannot be read in the chosen format, or the results file does not exist.
    pub fn origin(
        &self,
        launch: &Launch,
        line: &CommandSpec,
        is_one_of_several: bool,
    ) -> anyhow::Result<Origin> {
        let report = self.tool_report(launch, line)?;
        let format = report.inputs.first().map(|input| input.format);
        if !report.rows.is_empty() {
            let rows = aggregate_launch(report.rows);
            return Ok(Origin {
                source: Source::BenchTool,
                format,
                rows,
                unread: None,
            });
        }
        if !is_one_of_several && (self.format.is_some() || self.output_of.is_some()) {
            return Err(
                Failure::new(format!("`{}` printed no benchmark results", line.shown()))
                    .hint("specify its results with `--format` and `--output-of`")
                    .into(),
            );
        }
        let unread = Some(unread(&report, launch));
        Ok(Origin {
            source: Source::Process,
            format,
            rows: Vec::new(),
            unread,
        })
    }

    /// Reads one process run's rows and sets their pair number.
    ///
    /// # Errors
    /// The output cannot be read, or contains no results.
    pub fn rows(
        &mut self,
        source: Source,
        (launch, line): (&Launch, &CommandSpec),
        (side, prepared): (Side, &Prepared),
        overhead: Overhead,
        pair: i64,
    ) -> anyhow::Result<Vec<Row>> {
        let mut rows = match source {
            Source::Process => vec![self.process_row(launch, overhead)],
            Source::BenchTool => {
                let report = self.tool_report(launch, line)?;
                let known = &mut self.findings[usize::from(side == Side::Current)];
                for finding in report.findings {
                    // A single failed process run does not fail the benchmark: `count_process_runs` counts it instead.
                    if finding.kind != FindingKind::Failed && !known.contains(&finding) {
                        known.push(finding);
                    }
                }
                let format = report.inputs.first().map_or("", |input| input.format);
                let mut rows = aggregate_launch(report.rows);
                for row in &mut rows {
                    summary_as_samples(&mut row.metrics, format, line.has_module());
                }
                rows
            }
        };
        if rows.is_empty() {
            return Err(Failure::new(format!(
                "`{}` printed no benchmark results in pair {pair}",
                line.shown()
            ))
            .into());
        }
        for row in &mut rows {
            row.run_index = pair;
            row.key = self.key(&row.key, prepared);
        }
        Ok(rows)
    }

    /// Counts each benchmark's process runs, and removes failed rows.
    pub fn count_process_runs(&mut self, side: Side, rows: &mut Vec<Row>) {
        let all = &mut self.process_runs[usize::from(side == Side::Current)];
        for row in &*rows {
            let runs = all.entry(Name::clone(&row.key.scenario)).or_default();
            if row.outcome == Outcome::Failed {
                runs.failed += 1;
                runs.row = Some(row.clone());
            } else {
                runs.measured += 1;
            }
        }
        rows.retain(|row| row.outcome != Outcome::Failed);
    }

    /// Adds findings about failed process runs, and a failed row for each benchmark without any measured run.
    pub fn settle_process_runs(&mut self, rows: &mut [Vec<Row>; 2]) {
        let sides = self.process_runs.iter().zip(&mut self.findings).zip(rows);
        for ((process_runs, findings), rows) in sides {
            name_findings_as_known(findings, |name| process_runs.contains_key(name));
            for (name, runs) in process_runs {
                if runs.failed == 0 {
                    continue;
                }
                let (kind, text) = if runs.measured == 0 {
                    rows.extend(runs.row.clone());
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

    /// Failed rows for all benchmarks in the side's first process run.
    pub fn failed_rows(&self, shown: &[Row], side: &Prepared, pair: i64) -> Vec<Row> {
        let first = shown.first().map(|row| row.run_index);
        let mut keys: Vec<_> = shown
            .iter()
            .take_while(|row| Some(row.run_index) == first)
            .map(|row| std::sync::Arc::clone(&row.key))
            .collect();
        if keys.is_empty() {
            keys.push(self.key(
                &Key {
                    scenario: Name::clone(&self.name),
                    ..Key::default()
                },
                side,
            ));
        }
        let row = |key| Row {
            outcome: Outcome::Failed,
            ..rows::of_key(key, pair, Metrics::default())
        };
        keys.into_iter().map(row).collect()
    }

    fn key(&self, printed: &Key, side: &Prepared) -> std::sync::Arc<Key> {
        let is_named = !printed.commit.is_empty();
        let commit = if is_named {
            Name::clone(&printed.commit)
        } else {
            side.commit.as_str().into()
        };
        let methodology = Some(match &*side.fingerprints {
            "" => Name::clone(&self.methodology),
            words => format!("{} {words}", self.methodology).into(),
        });
        let conditions = Conditions {
            commit,
            methodology,
            ..Conditions::clone(&printed.conditions)
        };
        Key {
            scenario: Name::clone(&printed.scenario),
            conditions: conditions.into(),
        }
        .into()
    }

    fn tool_report(&self, launch: &Launch, line: &CommandSpec) -> anyhow::Result<ParseReport> {
        if let Some(path) = line.results.as_ref().or(self.output_of.as_ref()) {
            let path = line.outside(path);
            // Some JavaScript runtimes do not load the module that writes the file.
            if line.has_module() && !path.exists() {
                return read_output(launch, self.format, self.config);
            }
            return perf_cli::load::read_since(
                &[path],
                self.format,
                self.config,
                Some(launch.started),
            );
        }
        read_output(launch, self.format, self.config)
    }

    fn process_row(&self, launch: &Launch, overhead: Overhead) -> Row {
        let times = f64::from(overhead.repeats.max(1));
        let net = launch.wall / times - overhead.wall;
        let switches = launch
            .switches
            .map(|switches| switches / i64::from(overhead.repeats.max(1)));
        let metrics = rows::metrics([
            (WALL, Value::new(net)),
            (USER, Value::new(launch.user / times)),
            (SYSTEM, Value::new(launch.system / times)),
            (CPU, Value::new((launch.user + launch.system) / times)),
            (MEMORY, rows::count(launch.peak)),
            (GROSS, Value::new(launch.wall / times)),
            (
                UNDELAYED,
                launch
                    .delay
                    .and_then(|delay| Value::new((launch.wall - delay) / times)),
            ),
            (SWITCHES, switches.map(Value::Int)),
        ]);
        let key = Key {
            scenario: Name::clone(&self.name),
            ..Key::default()
        };
        rows::of_key(key.into(), 0, metrics)
    }
}

/// Parses the standard output of a process run, in this format or a detected one.
///
/// # Errors
/// The output cannot be read.
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

/// The reason why the output contains no results.
fn unread(report: &ParseReport, launch: &Launch) -> String {
    let skipped = report.skipped().next();
    let skipped = skipped.map(|row| term::printable_within(&row.text, SHOWN));
    let nearest = report.inputs.first().and_then(|input| input.nearest);
    let nearest = nearest.map(|(format, but)| format!("it looks like {format}, but {but}"));
    let unlisted =
        (!report.unlisted.is_empty()).then(|| "the config lists none of its benchmarks".to_owned());
    let nothing = || {
        if launch.output.is_empty() {
            "it printed nothing"
        } else {
            "no line is a result"
        }
    };
    skipped
        .or(nearest)
        .or(unlisted)
        .unwrap_or_else(|| nothing().to_owned())
}

/// The most characters of a line that a message shows.
const SHOWN: usize = 160;
/// Formats of tools that time batches of calls, so that their minimum is precise.
const BATCHED: [&str; 4] = ["mitata", "mitata-json", "mitata-text", "divan"];
/// The shortest time, in seconds, of a single call that a nanosecond clock measures with 0.1% precision.
const READABLE: f64 = 1e-6;

/// Sets p10 to the minimum, for tools that print only a summary of many samples. A mean includes the interruptions by other
/// processes: on a machine four times overcommitted, mitata's means vary by 10 to 50%, and its minima by 0 to 5%. With
/// `has_module`, the tool times batches, so the minimum of short calls is precise.
pub fn summary_as_samples(metrics: &mut Metrics, format: &str, has_module: bool) {
    let minima: Vec<(Name, Value)> = metrics
        .iter()
        .filter_map(|(name, value)| {
            let of = name.strip_suffix(".min")?;
            let seconds = metric(of).meaning.unit.seconds()? * value.as_f64();
            let quickest: Name = format!("{of}.d1").into();
            let is_readable = has_module || BATCHED.contains(&format) || seconds >= READABLE;
            (is_readable && metrics.get(&quickest).is_none()).then_some((quickest, value))
        })
        .collect();
    for (name, value) in minima {
        metrics.insert(name, value);
    }
    // Python extrapolates the first quartile of two rounds below both, often below zero.
    let least: Vec<(Name, Value)> = metrics
        .iter()
        .filter_map(|(name, value)| {
            Some((format!("{}.d1", name.strip_suffix(".min")?).into(), value))
        })
        .collect();
    for (quickest, minimum) in least {
        let at_least = |value: Value| {
            if value.as_f64() < minimum.as_f64() {
                minimum
            } else {
                value
            }
        };
        metrics.change(&quickest, at_least);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The p10 that a minimum becomes.
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
