//! Pull requests and their comments as JSON.

use serde_json::{Map, Value, json};

use super::shape::{SERVER, extend, named, node_id, repository, user};
use crate::context::Context;
use crate::world::{Comment, Pull, Side, State, time};

/// Keeps the ids of pull requests apart from their numbers and from the ids of comments.
const BEFORE_PULL_IDS: u64 = 3_000_000_000;

pub(super) fn comment(cx: &Context<'_>, comment: &Comment) -> Value {
    let repository = &cx.world.repository;
    let url = format!("{}/repos/{repository}/issues", cx.api);
    json!({
        "id": comment.id,
        "node_id": node_id("IC", comment.id),
        "url": format!("{url}/comments/{}", comment.id),
        "html_url": format!("{SERVER}/{repository}/pull/{}#issuecomment-{}", comment.pull, comment.id),
        "issue_url": format!("{url}/{}", comment.pull),
        "user": user(cx, &comment.author),
        "body": comment.body,
        "created_at": time(comment.created),
        "updated_at": time(comment.updated),
        "author_association": "NONE",
        "performed_via_github_app": null,
        "minimized": comment.minimized.as_ref().map(|reason| json!({ "reason": reason })),
    })
}

/// The branch of a side.
pub(super) fn branch<'d>(cx: &'d Context<'_>, side: &'d Side) -> &'d str {
    if side.branch.is_empty() { &cx.world.default_branch } else { &side.branch }
}

/// `OWNER:BRANCH`.
pub(super) fn label(cx: &Context<'_>, side: &Side) -> String {
    let repository = side.repository.as_ref().unwrap_or(&cx.world.repository);
    format!("{}:{}", repository.split('/').next().unwrap_or_default(), branch(cx, side))
}

/// The commit of a side of the pull request with this number.
pub(super) fn sha(cx: &Context<'_>, side: &Side, number: u64) -> String {
    let here = || side.repository.is_none().then(|| cx.git.head(branch(cx, side))).flatten();
    side.sha.clone().or_else(here).unwrap_or_else(|| format!("{number:040x}"))
}

fn side(cx: &Context<'_>, side: &Side, number: u64) -> Value {
    let full_name = side.repository.as_ref().unwrap_or(&cx.world.repository);
    let repository = if side.repository.is_some() { named(cx, full_name) } else { repository(cx) };
    let owner = full_name.split('/').next().unwrap_or_default();
    json!({
        "label": label(cx, side),
        "ref": branch(cx, side),
        "sha": sha(cx, side, number),
        "user": user(cx, owner),
        "repo": if side.gone { Value::Null } else { repository },
    })
}

/// A pull request in a list.
pub(super) fn pull_in_list(cx: &Context<'_>, pull: &Pull) -> Value {
    let head = side(cx, &pull.head, pull.number);
    let closed = (pull.state != State::Open).then(|| time(cx.world.time));
    let merged = (pull.state == State::Merged).then(|| time(cx.world.time));
    let links = links(cx, pull.number, head["sha"].as_str().unwrap_or_default());
    let mut value = json!({
        "id": BEFORE_PULL_IDS + pull.number,
        "node_id": node_id("PR", pull.number),
        "number": pull.number,
        "state": if pull.state == State::Open { "open" } else { "closed" },
        "locked": pull.locked,
        "title": pull.title,
        "body": (!pull.body.is_empty()).then_some(&pull.body),
        "user": user(cx, &pull.author),
        "draft": pull.draft,
        "labels": [], "assignee": null, "assignees": [], "milestone": null,
        "requested_reviewers": [], "requested_teams": [],
        "author_association": "NONE",
        "active_lock_reason": null,
        "auto_merge": auto_merge(cx, pull),
        "created_at": time(0), "updated_at": time(cx.world.time), "closed_at": closed, "merged_at": merged,
        "merge_commit_sha": null,
        "head": head,
        "base": side(cx, &pull.base, pull.number),
        "url": links["self"],
    });
    for (name, link) in links.iter().filter(|(name, _)| name.as_str() != "self") {
        value[format!("{name}_url")] = link.clone();
    }
    value["_links"] = links.into_iter().map(|(name, link)| (name, json!({ "href": link }))).collect();
    value
}

/// The URLs of a pull request by name.
fn links(cx: &Context<'_>, number: u64, head: &str) -> Map<String, Value> {
    let repository = &cx.world.repository;
    let api = format!("{}/repos/{repository}", cx.api);
    let html = format!("{SERVER}/{repository}/pull/{number}");
    let links = [
        ("self", format!("{api}/pulls/{number}")),
        ("html", html.clone()),
        ("diff", format!("{html}.diff")),
        ("patch", format!("{html}.patch")),
        ("issue", format!("{api}/issues/{number}")),
        ("comments", format!("{api}/issues/{number}/comments")),
        ("commits", format!("{api}/pulls/{number}/commits")),
        ("review_comments", format!("{api}/pulls/{number}/comments")),
        ("review_comment", format!("{api}/pulls/comments{{/number}}")),
        ("statuses", format!("{api}/statuses/{head}")),
    ];
    links.into_iter().map(|(name, link)| (name.into(), link.into())).collect()
}

fn auto_merge(cx: &Context<'_>, pull: &Pull) -> Value {
    match &pull.auto_merge {
        None => Value::Null,
        Some(method) => json!({
            "enabled_by": user(cx, &pull.author),
            "merge_method": method,
            "commit_title": pull.title,
            "commit_message": "",
        }),
    }
}

/// A single pull request.
pub(super) fn pull(cx: &Context<'_>, pull: &Pull) -> Value {
    let mut value = pull_in_list(cx, pull);
    extend(
        &mut value,
        json!({
            "merged": pull.state == State::Merged,
            "merged_by": null,
            "mergeable": null,
            "mergeable_state": "unknown",
            "rebaseable": null,
            "maintainer_can_modify": false,
            "comments": cx.world.comments_of(pull.number).len(),
            "review_comments": 0, "commits": 1, "additions": 0, "deletions": 0, "changed_files": 0,
        }),
    );
    value
}
