//! Pull requests.

use serde_json::Value;

use super::{Refusal, Reply, invalid, not_found, refuse, shape_pull};
use crate::account::{ACTIONS, Permission};
use crate::http::Answer;
use crate::hub::Desk;
use crate::world::{Pull, Side, State};

pub(super) fn get(desk: &mut Desk<'_>, number: &str) -> Reply {
    let pull = find(desk, number)?.clone();
    Ok(Answer::json(200, &shape_pull::pull(desk, &pull)))
}

pub(super) fn list(desk: &mut Desk<'_>) -> Reply {
    let state = desk.request.query("state").unwrap_or("open").to_owned();
    if !["open", "closed", "all"].contains(&state.as_str()) {
        return invalid("PullRequest", "state", "invalid", "state is not included in the list");
    }
    let mut pulls: Vec<&Pull> = desk.world.pulls.iter().filter(|pull| fits(desk, pull, &state)).collect();
    pulls.sort_by_key(|pull| std::cmp::Reverse(pull.number));
    Ok(desk.page(pulls.into_iter().map(|pull| shape_pull::pull_in_list(desk, pull)).collect()))
}

fn fits(desk: &Desk<'_>, pull: &Pull, state: &str) -> bool {
    let (head, base) = (desk.request.query("head"), desk.request.query("base"));
    (state == "all" || (state == "open") == (pull.state == State::Open))
        && base.is_none_or(|base| shape_pull::branch(desk, &pull.base) == base)
        // A head that names no owner is no filter for GitHub.
        && head.is_none_or(|head| !head.contains(':') || shape_pull::label(desk, &pull.head) == head)
}

pub(super) fn create(desk: &mut Desk<'_>) -> Reply {
    let author = desk.writer(&[Permission::PullRequests])?;
    if author == ACTIONS && !desk.world.actions_may_propose {
        return refuse(403, "GitHub Actions is not permitted to create or approve pull requests.");
    }
    let object = desk.object()?;
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (title, head, base) = (text("title"), text("head"), text("base"));
    let branch = head.strip_prefix(&format!("{}:", desk.world.owner())).unwrap_or(&head).to_owned();
    if title.trim().is_empty() {
        return invalid("PullRequest", "title", "missing_field", "title is missing");
    }
    proposable(desk, &branch, &base)?;
    let pull = Pull {
        title,
        body: text("body"),
        author,
        draft: object.get("draft") == Some(&Value::Bool(true)),
        head: Side { branch, ..Side::default() },
        base: Side { branch: base, ..Side::default() },
        ..Pull::default()
    };
    let number = desk.world.open(pull);
    let pull = find(desk, &number.to_string())?.clone();
    Ok(Answer::json(201, &shape_pull::pull(desk, &pull)))
}

/// Whether there is something to merge, and no pull request for it yet.
fn proposable(desk: &Desk<'_>, head: &str, base: &str) -> Result<(), Refusal> {
    let Some(from) = desk.git.head(head) else {
        return invalid("PullRequest", "head", "invalid", "head is invalid");
    };
    let Some(to) = desk.git.head(base) else {
        return invalid("PullRequest", "base", "invalid", "base is invalid");
    };
    let is_same = |pull: &Pull| {
        pull.state == State::Open
            && pull.head.repository.is_none()
            && shape_pull::branch(desk, &pull.head) == head
            && shape_pull::branch(desk, &pull.base) == base
    };
    if desk.world.pulls.iter().any(is_same) {
        let message = format!("A pull request already exists for {}:{head}.", desk.world.owner());
        return invalid("PullRequest", "head", "custom", &message);
    }
    let new = desk.git.run(&["rev-list", "-1", &format!("{to}..{from}")])?;
    if new.is_empty() {
        return invalid("PullRequest", "head", "custom", &format!("No commits between {base} and {head}"));
    }
    Ok(())
}

pub(super) fn update(desk: &mut Desk<'_>, number: &str) -> Reply {
    desk.writer(&[Permission::PullRequests])?;
    let object = desk.object()?;
    let text = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
    let state = match text("state").as_deref() {
        None => None,
        Some("open") => Some(State::Open),
        Some("closed") => Some(State::Closed),
        Some(_) => return invalid("PullRequest", "state", "invalid", "state is not included in the list"),
    };
    desk.world.tick();
    let head = head(desk, number)?;
    let pull = find(desk, number)?;
    if state == Some(State::Closed) && pull.state == State::Open {
        // It stays where it was.
        pull.head.sha = Some(head);
        pull.state = State::Closed;
    }
    if state == Some(State::Open) && pull.state == State::Closed {
        pull.state = State::Open;
    }
    pull.title = text("title").unwrap_or_else(|| pull.title.clone());
    pull.body = text("body").unwrap_or_else(|| pull.body.clone());
    let pull = pull.clone();
    Ok(Answer::json(200, &shape_pull::pull(desk, &pull)))
}

fn head(desk: &mut Desk<'_>, number: &str) -> Result<String, Refusal> {
    let pull = find(desk, number)?.clone();
    Ok(shape_pull::sha(desk, &pull.head, pull.number))
}

fn find<'d>(desk: &'d mut Desk<'_>, number: &str) -> Result<&'d mut Pull, Refusal> {
    number.parse().ok().and_then(|number| desk.world.pull(number)).map_or_else(not_found, Ok)
}
