//! Pull requests.

use super::{Context, Reply, invalid, not_found, reject, shape, text};
use crate::account::{ACTIONS, Permission};
use crate::request::{Response, json as response};
use crate::world::{Pull, PullState, Side};

pub(super) fn get(cx: &mut Context<'_>, number: &str) -> Reply {
    let pull = find(cx, number)?.clone();
    Ok(response(200, &shape::pull(cx, &pull)))
}

/// The pull requests with the requested state and base, newest first.
pub(super) fn list(cx: &mut Context<'_>) -> Response {
    let (state, base) = (
        cx.request.query("state").unwrap_or("open"),
        cx.request.query("base"),
    );
    let is_listed = |pull: &&Pull| {
        (state == "all" || (state == "open") == (pull.state == PullState::Open))
            && base.is_none_or(|base| pull.base.branch == base)
    };
    let pulls = cx.world.pulls.iter().rev().filter(is_listed);
    cx.page(&pulls.map(|pull| shape::pull(cx, pull)).collect::<Vec<_>>())
}

pub(super) fn create(cx: &mut Context<'_>) -> Reply {
    let author = cx.writer(&[Permission::PullRequests])?;
    if author == ACTIONS && !cx.world.actions_may_propose {
        return reject(
            403,
            "GitHub Actions is not permitted to create or approve pull requests.",
        );
    }
    let fields = cx.request.json();
    let (head, base) = (text(&fields, "head"), text(&fields, "base"));
    check_branches(cx, head, base)?;
    let number = cx.world.open(Pull {
        title: text(&fields, "title").to_owned(),
        body: text(&fields, "body").to_owned(),
        author,
        head: Side::of(head),
        base: Side::of(base),
        ..Pull::new(0)
    });
    let pull = find(cx, &number.to_string())?.clone();
    Ok(response(201, &shape::pull(cx, &pull)))
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
        let is_here = pull.state == PullState::Open && pull.head.repository.is_none();
        is_here && pull.head.branch == head && pull.base.branch == base
    };
    if cx.world.pulls.iter().any(is_same) {
        let message = format!("A pull request already exists for octo:{head}.");
        return invalid("PullRequest", "head", "custom", &message);
    }
    if cx
        .git
        .run(&["rev-list", "-1", &format!("{to}..{from}")])?
        .is_empty()
    {
        return invalid(
            "PullRequest",
            "head",
            "custom",
            &format!("No commits between {base} and {head}"),
        );
    }
    Ok(())
}

pub(super) fn update(cx: &mut Context<'_>, number: &str) -> Reply {
    cx.writer(&[Permission::PullRequests])?;
    let fields = cx.request.json();
    let pull = find(cx, number)?.clone();
    let head = shape::sha(cx, &pull.head, pull.number);
    let pull = find(cx, number)?;
    match (pull.state, fields["state"].as_str()) {
        (PullState::Open, Some("closed")) => pull.close(head),
        (PullState::Closed, Some("open")) => pull.state = PullState::Open,
        _ => {}
    }
    pull.title = fields["title"].as_str().unwrap_or(&pull.title).to_owned();
    pull.body = fields["body"].as_str().unwrap_or(&pull.body).to_owned();
    get(cx, number)
}

pub(super) fn find<'w>(cx: &'w mut Context<'_>, number: &str) -> Reply<&'w mut Pull> {
    number
        .parse()
        .ok()
        .and_then(|number| cx.world.pull(number))
        .map_or_else(not_found, Ok)
}
