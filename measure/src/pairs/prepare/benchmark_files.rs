//! Uses the head's benchmark files on both sides, so that a changed benchmark is not mistaken for a changed program.

use std::fs;
use std::path::Path;

use anyhow::{anyhow, bail};
use perf_cli::{ResultExt, term};
use perf_config::Config;
use tempfile::TempDir;

use crate::git::{INDEX, git, git_with};
use crate::guardian::Guardian;

/// The base commit's files, but with the head's `[harness]` files.
pub struct BaseTree {
    /// The base commit.
    pub commit: String,
    /// The git tree that contains the files.
    pub tree: String,
    /// A temporary object directory, which adds to the repository's own.
    objects: TempDir,
}

impl BaseTree {
    /// Creates the tree. `head` is a commit, or `None` for the working tree with its uncommitted files.
    ///
    /// # Errors
    /// Fails if `[harness]` matches no files in the head, or if git fails.
    pub fn with_head_benchmark(
        root: &Path,
        commit: &str,
        head: Option<&str>,
        config: &Config,
        guardian: &Guardian,
    ) -> anyhow::Result<Self> {
        let patterns = &config.harness.paths;
        if patterns.is_empty() {
            return Err(anyhow!(
                "`[harness]` lists no files to copy from the head to the base"
            ))
            .hint("list the benchmark's files as `paths` of `[harness]` in the config");
        }
        let is_harness = |path: &str| patterns.iter().any(|pattern| pattern.matches(path));
        let objects = guardian.temporary_folder()?;
        let own = root.join(git(root, &["rev-parse", "--git-path", "objects"])?);
        let info = objects.path().join("info");
        fs::create_dir(&info)?;
        fs::write(info.join("alternates"), own.as_os_str().as_encoded_bytes())?;
        // Runs git with a temporary index and a temporary object directory, so that the repository does not change.
        let index = objects.path().join("index");
        let variables = [(INDEX, &*index), (OBJECTS, objects.path())];
        let run = |arguments: &[&str], input: &str| git_with(root, arguments, &variables, input);
        run(&["read-tree", commit], "")?;
        let removed = entries(&run(&["ls-files", "-z"], "")?, is_harness);
        let remove = ["update-index", "-z", "--force-remove", "--stdin"];
        run(&remove, &removed)?;
        let (added, update) = if let Some(head) = head {
            let all = git(root, &["ls-tree", "-r", "-z", "--full-tree", head])?;
            let is_harness = |entry: &str| {
                entry
                    .split_once('\t')
                    .is_some_and(|(_, path)| is_harness(path))
            };
            (entries(&all, is_harness), "--index-info")
        } else {
            let untracked = ["--cached", "--others", "--exclude-standard"];
            let all = git(root, &[&["ls-files", "-z"], &untracked[..]].concat())?;
            let exists = |path: &str| root.join(path).symlink_metadata().is_ok();
            (
                entries(&all, |path| is_harness(path) && exists(path)),
                "--stdin",
            )
        };
        let count = added.matches('\0').count();
        if count == 0 {
            bail!("the head contains no `[harness]` file");
        }
        term::note(&format!(
            "the base runs the head's benchmark ({count} files)"
        ));
        run(&["update-index", "-z", "--add", update], &added)?;
        Ok(Self {
            commit: commit.to_owned(),
            tree: run(&["write-tree"], "")?,
            objects,
        })
    }

    /// Returns the environment variable that makes git use the tree's objects and the repository's.
    pub fn variable(&self) -> (&'static str, &Path) {
        (OBJECTS, self.objects.path())
    }
}

/// The environment variable that sets git's object directory.
const OBJECTS: &str = "GIT_OBJECT_DIRECTORY";

/// Returns the chosen entries, each followed by a zero byte.
pub fn entries(all: &str, is_chosen: impl Fn(&str) -> bool) -> String {
    all.split_inclusive('\0')
        .filter(|entry| is_chosen(entry.trim_end_matches('\0')))
        .collect()
}
