//! The last job after a matrix: it lists in the comment the matrix jobs that did not report.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::Context;
use perf_cli::actions::Level;
use perf_cli::{Exit, Failure, ResultExt};
use perf_github::Actions;
use serde::Deserialize;
use upsert_pr_comment::CommentRequest;

use super::inputs::{ActionInputs, CommentWhen, job_name};
use super::log;

/// A job in this job's `needs`.
#[derive(Deserialize)]
struct NeededJob {
    result: String,
}

/// Reads `toJSON(needs)`, and fails unless all jobs have succeeded and reported.
pub fn check_jobs(needs: &str) -> anyhow::Result<Exit> {
    let inputs = ActionInputs::from_env()?;
    let needs: BTreeMap<String, NeededJob> = serde_json::from_str(needs)
        .context("invalid `complete`")
        .hint("it takes `${{ toJSON(needs) }}`")?;
    if needs.is_empty() {
        return Err(Failure::new("`complete` contains no jobs")
            .hint("add the matrix job to this job's `needs`, such as `needs: perf`")
            .into());
    }
    log::output("mode", "none")?;
    let mut exit = Exit::Ok;
    let mut faults = BTreeSet::new();
    for (job, NeededJob { result }) in &needs {
        if result != "success" {
            let message = format!("the job `{job}` did not succeed: {result}");
            log::show(Level::Error, &message, &["see its report or its log"]);
            exit = Exit::Error;
        }
        match list_missing_reports(&inputs, job, result) {
            Ok(found) => faults.extend(found),
            // The comment may not list all missing jobs.
            Err(error) => {
                log::show_error(Level::Error, &error.context("cannot complete the comment"));
                exit = Exit::Error;
            }
        }
    }
    for fault in faults {
        log::show(Level::Error, &fault, &["re-run the failed jobs"]);
        exit = Exit::Error;
    }
    Ok(exit)
}

/// Lists a matrix's missing reports in the comment, and returns them. A skipped matrix has none.
fn list_missing_reports(
    inputs: &ActionInputs,
    job: &str,
    result: &str,
) -> anyhow::Result<Vec<String>> {
    let actions = Actions::from_env()?;
    if result == "skipped"
        || inputs.comment != CommentWhen::Always
        || !actions.event.is_pull_request()
    {
        return Ok(Vec::new());
    }
    let request = CommentRequest {
        ended: Some(job_name(job.to_owned(), Vec::new())),
        body_file: None,
        ..CommentRequest::new(inputs.name.clone(), PathBuf::new())
    };
    let report = upsert_pr_comment::upsert(&request, &actions)?;
    report.show()?;
    Ok([report.faults, report.lost].concat())
}
