//! A pull request that the event does not name, looked up by its number.

use std::collections::BTreeSet;

use perf_github::Actions;
use perf_github::{Event, Pull};
use perf_model::commit::CommitId;
use upsert_pr_comment::regressed;

use super::inputs::ActionInputs;
use super::job::WorkflowJob;

/// True if another workflow measured another commit than the newest of the pull request, or one of another repository or
/// of one that is gone: the number, which may be a stranger's word, must not lead to somebody else's pull request.
pub fn is_outdated(pull: &Pull, event: &Event) -> bool {
    let is_measured = event.workflow_run.as_ref().is_some_and(|run| {
        run.head_sha.as_ref() == Some(&pull.head.sha)
            && run.head_repo.is_some()
            && run.head_repo == pull.head.repo
    });
    event.is_after_workflow() && !is_measured
}

/// Asks GitHub.
pub fn find(number: u64) -> anyhow::Result<Pull> {
    Ok(Actions::from_env()?.client()?.pull(number)?)
}

/// The commit at which `head` left `base`, where the checkout does not have the history: GitHub knows it.
pub fn origin(base: &CommitId, head: &CommitId) -> Option<CommitId> {
    let client = Actions::from_env().ok()?.client().ok()?;
    client.compare(base, head).ok()?.origin
}

/// The benchmarks that the attempt before has left open, where this is a further attempt of a run; all are measured where
/// nothing says so.
pub fn left(inputs: &ActionInputs, number: u64, commit: &CommitId) -> Option<BTreeSet<String>> {
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
