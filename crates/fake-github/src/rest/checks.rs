//! Check runs of commits, and the jobs of a run.

use serde_json::{Value, json};

use super::{Context, Reply, invalid, shape, text};
use crate::account::Permission;
use crate::request::{Response, json as response};

pub(super) fn create(cx: &mut Context<'_>) -> Reply {
    let login = cx.writer(&[Permission::Checks])?;
    let body = cx.request.json();
    if text(&body, "head_sha").len() != 40 || text(&body, "name").is_empty() {
        return invalid("CheckRun", "head_sha", "custom", "No commit found for SHA");
    }
    if !["success", "failure", "neutral"].contains(&text(&body, "conclusion")) {
        return invalid("CheckRun", "conclusion", "custom", "conclusion is not included in the list");
    }
    let check = shape::check(&body, cx.world.checks.len() as u64 + 1, &login);
    cx.world.checks.push(check.clone());
    Ok(response(201, &check))
}

/// The newest check run of each name.
pub(super) fn list(cx: &Context<'_>, sha: &str) -> Response {
    let mut latest: Vec<&Value> = Vec::new();
    for check in cx.world.checks.iter().rev().filter(|check| check["head_sha"] == sha) {
        if !latest.iter().any(|other| other["name"] == check["name"]) {
            latest.push(check);
        }
    }
    response(200, &json!({ "total_count": latest.len(), "check_runs": latest }))
}

/// The jobs of an attempt of a run.
pub(super) fn jobs(cx: &Context<'_>, run: &str, attempt: &str) -> Response {
    let jobs = cx
        .world
        .jobs
        .iter()
        .zip(1..)
        .map(|((name, status), id)| shape::job(name, status, (id, run, attempt)));
    let jobs: Vec<Value> = jobs.collect();
    response(200, &json!({ "total_count": jobs.len(), "jobs": jobs }))
}
