//! Comments on pull requests and on commits.

use super::{Context, Reply, invalid, not_found, pulls, reject, shape};
use crate::account::{Permission, Token};
use crate::request::{Response, json as response, raw};
use crate::world::Comment;

/// The limit of a comment's body in code points.
const MAX_LENGTH: usize = 65_536;

/// Either permission allows comments on pull requests.
const WRITERS: [Permission; 2] = [Permission::Issues, Permission::PullRequests];

pub(super) fn list_on_pull(cx: &mut Context<'_>, number: &str) -> Reply {
    let number = pulls::find(cx, number)?.number;
    let comments = cx.world.comments.iter().filter(|comment| comment.pull == number);
    Ok(cx.page(&comments.map(shape::comment).collect::<Vec<_>>()))
}

pub(super) fn list_on_commit(cx: &Context<'_>, sha: &str) -> Response {
    let comments = cx.world.commit_comments.iter().filter(|comment| comment.sha == sha);
    cx.page(&comments.map(shape::comment).collect::<Vec<_>>())
}

pub(super) fn get(cx: &mut Context<'_>, id: &str) -> Reply {
    Ok(response(200, &shape::comment(find(&mut cx.world.comments, id)?)))
}

pub(super) fn get_on_commit(cx: &mut Context<'_>, id: &str) -> Reply {
    Ok(response(200, &shape::comment(find(&mut cx.world.commit_comments, id)?)))
}

pub(super) fn create_on_pull(cx: &mut Context<'_>, number: &str) -> Reply {
    let author = cx.writer(&WRITERS)?;
    let pull = pulls::find(cx, number)?.number;
    check_unlocked(cx, pull)?;
    let body = body(cx)?;
    let id = cx.world.comment(pull, &author, &body);
    Ok(response(201, &shape::comment(find(&mut cx.world.comments, &id.to_string())?)))
}

pub(super) fn create_on_commit(cx: &mut Context<'_>, sha: &str) -> Reply {
    let author = cx.writer(&[Permission::Contents])?;
    if cx.git.resolve(sha).is_none_or(|found| found != sha) {
        return reject(422, &format!("No commit found for SHA: {sha}"));
    }
    let (body, id) = (body(cx)?, cx.world.next_id());
    let comment = Comment { id, sha: sha.to_owned(), author, body, ..Comment::default() };
    cx.world.commit_comments.push(comment.clone());
    Ok(response(201, &shape::comment(&comment)))
}

/// A writer may edit everybody's comments.
pub(super) fn update(cx: &mut Context<'_>, id: &str) -> Reply {
    let login = cx.writer(&WRITERS)?;
    let pull = find(&mut cx.world.comments, id)?.pull;
    check_unlocked(cx, pull)?;
    let body = body(cx)?;
    find(&mut cx.world.comments, id)?.edit(login, body);
    get(cx, id)
}

pub(super) fn update_on_commit(cx: &mut Context<'_>, id: &str) -> Reply {
    let login = cx.writer(&[Permission::Contents])?;
    let body = body(cx)?;
    find(&mut cx.world.commit_comments, id)?.edit(login, body);
    get_on_commit(cx, id)
}

pub(super) fn delete(cx: &mut Context<'_>, id: &str) -> Reply {
    cx.writer(&WRITERS)?;
    let id = find(&mut cx.world.comments, id)?.id;
    cx.world.comments.retain(|comment| comment.id != id);
    Ok(raw(204, ""))
}

pub(super) fn delete_on_commit(cx: &mut Context<'_>, id: &str) -> Reply {
    cx.writer(&[Permission::Contents])?;
    let id = find(&mut cx.world.commit_comments, id)?.id;
    cx.world.commit_comments.retain(|comment| comment.id != id);
    Ok(raw(204, ""))
}

pub(super) fn find<'w>(comments: &'w mut [Comment], id: &str) -> Reply<&'w mut Comment> {
    comments.iter_mut().find(|comment| comment.id.to_string() == id).map_or_else(not_found, Ok)
}

fn check_unlocked(cx: &mut Context<'_>, pull: u64) -> Reply<()> {
    // People with write access may still comment.
    if cx.world.pull(pull).is_some_and(|pull| pull.locked) && cx.caller.as_ref().is_some_and(Token::is_app) {
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
        return invalid("IssueComment", "data", "unprocessable", "Body cannot be blank");
    }
    if body.chars().count() > MAX_LENGTH {
        let message = format!("Body is too long (maximum is {MAX_LENGTH} characters)");
        return invalid("IssueComment", "data", "unprocessable", &message);
    }
    Ok(body.to_owned())
}
