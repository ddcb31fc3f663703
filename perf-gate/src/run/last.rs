//! The last run, which `explain` and `accept` use without measuring again: a file that git ignores.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use perf_cli::load::InputArgs;
use perf_cli::{Exit, Failure, file, term};
use perf_config::Config;
use perf_model::suggest::suggest;
use perf_readers::{ParseReport, baseline};
use render_perf_deltas::{BenchmarkReport, CompareReport};

use super::benchmark::FOLDER;

/// The reports on benchmarks and the rows of the run.
const REPORTS: &str = "last.json";
const ROWS: &str = "last.csv";

/// The most names in a hint.
const NAMED: usize = 4;

/// The reports on the benchmarks of a run, by name.
pub(super) type Reports = BTreeMap<String, BenchmarkReport>;

/// Keeps the rows of a run that stored values judge.
///
/// # Errors
/// A file that cannot be written.
pub(super) fn keep_rows(rows: &ParseReport, config: &Config) -> anyhow::Result<()> {
    let folder = Path::new(FOLDER);
    let named: Vec<_> = rows.columns.iter().cloned().collect();
    let text = baseline::write(&rows.rows, &named, config)?;
    file::write_if_changed(&folder.join(ROWS), text.as_bytes()).map(drop)
}

/// Removes the rows of an earlier run: pairs have none that a baseline could hold.
pub(super) fn forget_rows() {
    let _ = std::fs::remove_file(Path::new(FOLDER).join(ROWS));
}

/// Keeps the verdicts of a run.
///
/// # Errors
/// A file that cannot be written.
pub(super) fn keep(report: &CompareReport) -> anyhow::Result<()> {
    let reports: Reports = report.benchmarks_by_name();
    file::write_if_changed(
        &Path::new(FOLDER).join(REPORTS),
        &serde_json::to_vec(&reports)?,
    )
    .map(drop)
}

/// Explains the verdict on a benchmark of the last run.
///
/// # Errors
/// No last run, or no benchmark of this name.
pub fn explain(name: &str) -> anyhow::Result<Exit> {
    let reports = reports()?;
    let (_, report) = one(&reports, name)?;
    term::data(&term::printable_lines(&report.explanation))?;
    Ok(Exit::Ok)
}

/// The reports of the last run.
pub(super) fn reports() -> anyhow::Result<Reports> {
    let path = Path::new(FOLDER).join(REPORTS);
    let text = file::read_text(&path).map_err(|_| {
        Failure::new("there is no last run here").hint(
            "run `perf-gate run` first, or pass other results with `--input` and `--baseline`",
        )
    })?;
    Ok(serde_json::from_str(&text)?)
}

/// The whole name of a benchmark of the last run, if the text is a part of no other.
pub(crate) fn whole_name(text: &str) -> Option<String> {
    let reports = reports().ok()?;
    one(&reports, text).ok().map(|(name, _)| name.to_owned())
}

/// The file with the rows of the last run, if there was one.
pub(super) fn path() -> Option<PathBuf> {
    Some(Path::new(FOLDER).join(ROWS)).filter(|path| path.is_file())
}

/// The rows of the last run.
pub(super) fn rows(config: &Config) -> anyhow::Result<ParseReport> {
    InputArgs {
        input: vec![Path::new(FOLDER).join(ROWS)],
        ..InputArgs::default()
    }
    .rows(config)
}

/// The benchmark with this name, or the only one of whose name it is a part.
pub(super) fn one<'r>(
    reports: &'r Reports,
    name: &str,
) -> anyhow::Result<(&'r str, &'r BenchmarkReport)> {
    if let Some((name, report)) = reports.get_key_value(name) {
        return Ok((name, report));
    }
    let found: Vec<_> = reports
        .iter()
        .filter(|(known, _)| known.contains(name))
        .collect();
    let shown = term::printable(name);
    match found[..] {
        [(name, report)] => Ok((name, report)),
        [] => Err(unknown(name, "last run", reports.keys().map(String::as_str)).into()),
        _ => {
            let first: Vec<String> = found
                .iter()
                .take(NAMED)
                .map(|(name, _)| format!("`{}`", term::printable(name)))
                .collect();
            let failure = Failure::new(format!("`{shown}` is part of {} names", found.len()));
            Err(failure
                .hint(format!("add more of one, such as {}", first.join(", ")))
                .into())
        }
    }
}

/// The error for a name that no benchmark of a run or a baseline has.
pub(super) fn unknown<'k>(name: &str, of: &str, known: impl Iterator<Item = &'k str>) -> Failure {
    let failure = Failure::new(format!(
        "no benchmark of the {of} is called `{}`",
        term::printable(name)
    ));
    failure.hint(term::printable(&suggest(name, known).unwrap_or_default()))
}
