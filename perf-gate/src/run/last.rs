//! Stores the last run for `explain` and `accept`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Context;
use clap::Args;
use measure::pairs::find_benchmark;
use perf_cli::load::ConfigArgs;
use perf_cli::{Exit, ResultExt, file, term};
use perf_config::Config;
use perf_model::row::Name;
use perf_readers::{ParseReport, baseline};
use render_perf_deltas::{BenchmarkReport, CompareReport};

/// The files that contain the last run's verdicts and rows.
const REPORTS: &str = ".perf-gate/last.json";
pub const ROWS: &str = ".perf-gate/last.csv";

/// Verdicts by benchmark.
pub type Reports = BTreeMap<Name, BenchmarkReport>;

/// Writes rows that can become a baseline.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn write_rows(path: &Path, rows: &ParseReport, config: &Config) -> anyhow::Result<()> {
    let named: Vec<_> = rows.columns.iter().cloned().collect();
    let text = baseline::write(&rows.rows, &named, config)?;
    file::write_if_changed(path, text.as_bytes()).map(drop)
}

/// Removes the stored rows. Called after measuring pairs, whose rows cannot become a baseline.
pub fn forget_rows() {
    let _ = std::fs::remove_file(ROWS);
}

/// Stores the verdicts.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn keep(report: &CompareReport) -> anyhow::Result<()> {
    let text = serde_json::to_vec(&report.benchmarks_by_name())?;
    file::write_if_changed(Path::new(REPORTS), &text).map(drop)
}

/// Explain one benchmark's verdict in the last run
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Explain {
    /// The benchmark: its name or a unique part of it
    benchmark: String,

    #[command(flatten)]
    general: ConfigArgs,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate explain Decode_Small
  perf-gate compare before.json after.json --explain Decode_Small

Exit codes: 0 explained; 2 wrong usage or an error";

/// Explains a benchmark's verdict in the last run.
///
/// # Errors
/// Fails if there is no last run, or if it does not contain the benchmark.
pub fn explain(cli: &Explain) -> anyhow::Result<Exit> {
    let reports = reports()?;
    let (_, report) = find(&reports, &cli.benchmark, &cli.general.load()?)?;
    term::data(&term::printable_lines(&report.explanation))?;
    Ok(Exit::Ok)
}

/// Loads the verdicts of the last run.
pub fn reports() -> anyhow::Result<Reports> {
    let text = file::read_text_if_exists(Path::new(REPORTS))?.context("no last run in this folder");
    Ok(serde_json::from_str(
        &text.hint("run `perf-gate run` first")?,
    )?)
}

/// Finds the benchmark in the last run that `text` identifies, and returns its full name.
pub fn whole_name(text: &str, config: &Config) -> Option<String> {
    let reports = reports().ok()?;
    Some(find(&reports, text, config).ok()?.0.to_owned())
}

/// Loads the rows of the last run.
pub fn rows(config: &Config) -> anyhow::Result<ParseReport> {
    super::read_rows(Path::new(ROWS), config)
}

/// The names of the benchmarks in these rows.
pub fn names_of(found: &ParseReport) -> BTreeSet<Name> {
    found.rows.iter().map(|row| row.scenario.clone()).collect()
}

/// Finds a benchmark by its name, its label, or a unique part of either.
pub fn find<'r>(
    reports: &'r Reports,
    name: &str,
    config: &Config,
) -> anyhow::Result<(&'r str, &'r BenchmarkReport)> {
    let names = reports.keys().cloned().collect();
    let found = find_benchmark(name, &names, config).context("last run")?;
    let (name, report) = reports.get_key_value(&found).context("last run")?;
    Ok((name, report))
}

/// Rejects an unknown benchmark before anything is measured. Accepts any name if there is no baseline file.
///
/// # Errors
/// Fails if the benchmark is unknown, or if the baseline cannot be read.
pub fn refuse_unknown(name: &str, baseline: &Path, config: &Config) -> anyhow::Result<()> {
    if baseline.is_file() {
        let stored = super::read_rows(baseline, config)?;
        find_benchmark(name, &names_of(&stored), config).context("baseline")?;
    }
    Ok(())
}
