//! The outcome of a refresh, and its descriptions.

use std::fmt::Write;

use perf_cli::Exit;
use perf_cli::actions::Level;
use perf_cli::term::{printable, printable_lines};
use perf_github::{CommitId, Repo};

use crate::origin::{Age, MeasurementOrigin};

/// The result of a refresh, with its details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RefreshOutcome {
    /// The numbers were committed to the branch.
    Committed { commit: CommitId },
    /// The branch already contains these numbers.
    Unchanged,
    /// The numbers are in a pull request because the branch accepts no commits.
    Proposed(Proposal),
    /// The branch or a pull request contains numbers that outrank these.
    Outranked {
        origin: MeasurementOrigin,
        age: Age,
        place: OutrankingPlace,
    },
    /// The branch no longer contains the measured commit. `behind` is true if it was reset to an earlier commit.
    Stale { behind: bool },
    /// The measured code has changed on the branch since. `by` is a changed file, if known.
    Superseded { by: Option<String> },
    /// The repository does not accept the numbers. `expected` is true if that is no error, such as in a fork.
    Unpublished {
        why: String,
        hints: Vec<String>,
        expected: bool,
    },
}

/// The place of outranking numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OutrankingPlace {
    Branch,
    PullRequest(u64),
}

/// A pull request with the numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Proposal {
    pub(crate) url: String,
    pub(crate) commit: CommitId,
    /// Whether auto-merge is enabled, or the reason why not.
    pub(crate) auto_merge: Result<(), String>,
    /// The numbers of closed earlier pull requests.
    pub(crate) closed: Vec<u64>,
    /// True if an open pull request was updated.
    pub(crate) is_update: bool,
}

/// The branch, the measured commit and the repository, for descriptions of an outcome.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) branch: String,
    pub(crate) measured: CommitId,
    pub(crate) repo: Repo,
    /// The URL of the repository's page.
    pub(crate) page: String,
}

impl Scene {
    fn commit_url(&self, commit: &CommitId) -> String {
        format!("{}/commit/{commit}", self.page)
    }
}

impl RefreshOutcome {
    /// The exit code of the run.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Unpublished {
                expected: false, ..
            } => Exit::Findings,
            _ => Exit::Ok,
        }
    }

    /// The level of the annotation, or `None` for an ordinary outcome.
    pub(crate) fn level(&self) -> Option<Level> {
        match self {
            Self::Committed { .. } | Self::Unchanged => None,
            Self::Unpublished {
                expected: false, ..
            } => Some(Level::Warning),
            _ => Some(Level::Notice),
        }
    }

    /// Advice about the outcome.
    pub(crate) fn hints(&self) -> &[String] {
        match self {
            Self::Unpublished { hints, .. } => hints,
            _ => &[],
        }
    }

    /// The result lines for a workflow.
    pub(crate) fn lines(&self, scene: &Scene) -> String {
        let mut lines = format!("refresh={}\n", self.word());
        let mut line = |key: &str, value: &str| {
            // Writing to a string cannot fail.
            let _ = writeln!(lines, "{key}={}", printable_lines(value));
        };
        match self {
            Self::Committed { commit } => {
                line("commit", commit.as_str());
                line("commit-url", &scene.commit_url(commit));
            }
            Self::Proposed(proposal) => {
                line("commit", proposal.commit.as_str());
                line("commit-url", &scene.commit_url(&proposal.commit));
                line("pull-request", &proposal.url);
            }
            _ => {}
        }
        lines
    }

    /// The word in result lines.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Committed { .. } => "committed",
            Self::Unchanged => "unchanged",
            Self::Proposed(_) => "pull-request",
            Self::Outranked { .. } => "newer",
            Self::Stale { .. } => "stale",
            Self::Superseded { .. } => "superseded",
            Self::Unpublished { .. } => "unpublished",
        }
    }

    /// Describes the outcome in one sentence, without a period.
    pub(crate) fn sentence(&self, scene: &Scene) -> String {
        let (branch, measured) = (printable(&scene.branch), scene.measured.short());
        match self {
            Self::Committed { commit } => {
                format!(
                    "committed the numbers for {measured} to `{branch}`: {}",
                    scene.commit_url(commit)
                )
            }
            Self::Unchanged => {
                format!("nothing changed: `{branch}` already contains these numbers")
            }
            Self::Proposed(proposal) => proposal.sentence(&branch),
            Self::Outranked { origin, age, place } => {
                let place = match place {
                    OutrankingPlace::Branch => format!("`{branch}`"),
                    OutrankingPlace::PullRequest(number) => format!("pull request #{number}"),
                };
                match (age, origin.run) {
                    (Age::Same, Some(run)) => {
                        format!(
                            "nothing published: {place} contains numbers for the same code from the later run {run}"
                        )
                    }
                    _ => {
                        format!(
                            "nothing published: {place} contains numbers for newer code, {}",
                            origin.measured.short()
                        )
                    }
                }
            }
            Self::Stale { behind: true } => {
                format!(
                    "nothing published: `{branch}` was reset to a commit before the measured one, {measured}"
                )
            }
            Self::Stale { behind: false } => {
                format!(
                    "nothing published: the measured commit {measured} is no longer in `{branch}`"
                )
            }
            Self::Superseded { by } => {
                let what = by.as_deref().map_or_else(
                    || "more files than GitHub lists".to_owned(),
                    |path| format!("`{}`", printable(path)),
                );
                format!(
                    "nothing published: {what} changed on `{branch}` since {measured} was measured; \
                     that push's run publishes its own numbers"
                )
            }
            Self::Unpublished { why, .. } => format!("nothing published: {why}"),
        }
    }
}

impl Proposal {
    fn sentence(&self, branch: &str) -> String {
        let end = match &self.auto_merge {
            Ok(()) => "auto-merge is enabled".to_owned(),
            Err(why) => format!("merge it manually, because {why}"),
        };
        let closed = self
            .closed
            .iter()
            .map(|number| format!("; it replaces #{number}, which is closed"));
        let url = printable(&self.url);
        let now = if self.is_update { "now " } else { "" };
        format!(
            "`{branch}` does not accept the commit, so the numbers are {now}in pull request {url}: {end}{}",
            closed.collect::<String>()
        )
    }
}

#[cfg(test)]
mod tests;
