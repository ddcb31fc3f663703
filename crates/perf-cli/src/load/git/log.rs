//! The commits that changed a file, newest first.

use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::process::ChildStdout;

use crate::git::{Git, TreeEntry};

use super::ask::is_object;

/// A commit that changed the file's content.
pub(super) struct ContentChange {
    pub commit: String,
    pub date: i64,
    pub entry: TreeEntry,
}

/// Changes, newest first.
#[derive(Default)]
pub(super) struct Changes {
    pub changes: Vec<ContentChange>,
    /// Whether these are all changes.
    pub complete: bool,
}

/// The last `most` changes to contents that do not occur again later.
pub(super) fn changes(git: &Git, tip: &str, path: &str, most: usize) -> anyhow::Result<Changes> {
    if most == 0 {
        return Ok(Changes::default());
    }
    let spec = format!(":(top,literal){path}");
    // With `-m` and first parents, a merge's effect on the branch is one change.
    let log = [
        "log",
        "-z",
        "--first-parent",
        "-m",
        "--format=%H %ct",
        "--raw",
        "--no-abbrev",
    ];
    let plain = [
        "--no-renames",
        "--no-relative",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
    ];
    let end = [
        "--ignore-submodules=none",
        "--diff-filter=AMT",
        "--end-of-options",
        tip,
        "--",
        &spec,
    ];
    // Stop early: there may be years of older commits.
    let read = |stdout: ChildStdout| read(BufReader::new(stdout), path, most);
    let streamed = git.streamed(&[&log[..], &plain, &end].concat(), "", read, |changes| {
        changes.complete
    })?;
    if streamed.output.complete && !streamed.is_success {
        return Err(git
            .refused("cannot read the history", &streamed.stderr)
            .into());
    }
    Ok(streamed.output)
}

/// Reads `<commit> <date>`, then `:<modes and objects>` and a path for each changed file.
fn read(log: impl BufRead, path: &str, most: usize) -> std::io::Result<Changes> {
    let mut found = Changes::default();
    let mut contents: HashSet<String> = HashSet::new();
    let (mut commit, mut change) = (None, None::<TreeEntry>);
    for part in log.split(0) {
        let part = part?;
        let text = String::from_utf8_lossy(&part);
        let text = text.trim_start_matches('\n');
        if let Some(entry) = change.take() {
            // If the path was once a folder, other paths match.
            if text == path
                && let Some((commit, date)) = commit.clone()
                && contents.insert(entry.object.clone())
            {
                found.changes.push(ContentChange {
                    commit,
                    date,
                    entry,
                });
                if found.changes.len() == most {
                    return Ok(found);
                }
            }
        } else if text.starts_with(':') {
            change = entry(text);
        } else {
            commit = commit_and_date(text);
        }
    }
    found.complete = true;
    Ok(found)
}

fn commit_and_date(text: &str) -> Option<(String, i64)> {
    let (commit, date) = text.split_once(' ')?;
    is_object(commit).then_some(())?;
    Some((commit.to_owned(), date.trim().parse().ok()?))
}

/// The new entry of the file, from a line `:100644 100644 <before> <after> M`.
fn entry(text: &str) -> Option<TreeEntry> {
    let mut facts = text.split(' ').skip(1);
    let (mode, _, object) = (facts.next()?, facts.next()?, facts.next()?);
    Some(TreeEntry {
        mode: mode.to_owned(),
        object: object.to_owned(),
    })
}
