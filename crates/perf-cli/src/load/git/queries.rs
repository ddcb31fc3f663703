//! Queries a repository: commits, the changes of a file, and contents.

use std::collections::HashSet;
use std::env;
use std::io::Read;
use std::path::Path;
use std::process::{Output, Stdio};

use perf_model::commit::CommitId;

use super::place::RefPath;
use crate::file::MAX_TEXT;
use crate::git::{Git, TreeEntry};
use crate::{Failure, term};

/// Properties of a repository that commands need.
pub(super) struct RepositoryFacts {
    /// The folder's path in the repository: empty at the top, otherwise with a trailing `/`.
    pub prefix: String,
    pub shallow: bool,
}

impl Git {
    /// Git in the file's folder, which may be in another repository than the working directory; and the file's path
    /// from there.
    pub(super) fn for_file(file: &Path) -> anyhow::Result<(Self, String)> {
        // With this variable, git takes the current folder as the top of the work tree.
        let mut folder = Path::new("");
        if env::var_os("GIT_DIR").is_none() {
            // In a sparse checkout, a commit's folders may be missing.
            let mut folders = file.ancestors().skip(1);
            folder = folders.find(|folder| folder.is_dir()).unwrap_or(folder);
        }
        let path = file.strip_prefix(folder).unwrap_or(file);
        let path = match path.to_str() {
            Some(path) if file.file_name().is_some() => format!("./{path}"),
            _ => {
                let shown = term::shown(file);
                return Err(Failure::new(format!("`{shown}` is not a file, or not UTF-8")).into());
            }
        };
        if folder.as_os_str().is_empty() {
            return Ok((Self::here(), path));
        }
        Ok((Self::at(folder), path))
    }

    /// Runs a command with only the objects that exist locally.
    fn ask_locally(&self, arguments: &[&str]) -> Result<Output, Failure> {
        self.clone().without_fetching().output(arguments)
    }

    /// The folder's path in its repository, and whether the clone is shallow.
    pub(super) fn repository(&self) -> anyhow::Result<RepositoryFacts> {
        let output =
            self.ask_locally(&["rev-parse", "--is-shallow-repository", "--show-prefix"])?;
        if !output.status.success() {
            return Err(self
                .refused("cannot read the repository", &output.stderr)
                .into());
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let (shallow, prefix) = text.split_once('\n').unwrap_or((&text, ""));
        Ok(RepositoryFacts {
            prefix: prefix.trim_end_matches(['\r', '\n']).to_owned(),
            shallow: shallow.trim() == "true",
        })
    }

    /// A commit's full hash and date, in seconds since 1970.
    pub(super) fn commit(&self, spec: &RefPath, shallow: bool) -> anyhow::Result<(String, i64)> {
        let reference = spec.reference();
        match self.resolve(reference)? {
            Some(commit) => Ok(commit),
            None => Err(self.unknown(reference, shallow)),
        }
    }

    fn resolve(&self, reference: &str) -> anyhow::Result<Option<(String, i64)>> {
        let revision = format!("{reference}^{{commit}}");
        let output = self.ask_locally(&[
            "log",
            "-1",
            "--no-color",
            "--format=%H %ct",
            "--end-of-options",
            &revision,
            "--",
        ])?;
        // A killed git says nothing about the commit.
        if output.status.code().is_none() {
            return Err(self
                .refused("cannot read the commit", &output.stderr)
                .into());
        }
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(parse_commit(&text).filter(|_| output.status.success()))
    }

    fn unknown(&self, reference: &str, shallow: bool) -> anyhow::Error {
        let shown = term::printable(reference);
        let failure = Failure::new(format!("`{shown}` is not a commit in this repository"));
        if reference == "HEAD" {
            return failure.hint("the branch has no commit yet").into();
        }
        let remote = format!("refs/remotes/origin/{reference}");
        if matches!(self.resolve(&remote), Ok(Some(_))) {
            return failure
                .hint(format!("did you mean `origin/{shown}`?"))
                .into();
        }
        // Only plain names may be part of a command that users paste into a shell.
        let is_plain =
            |character: char| character.is_ascii_alphanumeric() || "/._-".contains(character);
        let fetch = if reference.chars().all(is_plain) {
            reference.trim_start_matches("origin/")
        } else {
            "REF"
        };
        let why = if shallow {
            "the clone is shallow: "
        } else {
            ""
        };
        failure
            .hint(format!(
                "{why}fetch it with `git fetch origin {fetch}`, or all with `fetch-depth: 0` of `actions/checkout`"
            ))
            .into()
    }

    /// The files that differ between the work tree and a commit.
    pub(super) fn changed_since(&self, commit: &str) -> Option<Vec<String>> {
        let options = [
            "diff",
            "--name-only",
            "-z",
            "--no-ext-diff",
            "--no-renames",
            "--no-textconv",
        ];
        let arguments = [&options[..], &["--ignore-submodules", commit, "--"]].concat();
        self.clone().without_fetching().list(&arguments)
    }

    /// The last `most` changes to contents that do not occur again later, newest first, and whether these are all.
    pub(super) fn changes(
        &self,
        tip: &str,
        path: &str,
        most: usize,
    ) -> anyhow::Result<(Vec<FileChange>, bool)> {
        let spec = format!(":(top,literal){path}");
        // With `-m` and first parents, a merge's effect on the branch is one change.
        let output = self.output(&[
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
            return Err(self
                .refused("cannot read the history", &output.stderr)
                .into());
        }
        // Each commit is `<commit> <date>`, then `:<modes and objects>` and a path for each changed file.
        let mut changes = Vec::new();
        let mut contents: HashSet<String> = HashSet::new();
        let (mut commit, mut entry) = (None, None::<TreeEntry>);
        for text in String::from_utf8_lossy(&output.stdout).split('\0') {
            let text = text.trim_start_matches('\n');
            let Some(entry) = entry.take() else {
                if text.starts_with(':') {
                    entry = parse_entry(text);
                } else {
                    commit = parse_commit(text);
                }
                continue;
            };
            // If the path was once a folder, other paths match.
            if text != path || !contents.insert(entry.object.clone()) {
                continue;
            }
            if changes.len() == most {
                return Ok((changes, false));
            }
            if let Some((commit, date)) = commit.clone() {
                changes.push(FileChange {
                    commit,
                    date,
                    entry,
                });
            }
        }
        Ok((changes, true))
    }

    /// The content of an entry with at most `left` bytes, or the reason why it cannot be used.
    pub(super) fn content(
        &self,
        entry: &TreeEntry,
        left: u64,
    ) -> anyhow::Result<Result<Vec<u8>, String>> {
        if let Some(kind) = entry.no_file() {
            return Ok(Err(format!("it is {kind}, not a file")));
        }
        let mut command = self.command(&["cat-file", "blob", &entry.object]);
        let child = command.stderr(Stdio::null()).spawn();
        let mut child = child.map_err(|error| self.cannot_start(error))?;
        let limit = MAX_TEXT.min(left);
        let mut text = Vec::new();
        if let Some(stdout) = child.stdout.take() {
            stdout.take(limit + 1).read_to_end(&mut text)?;
        }
        let is_read = child.wait()?.success();
        let mebibytes = limit / (1024 * 1024);
        if text.len() as u64 > limit {
            return Ok(Err(if limit == MAX_TEXT {
                format!("it has more than {mebibytes} MiB")
            } else {
                "all versions together are too large".to_owned()
            }));
        }
        if !is_read {
            let found = self.ask_locally(&["cat-file", "-e", &entry.object])?;
            let why = if found.status.success() {
                "git cannot read its content: `git fsck` shows the cause"
            } else {
                "the clone does not have its content, and could not fetch it"
            };
            return Ok(Err(why.to_owned()));
        }
        if text.starts_with(b"version https://git-lfs.github.com/spec/") {
            let why = "it is in LFS, so the repository has only a pointer to it: `git lfs untrack` keeps it out of LFS";
            return Ok(Err(why.to_owned()));
        }
        Ok(Ok(text))
    }
}

/// A commit that changed a file.
pub(super) struct FileChange {
    pub commit: String,
    pub date: i64,
    pub entry: TreeEntry,
}

/// Parses a full hash and a date, separated by a space.
fn parse_commit(text: &str) -> Option<(String, i64)> {
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

/// Whether a text is an object's full hash.
pub(crate) fn is_object(text: &str) -> bool {
    text.parse::<CommitId>().is_ok()
}
