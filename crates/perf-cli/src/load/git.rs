//! Reads a baseline and its history from the git repository that contains them.
//!
//! Nothing is written, the index is not used, and committed content is read unchanged, without attribute filters. A
//! *version* of a file is its content in a commit; a *tip* is the commit from which its history is read.

mod absent;
mod place;
mod queries;
#[cfg(test)]
mod tests;

use std::path::Path;

use crate::file::MAX_TEXT;
use crate::git::Git;
use crate::{Failure, term};
use perf_model::diagnostic::{Diagnostic, counted};

pub use self::absent::{mistake, mistake_at};
pub use self::place::RefPath;
pub(crate) use self::queries::is_object;

/// Limit for the bytes of all versions: a history is kept in memory, and anybody can commit a large file.
const MOST: u64 = 8 * MAX_TEXT;

/// A file in a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// The commit's full hash.
    pub commit: String,
    /// The date of the commit, in seconds since 1970.
    pub date: i64,
    /// The path from the top of the repository.
    pub path: String,
    /// The committed content.
    pub text: Vec<u8>,
}

/// One content of a file in its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileVersion {
    /// The full hash of the commit.
    pub commit: String,
    /// The date of the commit, in seconds since 1970.
    pub date: i64,
    /// The committed content.
    pub text: Vec<u8>,
}

/// The last versions of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileHistory {
    /// The path from the top of the repository.
    pub path: String,
    /// The number of versions that were requested.
    pub asked: usize,
    /// The versions, newest last, each content once.
    pub versions: Vec<FileVersion>,
    /// Whether the clone is shallow, so that older versions may be missing. Its oldest version may then be from an
    /// earlier commit than stated.
    pub shallow: bool,
    /// Whether the oldest version created the file. Earlier names of a renamed file are not searched.
    pub from_the_start: bool,
    /// Versions that cannot be read, newest last.
    pub left_out: Vec<Unread>,
}

/// A version that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The full hash of its commit.
    pub commit: String,
    /// Why.
    pub why: String,
}

/// The file at a path in a commit; `None` if it does not exist there.
///
/// # Errors
/// No git, no repository, an unknown commit, an object that is not a file, or a file that is not stored in the
/// repository itself, as with LFS.
pub fn blob(spec: &RefPath) -> anyhow::Result<Option<Blob>> {
    Git::here().blob(spec)
}

/// The last `most` versions of a file in the working directory, existing or not, as seen from `tip` (default: `HEAD`).
///
/// Only first parents are followed, which are the states of the branch itself. A merged refresh is a single version
/// (the merge), and commits on its branch are not versions; squashed and direct commits always are. If content came
/// back, such as by a revert, only the last occurrence is a version, so that no measurement is used twice and the last
/// version is the current one. Shallow clones return the versions that they contain.
///
/// # Errors
/// No git, no repository, or an unknown commit. A file without a history is not an error: it has no versions.
pub fn versions(file: &Path, tip: Option<&str>, most: usize) -> anyhow::Result<FileHistory> {
    let (git, path) = Git::for_file(file)?;
    git.versions(
        &RefPath::new(tip.unwrap_or("HEAD"), &path).map_err(Failure::new)?,
        most,
    )
}

/// As [`versions`], for the file at a path in a commit.
pub fn versions_at(spec: &RefPath, most: usize) -> anyhow::Result<FileHistory> {
    Git::here().versions(spec, most)
}

/// The files that differ between the work tree and a commit, by their paths from the top of the repository. `None` if
/// git does not know the commit; untracked files are not included.
pub fn changed_since(commit: &str) -> Option<Vec<String>> {
    // The commit comes from rows, which are untrusted: an invalid hash must not reach git as an option.
    let is_name =
        (7..=64).contains(&commit.len()) && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_name.then(|| Git::here().changed_since(commit)).flatten()
}

/// Whether the clone is shallow, that is, without older commits.
pub fn is_shallow() -> bool {
    Git::here()
        .repository()
        .is_ok_and(|repository| repository.shallow)
}

/// The full hash of the checked-out commit.
pub fn head() -> Option<String> {
    let commit = Git::here()
        .ask(&["rev-parse", "--verify", "--quiet", "HEAD"])?
        .trim()
        .to_owned();
    is_object(&commit).then_some(commit)
}

/// Whether HEAD contains something at a path in the working directory.
pub fn is_committed(path: &Path) -> bool {
    let listed = Git::here()
        .command(&["ls-tree", "HEAD", "--"])
        .arg(path)
        .output();
    listed.is_ok_and(|output| output.status.success() && !output.stdout.is_empty())
}

impl Git {
    fn blob(&self, spec: &RefPath) -> anyhow::Result<Option<Blob>> {
        let repository = self.repository()?;
        let path = spec.path_from_top(&repository.prefix)?;
        let (commit, date) = self.commit(spec, repository.shallow)?;
        let Some(entry) = self.entry(&commit, &path)? else {
            return Ok(None);
        };
        let text = self.content(&entry, MAX_TEXT)?.map_err(|why| {
            let shown = term::printable(&spec.to_string());
            Failure::new(format!("cannot read `{shown}`: {why}"))
        })?;
        Ok(Some(Blob {
            commit,
            date,
            path,
            text,
        }))
    }

    fn versions(&self, spec: &RefPath, most: usize) -> anyhow::Result<FileHistory> {
        let repository = self.repository()?;
        let path = spec.path_from_top(&repository.prefix)?;
        let (tip, _) = self.commit(spec, repository.shallow)?;
        let (changes, is_complete) = self.changes(&tip, &path, most)?;
        let mut history = FileHistory {
            path,
            asked: most,
            shallow: repository.shallow,
            from_the_start: is_complete && !repository.shallow && !changes.is_empty(),
            ..FileHistory::default()
        };
        let mut left = MOST;
        for change in changes {
            let (commit, date) = (change.commit, change.date);
            match self.content(&change.entry, left)? {
                Ok(text) => {
                    left -= text.len() as u64;
                    history.versions.push(FileVersion { commit, date, text });
                }
                Err(why) => history.left_out.push(Unread { commit, why }),
            }
        }
        history.versions.reverse();
        history.left_out.reverse();
        Ok(history)
    }
}

impl FileHistory {
    /// Whether requested versions may be missing because the clone is shallow.
    pub fn is_cut(&self) -> bool {
        self.shallow && self.versions.len() + self.left_out.len() < self.asked
    }

    /// The warnings about missing versions, with reasons.
    pub fn diagnostics(&self) -> impl Iterator<Item = Diagnostic> {
        [self.unreadable(), self.shortage()].into_iter().flatten()
    }

    fn unreadable(&self) -> Option<Diagnostic> {
        let (path, count) = (&self.path, self.left_out.len() as u64);
        let message = format!(
            "{} of `{path}` cannot be read and is left out",
            counted(count, "version")
        );
        let examples = self.left_out.iter().map(|Unread { commit, why }| {
            format!(
                "the version of `{path}` in {} is left out: {why}",
                short(commit)
            )
        });
        (count > 0).then(|| Diagnostic::warning(message).examples(count, examples))
    }

    /// The note that there are fewer versions than requested. Reports show it if a full clone would help.
    pub fn shortage(&self) -> Option<Diagnostic> {
        let (path, has, asked) = (&self.path, self.versions.len(), self.asked);
        if has >= asked {
            return None;
        }
        let message = format!("{has} of {asked} versions of `{path}`");
        if self.is_cut() {
            let note = Diagnostic::note(message + ": the clone is shallow and has no older ones");
            return Some(note.at("history").hint(
                "let `actions/checkout` fetch all with `fetch-depth: 0`, or run `git fetch --unshallow`",
            ));
        }
        let first = self.versions.first().filter(|_| self.from_the_start);
        let why = first.map_or_else(String::new, |first| {
            format!(
                ": the file is there since {}; renames are not followed",
                short(&first.commit)
            )
        });
        Some(Diagnostic::info(message + &why).at("history"))
    }
}

/// The abbreviated commit, as people know it.
pub fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}
