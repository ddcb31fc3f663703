//! The state of the branch, read from GitHub.

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

/// The number of a file's commits that are searched for the last refresh: people may have edited the page since.
const SEARCHED: u8 = 30;

/// The commits at which file versions were first read, by path and content hash: content is remembered from one attempt
/// to the next.
#[derive(Default)]
pub(crate) struct ReadAt(RefCell<HashMap<(String, String), CommitId>>);

/// The commit since which files are compared, and the versions that were read so far.
pub(crate) type Anchor<'a> = (&'a CommitId, &'a ReadAt);

/// The state of the branch with `tip` at its head, compared with the measured commit, and its latest refresh.
pub(crate) fn situation(
    client: &Client,
    wanted: &WantedRefresh,
    anchor: Anchor<'_>,
    tip: &CommitId,
) -> Result<Situation, ApiError> {
    match stands(client, &wanted.origin.measured, tip)? {
        Tip::Ahead { changed, all } => {
            let latest = latest(client, wanted, anchor, tip)?;
            let changed = without_refreshed(client, wanted, tip, changed)?;
            Ok(Situation {
                tip: Tip::Ahead { changed, all },
                latest,
            })
        }
        tip => Ok(Situation { tip, latest: None }),
    }
}

/// True if the commits from `before` to `pushed` changed nothing but numbers: the published files, and those that only
/// refreshes have written, as of another suite. False for an empty commit, which somebody made to measure again.
pub(crate) fn only_refreshed(
    client: &Client,
    published: &[RepoPath],
    before: &CommitId,
    pushed: &CommitId,
) -> Result<bool, ApiError> {
    let Tip::Ahead { changed, all: true } = stands(client, before, pushed)? else {
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
        relevance: Relevance::but(published),
    };
    let others = without_refreshed(client, &wanted, pushed, changed)?;
    Ok(wanted.relevance.first_related(&others).is_none())
}

/// The position of `tip`, compared with the measured commit.
pub(crate) fn stands(
    client: &Client,
    measured: &CommitId,
    tip: &CommitId,
) -> Result<Tip, ApiError> {
    if tip == measured {
        return Ok(Tip::Measured);
    }
    match client.compare(measured, tip) {
        // The branch was replaced by another history.
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

/// The paths without the related ones that contain another suite's numbers, which its own run publishes.
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
    // Where all commits since the measured one are refreshes, no file needs a look of its own.
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

/// The commit to read a file at as it is at `tip`: an earlier one that has the same version.
fn place(client: &Client, (anchor, read): Anchor<'_>, tip: &CommitId, path: &RepoPath) -> CommitId {
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

/// True if nothing but refreshes of `me` has written a file since the measured commit.
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

/// Anybody can write the words of a message, and name any author. But only GitHub signs as GitHub, and that
/// commit has the author who asked for it.
fn is_refresh(commit: &Commit, me: &Account) -> bool {
    commit.by_github
        && commit.author.as_ref() == Some(me)
        && MeasurementOrigin::from_message(&commit.message).is_some()
}

/// The refresh whose numbers stand highest, of those that last wrote each of the files.
pub(crate) fn latest(
    client: &Client,
    wanted: &WantedRefresh,
    anchor: Anchor<'_>,
    tip: &CommitId,
) -> Result<Option<PublishedRefresh>, ApiError> {
    let mut found: Vec<PublishedRefresh> = Vec::new();
    for path in wanted.relevance.published() {
        let at = place(client, anchor, tip, path);
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

/// The age of the code at `theirs`, compared with that at `ours`.
pub(crate) fn age(client: &Client, ours: &CommitId, theirs: &CommitId) -> Result<Age, ApiError> {
    if ours == theirs {
        return Ok(Age::Same);
    }
    match client.compare(ours, theirs) {
        Ok(comparison) if comparison.position == HeadPosition::Ahead => Ok(Age::Newer),
        Ok(_) => Ok(Age::Older),
        // A message can claim anything.
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
        let content = client.file(path.as_str(), &place(client, anchor, tip, path))?;
        Ok(PublishedFile {
            path: path.clone(),
            content,
        })
    };
    published.iter().map(version).collect()
}
