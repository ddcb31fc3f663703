//! Delivers the report: job summary, annotations, comment and check run. Then refreshes the baseline and the page, and
//! passes or fails.
//!
//! A GitHub API error is only a warning, because it must not hide the verdict.

use perf_cli::actions::{Level, MOST_ANNOTATIONS, annotate};
use perf_cli::{Exit, Failure, file};
use perf_config::Annotate;
use perf_github::{Actions, Check, State};
use perf_report::json::Report;
use upsert_pr_comment::{CommentKey, CommentReport, CommentRequest, UpsertMode};

use super::inputs::CommentWhen;
use super::outcome::{ActionOutcome, COMMENT, JSON, PAGE, REPORT};
use super::plan::ActionPlan;
use super::{log, refresh};

/// Runs the step.
pub fn run() -> anyhow::Result<Exit> {
    let plan = ActionPlan::enter_from_env()?;
    let mut outcome = ActionOutcome::read(&plan.folder)?;
    let actions = Actions::from_env()?;
    // The benchmark chooses its names, so they may contain the token.
    outcome.summary = actions.redact(&outcome.summary);

    let checked = create_check(&plan, &outcome, &actions);
    let is_checked = or_warn("cannot create a check run", checked).unwrap_or_default();
    let posted = post_report(&plan, &outcome, &actions, is_checked);
    let posted = or_warn("cannot deliver the report", posted).flatten();
    let comment = posted.as_ref().and_then(|report| report.comment.as_ref());
    if let Some(comment) = comment {
        log::output("comment-id", &comment.id.to_string())?;
        log::output("comment-url", &comment.url)?;
    }
    let url = comment.map(|comment| comment.url.clone());
    let page = post_page(&plan, &outcome, &actions);
    or_warn("cannot post the page's tables", page);
    if let Some(commit) = &plan.commit
        && !is_checked
        && plan.sets_status()
    {
        // The pull request shows the verdict even if this workflow runs on another commit.
        let mut status = verdict(&plan, &outcome);
        status.details = url.clone().or(status.details);
        let client = actions.client();
        let set = client.and_then(|client| Ok(client.create_status(commit, &status)?));
        or_warn(
            "the pull request does not show the verdict",
            set.map_err(Into::into),
        );
    }

    if plan.is_refresh && outcome.counts.is_some() {
        let exit = refresh::refresh(&plan, &outcome, &actions)?;
        if exit != Exit::Ok {
            return Ok(exit);
        }
    }

    let place = match (url, &plan.run_url) {
        (Some(url), _) => format!("the report: {url}"),
        (None, Some(run)) => format!("the report is in the job summary: {run}"),
        (None, None) => "the report is in the job summary".to_owned(),
    };
    let mut exit = show_verdict(&plan, &outcome, &place);
    for fault in posted.map_or_else(Vec::new, |report| report.faults) {
        let hint = "each shard must be one matrix job, and all must measure the same commit";
        log::show(Level::Error, &fault, &[hint]);
        exit = Exit::Error;
    }
    Ok(exit)
}

/// Annotates the job with the result, and passes or fails. `report` states where the report is.
fn show_verdict(plan: &ActionPlan, outcome: &ActionOutcome, report: &str) -> Exit {
    let state = state(plan, outcome);
    // `fail-on: none` only makes the job pass. A status still shows the failure.
    let never_fails = plan.inputs.fail_on.as_ref().is_some_and(Vec::is_empty);
    if state == State::Error || state == State::Failure && !never_fails {
        log::show(Level::Error, &outcome.summary, &[report]);
        return Exit::Error;
    }
    let tally = outcome.tally();
    let is_incomplete = tally.inconclusive > 0 || tally.not_comparable > 0 || tally.compared == 0;
    if state == State::Failure || is_incomplete && !plan.is_refresh {
        log::show(Level::Warning, &outcome.summary, &[report]);
    }
    Exit::Ok
}

/// The verdict as a status. A refresh never fails because of a regression, because its commit is already pushed.
fn state(plan: &ActionPlan, outcome: &ActionOutcome) -> State {
    match &outcome.counts {
        None => State::Error,
        Some(counts) if counts.failed.is_empty() || plan.is_refresh => State::Success,
        Some(_) => State::Failure,
    }
}

/// The result, or `None` after a warning about its error.
fn or_warn<T>(message: &'static str, result: anyhow::Result<T>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            log::show_error(Level::Warning, &error.context(message));
            None
        }
    }
}

/// Creates a check run with the report on the measured commit, if a status is wanted or matrix jobs share a comment: they
/// read each other's reports from check runs, which users can't edit. Returns false if none was created.
fn create_check(
    plan: &ActionPlan,
    outcome: &ActionOutcome,
    actions: &Actions,
) -> anyhow::Result<bool> {
    let is_shared =
        plan.pull_request.is_some() && plan.comment.status.is_none() && plan.job.sharing > 1;
    let Some(commit) = &plan.commit else {
        return Ok(false);
    };
    let is_wanted = plan.sets_status() || is_shared;
    if !is_wanted || actions.token().is_err() || actions.is_read_only() {
        return Ok(false);
    }
    let mut check = verdict(plan, outcome);
    if outcome.tally().compared == 0 && check.state == Some(State::Success) {
        check.state = None;
    }
    let request = comment_request(plan, outcome, plan.inputs.name.clone(), COMMENT);
    check.text = upsert_pr_comment::check_text(&request, actions, commit)?;
    Ok(actions.client()?.create_check(commit, &check)?)
}

/// The verdict for a check run or a status.
fn verdict(plan: &ActionPlan, outcome: &ActionOutcome) -> Check {
    Check {
        state: Some(state(plan, outcome)),
        name: plan.status.clone(),
        title: outcome.summary.clone(),
        text: String::new(),
        details: plan.run_url.clone(),
    }
}

/// Annotates the regressions, writes the job summary, and comments on the pull request, if there is one.
fn post_report(
    plan: &ActionPlan,
    outcome: &ActionOutcome,
    actions: &Actions,
    has_checks: bool,
) -> anyhow::Result<Option<CommentReport>> {
    annotate_regressions(plan, outcome, actions)?;
    let request = CommentRequest {
        has_checks,
        summary_file: Some(plan.folder.join(REPORT)),
        no_summary: false,
        ..comment_request(plan, outcome, plan.inputs.name.clone(), COMMENT)
    };
    if plan.pull_request.is_none() {
        upsert_pr_comment::summarize(&request, actions)?;
        return Ok(None);
    }
    let report = upsert_pr_comment::upsert(&request, actions)?;
    report.show()?;
    Ok(Some(report))
}

/// Annotates each regressed metric, up to the number of annotations that GitHub shows.
fn annotate_regressions(
    plan: &ActionPlan,
    outcome: &ActionOutcome,
    actions: &Actions,
) -> anyhow::Result<()> {
    let level = match plan.comment.annotate.unwrap_or_default() {
        Annotate::Error => Level::Error,
        Annotate::Warning => Level::Warning,
        Annotate::None => return Ok(()),
    };
    if outcome.counts.is_none() {
        return Ok(());
    }
    let report = Report::parse(&file::read_text(&plan.folder.join(JSON))?)?;
    let mut regressions = Vec::new();
    for scope in &report.scopes {
        let place = match report.scopes.len() {
            1 => String::new(),
            _ => format!(" ({})", scope.scope),
        };
        for scenario in &scope.scenarios {
            for metric in &scenario.metrics {
                if metric.is_regression() {
                    let reason = metric.reason.as_deref().unwrap_or("regressed");
                    let title = format!("{}{place} regressed", scenario.label);
                    regressions.push((title, format!("{}: {reason}", metric.metric)));
                }
            }
        }
    }
    if regressions.len() > MOST_ANNOTATIONS {
        let more = regressions.split_off(MOST_ANNOTATIONS - 1).len();
        let text = format!("{more} more: see the report");
        regressions.push(("More regressions".to_owned(), text));
    }
    for (title, text) in regressions {
        // The benchmark chooses its names, so they may contain the token.
        annotate(level, &actions.redact(&title), &actions.redact(&text))?;
    }
    Ok(())
}

/// Posts the page's tables as a separate comment.
fn post_page(plan: &ActionPlan, outcome: &ActionOutcome, actions: &Actions) -> anyhow::Result<()> {
    if plan.pull_request.is_none() || !outcome.has_page {
        return Ok(());
    }
    let key = format!("{}.page", plan.inputs.name);
    let key = key.parse().map_err(Failure::new)?;
    let request = comment_request(plan, outcome, key, PAGE);
    upsert_pr_comment::upsert(&request, actions)?.show()
}

/// Builds the request for a comment on the pull request, without the job summary.
fn comment_request(
    plan: &ActionPlan,
    outcome: &ActionOutcome,
    key: CommentKey,
    body: &str,
) -> CommentRequest {
    let mut request = CommentRequest::new(key, plan.folder.join(body));
    request.pr = plan.pull_request;
    request.head.clone_from(&plan.commit);
    if !is_wanted(plan.inputs.comment, outcome) {
        request.mode = UpsertMode::Delete;
    }
    request.job = Some(plan.job.name.clone());
    request.jobs = plan.job.sharing;
    request.shard.clone_from(&outcome.shard);
    request
}

/// True if the input `comment` allows a comment. Failures are always reported, except with `never`.
fn is_wanted(when: CommentWhen, outcome: &ActionOutcome) -> bool {
    let tally = outcome.tally();
    let has_failed = outcome
        .counts
        .as_ref()
        .is_none_or(|counts| !counts.failed.is_empty());
    match when {
        CommentWhen::Always => true,
        CommentWhen::Changed => has_failed || tally.changed,
        CommentWhen::Regressed => has_failed || tally.regressed > 0,
        CommentWhen::Never => false,
    }
}

#[cfg(test)]
mod tests {
    use perf_config::FailOn;
    use render_perf_deltas::{Counts, FailureReason};
    use serde_json::json;

    use super::*;

    fn plan(fail_on: Option<Vec<FailOn>>, is_refresh: bool) -> ActionPlan {
        let mut plan: ActionPlan = serde_json::from_value(json!({
            "inputs": {
                "run": [], "build": null, "results": ["bench.log"], "name": "perf-gate", "baseline": null,
                "fail_on": null, "comment": "Always", "pull_request": null, "config": null, "platform": null,
                "part": { "shard": null, "only": null }, "directory": "",
            },
            "settings": {
                "run": [], "build": null, "store": "Commit", "baseline": "perf-baseline.csv",
                "keeps_numbers": false, "page": null, "refreshing": ["push"],
            },
            "is_refresh": is_refresh, "pull_request": 5, "job": { "name": { "workflow": "perf", "job": "perf", "values": [] }, "sharing": 0 }, "commit": "a".repeat(40),
            "is_after_workflow": false, "status": "perf-gate", "folder": "", "suite": "", "run_url": null,
            "base": { "Err": "none" }, "config_file": null, "machine_specs": null, "sealed": {},
        }))
        .unwrap();
        plan.inputs.fail_on = fail_on;
        plan
    }

    /// The outcome of a comparison with these failures, or of a failed comparison.
    fn outcome(failed: Option<&[FailOn]>) -> ActionOutcome {
        let counts = failed.map(|failed| {
            let mut counts = Counts::default();
            counts.tally.compared = 2;
            counts.failed = failed.iter().copied().map(FailureReason::Verdict).collect();
            counts
        });
        ActionOutcome {
            counts,
            summary: "summary".to_owned(),
            ..ActionOutcome::default()
        }
    }

    #[test]
    fn job_and_status_fail_unless_the_gate_passes() {
        let verdict = |fail_on: Option<Vec<FailOn>>, is_refresh, failed: Option<&[FailOn]>| {
            let (plan, outcome) = (plan(fail_on, is_refresh), outcome(failed));
            let exit = show_verdict(&plan, &outcome, "the report");
            (state(&plan, &outcome), exit == Exit::Ok)
        };
        let regressed: Option<&[FailOn]> = Some(&[FailOn::Regressed]);
        assert_eq!(verdict(None, false, Some(&[])), (State::Success, true));
        assert_eq!(verdict(None, false, regressed), (State::Failure, false));
        // With `fail-on: none`, only the job passes.
        assert_eq!(
            verdict(Some(Vec::new()), false, regressed),
            (State::Failure, true)
        );
        assert_eq!(verdict(None, true, regressed), (State::Success, true));
        for fail_on in [None, Some(Vec::new())] {
            for is_refresh in [false, true] {
                let unreadable = verdict(fail_on.clone(), is_refresh, None);
                assert_eq!(unreadable, (State::Error, false));
            }
        }
    }

    #[test]
    fn failures_are_commented_on_unless_never() {
        let wanted = |outcome: &ActionOutcome| {
            [
                CommentWhen::Always,
                CommentWhen::Changed,
                CommentWhen::Regressed,
                CommentWhen::Never,
            ]
            .map(|when| is_wanted(when, outcome))
        };
        assert_eq!(wanted(&outcome(Some(&[]))), [true, false, false, false]);
        for failed in [None, Some(&[FailOn::Missing][..])] {
            assert_eq!(wanted(&outcome(failed)), [true, true, true, false]);
        }
        let mut changed = outcome(Some(&[]));
        changed.counts.as_mut().unwrap().tally.changed = true;
        assert_eq!(wanted(&changed), [true, true, false, false]);
        // `fail-on` may not contain `regressed`.
        changed.counts.as_mut().unwrap().tally.regressed = 1;
        assert_eq!(wanted(&changed), [true, true, true, false]);
    }
}
