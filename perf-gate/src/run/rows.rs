//! Reads rows, compares pairs, and writes a baseline and a page.

use std::path::{Path, PathBuf};

use extract_perf_baseline::BaselineRequest;
use perf_cli::load::InputArgs;
use perf_cli::load::history::name_run_as_now;
use perf_cli::{file, term};
use perf_config::{Config, Refresh};
use perf_model::row::Row;
use perf_readers::ParseReport;
use render_perf_deltas::CompareRequest;
use render_perf_doc::{PageReport, PageRequest, update_page};

use super::Benchmark;

/// Writes the machine description. If that fails, rows get no machine type, and a warning explains that.
pub(crate) fn describe_machine(folder: &Path) -> Option<PathBuf> {
    let path = folder.join("machine-specs.json");
    let specs = collect_machine_specs::collect().json().ok()?;
    file::write_if_changed(&path, specs.as_bytes())
        .ok()
        .map(|_| path)
}

/// Reads the rows in a file, with the current names of renamed benchmarks.
///
/// # Errors
/// If the file cannot be read, or contains no rows.
pub(super) fn read(path: &Path, config: &Config) -> anyhow::Result<ParseReport> {
    let mut rows = InputArgs::default().rows_of(&[path.to_owned()], config)?;
    name_run_as_now(&mut rows, config);
    Ok(rows)
}

/// The request to compare the rows of pairs.
pub(super) fn pairs_comparison(
    base: Vec<Row>,
    current: Vec<Row>,
    config: Option<PathBuf>,
) -> CompareRequest {
    let report = |rows| ParseReport {
        rows,
        ..ParseReport::default()
    };
    let source = InputArgs {
        rows: Some(report(current)),
        config,
        ..InputArgs::default()
    };
    CompareRequest {
        baseline_rows: Some(report(base)),
        paired: true,
        source,
        ..CompareRequest::default()
    }
}

/// Writes the baseline and the page.
pub(super) fn save(
    source: InputArgs,
    benchmark: &Benchmark,
    config: &Config,
    specs: Option<PathBuf>,
) -> anyhow::Result<()> {
    write_baseline(source.clone(), &benchmark.baseline)?;
    term::note(&format!(
        "wrote the baseline `{}`",
        term::shown(&benchmark.baseline)
    ));
    let Some(page) = &config.files().page else {
        return Ok(());
    };
    let request = PageRequest {
        doc: Some(page.clone()),
        machine_specs: specs,
        source,
        ..PageRequest::default()
    };
    if matches!(update_page(&request)?, PageReport::Rewritten) {
        term::note(&format!("updated `{}`", term::shown(page)));
    }
    Ok(())
}

/// Writes the rows as the baseline.
pub(super) fn write_baseline(source: InputArgs, path: &Path) -> anyhow::Result<()> {
    let request = BaselineRequest {
        output: Some(path.to_owned()),
        replace: true,
        // The baseline's versions in git are the history, which needs every run's numbers.
        refresh: Some(Refresh::All),
        source,
        ..BaselineRequest::default()
    };
    term::quietly(|| extract_perf_baseline::baseline(&request)).map(drop)
}
