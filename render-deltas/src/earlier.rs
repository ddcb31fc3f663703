//! The history: committed versions of the baseline, and files with earlier rows.

use std::collections::HashSet;

use foldhash::fast::RandomState;
use perf_cli::Failure;
use perf_cli::load::git::{self, FileHistory};
use perf_cli::load::history::{self, Snapshot};
use perf_config::Config;
use perf_model::diagnostic::Diagnostic;
use perf_model::row::{Name, Row};

use crate::cli::CompareRequest;

/// Earlier baselines, oldest first. Without a baseline, missing versions are not an error.
pub(crate) fn history(
    request: &CompareRequest,
    config: &Config,
    has_baseline: bool,
    found: &mut Vec<Diagnostic>,
) -> anyhow::Result<Vec<Snapshot>> {
    let versions = request.history_git.map(|most| versions(request, most));
    let mut versions = if has_baseline {
        versions.transpose()?
    } else {
        versions.and_then(Result::ok)
    };
    let of_versions = versions
        .as_mut()
        .map(|versions| history::rows_of_versions(versions, config));
    let mut snapshots = of_versions.unwrap_or_default();
    found.extend(
        versions
            .iter()
            .filter(|_| has_baseline)
            .flat_map(FileHistory::diagnostics),
    );
    found.extend(repeated(&snapshots));
    for file in &request.history {
        snapshots.extend(history::snapshots(file, config)?);
    }
    // Undated snapshots come before all others.
    snapshots.sort_by_key(|snapshot| snapshot.date);
    Ok(snapshots)
}

fn versions(request: &CompareRequest, most: usize) -> anyhow::Result<FileHistory> {
    match (&request.baseline_git, &request.baseline_csv) {
        (Some(place), _) => git::versions_at(place, most),
        (None, Some(path)) if path.as_os_str() != "-" => git::versions(path, None, most),
        _ => {
            let failure = Failure::new("standard input has no history");
            Err(failure
                .hint("pass the baseline as a file, or its commit with `--baseline-git`")
                .into())
        }
    }
}

/// The note that versions mostly repeat the previous version's rows, because a refresh kept unchanged benchmarks.
fn repeated<'v>(versions: &'v [Snapshot]) -> Option<Diagnostic> {
    const TELLING: usize = 3;
    if versions.len() < TELLING || !have_common_commits(versions) {
        return None;
    }
    let key = |row: &'v Row| [&row.scenario, &row.platform, &row.commit];
    let mut known: HashSet<[&Name; 3], RandomState> = HashSet::default();
    let (mut all, mut again) = (0_usize, 0);
    for (at, version) in versions.iter().enumerate() {
        let named = version
            .rows
            .iter()
            .filter(|row| !row.commit.is_empty())
            .map(key);
        let named: HashSet<[&Name; 3], RandomState> = named.collect();
        all += if at > 0 { named.len() } else { 0 };
        again += named.iter().filter(|key| known.contains(*key)).count();
        known.extend(named);
    }
    (again * 2 > all).then(|| {
        let message =
            "most rows in the baseline's versions repeat the previous version; each is used once";
        let note = Diagnostic::note(message).at("history");
        note.hint("refresh the baseline with `perf-gate baseline --replace --refresh all`")
    })
}

/// True if two versions contain the same commit.
fn have_common_commits(versions: &[Snapshot]) -> bool {
    let mut known: HashSet<&Name, RandomState> = HashSet::default();
    versions.iter().any(|version| {
        // Adjacent rows usually share their commit.
        let runs = version
            .rows
            .chunk_by(|one, next| Name::ptr_eq(&one.commit, &next.commit));
        let commits = runs
            .map(|rows| &rows[0].commit)
            .filter(|commit| !commit.is_empty());
        let own: HashSet<&Name, RandomState> = commits.collect();
        own.into_iter().any(|commit| !known.insert(commit))
    })
}
