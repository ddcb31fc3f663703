//! The files that `compare` and `explain` take where the command line leaves it out: the last run, with the baseline of the config.

use std::path::{Path, PathBuf};

use perf_cli::load::InputArgs;
use perf_cli::{Failure, load, term};
use perf_config::{Config, Measured};
use render_perf_deltas::CompareRequest;

use super::{BASELINE, last, name_baseline};

/// The request, completed.
///
/// # Errors
/// A config that cannot be read, or no run to compare.
pub fn complete(request: &CompareRequest) -> anyhow::Result<CompareRequest> {
    let mut request = request.clone();
    let source = &request.source;
    if source.print_config || source.list_formats {
        return Ok(request);
    }
    let config = load::config(source.config.as_deref())?;
    if source.input.is_empty() {
        let path = last::path().or_else(|| results(&config)).ok_or_else(|| {
            Failure::new("there is no run to compare").hint(
                "name its output with `--input`, or use `perf-gate run`, which measures and keeps its last run",
            )
        })?;
        term::note(&format!(
            "the run in `{}` is compared with stored values; for pairs that `run` measured, use `perf-gate explain BENCHMARK`",
            term::shown(&path)
        ));
        request.source.input = vec![path];
    }
    if request.baseline_csv.is_none() && request.baseline_git.is_none() {
        let history = request.history_git.unwrap_or(config.history.last);
        let path = config
            .files()
            .baseline
            .clone()
            .unwrap_or_else(|| BASELINE.into());
        name_baseline(&mut request, &path, history)?;
    }
    Ok(request)
}

/// Refuses a name that no benchmark of the baseline has, before anything is measured.
///
/// # Errors
/// Such a name, or a baseline that cannot be read.
pub(super) fn refuse_unknown(name: &str, baseline: &Path, config: &Config) -> anyhow::Result<()> {
    if !baseline.is_file() {
        return Ok(());
    }
    let rows = InputArgs {
        input: vec![baseline.to_owned()],
        ..InputArgs::default()
    }
    .rows(config)?
    .rows;
    let known = rows
        .iter()
        .flat_map(|row| [&*row.scenario, config.label(&row.scenario)]);
    if known.clone().any(|known| known.contains(name)) {
        return Ok(());
    }
    Err(last::unknown(name, "baseline", known).into())
}

/// The results that the config names, where `run` reads them as they are.
fn results(config: &Config) -> Option<PathBuf> {
    let run = config.run();
    run.results
        .clone()
        .filter(|path| run.measure == Measured::Median && path.exists())
}
