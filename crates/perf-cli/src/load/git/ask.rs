//! Queries a repository.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Output;

use crate::git::Git;
use crate::{Failure, term};

use super::content::parse_commit;
use super::place::RefPath;

/// Properties of a repository that commands need.
pub(super) struct RepositoryFacts {
    /// The folder's path in the repository: empty at the top, otherwise with a trailing `/`.
    pub prefix: String,
    pub shallow: bool,
}

impl Git {
    /// Git in the file's folder, which may be in another repository than the working directory; and the file's path
    /// from there.
    pub(super) fn beside(file: &Path) -> anyhow::Result<(Self, String)> {
        let shown = term::shown(file);
        let text = |part: &OsStr| part.to_str().map(|text| format!("./{text}"));
        let not_text = || Failure::new(format!("`{shown}` is not UTF-8"));
        // With this variable, git takes the current folder as the top of the work tree.
        if std::env::var_os("GIT_DIR").is_some() {
            return Ok((Self::here(), text(file.as_os_str()).ok_or_else(not_text)?));
        }
        if file.file_name().is_none() {
            return Err(Failure::new(format!("`{shown}` is not a file")).into());
        }
        // In a sparse checkout, a commit's folders may be missing.
        let is_there = |folder: &&Path| folder.as_os_str().is_empty() || folder.is_dir();
        let folder = file
            .ancestors()
            .skip(1)
            .find(is_there)
            .unwrap_or(Path::new(""));
        let rest = file.strip_prefix(folder).unwrap_or(file);
        let path = text(rest.as_os_str()).ok_or_else(not_text)?;
        Ok((
            if folder.as_os_str().is_empty() {
                Self::here()
            } else {
                Self::at(folder)
            },
            path,
        ))
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
        let prefix = prefix
            .strip_suffix('\n')
            .unwrap_or(prefix)
            .trim_end_matches('\r');
        Ok(RepositoryFacts {
            prefix: prefix.to_owned(),
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
        let name = reference
            .trim_start_matches("refs/")
            .trim_start_matches("remotes/");
        let name = name
            .trim_start_matches("heads/")
            .trim_start_matches("origin/");
        // Only plain names may be part of a command that users paste into a shell.
        let plain =
            |character: char| character.is_ascii_alphanumeric() || "/._-".contains(character);
        let fetch = if name.chars().all(plain) { name } else { "REF" };
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
}
