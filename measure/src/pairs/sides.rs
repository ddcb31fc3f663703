//! The two sides: commands, folders, worktrees, builds.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;
use perf_cli::load::harness;
use perf_cli::term::{printable, printable_lines};
use perf_cli::{Failure, ResultExt, term};
use perf_config::Config;
use tempfile::TempDir;

use crate::guardian::Guardian;
use crate::pairs::{PairsRequest, SideRequest, Tree};
use crate::process::{Launcher, Line};
use crate::schedule::Side;

/// The characters of a commit that people see.
const SHORT: usize = 10;

/// One side, ready to be launched.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// What is measured.
    pub command: Line,
    /// The commit, where it is known.
    pub commit: String,
    /// The fingerprints of the benchmark itself, as words of a methodology.
    pub fingerprints: String,
}

/// Both sides. Worktrees are removed with it.
#[derive(Debug)]
pub struct Sides {
    /// The side that the current one is compared with.
    pub base: Prepared,
    /// What is judged.
    pub current: Prepared,
    worktrees: Vec<Worktree>,
}

impl Sides {
    /// Finds both commands and makes the worktrees.
    ///
    /// # Errors
    /// No two sides, a commit that does not exist, or a worktree that git cannot make.
    pub fn of(request: &PairsRequest, guardian: &Guardian) -> anyhow::Result<Self> {
        let here = std::env::current_dir().context("cannot determine the working directory")?;
        let mut worktrees = Vec::new();
        let mut prepared = |side: &SideRequest, is_merge_base: bool| {
            let (folder, commit) = match &side.tree {
                Tree::Commit(reference) => {
                    let commit = commit_of(&here, reference, is_merge_base)?;
                    let worktree = Worktree::add(&here, &commit, worktrees.len(), guardian)?;
                    let folder = worktree.folder.clone();
                    worktrees.push(worktree);
                    (folder, commit)
                }
                Tree::Folder(folder) => with_head(here.join(folder)),
                Tree::Here => with_head(here.clone()),
            };
            let command = Line::of(side.command.clone(), &folder)?;
            anyhow::Ok(Prepared { command, commit, fingerprints: String::new() })
        };
        let mut base = prepared(&request.base, request.is_merge_base)?;
        let current = prepared(&request.current, false)?;
        if let Tree::Commit(_) = request.base.tree {
            keep_builds_apart(&mut base.command);
            tell_of_uncommitted(&request.current.tree, &here);
        }
        warn_of_unequal_paths(&base.command.folder, &current.command.folder);
        Ok(Self { base, current, worktrees })
    }

    /// Takes the fingerprints of the benchmark itself on both sides, before anything is built there.
    ///
    /// # Errors
    /// Files of `[harness]` that cannot be read.
    pub fn take_fingerprints(&mut self, config: &Config) -> anyhow::Result<()> {
        for side in [&mut self.base, &mut self.current] {
            let root = harness::root_of(&side.command.folder);
            let (words, found) = harness::fingerprints(config, &root)?;
            term::diagnostics(&found);
            side.fingerprints = words.join(" ");
        }
        Ok(())
    }

    /// The command of a side.
    pub fn side(&self, side: Side) -> &Prepared {
        match side {
            Side::Base => &self.base,
            Side::Current => &self.current,
        }
    }

    /// A side for messages, with its commit.
    pub fn named(&self, side: Side) -> String {
        let name = if side == Side::Base { "the base" } else { "the current side" };
        format!("{name}{}", at(&self.side(side).commit))
    }

    /// Builds one side in its folder.
    ///
    /// # Errors
    /// When it does not build.
    pub fn build(&self, side: Side, command: &[OsString], launcher: &Launcher<'_>) -> anyhow::Result<()> {
        let (line, name) = (self.side(side).command.with(command)?, self.named(side));
        term::note(&format!("building {name}"));
        launcher.launch(&line, 1, 0).map(drop).with_context(|| format!("{name} does not build"))
    }

    /// Removes the worktrees now, so that an error can be seen.
    ///
    /// # Errors
    /// A worktree that git cannot remove.
    pub fn close(self) -> anyhow::Result<()> {
        self.worktrees.into_iter().try_for_each(Worktree::remove)
    }
}

fn at(commit: &str) -> String {
    let short: String = commit.chars().take(SHORT).collect();
    if short.is_empty() { short } else { format!(" ({short})") }
}

/// A build folder that the environment names is shared by both sides, and the second build would replace the first.
fn keep_builds_apart(line: &mut Line) {
    const SHARED: [&str; 1] = ["CARGO_TARGET_DIR"];
    for name in SHARED.into_iter().filter(|name| std::env::var_os(name).is_some()) {
        line.variables.push((name.into(), line.folder.join("target").into()));
    }
}

/// A working tree with changes is not the commit that its rows name.
fn tell_of_uncommitted(current: &Tree, here: &Path) {
    let status = git(here, &["status", "--porcelain", "--untracked-files=no"]);
    match current {
        _ if !status.is_ok_and(|changes| !changes.is_empty()) => {}
        Tree::Commit(_) => term::warn(
            "the working tree has uncommitted changes, which are not measured: both sides are commits",
        ),
        _ => term::note("the current side has uncommitted changes, which are measured"),
    }
}

/// A folder as it is, and its commit where it has one.
fn with_head(folder: PathBuf) -> (PathBuf, String) {
    let commit = git(&folder, &["rev-parse", "HEAD"]).unwrap_or_default();
    (folder, commit)
}

/// Paths are arguments and parts of the environment: where they differ in length, the stacks start elsewhere.
fn warn_of_unequal_paths(base: &Path, current: &Path) {
    let length = |path: &Path| path.as_os_str().len();
    if length(base) != length(current) {
        term::note(&format!(
            "the paths of the two sides have {} and {} bytes; equal lengths leave one difference less",
            length(base),
            length(current)
        ));
    }
}

fn commit_of(repository: &Path, reference: &str, merge_base: bool) -> anyhow::Result<String> {
    let invalid = || {
        anyhow::Error::from(
            Failure::new(format!("invalid commit `{}`: git does not know it", printable(reference)))
                .hint("a shallow clone has only its own commit: fetch more with `git fetch --unshallow`"),
        )
    };
    let commit = format!("{reference}^{{commit}}");
    let found = git(repository, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]);
    let commit = found.map_err(|_| invalid())?;
    if merge_base {
        git(repository, &["merge-base", &commit, "HEAD"]).map_err(|_| invalid())
    } else {
        Ok(commit)
    }
}

/// A worktree in a temporary folder.
#[derive(Debug)]
struct Worktree {
    repository: PathBuf,
    /// The folder in it that is the working directory's in the repository.
    folder: PathBuf,
    root: PathBuf,
    temporary: Option<TempDir>,
}

impl Worktree {
    fn add(here: &Path, commit: &str, number: usize, guardian: &Guardian) -> anyhow::Result<Self> {
        let repository = PathBuf::from(git(here, &["rev-parse", "--show-toplevel"])?);
        let prefix = git(here, &["rev-parse", "--show-prefix"])?;
        let name = format!("{}-{number}", guardian.folder_name());
        guardian.remove_at_end(&std::env::temp_dir().join(&name));
        guardian.prune_at_end(&repository);
        let folder = tempfile::Builder::new().prefix(&name).rand_bytes(0).tempdir();
        let temporary = folder.context("cannot make a temporary folder")?;
        let root = temporary.path().join(name_as_long_as(&repository, temporary.path()));
        let path = root.to_string_lossy().into_owned();
        let add = ["-c", "core.fsmonitor=false", "worktree", "add", "--quiet", "--detach", &path, commit];
        run_git(guardian.mark_patiently(&mut git_in(&repository, &add)), "worktree add")?;
        Ok(Self { repository, folder: root.join(prefix), root, temporary: Some(temporary) })
    }

    fn remove(mut self) -> anyhow::Result<()> {
        self.clean()
    }

    fn clean(&mut self) -> anyhow::Result<()> {
        let Some(temporary) = self.temporary.take() else { return Ok(()) };
        let path = self.root.to_string_lossy().into_owned();
        // A build may have left files that git does not know.
        git(&self.repository, &["worktree", "remove", "--force", &path])?;
        temporary.close().with_context(|| format!("cannot remove `{path}`"))
    }
}

impl Drop for Worktree {
    fn drop(&mut self) {
        // After an error there is another message already.
        let _ = self.clean();
    }
}

/// A name that makes the path as long as the repository's, where the temporary folder leaves room for it.
fn name_as_long_as(repository: &Path, temporary: &Path) -> String {
    let room = repository.as_os_str().len().saturating_sub(temporary.as_os_str().len() + 1);
    format!("{:b<room$}", "base", room = room.max("base".len()))
}

/// The standard output of git, without the line end.
fn git(folder: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    run_git(&mut git_in(folder, arguments), arguments.first().unwrap_or(&""))
}

fn git_in(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(arguments).stdin(Stdio::null());
    command
}

fn run_git(command: &mut Command, name: &str) -> anyhow::Result<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worktree_path_is_as_long_as_the_repositorys() {
        let temporary = Path::new("/tmp/perf-gate-abc123");
        let long = Path::new("/repositories/of/a/project");
        let path = temporary.join(name_as_long_as(long, temporary));
        assert_eq!(path.as_os_str().len(), long.as_os_str().len());
        assert_eq!(name_as_long_as(Path::new("/src"), temporary), "base");
    }
}
