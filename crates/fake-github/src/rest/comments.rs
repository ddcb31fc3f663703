//! Comments on pull requests.

use serde_json::Value;

use super::{Refusal, Reply, invalid, not_found, refuse, shape_pull};
use crate::account::Permission;
use crate::http::Answer;
use crate::hub::Desk;
use crate::world::{Comment, Pull};

/// The most characters that a comment has.
const MOST: usize = 65_536;

/// A pull request's comments need only one of these.
const WRITERS: [Permission; 2] = [Permission::Issues, Permission::PullRequests];

pub(super) fn list(desk: &mut Desk<'_>, number: &str) -> Reply {
    let number = pull(desk, number)?.number;
    let comments = desk.world.comments_of(number);
    Ok(desk.page(comments.iter().map(|comment| shape_pull::comment(desk, comment)).collect()))
}

pub(super) fn get(desk: &mut Desk<'_>, id: &str) -> Reply {
    let comment = comment(desk, id)?.clone();
    Ok(Answer::json(200, &shape_pull::comment(desk, &comment)))
}

pub(super) fn create(desk: &mut Desk<'_>, number: &str) -> Reply {
    let author = desk.writer(&WRITERS)?;
    let pull = pull(desk, number)?.clone();
    unlocked(desk, &pull)?;
    let id = desk.world.comment(pull.number, &author, &body(desk)?);
    let comment = comment(desk, &id.to_string())?.clone();
    Ok(Answer::json(201, &shape_pull::comment(desk, &comment)))
}

/// Whoever may write may change everybody's comments.
pub(super) fn update(desk: &mut Desk<'_>, id: &str) -> Reply {
    desk.writer(&WRITERS)?;
    let number = comment(desk, id)?.pull;
    let pull = pull(desk, &number.to_string())?.clone();
    unlocked(desk, &pull)?;
    let (body, now) = (body(desk)?, desk.world.tick());
    let comment = comment(desk, id)?;
    comment.body = body;
    comment.updated = now;
    let comment = comment.clone();
    Ok(Answer::json(200, &shape_pull::comment(desk, &comment)))
}

pub(super) fn delete(desk: &mut Desk<'_>, id: &str) -> Reply {
    desk.writer(&WRITERS)?;
    let id = comment(desk, id)?.id;
    desk.world.comments.retain(|comment| comment.id != id);
    Ok(Answer { status: 204, ..Answer::default() })
}

fn pull<'d>(desk: &'d mut Desk<'_>, number: &str) -> Result<&'d mut Pull, Refusal> {
    number.parse().ok().and_then(|number| desk.world.pull(number)).map_or_else(not_found, Ok)
}

fn comment<'d>(desk: &'d mut Desk<'_>, id: &str) -> Result<&'d mut Comment, Refusal> {
    let found = desk.world.comments.iter_mut().find(|comment| comment.id.to_string() == id);
    found.map_or_else(not_found, Ok)
}

fn unlocked(desk: &Desk<'_>, pull: &Pull) -> Result<(), Refusal> {
    // People who may write to the repository still may comment.
    if pull.locked && desk.caller.as_ref().is_some_and(crate::Token::is_app) {
        return refuse(403, "Unable to create comment because issue is locked.");
    }
    Ok(())
}

fn body(desk: &Desk<'_>) -> Result<String, Refusal> {
    let object = desk.object()?;
    let Some(Value::String(body)) = object.get("body") else {
        return refuse(422, "Invalid request.\n\n\"body\" wasn't supplied.");
    };
    if body.trim().is_empty() {
        return invalid("IssueComment", "data", "unprocessable", "Body cannot be blank");
    }
    if body.chars().count() > MOST {
        let message = format!("Body is too long (maximum is {MOST} characters)");
        return invalid("IssueComment", "data", "unprocessable", &message);
    }
    Ok(body.clone())
}
