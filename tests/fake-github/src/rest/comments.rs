//! Comments on pull requests and on commits, reactions to them, and the permissions of people.

use serde_json::json;

use super::{Context, Reply, invalid, not_found, pulls, reject, shape, text};
use crate::account::{Permission, Token, node_id};
use crate::request::{Response, json as response, raw};
use crate::world::Comment;

/// The maximum length of a comment's body, in code points.
const MAX_LENGTH: usize = 65_536;

/// The reactions that GitHub accepts.
const REACTIONS: [&str; 8] = [
    "+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes",
];

pub(super) fn list_on_pull(cx: &mut Context<'_>, number: &str) -> Reply {
    let number = pulls::find(cx, number)?.number;
    Ok(list(cx, |comment| comment.pull == number))
}

/// The comments on a pull request or a commit.
pub(super) fn list(cx: &Context<'_>, is_there: impl Fn(&Comment) -> bool) -> Response {
    let comments = cx.world.comments.iter().filter(|comment| is_there(comment));
    cx.page(&comments.map(shape::comment).collect::<Vec<_>>())
}

pub(super) fn get(cx: &mut Context<'_>, id: &str, on_commit: bool) -> Reply {
    Ok(response(200, &shape::comment(find(cx, id, on_commit)?)))
}

pub(super) fn create_on_pull(cx: &mut Context<'_>, number: &str) -> Reply {
    let author = cx.writer(writers(false))?;
    let pull = pulls::find(cx, number)?.number;
    check_unlocked(cx, pull)?;
    let body = body(cx)?;
    let id = cx.world.comment(pull, &author, &body);
    Ok(response(
        201,
        &shape::comment(find(cx, &id.to_string(), false)?),
    ))
}

pub(super) fn create_on_commit(cx: &mut Context<'_>, sha: &str) -> Reply {
    let author = cx.writer(writers(true))?;
    if cx.git.resolve(sha).is_none_or(|found| found != sha) {
        return reject(422, &format!("No commit found for SHA: {sha}"));
    }
    let body = body(cx)?;
    let id = cx.world.comment(0, &author, &body);
    let comment = find(cx, &id.to_string(), false)?;
    sha.clone_into(&mut comment.sha);
    Ok(response(201, &shape::comment(comment)))
}

/// A writer may edit everyone's comments.
pub(super) fn update(cx: &mut Context<'_>, id: &str, on_commit: bool) -> Reply {
    let login = cx.writer(writers(on_commit))?;
    let pull = find(cx, id, on_commit)?.pull;
    check_unlocked(cx, pull)?;
    let body = body(cx)?;
    find(cx, id, on_commit)?.edit(login, body);
    get(cx, id, on_commit)
}

pub(super) fn delete(cx: &mut Context<'_>, id: &str, on_commit: bool) -> Reply {
    cx.writer(writers(on_commit))?;
    let id = find(cx, id, on_commit)?.id;
    cx.world.comments.retain(|comment| comment.id != id);
    Ok(raw(204, ""))
}

pub(super) fn find<'w>(
    cx: &'w mut Context<'_>,
    id: &str,
    on_commit: bool,
) -> Reply<&'w mut Comment> {
    let is_it = |comment: &&mut Comment| {
        comment.id.to_string() == id && comment.sha.is_empty() != on_commit
    };
    cx.world
        .comments
        .iter_mut()
        .find(is_it)
        .map_or_else(not_found, Ok)
}

/// The permissions that allow writing comments; any of them is enough.
fn writers(on_commit: bool) -> &'static [Permission] {
    if on_commit {
        &[Permission::Contents]
    } else {
        &[Permission::Issues, Permission::PullRequests]
    }
}

fn check_unlocked(cx: &mut Context<'_>, pull: u64) -> Reply<()> {
    // People with write access may still comment.
    if cx.world.pull(pull).is_some_and(|pull| pull.locked)
        && cx.caller.as_ref().is_some_and(Token::is_app)
    {
        return reject(403, "Unable to create comment because issue is locked.");
    }
    Ok(())
}

fn body(cx: &Context<'_>) -> Reply<String> {
    let body = cx.request.json();
    let Some(body) = body["body"].as_str() else {
        return reject(422, "Invalid request.\n\n\"body\" wasn't supplied.");
    };
    if body.trim().is_empty() {
        return invalid(
            "IssueComment",
            "data",
            "unprocessable",
            "Body cannot be blank",
        );
    }
    if body.chars().count() > MAX_LENGTH {
        let message = format!("Body is too long (maximum is {MAX_LENGTH} characters)");
        return invalid("IssueComment", "data", "unprocessable", &message);
    }
    Ok(body.to_owned())
}

pub(super) fn permission(cx: &Context<'_>, login: &str) -> Response {
    let known = cx
        .world
        .collaborators
        .get(login)
        .map_or("read", String::as_str);
    let mut user = shape::user(login);
    user["role_name"] = json!(known);
    response(
        200,
        &json!({ "permission": known, "role_name": known, "user": user }),
    )
}

pub(super) fn react(cx: &mut Context<'_>, id: &str) -> Reply {
    let login = cx.writer(&[Permission::Issues, Permission::PullRequests])?;
    let id = find(cx, id, false)?.id;
    let body = cx.request.json();
    let content = text(&body, "content").to_owned();
    if !REACTIONS.contains(&content.as_str()) {
        return invalid(
            "Reaction",
            "content",
            "custom",
            "content is not included in the list",
        );
    }
    cx.world.reactions.push((id, content.clone()));
    let number = cx.world.reactions.len() as u64;
    let reaction = json!({
        "id": number, "node_id": node_id("REA", number), "content": content,
        "user": shape::user(&login), "created_at": "2031-03-04T09:14:10Z",
    });
    Ok(response(201, &reaction))
}
