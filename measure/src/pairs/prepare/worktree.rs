//! Checks out a commit in a temporary worktree.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::git::{git, in_folder, run, top_level};
use crate::guardian::{Guardian, Stopped};
use crate::process::CommandSpec;

/// A temporary worktree. Dropping this value removes it.
pub struct Worktree {
    repository: PathBuf,
    /// The directory in the worktree that corresponds to the working directory.
    pub folder: PathBuf,
    root: PathBuf,
    /// The directory that contains the worktree. It is removed after the worktree.
    _temporary: TempDir,
}

impl Worktree {
    pub fn add(here: &Path, commit: &str, guardian: &Guardian) -> anyhow::Result<Self> {
        if guardian.is_interrupted() {
            return Err(Stopped::Interrupted.into());
        }
        let repository = top_level(here)?;
        let prefix = git(here, &["rev-parse", "--show-prefix"])?;
        guardian.prune_at_end(&repository);
        let temporary = guardian.temporary_folder()?;
        let root = temporary
            .path()
            .join(name_as_long_as(&repository, temporary.path()));
        let path = root.to_string_lossy().into_owned();
        let add = [
            "-c",
            "core.fsmonitor=false",
            "worktree",
            "add",
            "--quiet",
            "--detach",
            &path,
            commit,
        ];
        run(
            guardian.mark_patiently(&mut in_folder(&repository, &add)),
            "worktree add",
        )?;
        Ok(Self {
            repository,
            folder: root.join(prefix),
            root,
            _temporary: temporary,
        })
    }
}

impl Drop for Worktree {
    fn drop(&mut self) {
        let path = self.root.to_string_lossy();
        // A build may have left untracked files, so this needs `--force`. If it fails, the guardian removes the worktree.
        let _ = git(&self.repository, &["worktree", "remove", "--force", &path]);
    }
}

/// Separates the builds of two worktrees. If both used the build directory in the environment, the second build would
/// replace the first.
pub fn keep_builds_apart(line: &mut CommandSpec) {
    const SHARED: &str = "CARGO_TARGET_DIR";
    if std::env::var_os(SHARED).is_some() {
        let own = line.folder.join("target");
        line.variables.push((SHARED.into(), own.into()));
    }
}

/// Returns a name that makes the worktree's path as long as the repository's, if the temporary directory's path is short
/// enough.
fn name_as_long_as(repository: &Path, temporary: &Path) -> String {
    let room = repository
        .as_os_str()
        .len()
        .saturating_sub(temporary.as_os_str().len() + 1);
    format!("{:b<room$}", "base", room = room.max("base".len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worktree_path_is_as_long_as_the_repository_path() {
        let temporary = Path::new("/tmp/perf-gate-abc123");
        let long = Path::new("/repositories/of/a/project");
        let path = temporary.join(name_as_long_as(long, temporary));
        assert_eq!(path.as_os_str().len(), long.as_os_str().len());
        assert_eq!(name_as_long_as(Path::new("/src"), temporary), "base");
    }
}
