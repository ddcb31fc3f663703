//! Reruns benchmarks that cannot be decided from a single run and stored values.
//!
//! A benchmark is rerun if it is suspected to be slower or faster, or if its stored values are so noisy that they could
//! hide a doubling.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use std::{fs, thread};

use perf_cli::load::InputArgs;
use perf_cli::term;
use perf_config::{Config, Measured};
use perf_model::aggregate::aggregate_launch;
use perf_model::diagnostic::{counted, named};
use perf_model::row::Name;
use perf_readers::ParseReport;
use render_perf_deltas::{CompareReport, CompareRequest, compare};

use super::Benchmark;

/// The maximum number of names in a message.
const NAMED: usize = 3;

/// The slowdown that must be detectable, as a share: 1.0 is twice as slow.
const DOUBLING: f64 = 1.0;

/// A rank test needs at least [`FEWEST_RERUNS`]. More reruns follow until [`RERUN_TIME`] is over, up to [`MOST_RERUNS`].
const FEWEST_RERUNS: usize = 4;
const MOST_RERUNS: usize = 19;
const RERUN_TIME: Duration = Duration::from_secs(10);

/// No rerun starts after this time, even if fewer than [`FEWEST_RERUNS`] were made.
const LONGEST_RERUNS: Duration = Duration::from_mins(2);

/// If background load could explain the slowdown in this many reruns, further reruns are pointless.
const BUSY: usize = 2;

/// Reruns benchmarks whose stored values are too noisy, then suspected benchmarks, and adds these runs to the request.
/// Returns a sentence if background load kept slowdowns from being confirmed.
///
/// # Errors
/// Fails if the benchmark fails.
pub fn rerun_unsettled(
    request: &mut CompareRequest,
    report: &CompareReport,
    benchmark: &Benchmark,
    config: &Config,
    rerun: impl Fn(&Benchmark, usize) -> anyhow::Result<ParseReport>,
) -> anyhow::Result<Option<String>> {
    let blind = report.too_noisy_for(DOUBLING);
    let mut renewed = None;
    if !blind.is_empty() {
        rerun_blind(request, benchmark, config, &blind, &rerun)?;
        renewed = Some(compare(request, &mut Vec::new())?);
    }
    let report = renewed.as_ref().unwrap_or(report);
    let suspects = report.suspects();
    if suspects.is_empty() {
        return Ok(None);
    }
    // The unsuspected benchmarks are needed to recognise an environment shift, so rerun all if there may be one.
    let mut selected = benchmark.clone();
    if !report.is_shifted() {
        selected = select(benchmark, config, &suspects);
    }
    confirm(request, &suspects, |number| rerun(&selected, number))
}

/// Reruns benchmarks with noisy stored values, and adds the rows to this run's rows.
fn rerun_blind(
    request: &mut CompareRequest,
    benchmark: &Benchmark,
    config: &Config,
    blind: &BTreeSet<Name>,
    rerun: &impl Fn(&Benchmark, usize) -> anyhow::Result<ParseReport>,
) -> anyhow::Result<()> {
    let Some(current) = &mut request.source.rows else {
        return Ok(());
    };
    term::note(&format!(
        "baseline too noisy to detect a 2× slowdown in {}; rerunning: {}",
        counted(blind.len() as u64, "benchmark"),
        list_first(blind)
    ));
    // Reduce the rows to one for each benchmark and run.
    current.rows = aggregate_launch(std::mem::take(&mut current.rows));
    for row in &mut current.rows {
        (row.run_index, row.launch) = (0, None);
    }
    let selected = select(benchmark, config, blind);
    repeat(|number| {
        let run = rerun(&selected, number)?;
        for finding in run.findings {
            if !current.findings.contains(&finding) {
                current.findings.push(finding);
            }
        }
        for mut row in aggregate_launch(run.rows) {
            if blind.contains(&row.scenario) {
                (row.run_index, row.launch) = (i64::try_from(number)?, None);
                current.rows.push(row);
            }
        }
        Ok(true)
    })
}

/// Adds confirmation runs to the request. They leave out benchmarks whose slowdown background load could explain.
/// Returns a sentence if benchmarks remain unconfirmed because of that.
fn confirm(
    request: &mut CompareRequest,
    suspects: &BTreeSet<Name>,
    rerun: impl Fn(usize) -> anyhow::Result<ParseReport>,
) -> anyhow::Result<Option<String>> {
    term::note(&format!("unconfirmed: {}; rerunning", list_first(suspects)));
    let mut explained: Vec<f64> = Vec::new();
    repeat(|number| {
        let before = background_load();
        let (start, used) = (Instant::now(), ProcessorTime::now());
        let mut run = rerun(number)?;
        let mut load = before;
        if let (Some(used), Some(after)) = (used, ProcessorTime::now()) {
            load = load.max(used.load_until(&after, start.elapsed()));
        }
        load = load.max(background_load());
        // Squared, because other threads take processor time and also share caches and cores.
        let slowdown = (1.0 + load).powi(2);
        let by_load = explained_by_load(request, &run, slowdown)?;
        if !by_load.is_empty() {
            run.rows.retain(|row| !by_load.contains(&row.scenario));
            explained.push(slowdown);
        }
        if !run.rows.is_empty() {
            request.confirmation_runs.push(run);
        }
        Ok(explained.len() < BUSY)
    })?;
    if explained.is_empty() || compare(request, &mut Vec::new())?.counts().confirmations == 0 {
        return Ok(None);
    }
    let most = explained.into_iter().fold(1.0, f64::max);
    Ok(Some(format!(
        "background load could explain slowdowns up to {most:.1}×, so smaller ones were not confirmed"
    )))
}

/// Calls `rerun` [`FEWEST_RERUNS`] times, and then again until [`RERUN_TIME`] is over. Stops early if `rerun` returns
/// false or if [`LONGEST_RERUNS`] is over.
fn repeat(mut rerun: impl FnMut(usize) -> anyhow::Result<bool>) -> anyhow::Result<()> {
    let start = Instant::now();
    for number in 1..=MOST_RERUNS {
        let elapsed = start.elapsed();
        let is_enough = number > FEWEST_RERUNS && elapsed >= RERUN_TIME;
        let is_too_long = number > 1 && elapsed >= LONGEST_RERUNS;
        if is_enough || is_too_long {
            break;
        }
        term::progress(&format!("rerun {number}, {} s", elapsed.as_secs()));
        if !term::silently(|| rerun(number))? {
            break;
        }
    }
    Ok(())
}

/// Selects only these names. A command that is timed as a whole is a single benchmark and is not changed.
fn select(benchmark: &Benchmark, config: &Config, names: &BTreeSet<Name>) -> Benchmark {
    let mut selected = benchmark.clone();
    if config.run().measure != Measured::Process {
        selected.chosen.clone_from(names);
    }
    selected
}

/// The processor time of the system and of our child processes so far.
struct ProcessorTime {
    /// The ticks of all processors, including idle time.
    all: f64,
    busy: f64,
    /// The CPU seconds that this program's finished child processes used, such as the benchmark.
    children: f64,
}

impl ProcessorTime {
    /// Returns `None` if the system does not report processor time.
    fn now() -> Option<Self> {
        let system = fs::read_to_string("/proc/stat").ok()?;
        Self::parse(&system, measure::processor_time_of_children()?)
    }

    fn parse(system: &str, children: f64) -> Option<Self> {
        // user, nice, system, idle, iowait, irq, softirq, steal; user and nice include guests.
        let system = system.lines().next()?.strip_prefix("cpu ")?;
        let mut ticks: Vec<f64> = Vec::new();
        for word in system.split_whitespace().take(8) {
            ticks.push(word.parse().ok()?);
        }
        let all: f64 = ticks.iter().sum();
        Some(Self {
            all,
            busy: all - ticks.get(3)? - ticks.get(4)?,
            children,
        })
    }

    /// The share of all processors' time that other programs used until `after`, or 0 if it is unknown.
    fn load_until(&self, after: &Self, elapsed: Duration) -> f64 {
        const SHORTEST: Duration = Duration::from_millis(500); // ticks are too coarse for shorter runs
        const TICKS: f64 = 100.0; // per second
        let own = after.children - self.children;
        // A benchmark that used little processor time may have delegated its work to a service, which is not a child
        // process.
        if elapsed < SHORTEST || own < 0.5 * elapsed.as_secs_f64() {
            return 0.0;
        }
        let others = after.busy - self.busy - own * TICKS;
        others.max(0.0) / (after.all - self.all).max(1.0)
    }
}

/// The mean number of other runnable threads per processor, or 0 if the system does not report it.
fn background_load() -> f64 {
    const SAMPLES: u32 = 10;
    let mut sum = 0.0;
    for _ in 0..SAMPLES {
        let text = fs::read_to_string("/proc/stat").unwrap_or_default();
        let (mut processors, mut runnable) = (0.0, 1.0);
        for line in text.lines() {
            if let Some(number) = line.strip_prefix("procs_running ") {
                runnable = number.parse().unwrap_or(1.0);
            } else if line.starts_with("cpu") && !line.starts_with("cpu ") {
                processors += 1.0;
            }
        }
        // The current thread is not background load.
        sum += (runnable - 1.0_f64).max(0.0) / f64::max(processors, 1.0);
        thread::sleep(Duration::from_millis(10));
    }
    sum / f64::from(SAMPLES)
}

/// Lists the first [`NAMED`] names.
fn list_first(names: &BTreeSet<Name>) -> String {
    let names: Vec<String> = names.iter().map(|name| term::printable(name)).collect();
    named(&names, NAMED)
}

/// Finds the benchmarks whose slowdown in a run could be explained by background load.
fn explained_by_load(
    request: &CompareRequest,
    run: &ParseReport,
    slowdown: f64,
) -> anyhow::Result<BTreeSet<Name>> {
    let source = InputArgs {
        input: Vec::new(),
        rows: Some(run.clone()),
        ..request.source.clone()
    };
    let alone = CompareRequest {
        source,
        confirmation_runs: Vec::new(),
        ..request.clone()
    };
    let report = compare(&alone, &mut Vec::new())?;
    Ok(report.slower_by_at_most(slowdown - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_during_a_run_excludes_the_benchmark() {
        let at = |user: u32, idle: u32, children: f64| {
            let system = format!("cpu  {user} 0 0 {idle} 0 0 0 0 0 0\ncpu0 1 2\n");
            ProcessorTime::parse(&system, children).unwrap()
        };
        let start = at(1000, 5000, 3.0);
        let second = Duration::from_secs(1);
        // Two processors for a second, of which the benchmark used one.
        let one = start.load_until(&at(1100, 5100, 4.0), second);
        let both = start.load_until(&at(1200, 5000, 4.0), second);
        // A service may have done the benchmark's work.
        let service = start.load_until(&at(1200, 5000, 3.0), second);
        assert_eq!(format!("{one} {both} {service}"), "0 0.5 0");
        assert!(ProcessorTime::parse("cpu 1 2 3\n", 1.0).is_none());
    }
}
