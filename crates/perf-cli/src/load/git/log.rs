//! The commits that changed a file, the newest first.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};
use std::process::Child;

use crate::Failure;
use crate::git::{Git, TreeEntry};

use super::ask::is_object;

/// A commit that gave the file a content.
pub(super) struct ContentChange {
    pub commit: String,
    pub date: i64,
    pub entry: TreeEntry,
}

/// Changes, the newest first.
#[derive(Default)]
pub(super) struct Changes {
    pub changes: Vec<ContentChange>,
    /// True if there are no older changes.
    pub complete: bool,
}

/// The last `most` changes of the file that gave it contents which it has not later.
pub(super) fn changes(git: &Git, tip: &str, path: &str, most: usize) -> anyhow::Result<Changes> {
    if most == 0 {
        return Ok(Changes::default());
    }
    let spec = format!(":(top,literal){path}");
    // `-m` with first parents: what a merge brought to the branch is a change of its own.
    let log = ["log", "-z", "--first-parent", "-m", "--format=%H %ct", "--raw", "--no-abbrev"];
    let plain = ["--no-renames", "--no-relative", "--no-ext-diff", "--no-textconv", "--no-color"];
    let end = ["--ignore-submodules=none", "--diff-filter=AMT", "--end-of-options", tip, "--", &spec];
    let mut child =
        git.command(&[&log[..], &plain, &end].concat()).spawn().map_err(|error| git.cannot_start(error))?;
    let stdout = child.stdout.take();
    let stderr = child.stderr.take();
    let (read, said) = std::thread::scope(|scope| {
        let said = scope.spawn(move || {
            let mut said = Vec::new();
            stderr.map(|mut stderr| stderr.read_to_end(&mut said));
            said
        });
        let read = match stdout {
            Some(stdout) => read(BufReader::new(stdout), path, most),
            None => Ok(Changes::default()),
        };
        // There may be years of older commits, which nobody wants to hear of.
        if !matches!(read, Ok(Changes { complete: true, .. })) {
            stop(&mut child);
        }
        (read, said.join().unwrap_or_default())
    });
    let status = child.wait();
    let changes = read.map_err(|error| Failure::new("cannot read what `git log` says").because(error))?;
    if changes.complete && !status.is_ok_and(|status| status.success()) {
        return Err(git.refused("cannot look at the history", &said).into());
    }
    Ok(changes)
}

fn stop(child: &mut Child) {
    // It may have ended by itself.
    let _ = child.kill();
}

/// Reads `<commit> <date>`, then `:<modes and objects>` and a path for each file that changed.
fn read(log: impl BufRead, path: &str, most: usize) -> std::io::Result<Changes> {
    let mut found = Changes::default();
    let mut contents: HashSet<String> = HashSet::new();
    let (mut commit, mut change) = (None, None::<TreeEntry>);
    for part in log.split(0) {
        let part = part?;
        let text = String::from_utf8_lossy(&part);
        let text = text.trim_start_matches('\n');
        if let Some(entry) = change.take() {
            // Where the path was a folder once, there are files in it.
            if text == path
                && let Some((commit, date)) = commit.clone()
                && contents.insert(entry.object.clone())
            {
                found.changes.push(ContentChange { commit, date, entry });
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

/// The entry that a change gave the file, from a line `:100644 100644 <before> <after> M`.
fn entry(text: &str) -> Option<TreeEntry> {
    let mut facts = text.split(' ').skip(1);
    let (mode, _, object) = (facts.next()?, facts.next()?, facts.next()?);
    Some(TreeEntry { mode: mode.to_owned(), object: object.to_owned() })
}
