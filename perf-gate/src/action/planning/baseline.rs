//! The baseline and the config that a run is compared and judged by, as later steps find them.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use perf_model::commit::CommitId;

/// The rows of the base and of the current side, where the action measures both.
pub const MEASURED_BASE: &str = "base.csv";
pub const MEASURED: &str = "current.csv";

/// The baseline and the config that the rows are compared and judged by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// Sentences for the top of the report: what the pull request changes without effect.
    pub notes: Vec<String>,
    pub baseline: BaselinePlace,
    /// The config in force; without one, that of the workspace if there is one.
    pub config: Option<PathBuf>,
    /// True if the base has a baseline, so that a comparison without one is a mistake.
    pub has_baseline: bool,
    /// The repository that has the base, where the baseline is read from a commit.
    pub store: Option<PathBuf>,
    /// Objects that the repository lacks.
    pub objects: Option<PathBuf>,
    /// The commit that is measured.
    pub commit: Option<CommitId>,
    /// The stored baseline of the base where it is not compared with: it has the times by which shards are divided.
    pub recorded: Option<PathBuf>,
}

impl Base {
    /// The commit that the rows are compared with, if it is one.
    pub fn named(&self) -> Option<&CommitId> {
        match &self.baseline {
            BaselinePlace::Commit { commit, .. } => Some(commit),
            BaselinePlace::File(_) => self.commit.as_ref(),
        }
    }
}

/// The baseline as the comparison reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BaselinePlace {
    File(PathBuf),
    /// A path from the top of the repository, and the file that was taken from there, if the commit has one.
    Commit {
        commit: CommitId,
        path: String,
        file: PathBuf,
    },
}

impl BaselinePlace {
    /// The baseline as a file, which may not exist.
    pub fn file(&self) -> &Path {
        match self {
            Self::File(file) | Self::Commit { file, .. } => file,
        }
    }
}

/// True if a baseline has more than its header.
pub fn has_rows(file: &Path) -> bool {
    fs::read_to_string(file).is_ok_and(|text| text.lines().count() > 1)
}
