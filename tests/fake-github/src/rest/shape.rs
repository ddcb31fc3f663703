//! The JSON of each kind of object, with the fields that GitHub's OpenAPI description requires.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use super::Context;
use crate::account::{self, node_id};
use crate::git::GITHUB;
use crate::world::{Comment, DEFAULT_BRANCH, Pull, PullState, REPOSITORY, Side, Status};

/// The base URL of links for users.
pub(crate) const SERVER: &str = "https://github.com";
/// The base URL of links for programs, which clients have no reason to follow.
const API: &str = "https://api.github.com";
/// The time of every event.
const TIME: &str = "2026-01-01T00:00:00Z";

/// The subpaths of an account's URL: `KEY` without `_url`, or `KEY=PATH` if the path differs.
const OF_ACCOUNT: &str = "followers following gists starred subscriptions organizations=orgs repos events received_events";

/// The subpaths of a repository's URL.
const OF_REPOSITORY: &str = "archive assignees blobs=git/blobs branches collaborators comments commits compare contents \
    contributors deployments downloads events forks git_commits=git/commits git_refs=git/refs git_tags=git/tags hooks \
    issue_comment=issues/comments issue_events=issues/events issues keys labels languages merges milestones notifications \
    pulls releases stargazers statuses subscribers subscription tags teams trees=git/trees clone git ssh svn";

fn add_links(object: &mut Value, url: &str, links: &str) {
    for link in links.split_whitespace() {
        let (key, path) = link.split_once('=').unwrap_or((link, link));
        object[format!("{key}_url")] = json!(format!("{url}/{path}"));
    }
}

/// An account; null if it was deleted.
pub(super) fn user(login: &str) -> Value {
    if login.is_empty() {
        return Value::Null;
    }
    let url = format!(
        "{API}/users/{}",
        login.replace('[', "%5B").replace(']', "%5D")
    );
    let mut user = json!({
        "login": login,
        "id": account::id(login),
        "node_id": node_id("U", account::id(login)),
        "avatar_url": format!("https://avatars.githubusercontent.com/u/{}?v=4", account::id(login)),
        "gravatar_id": "",
        "url": url,
        "html_url": format!("{SERVER}/{}", login.strip_suffix("[bot]").unwrap_or(login)),
        "type": if login.ends_with("[bot]") { "Bot" } else { "User" },
        "site_admin": false,
    });
    add_links(&mut user, &url, OF_ACCOUNT);
    user
}

/// The repository, or a fork.
fn repository(cx: &Context<'_>, full_name: &str) -> Value {
    let (owner, name) = full_name.split_once('/').unwrap_or_default();
    let url = format!("{API}/repos/{full_name}");
    let mut repository = json!({
        "id": account::id(full_name),
        "node_id": node_id("R", account::id(full_name)),
        "name": name,
        "full_name": full_name,
        "owner": user(owner),
        "private": cx.world.private,
        "html_url": format!("{SERVER}/{full_name}"),
        "url": url,
        "description": null, "homepage": null, "language": null, "license": null, "mirror_url": null,
        "fork": full_name != REPOSITORY,
        "default_branch": DEFAULT_BRANCH,
        "archived": false, "disabled": false,
        "has_downloads": true, "has_issues": true, "has_projects": true, "has_wiki": true, "has_pages": false,
        "has_discussions": false,
        "forks": 0, "forks_count": 0, "open_issues": 0, "open_issues_count": 0, "stargazers_count": 0,
        "watchers": 0, "watchers_count": 0, "network_count": 0, "subscribers_count": 0, "size": 1,
        "created_at": TIME, "updated_at": TIME, "pushed_at": TIME,
    });
    add_links(&mut repository, &url, OF_REPOSITORY);
    repository
}

/// A comment on a pull request or a commit, with the fields of both.
pub(super) fn comment(comment: &Comment) -> Value {
    let Comment {
        id,
        pull,
        sha,
        author,
        body,
        minimized,
        ..
    } = comment;
    let url = format!("{API}/repos/{REPOSITORY}");
    let (url, html) = if sha.is_empty() {
        let html = format!("{SERVER}/{REPOSITORY}/pull/{pull}#issuecomment-{id}");
        (format!("{url}/issues/comments/{id}"), html)
    } else {
        let html = format!("{SERVER}/{REPOSITORY}/commit/{sha}#commitcomment-{id}");
        (format!("{url}/comments/{id}"), html)
    };
    json!({
        "id": id,
        "node_id": comment.node_id(),
        "url": url,
        "html_url": html,
        "issue_url": format!("{API}/repos/{REPOSITORY}/issues/{pull}"),
        "user": user(author),
        "body": body,
        "path": null, "position": null, "line": null,
        "commit_id": sha,
        "created_at": TIME, "updated_at": TIME,
        "author_association": "NONE",
        "performed_via_github_app": null,
        "minimized": minimized.as_ref().map(|reason| json!({ "reason": reason })),
    })
}

pub(super) fn status(status: &Status, id: u64, author: &str) -> Value {
    json!({
        "url": format!("{API}/repos/{REPOSITORY}/statuses/{}", status.sha),
        "avatar_url": "https://avatars.githubusercontent.com/u/1?v=4",
        "id": id,
        "node_id": node_id("SC", id),
        "state": status.state,
        "description": status.description,
        "target_url": status.target,
        "context": status.context,
        "created_at": TIME, "updated_at": TIME,
        "creator": user(author),
    })
}

/// A check run, as requested.
pub(super) fn check(body: &Value, id: u64, login: &str) -> Value {
    let sha = &body["head_sha"];
    let output = |key: &str| body["output"][key].clone();
    json!({
        "id": id, "node_id": node_id("CR", id), "external_id": "", "name": body["name"], "head_sha": sha,
        "url": format!("{API}/repos/{REPOSITORY}/check-runs/{id}"),
        "html_url": format!("{SERVER}/{REPOSITORY}/runs/{id}"),
        "details_url": body["details_url"],
        "status": body["status"], "conclusion": body["conclusion"],
        "started_at": TIME, "completed_at": TIME,
        "output": {
            "title": output("title"), "summary": output("summary"), "text": output("text"),
            "annotations_count": 0, "annotations_url": format!("{API}/repos/{REPOSITORY}/check-runs/{id}/annotations"),
        },
        "check_suite": { "id": 1 },
        "app": {
            "id": 15_368, "node_id": "A_1", "slug": login.trim_end_matches("[bot]"), "name": "GitHub Actions",
            "owner": user("github"), "description": "", "external_url": "https://github.com",
            "html_url": "https://github.com/apps/github-actions", "created_at": TIME, "updated_at": TIME,
            "permissions": {}, "events": [],
        },
        "pull_requests": [],
    })
}

pub(super) fn job(name: &str, status: &str, (id, run, attempt): (u64, &str, &str)) -> Value {
    let url = format!("{API}/repos/{REPOSITORY}");
    json!({
        "id": id, "node_id": node_id("CR", id), "name": name, "status": status,
        "conclusion": (status == "completed").then_some("failure"),
        "run_id": run.parse::<u64>().unwrap_or_default(), "run_attempt": attempt.parse::<u64>().unwrap_or_default(),
        "run_url": format!("{url}/actions/runs/{run}"), "url": format!("{url}/actions/jobs/{id}"),
        "check_run_url": format!("{url}/check-runs/{id}"), "html_url": format!("{SERVER}/{REPOSITORY}/runs/{id}"),
        "head_sha": "", "head_branch": null, "workflow_name": null, "labels": [],
        "created_at": TIME, "started_at": TIME, "completed_at": (status == "completed").then_some(TIME),
        "runner_id": null, "runner_name": null, "runner_group_id": null, "runner_group_name": null,
    })
}

/// The commit on one side of a pull request.
pub(super) fn sha(cx: &Context<'_>, side: &Side, number: u64) -> String {
    let here = || {
        side.repository
            .is_none()
            .then(|| cx.git.head(&side.branch))
            .flatten()
    };
    side.sha
        .clone()
        .or_else(here)
        .unwrap_or_else(|| format!("{number:040x}"))
}

fn side(cx: &Context<'_>, side: &Side, number: u64) -> Value {
    let full_name = side.repository.as_deref().unwrap_or(REPOSITORY);
    let owner = full_name.split('/').next().unwrap_or_default();
    json!({
        "label": format!("{owner}:{}", side.branch),
        "ref": side.branch,
        "sha": sha(cx, side, number),
        "user": user(owner),
        "repo": repository(cx, full_name),
    })
}

/// A single pull request; in lists, GitHub leaves some fields out.
pub(super) fn pull(cx: &Context<'_>, pull: &Pull) -> Value {
    let auto_merge = pull.auto_merge.as_ref().map(|method| {
        json!({ "enabled_by": user(&pull.author), "merge_method": method, "commit_title": "", "commit_message": "" })
    });
    let is_open = pull.state == PullState::Open;
    let is_merged = pull.state == PullState::Merged;
    let mut value = json!({
        "id": 3_000_000_000 + pull.number,
        "node_id": node_id("PR", pull.number),
        "number": pull.number,
        "state": if is_open { "open" } else { "closed" },
        "locked": pull.locked,
        "title": pull.title,
        "body": (!pull.body.is_empty()).then_some(&pull.body),
        "user": user(&pull.author),
        "draft": pull.draft,
        "labels": [], "assignee": null, "assignees": [], "milestone": null,
        "requested_reviewers": [], "requested_teams": [],
        "author_association": "NONE",
        "active_lock_reason": null,
        "auto_merge": auto_merge,
        "created_at": TIME, "updated_at": TIME, "closed_at": (!is_open).then_some(TIME), "merged_at": is_merged.then_some(TIME),
        "merge_commit_sha": null, "merged": is_merged, "merged_by": null, "mergeable": null, "mergeable_state": "unknown",
        "rebaseable": null, "maintainer_can_modify": false, "comments": 0, "review_comments": 0, "commits": 1,
        "additions": 0, "deletions": 0, "changed_files": 0,
        "head": side(cx, &pull.head, pull.number),
        "base": side(cx, &pull.base, pull.number),
    });
    let api = format!("{API}/repos/{REPOSITORY}");
    let (number, html) = (
        pull.number,
        format!("{SERVER}/{REPOSITORY}/pull/{}", pull.number),
    );
    let mut links = Map::new();
    for (name, url) in [
        ("self", format!("{api}/pulls/{number}")),
        ("html", html.clone()),
        ("diff", format!("{html}.diff")),
        ("patch", format!("{html}.patch")),
        ("issue", format!("{api}/issues/{number}")),
        ("comments", format!("{api}/issues/{number}/comments")),
        ("commits", format!("{api}/pulls/{number}/commits")),
        ("review_comments", format!("{api}/pulls/{number}/comments")),
        ("review_comment", format!("{api}/pulls/comments{{/number}}")),
        ("statuses", format!("{api}/statuses/{number:040x}")),
    ] {
        let key = if name == "self" {
            "url".to_owned()
        } else {
            format!("{name}_url")
        };
        value[key] = json!(url);
        links.insert(name.into(), json!({ "href": url }));
    }
    value["_links"] = links.into();
    value
}

/// A branch; `name` is without `refs/`.
pub(super) fn reference(name: &str, sha: &str) -> Value {
    let url = format!("{API}/repos/{REPOSITORY}/git");
    json!({
        "ref": format!("refs/{name}"),
        "node_id": format!("REF_{name}"),
        "url": format!("{url}/refs/{name}"),
        "object": { "type": "commit", "sha": sha, "url": format!("{url}/commits/{sha}") },
    })
}

/// The format of `git log` that [`commit`] reads.
pub(super) const LOG_FORMAT: &str =
    "--format=%H%x1f%T%x1f%P%x1f%an%x1f%ae%x1f%cn%x1f%ce%x1f%cI%x1f%B";

/// A commit as `git log` prints it.
pub(super) fn commit(logged: &str) -> Option<Value> {
    let fields: Vec<&str> = logged.splitn(9, '\u{1f}').collect();
    let &[
        sha,
        tree,
        parents,
        author,
        author_email,
        committer,
        committer_email,
        date,
        message,
    ] = fields.as_slice()
    else {
        return None;
    };
    let url = format!("{API}/repos/{REPOSITORY}");
    let html = format!("{SERVER}/{REPOSITORY}/commit");
    let link = |sha: &str| json!({ "sha": sha, "url": format!("{url}/commits/{sha}"), "html_url": format!("{html}/{sha}") });
    let is_verified = committer_email == GITHUB.1;
    Some(json!({
        "sha": sha,
        "node_id": format!("C_{sha}"),
        "url": format!("{url}/commits/{sha}"),
        "html_url": format!("{html}/{sha}"),
        "comments_url": format!("{url}/commits/{sha}/comments"),
        "commit": {
            "url": format!("{url}/git/commits/{sha}"),
            "author": { "name": author, "email": author_email, "date": date },
            "committer": { "name": committer, "email": committer_email, "date": date },
            "message": message.trim_end_matches('\n'),
            "comment_count": 0,
            "tree": { "sha": tree, "url": format!("{url}/git/trees/{tree}") },
            "verification": {
                "verified": is_verified,
                "reason": if is_verified { "valid" } else { "unsigned" },
                "payload": null, "signature": null, "verified_at": null,
            },
        },
        "author": login(author_email).map(user),
        "committer": login(committer_email).map(user),
        "parents": parents.split_whitespace().map(link).collect::<Vec<_>>(),
    }))
}

/// The no-reply address of an account.
pub(crate) fn email(login: &str) -> String {
    format!("{}+{login}@users.noreply.github.com", account::id(login))
}

/// The account with an email address, if GitHub knows it.
fn login(email: &str) -> Option<&str> {
    if email == GITHUB.1 {
        return Some("web-flow");
    }
    email
        .strip_suffix("@users.noreply.github.com")?
        .split_once('+')
        .map(|(_, login)| login)
}

/// A changed file in a comparison with head `at`.
pub(super) fn file(path: &str, status: &str, at: &str) -> Value {
    const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'.')
        .remove(b'_')
        .remove(b'-')
        .remove(b'/');
    let place = utf8_percent_encode(path, ESCAPED);
    json!({
        "sha": at,
        "filename": path,
        "status": status,
        "additions": 0, "deletions": 0, "changes": 0,
        "blob_url": format!("{SERVER}/{REPOSITORY}/blob/{at}/{place}"),
        "raw_url": format!("{SERVER}/{REPOSITORY}/raw/{at}/{place}"),
        "contents_url": format!("{API}/repos/{REPOSITORY}/contents/{place}?ref={at}"),
    })
}

/// The comparison of two commits, which are `ahead` and `behind` each other.
pub(super) fn comparison(
    range: &str,
    (ahead, behind): (u64, u64),
    (commits, files): (&[Value], &[Value]),
    base_commit: &Value,
    merge_base: &Value,
) -> Value {
    let html = format!("{SERVER}/{REPOSITORY}/compare/{range}");
    let status = match (ahead, behind) {
        (0, 0) => "identical",
        (_, 0) => "ahead",
        (0, _) => "behind",
        _ => "diverged",
    };
    json!({
        "url": format!("{API}/repos/{REPOSITORY}/compare/{range}"),
        "html_url": html,
        "permalink_url": html,
        "diff_url": format!("{html}.diff"),
        "patch_url": format!("{html}.patch"),
        "base_commit": base_commit,
        "merge_base_commit": merge_base,
        "status": status,
        "ahead_by": ahead,
        "behind_by": behind,
        "total_commits": ahead,
        "commits": commits,
        "files": files,
    })
}
