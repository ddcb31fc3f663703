//! Reads the branch's state from GitHub.

use perf_github::{Account, ApiError, ApiErrorKind, Client, Commit, CommitId, HeadPosition};

use crate::content::{PublishedFile, RepoPath};
use crate::origin::{Age, MeasurementOrigin, PublishedRefresh};
use crate::plan::{Situation, WantedRefresh};
use crate::relevance::Relevance;

/// How many commits of a file are searched for the last refresh. Users may have edited the page since.
const SEARCHED: u8 = 30;

/// Reads the branch's state at `tip`, compared with the measured commit, and its latest refresh.
pub(crate) fn situation(
    client: &Client,
    wanted: &WantedRefresh,
    tip: &CommitId,
) -> Result<Situation, ApiError> {
    let measured = &wanted.origin.measured;
    let mut situation = position(client, measured, tip)?;
    if situation.position == HeadPosition::Ahead {
        situation.latest = latest_refresh(client, wanted, &situation, tip)?;
        remove_refreshed(client, &wanted.relevance, measured, tip, &mut situation)?;
    }
    Ok(situation)
}

/// True if the commits from `before` to `pushed` only changed numbers: the published files, and files that only
/// refreshes write, such as another suite's. False for an empty commit, because a user may push one to request a
/// measurement.
pub(crate) fn only_refreshed(
    client: &Client,
    published: &[RepoPath],
    before: &CommitId,
    pushed: &CommitId,
) -> Result<bool, ApiError> {
    let mut situation = position(client, before, pushed)?;
    let has_changed = situation.position == HeadPosition::Ahead && !situation.changed.is_empty();
    if !has_changed || !situation.is_complete {
        return Ok(false);
    }
    let relevance = Relevance::all_except(published);
    remove_refreshed(client, &relevance, before, pushed, &mut situation)?;
    Ok(relevance.first_related(&situation.changed).is_none())
}

/// The position of `tip` and the changed files, compared with the measured commit.
fn position(client: &Client, measured: &CommitId, tip: &CommitId) -> Result<Situation, ApiError> {
    let mut situation = Situation {
        position: HeadPosition::Identical,
        changed: Vec::new(),
        is_complete: true,
        latest: None,
    };
    if tip == measured {
        return Ok(situation);
    }
    match client.compare(measured, tip) {
        // The branch was replaced by an unrelated history.
        Err(error) if error.is_unrelated() => situation.position = HeadPosition::Diverged,
        comparison => {
            let comparison = comparison?;
            situation.position = comparison.position;
            situation.is_complete = comparison.is_complete();
            for file in comparison.files {
                situation.changed.extend(file.previous);
                situation.changed.push(file.path);
            }
        }
    }
    Ok(situation)
}

/// Removes related paths that contain another suite's numbers, because those don't affect ours.
fn remove_refreshed(
    client: &Client,
    relevance: &Relevance,
    measured: &CommitId,
    tip: &CommitId,
    situation: &mut Situation,
) -> Result<(), ApiError> {
    if relevance.first_related(&situation.changed).is_none() {
        return Ok(());
    }
    let me = client.viewer()?;
    // If all commits since the measured one are refreshes, the files need not be checked one by one.
    let are_all = has_only_refreshes(client, measured, tip)?;
    while let Some(related) = relevance.first_related(&situation.changed) {
        if !are_all && !is_refreshed(client, &me, measured, tip, related)? {
            break;
        }
        let related = related.to_owned();
        situation.changed.retain(|path| *path != related);
    }
    Ok(())
}

/// True if only refreshes by `me` have written a file since the measured commit.
fn is_refreshed(
    client: &Client,
    me: &Account,
    measured: &CommitId,
    tip: &CommitId,
    path: &str,
) -> Result<bool, ApiError> {
    let commits = client.commits(tip, path, SEARCHED)?;
    let Some(other) = commits.iter().find(|commit| !is_refresh(commit, me)) else {
        return Ok(!commits.is_empty());
    };
    let position = client.compare(measured, &other.sha)?.position;
    Ok(matches!(
        position,
        HeadPosition::Behind | HeadPosition::Identical
    ))
}

/// True if all commits from `base` to `head` are our refreshes or merge commits by GitHub, for example of its button
/// "Update branch".
pub(crate) fn has_only_refreshes(
    client: &Client,
    base: &CommitId,
    head: &CommitId,
) -> Result<bool, ApiError> {
    let (comparison, me) = (client.compare(base, head)?, client.viewer()?);
    let mut commits = comparison.commits.iter();
    let is_ours =
        |commit: &Commit| commit.is_by_github() && commit.is_merge() || is_refresh(commit, &me);
    Ok(comparison.has_all_commits() && commits.all(is_ours))
}

/// True for a refresh by `me`. Anybody can imitate its message and author, but if GitHub signed the commit, the author
/// is genuine.
fn is_refresh(commit: &Commit, me: &Account) -> bool {
    commit.is_by_github()
        && commit.author.as_ref() == Some(me)
        && MeasurementOrigin::from_message(commit.message()).is_some()
}

/// The latest refresh of any of the files, see [`newest_refresh`].
fn latest_refresh(
    client: &Client,
    wanted: &WantedRefresh,
    situation: &Situation,
    tip: &CommitId,
) -> Result<Option<PublishedRefresh>, ApiError> {
    let mut latest: Vec<PublishedRefresh> = Vec::new();
    for path in wanted.relevance.published() {
        // A file that is unchanged since the measured commit was not refreshed either.
        if situation.is_unchanged(path) {
            continue;
        }
        for commit in client.commits(tip, path.as_str(), SEARCHED)? {
            if let Some(origin) = MeasurementOrigin::from_message(commit.message()) {
                latest.push(PublishedRefresh {
                    age: age(client, &wanted.origin.measured, &origin.measured)?,
                    commit: commit.sha,
                    origin,
                });
                break;
            }
        }
    }
    Ok(newest_refresh(latest))
}

/// The refresh of the newest code, and for the same code, of the latest run.
fn newest_refresh(refreshes: Vec<PublishedRefresh>) -> Option<PublishedRefresh> {
    refreshes
        .into_iter()
        .max_by_key(|refresh| (refresh.age, refresh.origin.run))
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

/// The versions of the published files at `tip`. A file that is unchanged since the measured commit is read at that
/// commit, because the client caches the response.
pub(crate) fn versions(
    client: &Client,
    wanted: &WantedRefresh,
    situation: &Situation,
    tip: &CommitId,
) -> Result<Vec<PublishedFile>, ApiError> {
    let mut versions = Vec::new();
    for path in wanted.relevance.published() {
        let at = if situation.is_unchanged(path) {
            &wanted.origin.measured
        } else {
            tip
        };
        versions.push(PublishedFile {
            path: path.clone(),
            content: client.file(path.as_str(), at)?,
        });
    }
    Ok(versions)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refresh(age: Age, run: &str) -> PublishedRefresh {
        let commit: CommitId = "a".repeat(40).parse().unwrap();
        let origin = MeasurementOrigin {
            measured: commit.clone(),
            run: run.parse().ok(),
            mark: None,
        };
        PublishedRefresh {
            commit,
            origin,
            age,
        }
    }

    #[test]
    fn newest_refresh_is_of_newest_code_then_of_latest_run() {
        let by_hand = refresh(Age::Same, "");
        let ordered = [
            refresh(Age::Older, "20.1"),
            by_hand,
            refresh(Age::Same, "9.2"),
            refresh(Age::Same, "12.1"),
            refresh(Age::Same, "12.2"),
            refresh(Age::Newer, "3.1"),
        ];
        for (at, newest) in ordered.iter().enumerate() {
            let mut known = ordered[..=at].to_vec();
            assert_eq!(newest_refresh(known.clone()).as_ref(), Some(newest));
            known.reverse();
            assert_eq!(newest_refresh(known).as_ref(), Some(newest));
        }
        assert_eq!(newest_refresh(Vec::new()), None);
    }
}
