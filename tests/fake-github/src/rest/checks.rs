//! Commit statuses, check runs, and a run's jobs.

use serde_json::{Value, json};

use super::{Context, Reply, invalid, reject, shape, text};
use crate::account::Permission;
use crate::request::{Response, json as response};
use crate::world::Status;

pub(super) fn create(cx: &mut Context<'_>) -> Reply {
    let login = cx.writer(&[Permission::Checks])?;
    let body = cx.request.json();
    if text(&body, "head_sha").len() != 40 || text(&body, "name").is_empty() {
        return invalid("CheckRun", "head_sha", "custom", "No commit found for SHA");
    }
    if !["success", "failure", "neutral"].contains(&text(&body, "conclusion")) {
        return invalid(
            "CheckRun",
            "conclusion",
            "custom",
            "conclusion is not included in the list",
        );
    }
    let check = shape::check(&body, cx.world.checks.len() as u64 + 1, &login);
    cx.world.checks.push(check.clone());
    Ok(response(201, &check))
}

/// The newest check run with each name.
pub(super) fn list(cx: &Context<'_>, sha: &str) -> Response {
    let mut latest: Vec<&Value> = Vec::new();
    for check in cx
        .world
        .checks
        .iter()
        .rev()
        .filter(|check| check["head_sha"] == sha)
    {
        if !latest.iter().any(|other| other["name"] == check["name"]) {
            latest.push(check);
        }
    }
    response(
        200,
        &json!({ "total_count": latest.len(), "check_runs": latest }),
    )
}

pub(super) fn jobs(cx: &Context<'_>, run: &str, attempt: &str) -> Response {
    let jobs = cx.world.jobs.iter().zip(1..);
    let jobs: Vec<Value> = jobs
        .map(|((name, status), id)| shape::job(name, status, (id, run, attempt)))
        .collect();
    response(200, &json!({ "total_count": jobs.len(), "jobs": jobs }))
}

/// The states that GitHub accepts.
const STATES: [&str; 4] = ["error", "failure", "pending", "success"];

pub(super) fn create_status(cx: &mut Context<'_>, sha: &str) -> Reply {
    let author = cx.writer(&[Permission::Statuses])?;
    let body = cx.request.json();
    if !STATES.contains(&text(&body, "state")) {
        return invalid(
            "Status",
            "state",
            "custom",
            "state is not included in the list",
        );
    }
    if text(&body, "description").chars().count() > 140 {
        let message = "description is too long (maximum is 140 characters)";
        return invalid("Status", "description", "custom", message);
    }
    if sha.len() != 40 {
        return reject(422, &format!("No commit found for SHA: {sha}"));
    }
    let status = Status {
        sha: sha.to_owned(),
        state: text(&body, "state").to_owned(),
        context: text(&body, "context").to_owned(),
        description: text(&body, "description").to_owned(),
        target: body["target_url"].as_str().map(str::to_owned),
    };
    cx.world.statuses.push(status.clone());
    Ok(response(
        201,
        &shape::status(&status, cx.world.statuses.len() as u64, &author),
    ))
}
