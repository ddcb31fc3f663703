//! Writes the job summary, the annotations and the comment on the pull request.
//!
//! Trouble with GitHub does not hide the verdict: it is an annotation here, and red only where `fail-on` has `comment`.

use clap::Parser;
use perf_cli::{Exit, Failure, failure};
use perf_github::{Actions, Client, Settings, Status};
use upsert_pr_comment::Cli;

use super::inputs::{Annotate, CommentMode, Mode, When};
use super::outcome::{Outcome, Verdict};
use super::plan::Plan;
use super::{log, verdict};

/// The step.
pub(super) fn run() -> anyhow::Result<Exit> {
    let plan = Plan::enter()?;
    let outcome = Outcome::read(&plan.folder)?;
    let url = match delivered(&plan, &outcome) {
        Ok(url) => url,
        Err(error) => {
            trouble(&plan, "cannot deliver the report", &error)?;
            None
        }
    };
    log::output("comment-url", url.as_deref().unwrap_or_default())?;
    if plan.inputs.status
        && let Err(error) = set_status(&plan, &outcome, url)
    {
        trouble(&plan, "the pull request does not show the verdict", &error)?;
    }
    Ok(Exit::Ok)
}

fn trouble(plan: &Plan, what: &str, error: &anyhow::Error) -> anyhow::Result<()> {
    let message = format!("{what}: {}", failure::message(error));
    let hints = failure::hints(error);
    if plan.inputs.comment_fails {
        log::error(&message, &hints);
    } else {
        log::warning(&message, &hints);
    }
    log::output("failed", if plan.inputs.comment_fails { "true" } else { "" })
}

/// A status of the measured commit, for a workflow that runs on another commit: the pull request shows the verdict.
fn set_status(plan: &Plan, outcome: &Outcome, url: Option<String>) -> anyhow::Result<()> {
    let commit = plan.commit.as_ref().ok_or_else(|| Failure::new("the event has no commit"))?;
    let actions = Actions::from_env()?;
    let client = Client::new(&actions.api, actions.repo(None)?, actions.token()?, Settings::from_env()?)?;
    let (state, description) = verdict::status(plan.mode, outcome);
    let context = plan.inputs.comment_key.clone();
    let status = Status { state, context, description, target: url.or_else(|| actions.run_url()) };
    Ok(client.create_status(&commit.to_string().parse()?, &status)?)
}

/// Returns the address of the comment, if there is one.
fn delivered(plan: &Plan, outcome: &Outcome) -> anyhow::Result<Option<String>> {
    let actions = Actions::from_env()?;
    let cli = Cli::try_parse_from(line(plan, outcome))
        .map_err(|error| Failure::new(error.to_string().trim().to_owned()))?;
    let report = upsert_pr_comment::announce(&cli, &actions)?;
    if plan.mode != Mode::PullRequest {
        return Ok(None);
    }
    let posted = upsert_pr_comment::post(&cli, &actions, &report)?;
    Ok(posted.comment.map(|(_, url)| url))
}

fn line(plan: &Plan, outcome: &Outcome) -> Vec<String> {
    let inputs = &plan.inputs;
    let mode = match inputs.comment_mode {
        _ if !is_wanted(inputs.comment, outcome) => "delete",
        CommentMode::Update => "update",
        CommentMode::Recreate => "recreate",
        CommentMode::Append => "append",
    };
    let mut line = vec![
        "comment".to_owned(),
        format!("--key={}", inputs.comment_key),
        format!("--body-file={}", outcome.comment.display()),
        format!("--summary-file={}", outcome.report.display()),
        format!("--mode={mode}"),
    ];
    line.extend(plan.pull_request.map(|number| format!("--pr={number}")));
    let level = match inputs.annotate {
        Annotate::Error => "error",
        Annotate::Warning => "warning",
        Annotate::None => return line,
    };
    if let Some(json) = &outcome.json {
        line.extend([format!("--annotate={level}"), format!("--report={}", json.display())]);
    }
    line
}

/// Whether there is a comment. That something went wrong is reported whenever anything would be.
fn is_wanted(when: When, outcome: &Outcome) -> bool {
    match when {
        When::Always => true,
        When::Never => false,
        When::Changed if outcome.is("changed") => true,
        When::Regressed if outcome.verdict == Verdict::Regressed => true,
        _ => matches!(outcome.verdict, Verdict::Broken | Verdict::NothingCompared | Verdict::Failed),
    }
}
