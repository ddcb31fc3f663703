//! Delivers the report: job summary, annotations, comment and check run. Then refreshes the baseline and the page, and
//! passes or fails.
//!
//! A GitHub API error becomes an annotation. It fails the job only if `fail-on` contains `comment`, so that it does not
//! hide the verdict.

use std::path::Path;

use perf_cli::{Exit, Failure, failure, term};
use perf_config::Annotate;
use perf_github::{Actions, ApiErrorKind, Check, LineNote, State, Status};
use upsert_pr_comment::{
    Alarm, CommentRequest, CommentTarget, PostedComment, ShardStamp, UpsertMode,
};

use super::plan::{ActionPlan, RunMode};
use super::planning::inputs::CommentWhen;
use super::planning::job::WorkflowJob;
use super::reporting::outcome::{ActionOutcome, GateVerdict};
use super::reporting::source::SourceLine;
use super::reporting::verdict::{self, Delivery};
use super::{log, refresh};
use crate::run::Shard;

/// Runs the step.
pub(super) fn run() -> anyhow::Result<Exit> {
    let plan = ActionPlan::enter_from_env()?;
    let outcome = ActionOutcome::read(&plan.folder)?;
    let actions = Actions::from_env()?;
    let delivery = deliver(&plan, &outcome, &actions)?;
    if plan.mode == RunMode::Refresh && outcome.verdict != GateVerdict::Broken {
        let exit = refresh::refresh(&plan, &outcome, &actions)?;
        if exit != Exit::Ok {
            return Ok(exit);
        }
    }
    verdict::exit(&plan, &outcome, &delivery)
}

fn deliver(
    plan: &ActionPlan,
    outcome: &ActionOutcome,
    actions: &Actions,
) -> anyhow::Result<Delivery> {
    let mut delivery = Delivery::default();
    let is_checked = match make_check(plan, outcome, actions) {
        Ok(is_checked) => is_checked,
        Err(error) => {
            delivery.has_failed |= report_error(plan, "cannot create a check run", &error);
            false
        }
    };
    let posted = match post_report(plan, outcome, actions, is_checked, &mut delivery) {
        Ok(posted) => posted,
        Err(error) => {
            delivery.has_failed |= report_error(plan, "cannot deliver the report", &error);
            None
        }
    };
    if let Some(comment) = posted {
        log::output("comment-id", &comment.id.to_string())?;
        log::output("comment-url", &comment.url)?;
        delivery.url = Some(comment.url);
    }
    if let Err(error) = deliver_page(plan, outcome, actions) {
        delivery.has_failed |= report_error(plan, "cannot post the page's tables", &error);
    }
    if !is_checked
        && plan.sets_status()
        && let Err(error) = set_status(plan, outcome, actions, delivery.url.clone())
    {
        let message = "the pull request does not show the verdict";
        delivery.has_failed |= report_error(plan, message, &error);
    }
    Ok(delivery)
}

/// Annotates the job with an API error. Returns true if it fails the job.
fn report_error(plan: &ActionPlan, what: &str, error: &anyhow::Error) -> bool {
    let fail_on = plan.inputs.fail_on.as_ref();
    let fails = fail_on.is_some_and(|input| input.comment);
    let message = format!("{what}: {}", failure::message(error));
    let hints = failure::hints(error);
    if fails {
        log::error(&message, &hints);
    } else {
        log::warning(&message, &hints);
    }
    fails
}

/// Creates a check run with the report on the measured commit, if a status is wanted or matrix jobs share a comment: they
/// read each other's reports from check runs, which users can't edit. Returns false if none was created.
fn make_check(
    plan: &ActionPlan,
    outcome: &ActionOutcome,
    actions: &Actions,
) -> anyhow::Result<bool> {
    let is_shared =
        plan.mode == RunMode::PullRequest && plan.job.as_ref().is_some_and(|job| job.sharing > 1);
    let is_wanted = plan.sets_status() || is_shared && plan.comment().status.is_none();
    let Some(commit) = &plan.commit else {
        return Ok(false);
    };
    if !is_wanted || actions.token().is_err() || actions.is_read_only() {
        return Ok(false);
    }
    let (state, title) = verdict::status(plan.mode, outcome);
    let request = comment_request(plan, outcome, &plan.inputs.name, &outcome.comment)?;
    let check = Check {
        state: Some(state).filter(|_| outcome.tally().compared > 0 || state != State::Success),
        name: plan.status_name(),
        title,
        text: upsert_pr_comment::check_text(&request, actions, commit)?,
        details: actions.run_url(),
        annotations: outcome.lines.iter().map(annotation).collect(),
    };
    match actions.client()?.create_check(commit, &check) {
        Ok(()) => Ok(true),
        // Then a status shows the verdict.
        Err(error)
            if matches!(
                error.kind,
                ApiErrorKind::Permission | ApiErrorKind::NotFound
            ) =>
        {
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}

/// Annotates the definition of a regressed benchmark.
fn annotation(found: &SourceLine) -> LineNote {
    let change = found
        .change
        .as_ref()
        .map_or_else(String::new, |change| format!(": {change}"));
    LineNote {
        path: found.path.clone(),
        line: found.line,
        title: "performance regressed".to_owned(),
        message: term::printable(&format!("{}{change}", found.benchmark)),
    }
}

/// Sets a status on the measured commit, so the pull request shows the verdict even if this workflow runs on another commit.
fn set_status(
    plan: &ActionPlan,
    outcome: &ActionOutcome,
    actions: &Actions,
    url: Option<String>,
) -> anyhow::Result<()> {
    let commit = plan
        .commit
        .as_ref()
        .ok_or_else(|| Failure::new("the event has no commit"))?;
    let (state, description) = verdict::status(plan.mode, outcome);
    let status = Status {
        state,
        context: plan.status_name(),
        description,
        target: url.or_else(|| actions.run_url()),
    };
    Ok(actions.client()?.create_status(commit, &status)?)
}

/// Delivers the report, and returns the posted comment, if any.
fn post_report(
    plan: &ActionPlan,
    outcome: &ActionOutcome,
    actions: &Actions,
    has_checks: bool,
    delivery: &mut Delivery,
) -> anyhow::Result<Option<PostedComment>> {
    let annotate = match plan.comment().annotate.unwrap_or_default() {
        Annotate::Error => Some(Alarm::Error),
        Annotate::Warning => Some(Alarm::Warning),
        Annotate::None => None,
    };
    let target = match &plan.pushed {
        _ if plan.mode == RunMode::PullRequest => CommentTarget::PullRequest,
        Some(commit) if plan.comment().commit && is_wanted(plan.inputs.comment, outcome) => {
            CommentTarget::Commit(commit.clone())
        }
        _ => CommentTarget::Nothing,
    };
    let request = CommentRequest {
        target,
        has_checks,
        summary_file: Some(outcome.report.clone()),
        no_summary: false,
        annotate,
        report: outcome.json.clone().filter(|_| annotate.is_some()),
        ..comment_request(plan, outcome, &plan.inputs.name, &outcome.comment)?
    };
    let report = upsert_pr_comment::upsert(&request, actions)?;
    if plan.mode == RunMode::PullRequest {
        report.show()?;
    }
    for fault in report.faults() {
        log::error(
            &fault,
            &["each shard must be one matrix job, and all must measure the same commit"],
        );
        delivery.has_two_suites = true;
    }
    Ok(report.comment().cloned())
}

/// Posts the page's tables as a separate comment.
fn deliver_page(
    plan: &ActionPlan,
    outcome: &ActionOutcome,
    actions: &Actions,
) -> anyhow::Result<()> {
    let (RunMode::PullRequest, Some(page)) = (plan.mode, &outcome.page) else {
        return Ok(());
    };
    let request = comment_request(plan, outcome, &format!("{}.page", plan.inputs.name), page)?;
    upsert_pr_comment::upsert(&request, actions)?.show()
}

/// Builds the request for a comment on the pull request, without job summary and annotations.
fn comment_request(
    plan: &ActionPlan,
    outcome: &ActionOutcome,
    key: &str,
    body: &Path,
) -> anyhow::Result<CommentRequest> {
    let mode = match plan.comment().mode.unwrap_or_default() {
        _ if !is_wanted(plan.inputs.comment, outcome) => UpsertMode::Delete,
        perf_config::CommentMode::Update => UpsertMode::Update,
        perf_config::CommentMode::Recreate => UpsertMode::Recreate,
    };
    let defaults = CommentRequest::new(key.parse()?, body.to_owned());
    let job = plan.job.as_ref().map(WorkflowJob::report_name);
    let jobs = plan.job.as_ref().map_or(0, |job| job.sharing);
    let divided = outcome.share.as_ref().zip(plan.inputs.part.shard);
    let shard = divided.map(|(share, Shard { number, of })| ShardStamp {
        number,
        of,
        division: share.division.clone(),
    });
    let head = plan.commit.clone().filter(|_| plan.is_pinned);
    Ok(CommentRequest {
        pr: plan.pull_request,
        head,
        mode,
        job,
        jobs,
        shard,
        ..defaults
    })
}

/// True if the input `comment` allows a comment. Failures are always reported, except with `never`.
fn is_wanted(when: CommentWhen, outcome: &ActionOutcome) -> bool {
    match when {
        CommentWhen::Always => true,
        CommentWhen::Never => false,
        CommentWhen::Changed if outcome.tally().changed => true,
        CommentWhen::Regressed if outcome.verdict == GateVerdict::Regressed => true,
        _ => matches!(
            outcome.verdict,
            GateVerdict::Broken | GateVerdict::NothingCompared | GateVerdict::Failed
        ),
    }
}
