//! Permissions of people, and their reactions.

use serde_json::json;

use super::{Context, Reply, comments, invalid, shape, text};
use crate::account::Permission;
use crate::request::{Response, json as response};

/// Reactions that GitHub knows.
const REACTIONS: [&str; 8] = ["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"];

pub(super) fn permission(cx: &Context<'_>, login: &str) -> Response {
    let known = cx.world.collaborators.get(login).map_or("read", String::as_str);
    let mut user = shape::user(login);
    user["role_name"] = json!(known);
    response(200, &json!({ "permission": known, "role_name": known, "user": user }))
}

pub(super) fn react(cx: &mut Context<'_>, id: &str) -> Reply {
    let login = cx.writer(&[Permission::Issues, Permission::PullRequests])?;
    let id = comments::find(&mut cx.world.comments, id)?.id;
    let body = cx.request.json();
    let content = text(&body, "content").to_owned();
    if !REACTIONS.contains(&content.as_str()) {
        return invalid("Reaction", "content", "custom", "content is not included in the list");
    }
    cx.world.reactions.push((id, content.clone()));
    let number = cx.world.reactions.len() as u64;
    let reaction = json!({
        "id": number, "node_id": shape::node_id("REA", number), "content": content,
        "user": shape::user(&login), "created_at": "2031-03-04T09:14:10Z",
    });
    Ok(response(201, &reaction))
}
