//! The benchmark itself from the current side for both, so that a change of it is not taken for one of the code.

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
    /// Replaces the benchmark itself at the base by that of the current side: what `[harness]` names, added and deleted files
    /// included.
    ///
    /// # Errors
    /// No files that are the benchmark, no base that is a commit, or files that cannot be read or written.
    pub(crate) fn take_harness(
        &mut self,
        config: &Config,
        guardian: &Guardian,
    ) -> anyhow::Result<()> {
        let patterns = &config.harness.paths;
        let is_harness = |path: &str| patterns.iter().any(|pattern| pattern.matches(path));
        if patterns.is_empty() {
            return Err(Failure::new(
                "`[harness]` names no files that the base could take from the current side",
            )
            .hint("name the benchmark's files as `paths` of `[harness]` in the config")
            .into());
        }
        let root = root_of(&self.current.command.folder);
        let of_commit = |commit: &str| {
            let tree = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit];
            benchmark_files(&root, &tree, is_harness)
        };
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
            return Err(Failure::new("the current side has no file of `[harness]`").into());
        }
        let absent = of_commit(&self.base.commit)?
            .difference(&present)
            .cloned()
            .collect();
        term::note(&format!(
            "the base runs the benchmark of the current side ({} files)",
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
        self.place_harness(guardian)
    }

    /// Puts the files into the base's tree.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub(crate) fn place_harness(&self, guardian: &Guardian) -> anyhow::Result<()> {
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
        placed.context("cannot give the base the benchmark of the current side")
    }

    /// Gives the base the fingerprint of the benchmark that it runs.
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

/// The benchmark's files of a working tree, with those that are not committed yet, and a copy: where a place covers the
/// working tree, its path has the base's files.
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

/// The files of the benchmark that git lists.
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
