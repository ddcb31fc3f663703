//! Accounts and repositories as JSON.
//!
//! All JSON has the fields that GitHub's OpenAPI description requires.

use serde_json::{Value, json};

use crate::account;
use crate::context::Context;
use crate::world::time;

/// The base URL of links for people.
pub(crate) const SERVER: &str = "https://github.com";

/// The URLs of an account below its own.
const OF_ACCOUNT: [&str; 9] = [
    "followers",
    "following",
    "gists",
    "starred",
    "subscriptions",
    "orgs",
    "repos",
    "events",
    "received_events",
];

/// The URLs of a repository below its own: `KEY` without `_url`, or `KEY=PATH` if the path differs.
const OF_REPOSITORY: &str = "archive assignees blobs=git/blobs branches collaborators comments commits compare contents \
    contributors deployments downloads events forks git_commits=git/commits git_refs=git/refs git_tags=git/tags hooks \
    issue_comment=issues/comments issue_events=issues/events issues keys labels languages merges milestones notifications \
    pulls releases stargazers statuses subscribers subscription tags teams trees=git/trees clone git ssh svn";

/// A GraphQL id.
pub(crate) fn node_id(kind: &str, number: u64) -> String {
    format!("{kind}_kw{number:08}")
}

/// An account; null if it was deleted.
pub(super) fn user(cx: &Context<'_>, login: &str) -> Value {
    if login.is_empty() {
        return Value::Null;
    }
    let url = format!("{}/users/{}", cx.api, login.replace('[', "%5B").replace(']', "%5D"));
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
    for name in OF_ACCOUNT {
        let key = if name == "orgs" { "organizations_url".into() } else { format!("{name}_url") };
        user[key] = json!(format!("{url}/{name}"));
    }
    user
}

/// The account of the caller.
pub(super) fn profile(cx: &Context<'_>, login: &str) -> Value {
    let mut user = user(cx, login);
    let more = json!({
        "user_view_type": "public",
        "name": null, "company": null, "blog": "", "location": null, "email": null, "hireable": null, "bio": null,
        "public_repos": 1, "public_gists": 0, "followers": 0, "following": 0,
        "created_at": time(0), "updated_at": time(0),
    });
    extend(&mut user, more);
    user
}

pub(super) fn extend(object: &mut Value, more: Value) {
    if let (Value::Object(object), Value::Object(more)) = (object, more) {
        object.extend(more);
    }
}

pub(super) fn repository(cx: &Context<'_>) -> Value {
    let mut repository = named(cx, &cx.world.repository);
    let has = |method: &str| cx.world.merge_methods.iter().any(|other| other == method);
    extend(
        &mut repository,
        json!({
            "private": cx.world.private,
            "allow_auto_merge": cx.world.allow_auto_merge,
            "allow_merge_commit": has("merge"),
            "allow_squash_merge": has("squash"),
            "allow_rebase_merge": has("rebase"),
        }),
    );
    repository
}

/// Any repository, such as a fork.
pub(super) fn named(cx: &Context<'_>, full_name: &str) -> Value {
    let (owner, name) = full_name.split_once('/').unwrap_or_default();
    let url = format!("{}/repos/{full_name}", cx.api);
    let mut repository = json!({
        "id": account::id(full_name),
        "node_id": node_id("R", account::id(full_name)),
        "name": name,
        "full_name": full_name,
        "owner": user(cx, owner),
        "private": false,
        "html_url": format!("{SERVER}/{full_name}"),
        "url": url,
        "description": null, "homepage": null, "language": null, "license": null, "mirror_url": null,
        "fork": full_name != cx.world.repository,
        "default_branch": cx.world.default_branch,
        "archived": false, "disabled": false,
        "has_downloads": true, "has_issues": true, "has_projects": true, "has_wiki": true, "has_pages": false,
        "has_discussions": false,
        "forks": 0, "forks_count": 0, "open_issues": 0, "open_issues_count": 0, "stargazers_count": 0,
        "watchers": 0, "watchers_count": 0, "network_count": 0, "subscribers_count": 0, "size": 1,
        "created_at": time(0), "updated_at": time(0), "pushed_at": time(0),
    });
    for link in OF_REPOSITORY.split_whitespace() {
        let (key, path) = link.split_once('=').unwrap_or((link, link));
        repository[format!("{key}_url")] = json!(format!("{url}/{path}"));
    }
    repository
}
