//! Git, as a program.

use std::path::Path;
use std::process::{Command, Stdio};

use perf_cli::term::printable_lines;
use perf_cli::{Failure, ResultExt};

/// Options of commands that write a tree: nothing of the project runs, and nothing is watched.
pub const QUIETLY: [&str; 8] = [
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.untrackedCache=false",
    "-c",
    "submodule.recurse=false",
];

/// The standard output of git, without the line end.
pub fn git(folder: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    run(&mut in_folder(folder, arguments), arguments.first().unwrap_or(&""))
}

/// A command of git.
pub fn in_folder(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    // Commands that only read would write what they learn into the user's index.
    command
        .args(["-c", "diff.autoRefreshIndex=false", "-C"])
        .arg(folder)
        .args(arguments)
        .stdin(Stdio::null());
    command.env("GIT_OPTIONAL_LOCKS", "0");
    command
}

/// Runs git, and returns its standard output without the line end.
///
/// # Errors
/// What git said.
pub fn run(command: &mut Command, name: &str) -> anyhow::Result<String> {
    let output = command.output().map_err(|error| Failure::new(format!("cannot start `git`: {error}")))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned());
    }
    let why = printable_lines(String::from_utf8_lossy(&output.stderr).trim());
    Err(Failure::new(format!("`git {name}` failed"))).hint(if why.is_empty() {
        "git said nothing".to_owned()
    } else {
        why
    })
}

/// The commit that a text names, or where HEAD left it.
///
/// # Errors
/// A commit that git does not know.
pub fn commit_of(repository: &Path, reference: &str, is_merge_base: bool) -> anyhow::Result<String> {
    let invalid = || {
        let reference = perf_cli::term::printable(reference);
        anyhow::Error::from(
            Failure::new(format!("invalid commit `{reference}`: git does not know it"))
                .hint("a shallow clone has only its own commit: fetch more with `git fetch --unshallow`"),
        )
    };
    let commit = format!("{reference}^{{commit}}");
    let found = git(repository, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]);
    let commit = found.map_err(|_| invalid())?;
    if is_merge_base {
        git(repository, &["merge-base", &commit, "HEAD"]).map_err(|_| invalid())
    } else {
        Ok(commit)
    }
}
