//! Reads a baseline and its history from the git repository that contains them.
//!
//! Nothing is written, and committed content is read unchanged, without attribute filters. A *version* of a file is its
//! content in a commit; a *tip* is the commit from which its history is read.

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::env;
use std::fmt;
use std::io::Read;
use std::path::Path;
use std::str::FromStr;

use perf_model::commit::CommitId;
use perf_model::diagnostic::{Diagnostic, counted};
use perf_model::suggest::is_misspelt;

use crate::file::MAX_TEXT;
use crate::git::{Git, cannot_start, refusal};
use crate::paths::similar;
use crate::{Failure, failure, term};

/// The maximum size of all versions together. A history is kept in memory, and anybody can commit a large file.
const MOST: u64 = 8 * MAX_TEXT;

/// A file in a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// The commit's full hash.
    pub commit: String,
    /// The path from the top of the repository.
    pub path: String,
    /// The committed content.
    pub text: Vec<u8>,
}

/// One version of a file.
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
    /// The distinct versions, newest last.
    pub versions: Vec<FileVersion>,
    /// Whether the clone is shallow. Older versions may then be missing, and the oldest version may come from an earlier
    /// commit than its `commit` says.
    pub shallow: bool,
    /// Whether the oldest version created the file. Earlier names of a renamed file are not searched.
    pub from_the_start: bool,
    /// Versions that cannot be read.
    pub left_out: Vec<Unread>,
}

/// A version that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The full hash of the commit that contains the version.
    pub commit: String,
    /// The reason why the version cannot be read.
    pub why: String,
}

/// A file's entry in a commit.
struct TreeEntry {
    /// The entry's mode, such as `100644`.
    mode: String,
    /// The object's full hash.
    object: String,
}

impl TreeEntry {
    /// Parses the mode and the object's hash, which are separated by another field.
    fn parse(fields: &str) -> Option<Self> {
        let mut fields = fields.split([' ', '\t']).map(str::to_owned);
        Some(Self {
            mode: fields.next()?,
            object: fields.nth(1)?,
        })
    }
}

/// Reads the last `most` versions of a file, as seen from `HEAD`. The file may have been deleted.
///
/// # Errors
/// Fails if the path does not end in a file name, and in the same cases as [`Git::versions`].
pub fn versions(file: &Path, most: usize) -> anyhow::Result<FileHistory> {
    let (git, place) = locate(file)?;
    git.versions(&place, most)
}

/// Lists the files that differ between the work tree and a commit, by their paths from the top of the repository. Untracked
/// files are not included. Returns `None` if git does not know the commit.
pub fn changed_since(commit: &str) -> Option<Vec<String>> {
    // The commit comes from rows, which are untrusted: an invalid hash must not reach git as an option.
    if !(7..=64).contains(&commit.len()) || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    Git::here().without_fetching().list(&[
        "diff",
        "--name-only",
        "-z",
        "--no-ext-diff",
        "--no-renames",
        "--no-textconv",
        "--ignore-submodules",
        commit,
        "--",
    ])
}

/// Whether the clone is shallow, which means that older commits are missing.
pub fn is_shallow() -> bool {
    let shallow = Git::here().ask(&["rev-parse", "--is-shallow-repository"]);
    shallow.is_some_and(|text| text.trim() == "true")
}

/// The full hash of the checked-out commit.
pub fn head() -> Option<String> {
    Git::here().resolve("HEAD")
}

/// Whether HEAD contains something at a path in the working directory.
pub fn is_committed(path: &Path) -> bool {
    let listed = Git::here()
        .command(&["ls-tree", "HEAD", "--"])
        .arg(path)
        .output();
    listed.is_ok_and(|output| output.status.success() && !output.stdout.is_empty())
}

/// Returns an error for a missing file that was probably misspelt or deleted. `None` if no similar name exists and no
/// commit deleted the file. `others` are files with similar names but other purposes, which are not suggested.
pub fn mistake(file: &Path, others: &[&Path]) -> Option<Failure> {
    let shown = term::shown(file);
    if let Some(other) = similar(file, others) {
        return Some(misspelt(&shown, &other));
    }
    // Outside a repository, git cannot tell whether the file was deleted.
    let (git, place) = locate(file).ok()?;
    git.deleted(&place, &shown)
}

/// Like [`mistake`], but for a file that is missing in a commit.
pub fn mistake_at(place: &RefPath) -> Option<Failure> {
    let git = Git::here().without_fetching();
    let (path, _) = git.path_from_top(place).ok()?;
    let (folder, name) = path.split_at(path.rfind('/').map_or(0, |slash| slash + 1));
    let tree = format!("{}:{folder}", place.reference);
    let shown = term::printable(&place.to_string());
    let listed = git.list(&[
        "ls-tree",
        "-z",
        "--full-tree",
        "--name-only",
        "--end-of-options",
        &tree,
    ]);
    for other in listed.unwrap_or_default() {
        if is_misspelt(name, &other) {
            return Some(misspelt(&shown, &term::printable(&(tree + &other))));
        }
    }
    git.deleted(place, &shown)
}

fn misspelt(shown: &str, near: &str) -> Failure {
    Failure::new(format!("no baseline `{shown}`")).hint(format!("did you mean `{near}`?"))
}

/// Returns git in a file's folder, which may belong to a different repository, and the file's place in `HEAD`.
fn locate(file: &Path) -> anyhow::Result<(Git, RefPath)> {
    let mut folder = Path::new(".");
    // If this variable is set, git takes the current folder as the top of the work tree.
    if env::var_os("GIT_DIR").is_none() {
        // In a sparse checkout, a commit's folders may be missing, so use the nearest existing one.
        let mut folders = file.ancestors().skip(1);
        folder = folders.find(|folder| folder.is_dir()).unwrap_or(folder);
    }
    let path = file.strip_prefix(folder).unwrap_or(file);
    let (Some(path), Some(_)) = (path.to_str(), file.file_name()) else {
        let shown = term::shown(file);
        return Err(Failure::new(format!("`{shown}` is not a file, or not UTF-8")).into());
    };
    let place = RefPath::new("HEAD", &format!("./{path}")).map_err(Failure::new)?;
    Ok((Git::at(folder), place))
}

impl Git {
    /// Reads the file at a path in a commit. Returns `None` if the commit does not contain the path.
    ///
    /// # Errors
    /// Fails without git or a repository, if the commit is unknown, if the object is not a file, or if the file is not
    /// stored in the repository itself, as with LFS.
    pub fn blob(&self, place: &RefPath) -> anyhow::Result<Option<Blob>> {
        let (path, shallow) = self.path_from_top(place)?;
        let commit = self.commit(&place.reference, shallow)?;
        let literal = format!(":(literal){path}");
        let listed = self.read(
            "cannot read the commit",
            &["ls-tree", "-z", "--full-tree", &commit, "--", &literal],
        )?;
        let Some(entry) = TreeEntry::parse(&listed) else {
            return Ok(None);
        };
        let text = self.content(&entry, MAX_TEXT).map_err(|why| {
            let shown = term::printable(&place.to_string());
            Failure::new(format!("cannot read `{shown}`")).because(why)
        })?;
        Ok(Some(Blob { commit, path, text }))
    }

    /// Reads the last `most` versions of a file, as seen from a commit. The file may have been deleted.
    ///
    /// Follows only first parents, which are the states of the branch itself. Merges, squashed commits and direct
    /// commits can be versions, but not the commits on a merged branch. If content came back, for example by a revert,
    /// only its last occurrence is a version. So no measurement is used twice, and the last version is the current one.
    /// Shallow clones return the versions that they contain.
    ///
    /// # Errors
    /// Fails without git or a repository, or if the commit is unknown. A file without a history is not an error: it has no
    /// versions.
    pub fn versions(&self, place: &RefPath, most: usize) -> anyhow::Result<FileHistory> {
        let (path, shallow) = self.path_from_top(place)?;
        let tip = self.commit(&place.reference, shallow)?;
        // With `-m` and first parents, a merge's effect on the branch is one change.
        let changes = [
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
            &tip,
            "--",
            &format!(":(top,literal){path}"),
        ];
        let changes = self.read("cannot read the history", &changes)?;
        let mut history = FileHistory {
            path,
            asked: most,
            shallow,
            from_the_start: !shallow,
            ..FileHistory::default()
        };
        let mut left = MOST;
        let mut contents: HashSet<String> = HashSet::new();
        for (commit, date, entry) in parse_changes(&changes, &history.path) {
            if !contents.insert(entry.object.clone()) {
                continue;
            }
            if contents.len() > most {
                history.from_the_start = false;
                break;
            }
            match self.content(&entry, left) {
                Ok(text) => {
                    left -= text.len() as u64;
                    history.versions.push(FileVersion { commit, date, text });
                }
                Err(why) => {
                    let why = failure::message(&why.into());
                    history.left_out.push(Unread { commit, why });
                }
            }
        }
        history.from_the_start &= !contents.is_empty();
        history.versions.reverse();
        history.left_out.reverse();
        Ok(history)
    }

    /// The file's path from the top of its repository, and whether the clone is shallow.
    fn path_from_top(&self, place: &RefPath) -> anyhow::Result<(String, bool)> {
        let text = self.clone().without_fetching().read(
            "cannot read the repository",
            &["rev-parse", "--is-shallow-repository", "--show-prefix"],
        )?;
        let text = text.trim_end_matches(['\r', '\n']);
        let (shallow, prefix) = text.split_once('\n').unwrap_or((text, ""));
        let shallow = shallow.trim() == "true";
        let mut parts: Vec<&str> = Vec::new();
        if place.path.starts_with("./") || place.path.starts_with("../") {
            // The folder's path, with a trailing slash.
            parts.extend(prefix.split_terminator('/'));
        }
        for part in place.path.split('/') {
            match part {
                "" | "." => {}
                ".." if parts.pop().is_some() => {}
                ".." => {
                    let path = term::printable(&place.path);
                    return Err(Failure::new(format!("`{path}` is outside the repository")).into());
                }
                part => parts.push(part),
            }
        }
        Ok((parts.join("/"), shallow))
    }

    /// The full hash of a commit. `None` if the local repository does not contain the commit.
    fn resolve(&self, reference: &str) -> Option<String> {
        let revision = format!("{reference}^{{commit}}");
        let git = self.clone().without_fetching();
        let commit = git.ask(&["rev-parse", "--verify", "--quiet", &revision])?;
        let commit = commit.trim();
        is_object(commit).then(|| commit.to_owned())
    }

    /// The full hash of a commit. Fails with advice if the local repository does not contain the commit.
    fn commit(&self, reference: &str, shallow: bool) -> Result<String, Failure> {
        if let Some(commit) = self.resolve(reference) {
            return Ok(commit);
        }
        let shown = term::printable(reference);
        let failure = Failure::new(format!("`{shown}` is not a commit in this repository"));
        if reference == "HEAD" {
            return Err(failure.hint("the branch has no commit yet"));
        }
        let remote = format!("refs/remotes/origin/{reference}");
        if self.resolve(&remote).is_some() {
            return Err(failure.hint(format!("did you mean `origin/{shown}`?")));
        }
        // Only plain names may be part of a command that users paste into a shell.
        let is_plain =
            |character: char| character.is_ascii_alphanumeric() || "/._-".contains(character);
        let mut fetch = "REF";
        if reference.chars().all(is_plain) {
            fetch = reference.trim_start_matches("origin/");
        }
        let why = if shallow {
            "the clone is shallow: "
        } else {
            ""
        };
        Err(failure.hint(format!(
            "{why}fetch it with `git fetch origin {fetch}`, or fetch everything with `fetch-depth: 0` in `actions/checkout`"
        )))
    }

    /// Reads the content of an entry. Fails if the entry is not a file, or if the content is longer than `left` bytes.
    fn content(&self, entry: &TreeEntry, left: u64) -> Result<Vec<u8>, Failure> {
        let kind = match entry.mode.as_str() {
            mode if mode.starts_with("100") => None,
            "120000" => Some("a symbolic link"),
            "160000" => Some("a submodule"),
            _ => Some("a folder"),
        };
        if let Some(kind) = kind {
            return Err(Failure::new(format!("it is {kind}, not a file")));
        }
        let cannot = |error| cannot_start(&self.folder, error);
        let mut command = self.command(&["cat-file", "blob", &entry.object]);
        let mut child = command.spawn().map_err(cannot)?;
        let limit = MAX_TEXT.min(left);
        let mut text = Vec::new();
        if let Some(stdout) = child.stdout.take() {
            let read = stdout.take(limit + 1).read_to_end(&mut text);
            read.map_err(cannot)?;
        }
        let output = child.wait_with_output().map_err(cannot)?;
        if text.len() as u64 > limit {
            return Err(Failure::new(if limit == MAX_TEXT {
                let mebibytes = limit / (1024 * 1024);
                format!("it has more than {mebibytes} MiB")
            } else {
                "all versions together are too large".to_owned()
            }));
        }
        if !output.status.success() {
            let failure = refusal(&self.folder, "its content is unreadable", &output.stderr);
            return Err(failure.hint("check the repository with `git fsck`"));
        }
        if text.starts_with(b"version https://git-lfs.github.com/spec/") {
            let why = "it is in LFS, so the repository has only a pointer to it: `git lfs untrack` keeps it out of LFS";
            return Err(Failure::new(why));
        }
        Ok(text)
    }

    /// Returns an error that shows which commit deleted the file. `None` if no commit deleted it.
    fn deleted(&self, place: &RefPath, shown: &str) -> Option<Failure> {
        let (path, _) = self.path_from_top(place).ok()?;
        let found = self.clone().without_fetching().ask(&[
            "log",
            "-1",
            "--no-color",
            "--diff-filter=D",
            "--no-renames",
            "--format=%H",
            "--end-of-options",
            &place.reference,
            "--",
            &format!(":(top,literal){path}"),
        ])?;
        let commit = found.trim();
        if !is_object(commit) {
            return None;
        }
        let commit = short(commit);
        let failure = Failure::new(format!("no baseline `{shown}`: commit {commit} deleted it"));
        let path = term::printable(&path);
        Some(failure.hint(format!(
            "restore it with `git checkout {commit}^ -- :/{path}`"
        )))
    }
}

impl FileHistory {
    /// A warning about unreadable versions, and a note if there are fewer versions than requested. Reports show the note
    /// only if a full clone would help.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let path = &self.path;
        if !self.left_out.is_empty() {
            let count = self.left_out.len() as u64;
            let message = format!(
                "skipped {} of `{path}` that cannot be read",
                counted(count, "version")
            );
            let mut examples = Vec::new();
            for Unread { commit, why } in &self.left_out {
                let commit = short(commit);
                examples.push(format!(
                    "skipped the version of `{path}` in {commit}: {why}"
                ));
            }
            found.push(Diagnostic::warning(message).examples(count, examples));
        }
        let (has, asked) = (self.versions.len(), self.asked);
        if has >= asked {
            return found;
        }
        let mut message = format!("found only {has} of {asked} versions of `{path}`");
        if self.shallow && has + self.left_out.len() < asked {
            let note = Diagnostic::note(message + ": the clone is shallow");
            found.push(note.at("history").hint(
                "let `actions/checkout` fetch everything with `fetch-depth: 0`, or run `git fetch --unshallow`",
            ));
            return found;
        }
        if let Some(first) = self.versions.first()
            && self.from_the_start
        {
            let commit = short(&first.commit);
            message =
                format!("{message}: the file was added in {commit}; renames are not followed");
        }
        found.push(Diagnostic::info(message).at("history"));
        found
    }
}

/// Abbreviates a commit hash.
pub fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

/// Parses `git log -z --raw`: `<commit> <date>` for each commit, then `:<modes and objects>` and a path for each changed
/// file. Returns the changes of the file at `path`.
fn parse_changes(log: &str, path: &str) -> Vec<(String, i64, TreeEntry)> {
    let mut changes = Vec::new();
    let mut commit = None;
    let mut texts = log.split('\0');
    while let Some(text) = texts.next() {
        let text = text.trim_start();
        let Some(fields) = text.strip_prefix(':') else {
            commit = parse_commit(text);
            continue;
        };
        // If the path was once a folder, paths in that folder also match. The old mode is the first field.
        if texts.next() == Some(path)
            && let Some((_, new)) = fields.split_once(' ')
            && let Some(entry) = TreeEntry::parse(new)
            && let Some((commit, date)) = commit.clone()
        {
            changes.push((commit, date, entry));
        }
    }
    changes
}

/// Parses a full hash and a date, separated by a space.
fn parse_commit(text: &str) -> Option<(String, i64)> {
    let (commit, date) = text.split_once(' ')?;
    let date = date.trim().parse().ok()?;
    is_object(commit).then(|| (commit.to_owned(), date))
}

/// Whether `text` is an object's full hash.
pub(crate) fn is_object(text: &str) -> bool {
    text.parse::<CommitId>().is_ok()
}

/// A commit in any form that git accepts, and the path of a file in the commit. The path begins at the top of the
/// repository or, with leading `./` or `../`, at the working directory.
///
/// ```
/// # use perf_cli::load::git::RefPath;
/// let place: RefPath = "origin/main:docs/perf-baseline.csv".parse().unwrap();
/// assert_eq!((place.reference(), place.path()), ("origin/main", "docs/perf-baseline.csv"));
/// assert!("--output=x:y".parse::<RefPath>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefPath {
    reference: String,
    path: String,
}

impl RefPath {
    /// Checks both parts: the commit must look like one, and the path must be relative.
    ///
    /// # Errors
    /// Fails if a part is invalid. The text says why.
    pub fn new(reference: &str, path: &str) -> Result<Self, String> {
        let path = if cfg!(windows) {
            path.replace('\\', "/")
        } else {
            path.to_owned()
        };
        let shown = term::printable(reference);
        if reference.is_empty() || path.is_empty() || path.contains('\0') {
            return Err(format!(
                "`{shown}:{}` is not REF:PATH, such as `HEAD:perf-baseline.csv`",
                term::printable(&path)
            ));
        }
        if reference.starts_with(['-', '^'])
            || reference.contains("..")
            || reference.contains(char::is_control)
        {
            return Err(format!("`{shown}` does not match exactly one commit"));
        }
        if path.starts_with('/') {
            let relative = term::printable(path.trim_start_matches('/'));
            return Err(format!(
                "`{}` is not a path in a repository; paths begin at its top, such as `{shown}:{relative}`",
                term::printable(&path)
            ));
        }
        Ok(Self {
            reference: reference.to_owned(),
            path,
        })
    }

    /// The commit as written.
    pub fn reference(&self) -> &str {
        &self.reference
    }

    /// The path as written, with `/` on all systems.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl FromStr for RefPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some(colon) = separator(text) else {
            let shown = term::printable(text);
            return Err(if Path::new(text).is_file() {
                format!(
                    "`{shown}` is a file: use `--baseline-csv {shown}`, or `HEAD:{shown}` for the committed one"
                )
            } else {
                format!(
                    "`{shown}` has no `:PATH`; write REF:PATH, such as `{shown}:perf-baseline.csv`"
                )
            });
        };
        Self::new(&text[..colon], &text[colon + 1..])
    }
}

/// Finds the first colon outside braces, because `HEAD@{2031-03-04 10:00}` contains one inside.
fn separator(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.bytes().position(|byte| {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        byte == b':' && depth == 0
    })
}

impl fmt::Display for RefPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.reference, self.path)
    }
}
