//! Comments on pull requests.

use serde_json::Value;

use super::{Reply, invalid, not_found, pulls, reject, shape_pull};
use crate::account::{Permission, Token};
use crate::context::Context;
use crate::http::{Response, json as response, raw};
use crate::world::{Comment, Pull};

/// The limit of a comment's body in code points.
const MAX_LENGTH: usize = 65_536;

/// Either permission allows comments on pull requests.
const WRITERS: [Permission; 2] = [Permission::Issues, Permission::PullRequests];

pub(super) fn list(cx: &mut Context<'_>, number: &str) -> Reply {
    let number = pulls::find(cx, number)?.number;
    let comments = cx.world.comments_of(number);
    let comments: Vec<_> = comments.iter().map(|comment| shape_pull::comment(cx, comment)).collect();
    Ok(cx.page(&comments))
}

pub(super) fn get(cx: &mut Context<'_>, id: &str) -> Reply {
    respond(cx, 200, id)
}

pub(super) fn create(cx: &mut Context<'_>, number: &str) -> Reply {
    let author = cx.writer(&WRITERS)?.login.clone();
    let pull = pulls::find(cx, number)?.clone();
    check_unlocked(cx, &pull)?;
    let body = body(cx)?;
    let id = cx.world.comment(pull.number, &author, &body);
    respond(cx, 201, &id.to_string())
}

/// A writer may edit everybody's comments.
pub(super) fn update(cx: &mut Context<'_>, id: &str) -> Reply {
    cx.writer(&WRITERS)?;
    let number = find(cx, id)?.pull;
    let pull = pulls::find(cx, &number.to_string())?.clone();
    check_unlocked(cx, &pull)?;
    let (body, updated) = (body(cx)?, cx.world.tick());
    let comment = find(cx, id)?;
    (comment.body, comment.updated) = (body, updated);
    respond(cx, 200, id)
}

pub(super) fn delete(cx: &mut Context<'_>, id: &str) -> Reply {
    cx.writer(&WRITERS)?;
    let id = find(cx, id)?.id;
    cx.world.comments.retain(|comment| comment.id != id);
    Ok(raw(204, ""))
}

fn respond(cx: &mut Context<'_>, status: u16, id: &str) -> Reply<Response> {
    let comment = find(cx, id)?.clone();
    Ok(response(status, &shape_pull::comment(cx, &comment)))
}

fn find<'w>(cx: &'w mut Context<'_>, id: &str) -> Reply<&'w mut Comment> {
    let found = cx.world.comments.iter_mut().find(|comment| comment.id.to_string() == id);
    found.map_or_else(not_found, Ok)
}

fn check_unlocked(cx: &Context<'_>, pull: &Pull) -> Reply<()> {
    // People with write access may still comment.
    if pull.locked && cx.caller.as_ref().is_some_and(Token::is_app) {
        return reject(403, "Unable to create comment because issue is locked.");
    }
    Ok(())
}

fn body(cx: &Context<'_>) -> Reply<String> {
    let mut object = cx.object()?;
    let Some(Value::String(body)) = object.remove("body") else {
        return reject(422, "Invalid request.\n\n\"body\" wasn't supplied.");
    };
    if body.trim().is_empty() {
        return invalid("IssueComment", "data", "unprocessable", "Body cannot be blank");
    }
    if body.chars().count() > MAX_LENGTH {
        let message = format!("Body is too long (maximum is {MAX_LENGTH} characters)");
        return invalid("IssueComment", "data", "unprocessable", &message);
    }
    Ok(body)
}
