//! The edit–measure loop: record, change the code, compare.
//!
//! The method comes from Readygo (Gary Bernhardt). Benchmarks run in the pattern 1, 2, 3, 1, 2, 3, so that a short
//! disturbance affects all of them. A no-op follows each run, and its time is subtracted. The minimum is the estimate, and
//! the 80th percentile shows the variance.

mod args;
mod file;
mod plot;
mod sample;

use anyhow::anyhow;
use perf_cli::{Exit, ResultExt, term};
use perf_config::Config;
use perf_model::row::Row;

pub use self::args::{CompareArgs, RECORD_EXAMPLES, Selection};
use self::sample::Samples;
use crate::benchmarks::{Benchmark, benchmarks, check_names, distinct};
use crate::guardian::Guardian;
use crate::process::{CommandSpec, Launcher};
use crate::{judge, rows};

/// Records how long the benchmarks take now.
///
/// # Errors
/// Fails if no benchmark is given, if a benchmark fails, or if the recording cannot be written.
pub fn record(selection: &Selection) -> anyhow::Result<Exit> {
    let config = perf_cli::load::config(selection.config.as_deref())?;
    let samples = measure(selection, &config)?;
    let rows = samples.iter().flat_map(Samples::rows).collect::<Vec<_>>();
    rows::write(&rows, Some(&selection.recording))?;
    for samples in &samples {
        let sides = [("Baseline:", &*samples.net())];
        term::stderr(&plot::plot(&samples.name, &sides));
    }
    term::stdout(&format!(
        "benchmarks={}\niterations={}\n",
        samples.len(),
        selection.iterations
    ))?;
    Ok(Exit::Ok)
}

/// Measures again, and compares with the recording.
///
/// # Errors
/// Fails in the same cases as [`record`], and if the recording does not exist, has another version, or contains none of
/// these benchmarks.
pub fn compare(args: &CompareArgs) -> anyhow::Result<Exit> {
    let selection = &args.selection;
    let config = perf_cli::load::config(selection.config.as_deref())?;
    // Read the recording before measuring, so that an unreadable one does not waste time.
    let mut recorded = file::read(&selection.recording)?;
    let samples = measure(selection, &config)?;
    let (known, new): (Vec<&Samples>, Vec<&Samples>) = samples
        .iter()
        .partition(|samples| recorded.iter().any(|row| *row.scenario == *samples.name));
    for samples in &new {
        term::warn(&format!(
            "`{}` is not in the recording",
            term::printable(&samples.name)
        ));
    }
    if known.is_empty() {
        let path = term::shown(&selection.recording);
        return Err(anyhow!(
            "none of these benchmarks is in the recording `{path}`"
        ))
        .hint("record them with `perf-gate measure record` first");
    }
    for samples in &known {
        let before = sample::net_of(&recorded, &samples.name);
        let sides = [("Baseline:", &*before), ("Current:", &*samples.net())];
        term::stderr(&plot::plot(&samples.name, &sides));
    }
    let now: Vec<Row> = samples.iter().flat_map(Samples::rows).collect();
    if let Some(path) = &args.output {
        rows::write(&now, Some(path))?;
    }
    recorded.retain(|row| known.iter().any(|known| *row.scenario == *known.name));
    judge::judge(&recorded, &now, &config, args.limit, args.exit_code)
}

fn measure(selection: &Selection, config: &Config) -> anyhow::Result<Vec<Samples>> {
    let benchmarks = benchmarks_of(selection, config)?;
    let guardian = Guardian::start()?;
    let launcher = Launcher {
        guardian: &guardian,
        limit: selection.timeout,
        deadline: None,
    };
    let mut timer = |line: &CommandSpec, repeats| Ok(launcher.launch(line, repeats, 0)?.wall);
    let mut has_marks = false;
    let sampled = sample::sample(&benchmarks, selection.iterations, &mut timer, |mark| {
        if !term::is_quiet() {
            eprint_mark(mark);
            has_marks = true;
        }
    });
    if has_marks {
        eprint_mark('\n');
    }
    let sampled = sampled?;
    for warning in sampled.iter().flat_map(Samples::warnings) {
        term::warn(&warning);
    }
    Ok(sampled)
}

/// Prints a progress mark immediately.
fn eprint_mark(mark: char) {
    use std::io::Write;
    let mut stderr = std::io::stderr();
    // A closed stderr is not an error.
    let _ = write!(stderr, "{mark}").and_then(|()| stderr.flush());
}

/// Returns the benchmarks and their variants, in the order in which they take turns.
fn benchmarks_of(selection: &Selection, config: &Config) -> anyhow::Result<Vec<Benchmark>> {
    let mut plain = benchmarks(&selection.bench, &selection.command, config)?;
    if !selection.bench.is_empty() || !selection.command.is_empty() {
        let parse = |text: &Option<String>| text.as_deref().map(CommandSpec::parse).transpose();
        for benchmark in &mut plain {
            benchmark.before = parse(&selection.before)?;
            benchmark.after = parse(&selection.after)?;
        }
    }
    let variants = distinct(selection.variant.iter().map(|(name, ..)| name));
    let mut all = Vec::new();
    for benchmark in plain {
        all.push(benchmark.clone());
        for name in &variants {
            let mut varied = benchmark.clone();
            varied.name = format!("{} ({name})", benchmark.name);
            for (own, variable, value) in &selection.variant {
                if own == *name {
                    varied.line.variables.push((variable.into(), value.into()));
                }
            }
            all.push(varied);
        }
    }
    check_names(all.iter().map(|one| &one.name))?;
    Ok(all)
}
