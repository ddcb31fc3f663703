//! Statuses of commits.

use super::{Context, Reply, invalid, reject, shape, text};
use crate::account::Permission;
use crate::request::json as response;
use crate::world::Status;

/// The states that GitHub knows.
const STATES: [&str; 4] = ["error", "failure", "pending", "success"];

pub(super) fn create(cx: &mut Context<'_>, sha: &str) -> Reply {
    let author = cx.writer(&[Permission::Statuses])?;
    let body = cx.request.json();
    if !STATES.contains(&text(&body, "state")) {
        return invalid("Status", "state", "custom", "state is not included in the list");
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
    Ok(response(201, &shape::status(&status, cx.world.statuses.len() as u64, &author)))
}
