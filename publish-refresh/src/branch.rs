//! Reads the branch's state from GitHub.

use std::cell::RefCell;
use std::collections::HashMap;

use perf_github::{
    Account, ApiError, ApiErrorKind, ChangedFile, Client, Commit, CommitComparison, CommitId,
    HeadPosition,
};

use crate::content::PublishedFile;
use crate::content::RepoPath;
use crate::origin::{Age, MeasurementOrigin};
use crate::plan::{PublishedRefresh, Situation, Tip, WantedRefresh};
use crate::relevance::Relevance;

/// The maximum number of a file's commits to search for the last refresh. Users may have edited the page since.
const SEARCHED: u8 = 30;

/// The commit at which each file version was first read, by path and content hash. Later attempts read the same version at the
/// same commit, so that its content is cached.
#[derive(Default)]
pub(crate) struct ReadAt(RefCell<HashMap<(String, String), CommitId>>);

/// The commit since which files are compared, and the versions that were read so far.
pub(crate) type Anchor<'a> = (&'a CommitId, &'a ReadAt);

/// Reads the branch's state at `tip`, compared with the measured commit, and its latest refresh.
pub(crate) fn situation(
    client: &Client,
    wanted: &WantedRefresh,
    anchor: Anchor<'_>,
    tip: &CommitId,
) -> Result<Situation, ApiError> {
    match position(client, &wanted.origin.measured, tip)? {
        Tip::Ahead { changed, all } => {
            let latest = latest_refresh(client, wanted, anchor, tip)?;
            let changed = without_refreshed(client, wanted, tip, changed)?;
            Ok(Situation {
                tip: Tip::Ahead { changed, all },
                latest,
            })
        }
        tip => Ok(Situation { tip, latest: None }),
    }
}

/// True if the commits from `before` to `pushed` only changed numbers: the published files, and files that only refreshes
/// write, such as another suite's. False for an empty commit, with which a user requests a measurement.
pub(crate) fn only_refreshed(
    client: &Client,
    published: &[RepoPath],
    before: &CommitId,
    pushed: &CommitId,
) -> Result<bool, ApiError> {
    let Tip::Ahead { changed, all: true } = position(client, before, pushed)? else {
        return Ok(false);
    };
    if changed.is_empty() {
        return Ok(false);
    }
    let origin = MeasurementOrigin {
        measured: before.clone(),
        run: None,
        mark: None,
    };
    let wanted = WantedRefresh {
        origin,
        relevance: Relevance::all_except(published),
    };
    let others = without_refreshed(client, &wanted, pushed, changed)?;
    Ok(wanted.relevance.first_related(&others).is_none())
}

/// The position of `tip`, compared with the measured commit.
pub(crate) fn position(
    client: &Client,
    measured: &CommitId,
    tip: &CommitId,
) -> Result<Tip, ApiError> {
    if tip == measured {
        return Ok(Tip::Measured);
    }
    match client.compare(measured, tip) {
        // The branch was replaced by an unrelated history.
        Err(error) if error.is_unrelated() => Ok(Tip::Apart),
        comparison => {
            let comparison = comparison?;
            Ok(match comparison.position {
                HeadPosition::Identical => Tip::Measured,
                HeadPosition::Behind => Tip::Behind,
                HeadPosition::Diverged => Tip::Apart,
                HeadPosition::Ahead => {
                    let all = comparison.is_complete();
                    let files = comparison.files.into_iter();
                    let changed =
                        files.flat_map(|file| file.previous.into_iter().chain([file.path]));
                    Tip::Ahead {
                        changed: changed.collect(),
                        all,
                    }
                }
            })
        }
    }
}

/// Removes related paths that contain another suite's numbers, because those don't affect ours.
fn without_refreshed(
    client: &Client,
    wanted: &WantedRefresh,
    tip: &CommitId,
    mut changed: Vec<String>,
) -> Result<Vec<String>, ApiError> {
    if wanted.relevance.first_related(&changed).is_none() {
        return Ok(changed);
    }
    let measured = &wanted.origin.measured;
    let (comparison, me) = (client.compare(measured, tip)?, client.viewer()?);
    // If all commits since the measured one are refreshes, the files need not be checked one by one.
    let are_all = comparison.has_all_commits()
        && comparison
            .commits
            .iter()
            .all(|commit| is_refresh(commit, &me));
    while let Some(related) = wanted.relevance.first_related(&changed).map(str::to_owned) {
        if !are_all && !is_refreshed(client, &me, measured, tip, &related)? {
            break;
        }
        changed.retain(|path| *path != related);
    }
    Ok(changed)
}

/// The commit at which to read a file's version at `tip`: an earlier one with the same version, if known.
fn reading_commit(
    client: &Client,
    (anchor, read): Anchor<'_>,
    tip: &CommitId,
    path: &RepoPath,
) -> CommitId {
    let is_usable = |comparison: &CommitComparison| {
        comparison.position == HeadPosition::Ahead && comparison.is_complete()
    };
    let comparison = (anchor != tip)
        .then(|| client.compare(anchor, tip).ok())
        .flatten()
        .filter(is_usable);
    let Some(comparison) = comparison else {
        return tip.clone();
    };
    let is_it = |file: &&ChangedFile| {
        file.path == path.as_str() || file.previous.as_deref() == Some(path.as_str())
    };
    let Some(file) = comparison.files.iter().find(is_it) else {
        return anchor.clone();
    };
    let Some(blob) = file.blob().filter(|_| file.path == path.as_str()) else {
        return tip.clone();
    };
    let version = (file.path.clone(), blob.to_owned());
    read.0
        .borrow_mut()
        .entry(version)
        .or_insert_with(|| tip.clone())
        .clone()
}

/// True if only refreshes by `me` have written a file since the measured commit.
fn is_refreshed(
    client: &Client,
    me: &Account,
    measured: &CommitId,
    tip: &CommitId,
    path: &str,
) -> Result<bool, ApiError> {
    let commits = client.commits(tip.as_str(), path, SEARCHED)?;
    match commits.iter().find(|commit| !is_refresh(commit, me)) {
        Some(other) => {
            let position = client.compare(measured, &other.sha)?.position;
            Ok(matches!(
                position,
                HeadPosition::Behind | HeadPosition::Identical
            ))
        }
        None => Ok(!commits.is_empty()),
    }
}

/// True for a refresh by `me`. Anybody can imitate its message and author, but commits signed by GitHub have the author who
/// requested them.
fn is_refresh(commit: &Commit, me: &Account) -> bool {
    commit.by_github
        && commit.author.as_ref() == Some(me)
        && MeasurementOrigin::from_message(&commit.message).is_some()
}

/// The refresh that outranks the others, among the last refresh of each file.
pub(crate) fn latest_refresh(
    client: &Client,
    wanted: &WantedRefresh,
    anchor: Anchor<'_>,
    tip: &CommitId,
) -> Result<Option<PublishedRefresh>, ApiError> {
    let mut found: Vec<PublishedRefresh> = Vec::new();
    for path in wanted.relevance.published() {
        let at = reading_commit(client, anchor, tip, path);
        let commits = client.commits(at.as_str(), path.as_str(), SEARCHED)?;
        let latest = commits.into_iter().find_map(|commit| {
            Some((
                MeasurementOrigin::from_message(&commit.message)?,
                commit.sha,
            ))
        });
        let Some((origin, commit)) = latest else {
            continue;
        };
        if found.iter().all(|refresh| refresh.commit != commit) {
            let age = age(client, &wanted.origin.measured, &origin.measured)?;
            found.push(PublishedRefresh {
                commit,
                origin,
                age,
            });
        }
    }
    Ok(PublishedRefresh::highest(found))
}

/// The age of the code at `theirs`, compared with the code at `ours`.
pub(crate) fn age(client: &Client, ours: &CommitId, theirs: &CommitId) -> Result<Age, ApiError> {
    if ours == theirs {
        return Ok(Age::Same);
    }
    match client.compare(ours, theirs) {
        Ok(comparison) if comparison.position == HeadPosition::Ahead => Ok(Age::Newer),
        Ok(_) => Ok(Age::Older),
        // The commit in a message may not exist.
        Err(error) if error.kind == ApiErrorKind::NotFound => Ok(Age::Older),
        Err(error) => Err(error),
    }
}

/// The versions of the published files at `tip`.
pub(crate) fn versions(
    client: &Client,
    published: &[RepoPath],
    anchor: Anchor<'_>,
    tip: &CommitId,
) -> Result<Vec<PublishedFile>, ApiError> {
    let version = |path: &RepoPath| {
        let content = client.file(path.as_str(), &reading_commit(client, anchor, tip, path))?;
        Ok(PublishedFile {
            path: path.clone(),
            content,
        })
    };
    published.iter().map(version).collect()
}
