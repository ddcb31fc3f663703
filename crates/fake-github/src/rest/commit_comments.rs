//! Comments on commits.

use serde_json::{Value, json};

use super::{Reply, not_found, reject, shape};
use crate::account::Permission;
use crate::context::Context;
use crate::http::{Response, json as response};
use crate::world::{CommitComment, time};

pub(super) fn list(cx: &Context<'_>, sha: &str) -> Response {
    let comments = cx.world.commit_comments.iter().filter(|comment| comment.sha == sha);
    let comments: Vec<Value> = comments.map(|comment| shaped(cx, comment)).collect();
    cx.page(&comments)
}

pub(super) fn create(cx: &mut Context<'_>, sha: &str) -> Reply {
    let author = cx.writer(&[Permission::Contents])?.login.clone();
    if cx.git.resolve(sha).is_none_or(|found| found != sha) {
        return reject(422, &format!("No commit found for SHA: {sha}"));
    }
    let body = body(cx)?;
    cx.world.tick();
    let id = cx.world.commit_comments.iter().map(|comment| comment.id).max().unwrap_or(4_000_000) + 1;
    let comment = CommitComment { id, sha: sha.to_owned(), author, body };
    cx.world.commit_comments.push(comment.clone());
    Ok(response(201, &shaped(cx, &comment)))
}

pub(super) fn update(cx: &mut Context<'_>, id: &str) -> Reply {
    cx.writer(&[Permission::Contents])?;
    let body = body(cx)?;
    cx.world.tick();
    let found = cx.world.commit_comments.iter_mut().find(|comment| comment.id.to_string() == id);
    let Some(comment) = found else { return not_found() };
    comment.body = body;
    let comment = comment.clone();
    Ok(response(200, &shaped(cx, &comment)))
}

fn body(cx: &Context<'_>) -> Reply<String> {
    match cx.object()?.remove("body") {
        Some(Value::String(body)) if !body.trim().is_empty() => Ok(body),
        _ => reject(422, "Invalid request.\n\n\"body\" wasn't supplied."),
    }
}

fn shaped(cx: &Context<'_>, comment: &CommitComment) -> Value {
    let (api, repository) = (&cx.api, &cx.world.repository);
    json!({
        "id": comment.id,
        "node_id": shape::node_id("CC", comment.id),
        "url": format!("{api}/repos/{repository}/comments/{}", comment.id),
        "html_url": format!("{}/{repository}/commit/{}#commitcomment-{}", shape::SERVER, comment.sha, comment.id),
        "user": shape::user(cx, &comment.author),
        "body": comment.body,
        "path": null, "position": null, "line": null,
        "commit_id": comment.sha,
        "created_at": time(0),
        "updated_at": time(cx.world.time),
        "author_association": "NONE",
    })
}
