//! Pull requests.

use std::cmp::Reverse;

use serde::Deserialize;

use super::{Reply, invalid, not_found, reject, shape_pull};
use crate::account::{ACTIONS, Permission};
use crate::context::Context;
use crate::http::json as response;
use crate::world::{Pull, Side, State};

/// The body of a request to create or update a pull request.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Fields {
    title: Option<String>,
    body: Option<String>,
    state: Option<String>,
    head: String,
    base: String,
    draft: bool,
}

pub(super) fn get(cx: &mut Context<'_>, number: &str) -> Reply {
    let pull = find(cx, number)?.clone();
    Ok(response(200, &shape_pull::pull(cx, &pull)))
}

pub(super) fn list(cx: &mut Context<'_>) -> Reply {
    let state = cx.request.query("state").unwrap_or("open");
    if !["open", "closed", "all"].contains(&state) {
        return invalid("PullRequest", "state", "invalid", "state is not included in the list");
    }
    let mut pulls: Vec<&Pull> = cx.world.pulls.iter().filter(|pull| matches(cx, pull, state)).collect();
    pulls.sort_by_key(|pull| Reverse(pull.number));
    let pulls: Vec<_> = pulls.into_iter().map(|pull| shape_pull::pull_in_list(cx, pull)).collect();
    Ok(cx.page(&pulls))
}

fn matches(cx: &Context<'_>, pull: &Pull, state: &str) -> bool {
    let (head, base) = (cx.request.query("head"), cx.request.query("base"));
    (state == "all" || (state == "open") == (pull.state == State::Open))
        && base.is_none_or(|base| shape_pull::branch(cx, &pull.base) == base)
        // GitHub ignores a head without an owner.
        && head.is_none_or(|head| !head.contains(':') || shape_pull::label(cx, &pull.head) == head)
}

pub(super) fn create(cx: &mut Context<'_>) -> Reply {
    let author = cx.writer(&[Permission::PullRequests])?.login.clone();
    if author == ACTIONS && !cx.world.actions_may_propose {
        return reject(403, "GitHub Actions is not permitted to create or approve pull requests.");
    }
    let fields = fields(cx)?;
    let title = fields.title.unwrap_or_default();
    if title.trim().is_empty() {
        return invalid("PullRequest", "title", "missing_field", "title is missing");
    }
    let owner = format!("{}:", cx.world.owner());
    let head = fields.head.strip_prefix(&owner).unwrap_or(&fields.head).to_owned();
    check_branches(cx, &head, &fields.base)?;
    let number = cx.world.open(Pull {
        title,
        body: fields.body.unwrap_or_default(),
        author,
        draft: fields.draft,
        head: Side { branch: head, ..Side::default() },
        base: Side { branch: fields.base, ..Side::default() },
        ..Pull::default()
    });
    let pull = find(cx, &number.to_string())?.clone();
    Ok(response(201, &shape_pull::pull(cx, &pull)))
}

/// Fails unless there are commits to merge and no open pull request for them.
fn check_branches(cx: &Context<'_>, head: &str, base: &str) -> Reply<()> {
    let Some(from) = cx.git.head(head) else {
        return invalid("PullRequest", "head", "invalid", "head is invalid");
    };
    let Some(to) = cx.git.head(base) else {
        return invalid("PullRequest", "base", "invalid", "base is invalid");
    };
    let is_same = |pull: &Pull| {
        pull.state == State::Open
            && pull.head.repository.is_none()
            && shape_pull::branch(cx, &pull.head) == head
            && shape_pull::branch(cx, &pull.base) == base
    };
    if cx.world.pulls.iter().any(is_same) {
        let message = format!("A pull request already exists for {}:{head}.", cx.world.owner());
        return invalid("PullRequest", "head", "custom", &message);
    }
    if cx.git.run(&["rev-list", "-1", &format!("{to}..{from}")])?.is_empty() {
        return invalid("PullRequest", "head", "custom", &format!("No commits between {base} and {head}"));
    }
    Ok(())
}

pub(super) fn update(cx: &mut Context<'_>, number: &str) -> Reply {
    cx.writer(&[Permission::PullRequests])?;
    let fields = fields(cx)?;
    let state = match fields.state.as_deref() {
        None => None,
        Some("open") => Some(State::Open),
        Some("closed") => Some(State::Closed),
        Some(_) => return invalid("PullRequest", "state", "invalid", "state is not included in the list"),
    };
    cx.world.tick();
    let pull = find(cx, number)?.clone();
    let head = shape_pull::sha(cx, &pull.head, pull.number);
    let pull = find(cx, number)?;
    match (pull.state, state) {
        (State::Open, Some(State::Closed)) => pull.close(head),
        (State::Closed, Some(State::Open)) => pull.state = State::Open,
        _ => {}
    }
    pull.title = fields.title.unwrap_or_else(|| pull.title.clone());
    pull.body = fields.body.unwrap_or_else(|| pull.body.clone());
    get(cx, number)
}

fn fields(cx: &Context<'_>) -> Reply<Fields> {
    match serde_json::from_value(cx.object()?.into()) {
        Ok(fields) => Ok(fields),
        Err(error) => reject(422, &format!("Invalid request.\n\n{error}")),
    }
}

pub(super) fn find<'w>(cx: &'w mut Context<'_>, number: &str) -> Reply<&'w mut Pull> {
    number.parse().ok().and_then(|number| cx.world.pull(number)).map_or_else(not_found, Ok)
}
