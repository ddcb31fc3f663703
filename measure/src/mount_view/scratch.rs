//! Temporary directories that can be removed even if a build left read-only directories in them.

use std::path::{Path, PathBuf};

use anyhow::Context;
use tempfile::TempDir;

use crate::guardian::{Guardian, remove_tree};

/// A temporary directory. Dropping this or the guardian removes it.
#[derive(Debug)]
pub struct Scratch(TempDir);

impl Scratch {
    /// Creates a directory outside of `roots`, because an overlay cannot store its files below itself.
    ///
    /// # Errors
    /// All temporary directories are inside the roots, or not writable.
    pub fn outside(roots: &[PathBuf], guardian: &Guardian) -> anyhow::Result<Self> {
        let candidates = [std::env::temp_dir(), "/var/tmp".into(), "/tmp".into()];
        let is_outside = |folder: &PathBuf| {
            let folder = folder.canonicalize();
            folder.is_ok_and(|folder| !roots.iter().any(|root| folder.starts_with(root)))
        };
        let parent = candidates
            .into_iter()
            .find(is_outside)
            .context("all temporary folders are inside the checkout")?;
        Ok(Self(guardian.temporary_folder(&parent)?))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The system removes remaining temporary files.
        let _ = remove_tree(self.0.path());
    }
}
