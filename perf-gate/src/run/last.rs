//! Stores the last run for `explain` and `accept`.

use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;
use perf_cli::{Common, Exit, Failure, file, term};
use perf_config::Config;
use perf_model::suggest::suggest;
use perf_readers::{ParseReport, baseline};
use render_perf_deltas::{BenchmarkReport, CompareReport};

use super::benchmark::FOLDER;

/// The files for verdicts and rows.
const REPORTS: &str = "last.json";
const ROWS: &str = "last.csv";

/// Verdicts by benchmark.
pub(super) type Reports = BTreeMap<String, BenchmarkReport>;

/// Stores the rows, if they can become a baseline.
///
/// # Errors
/// If the file cannot be written.
pub(super) fn keep_rows(rows: &ParseReport, config: &Config) -> anyhow::Result<()> {
    let folder = Path::new(FOLDER);
    let named: Vec<_> = rows.columns.iter().cloned().collect();
    let text = baseline::write(&rows.rows, &named, config)?;
    file::write_if_changed(&folder.join(ROWS), text.as_bytes()).map(drop)
}

/// Removes the stored rows after measuring pairs, whose rows cannot become a baseline.
pub(super) fn forget_rows() {
    let _ = std::fs::remove_file(Path::new(FOLDER).join(ROWS));
}

/// Stores the verdicts.
///
/// # Errors
/// If the file cannot be written.
pub(super) fn keep(report: &CompareReport) -> anyhow::Result<()> {
    let reports: Reports = report.benchmarks_by_name();
    file::write_if_changed(
        &Path::new(FOLDER).join(REPORTS),
        &serde_json::to_vec(&reports)?,
    )
    .map(drop)
}

/// Explain one benchmark's verdict in the last run
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Explain {
    /// The benchmark: its name, or a part that no other benchmark has
    benchmark: String,

    #[command(flatten)]
    _common: Common,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate explain Decode_Small
  perf-gate compare before.json after.json --explain Decode_Small

Exit codes: 0 explained; 2 wrong usage or an error";

/// Explains a benchmark's verdict in the last run.
///
/// # Errors
/// Without a last run, or if it contains no such benchmark.
pub fn explain(cli: &Explain) -> anyhow::Result<Exit> {
    let reports = reports()?;
    let (_, report) = find(&reports, &cli.benchmark)?;
    term::data(&term::printable_lines(&report.explanation))?;
    Ok(Exit::Ok)
}

/// Loads the verdicts.
pub(super) fn reports() -> anyhow::Result<Reports> {
    let path = Path::new(FOLDER).join(REPORTS);
    let text = file::read_text(&path).map_err(|_| {
        Failure::new("no last run in this folder").hint("run `perf-gate run` first")
    })?;
    Ok(serde_json::from_str(&text)?)
}

/// Completes a unique part of a benchmark name in the last run.
pub(crate) fn whole_name(text: &str) -> Option<String> {
    let reports = reports().ok()?;
    find(&reports, text).ok().map(|(name, _)| name.to_owned())
}

/// Loads the rows.
pub(super) fn rows(config: &Config) -> anyhow::Result<ParseReport> {
    super::read_rows(&Path::new(FOLDER).join(ROWS), config)
}

/// Finds a benchmark by its name or a unique part of it.
pub(super) fn find<'r>(
    reports: &'r Reports,
    name: &str,
) -> anyhow::Result<(&'r str, &'r BenchmarkReport)> {
    if let Some((name, report)) = reports.get_key_value(name) {
        return Ok((name, report));
    }
    let mut found = Vec::new();
    for (known, report) in reports {
        if known.contains(name) {
            found.push((known.as_str(), report));
        }
    }
    match found[..] {
        [one] => Ok(one),
        [] => Err(unknown(name, "last run", reports.keys().map(String::as_str)).into()),
        _ => {
            let names: Vec<String> = found
                .iter()
                .map(|(name, _)| term::in_backticks(name))
                .collect();
            let shown = term::printable(name);
            let failure = Failure::new(format!("`{shown}` is part of {} names", names.len()));
            let some = &names[..names.len().min(3)];
            let hint = format!("use a longer part, such as {}", some.join(", "));
            Err(failure.hint(hint).into())
        }
    }
}

/// Rejects an unknown benchmark before anything is measured.
///
/// # Errors
/// If it is unknown, or the baseline cannot be read.
pub(crate) fn refuse_unknown(name: &str, baseline: &Path, config: &Config) -> anyhow::Result<()> {
    if !baseline.is_file() {
        return Ok(());
    }
    let stored = super::read_rows(baseline, config)?;
    let rows = stored.rows.iter();
    let known = rows.flat_map(|row| [&*row.scenario, config.label(&row.scenario)]);
    if known.clone().any(|known| known.contains(name)) {
        return Ok(());
    }
    Err(unknown(name, "baseline", known).into())
}

/// The error for an unknown benchmark.
pub(super) fn unknown<'k>(name: &str, of: &str, known: impl Iterator<Item = &'k str>) -> Failure {
    let failure = Failure::new(format!(
        "the {of} contains no benchmark `{}`",
        term::printable(name)
    ));
    failure.hint(term::printable(&suggest(name, known).unwrap_or_default()))
}
