//! The request: which files become a commit, and where.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use perf_config::{Fallback, PathPattern};
use perf_github::{CommitId, Repo};

/// Rendered files to commit.
#[derive(Clone, Debug)]
pub struct RefreshRequest {
    /// The rendered files of the checkout; all of them make one commit.
    pub files: Vec<PathBuf>,
    /// The branch whose code was measured, which gets the numbers; by default the one that was pushed.
    pub branch: Option<String>,
    /// Another branch that gets the numbers, and has nothing else; created if missing.
    pub store: Option<String>,
    /// The repository; by default the workflow's.
    pub repo: Option<Repo>,
    /// The commit whose code was measured; by default the workflow's.
    pub measured: Option<CommitId>,
    /// The files that the numbers depend on.
    pub dependencies: Dependencies,
    /// The message of the commit; its first line is the headline.
    pub message: String,
    /// What happens when the branch takes no commits.
    pub fallback: Fallback,
    /// The most attempts to commit while others push.
    pub attempts: u32,
    /// The longest time that the command may take.
    pub timeout: Duration,
    /// True to plan and to send nothing.
    pub dry_run: bool,
    /// The program that renders the files again where the branch has other versions of them by now, with its
    /// arguments; empty for none.
    pub command: Vec<OsString>,
}

/// The files that numbers depend on: a push that changes one of them makes the numbers out of date.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Dependencies {
    /// All but Markdown, documents and licences.
    #[default]
    AllButDocuments,
    /// All that match none of these.
    AllBut(Vec<PathPattern>),
    /// Those that match one of these.
    Only(Vec<PathPattern>),
}

impl Dependencies {
    /// Only files that match one of `affects`; where there are none, all but those that match one of `unrelated`.
    pub fn new(affects: Vec<PathPattern>, unrelated: Vec<PathPattern>) -> Self {
        match (affects.is_empty(), unrelated.is_empty()) {
            (true, true) => Self::AllButDocuments,
            (true, false) => Self::AllBut(unrelated),
            (false, _) => Self::Only(affects),
        }
    }
}

impl RefreshRequest {
    /// A request to commit these files with the defaults of the command line.
    pub fn new(files: Vec<PathBuf>) -> Self {
        Self {
            files,
            branch: None,
            store: None,
            repo: None,
            measured: None,
            dependencies: Dependencies::default(),
            message: "Refresh performance numbers".into(),
            fallback: Fallback::PullRequest,
            attempts: 20,
            timeout: Duration::from_mins(10),
            dry_run: false,
            command: Vec::new(),
        }
    }
}
