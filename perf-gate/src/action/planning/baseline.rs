//! The base of a comparison, as passed to later steps: the baseline and the config.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use perf_model::commit::CommitId;

/// The files with the rows of the base and of the head that the action measured.
pub const MEASURED_BASE: &str = "base.csv";
pub const MEASURED: &str = "current.csv";

/// The baseline to compare with, and the config with the limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// Notes for the top of the report: files that the pull request changes without effect.
    pub notes: Vec<String>,
    pub baseline: BaselinePlace,
    /// The config file. `None` stands for the workspace's config, if it exists.
    pub config: Option<PathBuf>,
    /// True if a baseline exists, so a comparison without one is an error.
    pub has_baseline: bool,
    /// The repository with the base commit, if the baseline is read from a commit.
    pub store: Option<PathBuf>,
    /// The folder of additional git objects for that repository.
    pub objects: Option<PathBuf>,
    /// The base commit to measure.
    pub commit: Option<CommitId>,
    /// With pairs, the stored baseline. Its times are used to divide the suite into shards.
    pub recorded: Option<PathBuf>,
}

impl Base {
    /// The base commit, if the baseline is stored in a commit or measured.
    pub fn compared_commit(&self) -> Option<&CommitId> {
        match &self.baseline {
            BaselinePlace::Commit { commit, .. } => Some(commit),
            BaselinePlace::File(_) => self.commit.as_ref(),
        }
    }
}

/// The source from which the comparison reads the baseline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BaselinePlace {
    File(PathBuf),
    /// A path relative to the repository's root, and a copy of that file, if the commit contains it.
    Commit {
        commit: CommitId,
        path: String,
        file: PathBuf,
    },
}

impl BaselinePlace {
    /// The baseline's file, which may not exist.
    pub fn file(&self) -> &Path {
        match self {
            Self::File(file) | Self::Commit { file, .. } => file,
        }
    }
}

/// True if a baseline contains rows after its header.
pub fn has_rows(file: &Path) -> bool {
    fs::read_to_string(file).is_ok_and(|text| text.lines().count() > 1)
}
