//! Statuses of commits.

use serde_json::json;

use super::{Reply, invalid, reject, shape};
use crate::account::Permission;
use crate::context::Context;
use crate::http::json as response;
use crate::world::{Status, time};

/// The states that GitHub knows.
const STATES: [&str; 4] = ["error", "failure", "pending", "success"];

pub(super) fn create(cx: &mut Context<'_>, sha: &str) -> Reply {
    let author = cx.writer(&[Permission::Statuses])?.login.clone();
    let body = cx.object()?;
    let text = |name: &str| body.get(name).and_then(|value| value.as_str()).map(str::to_owned);
    let Some(state) = text("state").filter(|state| STATES.contains(&state.as_str())) else {
        return invalid("Status", "state", "custom", "state is not included in the list");
    };
    let description = text("description").unwrap_or_default();
    if description.chars().count() > 140 {
        return invalid(
            "Status",
            "description",
            "custom",
            "description is too long (maximum is 140 characters)",
        );
    }
    if sha.len() != 40 {
        return reject(422, &format!("No commit found for SHA: {sha}"));
    }
    let context = text("context").unwrap_or_else(|| "default".to_owned());
    let target = text("target_url");
    let now = cx.world.tick();
    let status = Status { sha: sha.to_owned(), state, context, description, target };
    let id = cx.world.statuses.len() as u64 + 1;
    let answer = json!({
        "url": format!("{}/repos/{}/statuses/{sha}", cx.api, cx.world.repository),
        "avatar_url": "https://avatars.githubusercontent.com/u/1?v=4",
        "id": id,
        "node_id": shape::node_id("SC", id),
        "state": status.state,
        "description": status.description,
        "target_url": status.target,
        "context": status.context,
        "created_at": time(now),
        "updated_at": time(now),
        "creator": shape::user(cx, &author),
    });
    cx.world.statuses.push(status);
    Ok(response(201, &answer))
}
