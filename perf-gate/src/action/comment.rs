//! Writes the job summary, the annotations and the comment on the pull request.
//!
//! Trouble with GitHub does not hide the verdict: it is an annotation here, and red only where `fail-on` has `comment`.

use clap::Parser;
use perf_cli::{Exit, Failure, failure};
use perf_config::{Annotate, CommentMode};
use perf_github::{Actions, Client, Settings, Status};
use upsert_pr_comment::Cli;

use super::inputs::When;
use super::outcome::{Outcome, Verdict};
use super::plan::{Mode, Plan};
use super::{log, verdict};

/// The step.
pub(super) fn run() -> anyhow::Result<Exit> {
    let plan = Plan::enter()?;
    let outcome = Outcome::read(&plan.folder)?;
    let posted = match delivered(&plan, &outcome) {
        Ok(posted) => posted,
        Err(error) => {
            trouble(&plan, "cannot deliver the report", &error)?;
            None
        }
    };
    let (id, url) = posted.map_or((String::new(), None), |(id, url)| (id.to_string(), Some(url)));
    log::output("comment-id", &id)?;
    log::output("comment-url", url.as_deref().unwrap_or_default())?;
    if let Err(error) = deliver_page(&plan, &outcome) {
        trouble(&plan, "cannot post the tables of the page", &error)?;
    }
    let is_wanted = plan.config().unwrap_or_default().comment().status.unwrap_or(plan.is_after_workflow);
    if is_wanted && let Err(error) = set_status(&plan, &outcome, url) {
        trouble(&plan, "the pull request does not show the verdict", &error)?;
    }
    Ok(Exit::Ok)
}

fn trouble(plan: &Plan, what: &str, error: &anyhow::Error) -> anyhow::Result<()> {
    let fails = plan.inputs.fail_on.as_ref().is_some_and(|input| input.comment);
    let message = format!("{what}: {}", failure::message(error));
    let hints = failure::hints(error);
    if fails {
        log::error(&message, &hints);
    } else {
        log::warning(&message, &hints);
    }
    log::output("failed", if fails { "true" } else { "" })
}

/// A status of the measured commit, for a workflow that runs on another commit: the pull request shows the verdict.
fn set_status(plan: &Plan, outcome: &Outcome, url: Option<String>) -> anyhow::Result<()> {
    let commit = plan.commit.as_ref().ok_or_else(|| Failure::new("the event has no commit"))?;
    let actions = Actions::from_env()?;
    let client = Client::new(&actions.api, actions.repo(None)?, actions.token()?, Settings::from_env()?)?;
    let (state, description) = verdict::status(plan.mode, outcome);
    let context = plan.inputs.name.clone();
    let status = Status { state, context, description, target: url.or_else(|| actions.run_url()) };
    Ok(client.create_status(&commit.to_string().parse()?, &status)?)
}

/// Returns the number and the address of the comment, if there is one.
fn delivered(plan: &Plan, outcome: &Outcome) -> anyhow::Result<Option<(u64, String)>> {
    let actions = Actions::from_env()?;
    let cli = parsed(line(plan, outcome))?;
    let report = upsert_pr_comment::announce(&cli, &actions)?;
    if plan.mode == Mode::PullRequest {
        return Ok(upsert_pr_comment::post(&cli, &actions, &report)?.comment);
    }
    match &plan.pushed {
        Some(commit) if outcome.comments_on_commit && is_wanted(plan.inputs.comment, outcome) => {
            let commit = commit.to_string().parse()?;
            let key = &plan.inputs.name;
            upsert_pr_comment::comment_on_commit(key, &commit, &actions, &report).map(Some)
        }
        _ => Ok(None),
    }
}

/// The tables of the page, as a comment of their own.
fn deliver_page(plan: &Plan, outcome: &Outcome) -> anyhow::Result<()> {
    let Some(page) = outcome.page.as_ref().filter(|_| plan.mode == Mode::PullRequest) else { return Ok(()) };
    let actions = Actions::from_env()?;
    let cli = parsed(
        vec![
            "comment".to_owned(),
            format!("--key={}.page", plan.inputs.name),
            format!("--body-file={}", page.display()),
            format!("--mode={}", mode(plan, outcome)),
            "--no-summary".to_owned(),
        ]
        .into_iter()
        .chain(plan.pull_request.map(|number| format!("--pr={number}")))
        .collect(),
    )?;
    let report = upsert_pr_comment::announce(&cli, &actions)?;
    upsert_pr_comment::post(&cli, &actions, &report).map(drop)
}

fn parsed(line: Vec<String>) -> anyhow::Result<Cli> {
    Cli::try_parse_from(line).map_err(|error| Failure::new(error.to_string().trim().to_owned()).into())
}

fn mode(plan: &Plan, outcome: &Outcome) -> &'static str {
    match plan.config().unwrap_or_default().comment().mode.unwrap_or_default() {
        _ if !is_wanted(plan.inputs.comment, outcome) => "delete",
        CommentMode::Update => "update",
        CommentMode::Recreate => "recreate",
        CommentMode::HideAndRecreate => "hide-and-recreate",
        CommentMode::OnlyUpdate => "only-update",
        CommentMode::Append => "append",
    }
}

fn line(plan: &Plan, outcome: &Outcome) -> Vec<String> {
    let inputs = &plan.inputs;
    let mut line = vec![
        "comment".to_owned(),
        format!("--key={}", inputs.name),
        format!("--body-file={}", outcome.comment.display()),
        format!("--summary-file={}", outcome.report.display()),
        format!("--mode={}", mode(plan, outcome)),
    ];
    line.extend(plan.pull_request.map(|number| format!("--pr={number}")));
    let level = match plan.config().unwrap_or_default().comment().annotate.unwrap_or_default() {
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
        When::Changed if outcome.tally().changed => true,
        When::Regressed if outcome.verdict == Verdict::Regressed => true,
        _ => matches!(outcome.verdict, Verdict::Broken | Verdict::NothingCompared | Verdict::Failed),
    }
}
