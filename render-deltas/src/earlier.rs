//! Earlier baselines: committed versions of the baseline, and files of earlier rows.

use std::collections::HashSet;

use perf_cli::Failure;
use perf_cli::load::git::{self, History};
use perf_cli::load::history::{self, Snapshot};
use perf_config::Config;
use perf_model::diagnostic::Diagnostic;
use perf_model::row::{Name, Row};

use crate::cli::Cli;

/// Earlier baselines, oldest first.
pub(crate) fn history(
    cli: &Cli,
    config: &Config,
    found: &mut Vec<Diagnostic>,
) -> anyhow::Result<Vec<Snapshot>> {
    let mut versions = cli.history_git.map(|most| versions(cli, most)).transpose()?;
    let of_versions = versions.as_mut().map(|versions| history::rows_of_versions(versions, config));
    let mut snapshots = of_versions.unwrap_or_default();
    found.extend(versions.iter().flat_map(History::diagnostics));
    found.extend(repeated(&snapshots));
    for file in &cli.history {
        snapshots.extend(history::snapshots(file, config)?);
    }
    // Those without a date are older than all that have one.
    snapshots.sort_by_key(|snapshot| snapshot.date);
    Ok(snapshots)
}

fn versions(cli: &Cli, most: usize) -> anyhow::Result<History> {
    match (&cli.baseline_git, &cli.baseline_csv) {
        (Some(place), _) => git::versions_at(place, most),
        (None, Some(path)) if path.as_os_str() != "-" => git::versions(path, None, most),
        _ => {
            let failure = Failure::new("standard input has no history");
            Err(failure.hint("name the file of the baseline, or its commit with `--baseline-git`").into())
        }
    }
}

/// That versions have mostly the rows of the versions before, as when a refresh leaves what did not change.
fn repeated(versions: &[Snapshot]) -> Option<Diagnostic> {
    const TELLING: usize = 3;
    let key = |row: &Row| (Name::clone(&row.scenario), Name::clone(&row.platform), Name::clone(&row.commit));
    let mut known = HashSet::new();
    let (mut all, mut again) = (0_usize, 0);
    for (at, version) in versions.iter().enumerate() {
        let named: HashSet<_> = version.rows.iter().filter(|row| !row.commit.is_empty()).map(key).collect();
        all += if at > 0 { named.len() } else { 0 };
        again += named.intersection(&known).count();
        known.extend(named);
    }
    (versions.len() >= TELLING && again * 2 > all).then(|| {
        let message =
            "most rows of the baseline's versions are those of the version before, which count once";
        let note = Diagnostic::note(message).at("history");
        note.hint("refresh the baseline with `extract-perf-baseline --replace --refresh all`")
    })
}
