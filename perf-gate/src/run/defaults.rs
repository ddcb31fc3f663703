//! The default files of `compare` and `explain`: the last run, and the config's baseline.

use std::path::{Path, PathBuf};

use perf_cli::{Failure, load, term};
use perf_config::{Config, Measured};
use render_perf_deltas::CompareRequest;

use super::{baseline_path, last, rows, set_baseline};

/// Adds the default files to a request.
///
/// # Errors
/// Without a run to compare, or if the config cannot be read.
pub fn complete(request: &CompareRequest) -> anyhow::Result<CompareRequest> {
    let mut request = request.clone();
    let source = &request.source;
    if source.print_config || source.list_formats {
        return Ok(request);
    }
    let config = load::config(source.config.as_deref())?;
    if source.input.is_empty() {
        let path = last::path().or_else(|| results(&config)).ok_or_else(|| {
            Failure::new("no run to compare")
                .hint("pass its output with `--input`, or run `perf-gate run` first")
        })?;
        term::note(&format!(
            "comparing the run in `{}` with stored values; `perf-gate explain BENCHMARK` explains measured pairs",
            term::shown(&path)
        ));
        request.source.input = vec![path];
    }
    if request.baseline_csv.is_none() && request.baseline_git.is_none() {
        let history = request.history_git.unwrap_or(config.history.last);
        set_baseline(&mut request, &baseline_path(&config), history)?;
    }
    Ok(request)
}

/// Rejects an unknown benchmark before anything is measured.
///
/// # Errors
/// If it is unknown, or the baseline cannot be read.
pub(crate) fn refuse_unknown(name: &str, baseline: &Path, config: &Config) -> anyhow::Result<()> {
    if !baseline.is_file() {
        return Ok(());
    }
    let stored = rows::read(baseline, config)?;
    let known = stored
        .rows
        .iter()
        .flat_map(|row| [&*row.scenario, config.label(&row.scenario)]);
    if known.clone().any(|known| known.contains(name)) {
        return Ok(());
    }
    Err(last::unknown(name, "baseline", known).into())
}

/// The configured results file, if `run` uses it unchanged.
fn results(config: &Config) -> Option<PathBuf> {
    let run = config.run();
    run.results
        .clone()
        .filter(|path| run.measure == Measured::Median && path.exists())
}
