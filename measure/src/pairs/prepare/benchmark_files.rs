//! The head's benchmark files on both sides, so that a changed benchmark is not mistaken for a changed program.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Context;
use perf_cli::load::benchmark_files::root_of;
use perf_cli::{Failure, term};
use perf_config::Config;
use perf_model::methodology::HARNESS;
use tempfile::TempDir;

use super::sides::{SharedHarness, Sides};
use crate::git::git;
use crate::guardian::Guardian;
use crate::mount_view::{Replacement, replace};

impl Sides {
    /// Replaces the base's `[harness]` files by the head's, including added and deleted files.
    ///
    /// # Errors
    /// `[harness]` matches no files, the base is not a commit, or files cannot be read or written.
    pub(crate) fn use_head_benchmark(
        &mut self,
        config: &Config,
        guardian: &Guardian,
    ) -> anyhow::Result<()> {
        let patterns = &config.harness.paths;
        let is_harness = |path: &str| patterns.iter().any(|pattern| pattern.matches(path));
        if patterns.is_empty() {
            return Err(Failure::new(
                "`[harness]` lists no files to copy from the head to the base",
            )
            .hint("list the benchmark's files as `paths` of `[harness]` in the config")
            .into());
        }
        let root = root_of(&self.current.command.folder);
        let of_commit = |commit: &str| {
            let tree = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit];
            benchmark_files(&root, &tree, is_harness)
        };
        // The head's files come from its commit, or else from the working tree.
        let (present, from, folder) =
            if let (None, Some(checkout)) = (&self.current.tree, &self.checkout) {
                let commit = &self.current.commit;
                (
                    of_commit(commit)?,
                    checkout.export(commit, is_harness)?,
                    None,
                )
            } else {
                let (files, folder) = copied(&root, is_harness, guardian)?;
                (files, folder.path().to_owned(), Some(folder))
            };
        if present.is_empty() {
            return Err(Failure::new("the head contains no `[harness]` file").into());
        }
        // Files that only the base has are deleted there.
        let absent = of_commit(&self.base.commit)?
            .difference(&present)
            .cloned()
            .collect();
        term::note(&format!(
            "the base runs the head's benchmark ({} files)",
            present.len()
        ));
        if let Some(checkout) = &mut self.checkout {
            checkout.same_on_both.clone_from(patterns);
        }
        self.harness = Some(SharedHarness {
            replacement: Replacement {
                from,
                present,
                absent,
            },
            _folder: folder,
        });
        self.write_benchmark_files(guardian)
    }

    /// Writes the `[harness]` files to the base's tree.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(crate) fn write_benchmark_files(&self, guardian: &Guardian) -> anyhow::Result<()> {
        let Some(SharedHarness { replacement, .. }) = &self.harness else {
            return Ok(());
        };
        let Replacement {
            from,
            present,
            absent,
        } = replacement;
        let placed = match &self.checkout {
            Some(checkout) => {
                let list = checkout.scratch.path().join("harness");
                fs::write(&list, serde_json::to_vec(replacement)?)?;
                let mut command = checkout.place(0).replacing(&checkout.root, &list);
                guardian.run(&mut command, "copy").map(drop)
            }
            None => Ok(replace(
                from,
                &root_of(&self.base.command.folder),
                present,
                absent,
            )?),
        };
        placed.context("cannot copy the head's benchmark to the base")
    }

    /// Gives the base the fingerprint of the head's benchmark.
    pub(crate) fn share_fingerprint(&mut self) {
        if self.harness.is_none() {
            return;
        }
        let is_harness = |word: &&str| word.starts_with(HARNESS);
        let of_current = self.current.fingerprints.split(' ').filter(is_harness);
        let own = self
            .base
            .fingerprints
            .split(' ')
            .filter(|word| !is_harness(word));
        self.base.fingerprints = of_current.chain(own).collect::<Vec<_>>().join(" ");
    }
}

/// Copies a working tree's `[harness]` files, including uncommitted ones, because a mount view would hide them. Returns their
/// paths and the copy.
fn copied(
    root: &Path,
    is_harness: impl Fn(&str) -> bool,
    guardian: &Guardian,
) -> anyhow::Result<(BTreeSet<String>, TempDir)> {
    let all = [
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ];
    let mut files = benchmark_files(root, &all, is_harness)?;
    files.retain(|path| root.join(path).symlink_metadata().is_ok());
    let folder = guardian.temporary_folder(&std::env::temp_dir())?;
    replace(root, folder.path(), &files, &BTreeSet::new())
        .context("cannot copy the benchmark's files")?;
    Ok((files, folder))
}

/// The `[harness]` files among those that this git command lists.
fn benchmark_files(
    root: &Path,
    arguments: &[&str],
    is_harness: impl Fn(&str) -> bool,
) -> anyhow::Result<BTreeSet<String>> {
    let listed = git(root, arguments)?;
    Ok(listed
        .split('\0')
        .filter(|path| is_harness(path))
        .map(str::to_owned)
        .collect())
}
