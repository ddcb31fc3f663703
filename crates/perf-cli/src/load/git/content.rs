//! The commits that changed a file, and the contents of committed files.

use std::collections::HashSet;
use std::io::{self, BufRead, BufReader, Read, Seek, Write};

use perf_model::commit::CommitId;

use crate::file::MAX_TEXT;
use crate::git::{Git, TreeEntry};

/// Limit for the bytes of all contents: a history is kept in memory, and anybody can commit a large file.
const MOST: u64 = 8 * MAX_TEXT;

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
    let output = git.output(&[
        "log",
        "-z",
        "--first-parent",
        "-m",
        "--format=%H %ct",
        "--raw",
        "--no-abbrev",
        "--no-renames",
        "--no-relative",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        "--ignore-submodules=none",
        "--diff-filter=AMT",
        "--end-of-options",
        tip,
        "--",
        &spec,
    ])?;
    if !output.status.success() {
        return Err(git
            .refused("cannot read the history", &output.stderr)
            .into());
    }
    Ok(parse_log(
        &String::from_utf8_lossy(&output.stdout),
        path,
        most,
    ))
}

/// Parses `<commit> <date>`, then `:<modes and objects>` and a path for each changed file.
fn parse_log(log: &str, path: &str, most: usize) -> Changes {
    let mut found = Changes::default();
    let mut contents: HashSet<String> = HashSet::new();
    let (mut commit, mut changed) = (None, None::<TreeEntry>);
    for text in log.split('\0') {
        let text = text.trim_start_matches('\n');
        if let Some(entry) = changed.take() {
            // If the path was once a folder, other paths match.
            let Some((commit, date)) = commit.clone().filter(|_| text == path) else {
                continue;
            };
            if !contents.insert(entry.object.clone()) {
                continue;
            }
            if found.changes.len() == most {
                return found;
            }
            found.changes.push(ContentChange {
                commit,
                date,
                entry,
            });
        } else if text.starts_with(':') {
            changed = parse_entry(text);
        } else {
            commit = parse_commit(text);
        }
    }
    found.complete = true;
    found
}

/// Parses a full hash and a date, separated by a space.
pub(super) fn parse_commit(text: &str) -> Option<(String, i64)> {
    let (commit, date) = text.split_once(' ')?;
    is_object(commit).then_some(())?;
    Some((commit.to_owned(), date.trim().parse().ok()?))
}

/// The new entry of the file, from a line `:100644 100644 <before> <after> M`.
fn parse_entry(text: &str) -> Option<TreeEntry> {
    let mut facts = text.split(' ').skip(1);
    let (mode, _, object) = (facts.next()?, facts.next()?, facts.next()?);
    Some(TreeEntry {
        mode: mode.to_owned(),
        object: object.to_owned(),
    })
}

/// The result of reading a requested file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ObjectContent {
    Text(Vec<u8>),
    /// Why its content cannot be read.
    Unreadable(String),
}

/// Reads these objects, in this order, with a single `git cat-file`.
pub(super) fn read_objects(git: &Git, names: &[&str]) -> anyhow::Result<Vec<ObjectContent>> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    // A file, because git stops reading a pipe while its output is not read.
    let mut list = tempfile::tempfile()?;
    for name in names {
        writeln!(list, "{name}")?;
    }
    list.rewind()?;
    let mut command = git.command(&["cat-file", "--batch", "--buffer"]);
    let mut child = command
        .stdin(list)
        .spawn()
        .map_err(|error| git.cannot_start(error))?;
    let mut objects = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        let (mut stdout, mut left) = (BufReader::new(stdout), MOST);
        while let Some(object) = read_object(&mut stdout, &mut left)? {
            objects.push(object);
        }
    }
    let output = child.wait_with_output()?;
    if objects.len() < names.len() && !output.stderr.is_empty() {
        return Err(git
            .refused("cannot read committed files", &output.stderr)
            .into());
    }
    Ok(objects)
}

/// Reads one object: `<name> blob <size>`, then the content and a line end; or `<name> missing`.
fn read_object(from: &mut impl BufRead, left: &mut u64) -> io::Result<Option<ObjectContent>> {
    let mut header = Vec::new();
    // A header is a name, a word and a number, so this is long enough.
    if from.take(256).read_until(b'\n', &mut header)? == 0 {
        return Ok(None);
    }
    let header = String::from_utf8_lossy(&header);
    let mut words = header.split_whitespace().skip(1);
    let kind = words.next().unwrap_or_default();
    let Some(size) = words.next().and_then(|size| size.parse::<u64>().ok()) else {
        let why = "the clone does not have its content, and could not fetch it".to_owned();
        return Ok(Some(ObjectContent::Unreadable(why)));
    };
    let limit = |bytes: u64| format!("more than {} MiB", bytes / (1024 * 1024));
    let why = match kind {
        "blob" if size > MAX_TEXT => Some(format!("it has {}", limit(MAX_TEXT))),
        "blob" if size > *left => Some(format!("all versions together have {}", limit(MOST))),
        "blob" => None,
        _ => Some(format!("it is a {kind}, not a file")),
    };
    if let Some(why) = why {
        io::copy(&mut from.take(size + 1), &mut io::sink())?;
        return Ok(Some(ObjectContent::Unreadable(why)));
    }
    *left -= size;
    let mut text = Vec::new();
    from.take(size).read_to_end(&mut text)?;
    if text.len() as u64 != size || from.read(&mut [0])? != 1 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(ObjectContent::Text(text)))
}

/// Whether a text is an object's full hash.
pub(crate) fn is_object(text: &str) -> bool {
    text.parse::<CommitId>().is_ok()
}
