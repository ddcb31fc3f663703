//! What pull requests and their comments look like in answers.

use serde_json::{Map, Value, json};

use super::shape::{SERVER, extend, named, node_id, repository, user};
use crate::hub::Desk;
use crate::world::{Comment, Pull, Side, State, time};

pub(super) fn comment(desk: &Desk<'_>, comment: &Comment) -> Value {
    let repository = &desk.world.repository;
    let url = format!("{}/repos/{repository}/issues", desk.api);
    json!({
        "id": comment.id,
        "node_id": node_id("IC", comment.id),
        "url": format!("{url}/comments/{}", comment.id),
        "html_url": format!("{SERVER}/{repository}/pull/{}#issuecomment-{}", comment.pull, comment.id),
        "issue_url": format!("{url}/{}", comment.pull),
        "user": user(desk, &comment.author),
        "body": comment.body,
        "created_at": time(comment.created),
        "updated_at": time(comment.updated),
        "author_association": "NONE",
        "performed_via_github_app": null,
        "minimized": comment.minimized.as_ref().map(|reason| json!({ "reason": reason })),
    })
}

/// The branch's name.
pub(super) fn branch<'d>(desk: &'d Desk<'_>, side: &'d Side) -> &'d str {
    if side.branch.is_empty() { &desk.world.default_branch } else { &side.branch }
}

/// `OWNER:BRANCH`.
pub(super) fn label(desk: &Desk<'_>, side: &Side) -> String {
    let repository = side.repository.as_ref().unwrap_or(&desk.world.repository);
    format!("{}:{}", repository.split('/').next().unwrap_or_default(), branch(desk, side))
}

/// Where a side is, of the pull request with this number.
pub(super) fn sha(desk: &Desk<'_>, side: &Side, number: u64) -> String {
    let here = || side.repository.is_none().then(|| desk.git.head(branch(desk, side))).flatten();
    side.sha.clone().or_else(here).unwrap_or_else(|| format!("{number:040x}"))
}

fn side(desk: &Desk<'_>, side: &Side, number: u64) -> Value {
    let full_name = side.repository.as_ref().unwrap_or(&desk.world.repository);
    let repository = if side.repository.is_some() { named(desk, full_name) } else { repository(desk) };
    let owner = full_name.split('/').next().unwrap_or_default();
    json!({
        "label": label(desk, side),
        "ref": branch(desk, side),
        "sha": sha(desk, side, number),
        "user": user(desk, owner),
        "repo": if side.gone { Value::Null } else { repository },
    })
}

/// A pull request as it is in lists.
pub(super) fn pull_in_list(desk: &Desk<'_>, pull: &Pull) -> Value {
    let head = side(desk, &pull.head, pull.number);
    let closed = (pull.state != State::Open).then(|| time(desk.world.time));
    let merged = (pull.state == State::Merged).then(|| time(desk.world.time));
    let links = links(desk, pull.number, head["sha"].as_str().unwrap_or_default());
    let mut value = json!({
        "id": 1_000_000 + pull.number,
        "node_id": node_id("PR", pull.number),
        "number": pull.number,
        "state": if pull.state == State::Open { "open" } else { "closed" },
        "locked": pull.locked,
        "title": pull.title,
        "body": (!pull.body.is_empty()).then_some(&pull.body),
        "user": user(desk, &pull.author),
        "draft": pull.draft,
        "labels": [], "assignee": null, "assignees": [], "milestone": null,
        "requested_reviewers": [], "requested_teams": [],
        "author_association": "NONE",
        "active_lock_reason": null,
        "auto_merge": auto_merge(desk, pull),
        "created_at": time(0), "updated_at": time(desk.world.time), "closed_at": closed, "merged_at": merged,
        "merge_commit_sha": null,
        "head": head,
        "base": side(desk, &pull.base, pull.number),
        "url": links["self"],
    });
    for (name, link) in links.iter().filter(|(name, _)| name.as_str() != "self") {
        value[format!("{name}_url")] = link.clone();
    }
    value["_links"] = links.into_iter().map(|(name, link)| (name, json!({ "href": link }))).collect();
    value
}

/// Where a pull request and what belongs to it is.
fn links(desk: &Desk<'_>, number: u64, head: &str) -> Map<String, Value> {
    let repository = &desk.world.repository;
    let api = format!("{}/repos/{repository}", desk.api);
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

fn auto_merge(desk: &Desk<'_>, pull: &Pull) -> Value {
    match &pull.auto_merge {
        None => Value::Null,
        Some(method) => json!({
            "enabled_by": user(desk, &pull.author),
            "merge_method": method,
            "commit_title": pull.title,
            "commit_message": "",
        }),
    }
}

/// A pull request on its own.
pub(super) fn pull(desk: &Desk<'_>, pull: &Pull) -> Value {
    let mut value = pull_in_list(desk, pull);
    extend(
        &mut value,
        json!({
            "merged": pull.state == State::Merged,
            "merged_by": null,
            "mergeable": null,
            "mergeable_state": "unknown",
            "rebaseable": null,
            "maintainer_can_modify": false,
            "comments": desk.world.comments_of(pull.number).len(),
            "review_comments": 0, "commits": 1, "additions": 0, "deletions": 0, "changed_files": 0,
        }),
    );
    value
}
