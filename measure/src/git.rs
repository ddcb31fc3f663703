//! Runs the git commands of a measurement.

use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use perf_cli::Failure;
use perf_cli::git::Git;
pub use perf_cli::git::{INERT as QUIETLY, run};
use perf_cli::term::printable;
use perf_model::suggest::nearest;

/// Runs git and returns its standard output without the final newline.
pub fn git(folder: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    Ok(run(&mut in_folder(folder, arguments), arguments[0])?)
}

/// The environment variable that sets the path of git's index.
pub const INDEX: &str = "GIT_INDEX_FILE";

/// Runs git with environment variables and with text as its input. Returns its standard output without the final newline.
pub fn git_with(
    folder: &Path,
    arguments: &[&str],
    variables: &[(&str, &Path)],
    input: &str,
) -> anyhow::Result<String> {
    let mut list = tempfile::tempfile()?;
    list.write_all(input.as_bytes())?;
    list.rewind()?;
    let mut command = in_folder(folder, arguments);
    command.envs(variables.iter().copied()).stdin(list);
    Ok(run(&mut command, arguments[0])?)
}

pub fn in_folder(folder: &Path, arguments: &[&str]) -> Command {
    // Without this option, even read-only commands write to the user's index.
    Git::at(folder)
        .with("diff.autoRefreshIndex=false")
        .command(arguments)
}

/// Returns the top-level directory of the repository that contains a directory.
pub fn top_level(folder: &Path) -> anyhow::Result<PathBuf> {
    git(folder, &["rev-parse", "--show-toplevel"]).map(PathBuf::from)
}

/// Resolves a reference to the ID of its commit.
///
/// # Errors
/// Fails if `repository` is not in a git repository, or does not contain the commit.
pub fn commit_of(repository: &Path, reference: &str) -> anyhow::Result<String> {
    let commit = format!("{reference}^{{commit}}");
    let found = git(
        repository,
        &["rev-parse", "--verify", "--end-of-options", &commit],
    );
    found.map_err(|error| {
        let answer = |arguments: &[&str]| git(repository, arguments).unwrap_or_default();
        if answer(&["rev-parse", "--git-dir"]).is_empty() {
            return error;
        }
        let names = answer(&["for-each-ref", "--format=%(refname:short)"]);
        let hint = if answer(&["rev-parse", "--is-shallow-repository"]) == "true" {
            "this clone is shallow: fetch more commits with `git fetch --unshallow`".to_owned()
        } else if answer(&["rev-parse", "--quiet", "--verify", "HEAD"]).is_empty() {
            "this repository has no commits yet: commit first".to_owned()
        } else if let Some(name) = nearest(reference, names.lines()) {
            format!("did you mean `{}`?", printable(name))
        } else {
            "fetch it with `git fetch`".to_owned()
        };
        let unknown = Failure::new(format!("unknown commit `{}`", printable(reference)));
        unknown.hint(hint).into()
    })
}
