//! Reads the history: committed versions of the baseline, and files with earlier rows.

use perf_cli::Failure;
use perf_cli::git::Git;
use perf_cli::load::git::{self, FileHistory as Versions};
use perf_cli::load::history::{self, Snapshot};
use perf_cli::load::with_declared;
use perf_config::Config;
use perf_model::diagnostic::Diagnostic;

use crate::cli::Cli;

pub(crate) struct History {
    /// The runs, oldest first.
    pub(crate) snapshots: Vec<Snapshot>,
    /// The config, including the metrics that the history files declare.
    pub(crate) config: Config,
    /// The notes and warnings from reading.
    pub(crate) found: Vec<Diagnostic>,
}

/// Reads the baseline's versions and the files with earlier rows.
pub(crate) fn read(cli: &Cli, config: Config) -> anyhow::Result<History> {
    let (mut snapshots, mut found) = (Vec::new(), Vec::new());
    if let Some(mut versions) = versions(cli)? {
        snapshots = history::rows_of_versions(&mut versions, &config);
        found.extend(versions.diagnostics());
        if snapshots.is_empty() && cli.history.is_empty() {
            let failure = Failure::new(format!("no version of `{}` is committed", versions.path));
            return Err(failure
                .hint("commit the baseline, or pass earlier rows with `--history`")
                .into());
        }
    }
    let mut declared = Vec::new();
    for file in &cli.history {
        let (of_file, metrics) = history::snapshots_and_metrics(file, &config)?;
        snapshots.extend(of_file);
        declared.push(metrics);
    }
    for snapshot in &mut snapshots {
        snapshot
            .rows
            .retain(|row| cli.filter.rows.matches(row, &config));
    }
    // Undated runs come before all dated ones.
    snapshots.sort_by_key(|snapshot| snapshot.date);
    let rows = snapshots.iter().flat_map(|snapshot| &snapshot.rows);
    let (config, conflicts) = with_declared(config, declared.iter(), rows);
    found.extend(conflicts);
    Ok(History {
        snapshots,
        config,
        found,
    })
}

fn versions(cli: &Cli) -> anyhow::Result<Option<Versions>> {
    let most = usize::from(cli.history_git);
    if let Some(place) = &cli.baseline_git {
        return Git::here().versions(place, most).map(Some);
    }
    let Some(path) = &cli.baseline_csv else {
        return Ok(None);
    };
    git::versions(path, most).map(Some)
}
