//! Questions to GitHub about the pull request.

use std::collections::BTreeSet;

use perf_github::Actions;
use perf_github::{Event, Pull};
use perf_model::commit::CommitId;
use upsert_pr_comment::regressed;

use super::inputs::ActionInputs;
use super::job::WorkflowJob;

/// True if an earlier workflow did not measure this pull request's newest commit. The number is untrusted, so a measurement
/// of another repository, or of a deleted one, is also outdated: it must not be reported on somebody else's pull request.
pub fn is_outdated(pull: &Pull, event: &Event) -> bool {
    let is_measured = event.workflow_run.as_ref().is_some_and(|run| {
        run.head_sha.as_ref() == Some(&pull.head.sha)
            && run.head_repo.is_some()
            && run.head_repo == pull.head.repo
    });
    event.is_after_workflow() && !is_measured
}

/// Fetches a pull request by its number.
pub fn fetch(number: u64) -> anyhow::Result<Pull> {
    Ok(Actions::from_env()?.client()?.pull(number)?)
}

/// Asks GitHub for the commit at which `head` left `base`, for checkouts without that history.
pub fn fork_point(base: &CommitId, head: &CommitId) -> Option<CommitId> {
    let client = Actions::from_env().ok()?.client().ok()?;
    client.compare(base, head).ok()?.origin
}

/// The benchmarks that the previous attempt of this run left undecided. `None`, which measures all, for a first attempt or if
/// its comment does not list them.
pub fn undecided_benchmarks(
    inputs: &ActionInputs,
    number: u64,
    commit: &CommitId,
) -> Option<BTreeSet<String>> {
    let actions = Actions::from_env().ok()?;
    let run = actions.run.filter(|run| run.attempt > 1)?;
    let job = WorkflowJob::from_env(inputs).map(|job| job.report_name());
    regressed::left(
        &actions.client().ok()?,
        &inputs.name.parse().ok()?,
        number,
        job.as_ref(),
        (commit, run),
    )
    .ok()?
}
