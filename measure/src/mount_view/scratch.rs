//! Temporary folders for what the sides write, which can be removed whatever a build left in them.

use std::path::{Path, PathBuf};

use anyhow::Context;
use tempfile::TempDir;

use crate::guardian::Guardian;
use crate::removal::remove_tree;

/// A temporary folder outside of some others; removed when it is dropped, or by the guardian.
#[derive(Debug)]
pub struct Scratch(TempDir);

impl Scratch {
    /// Makes one, which is in none of `roots`: an overlay cannot keep its own files below itself.
    ///
    /// # Errors
    /// No folder for temporary files outside of the roots, or one that cannot be written to.
    pub fn outside(roots: &[PathBuf], guardian: &Guardian) -> anyhow::Result<Self> {
        let candidates = [std::env::temp_dir(), "/var/tmp".into(), "/tmp".into()];
        let is_outside = |folder: &PathBuf| {
            let folder = folder.canonicalize();
            folder.is_ok_and(|folder| !roots.iter().any(|root| folder.starts_with(root)))
        };
        let parent = candidates
            .into_iter()
            .find(is_outside)
            .context("all temporary folders are in the checkout")?;
        Ok(Self(guardian.temporary_folder(&parent)?))
    }

    /// The path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left is the system's to remove, as with all temporary files.
        let _ = remove_tree(self.0.path());
    }
}
