//! Branches, commits and files as JSON.

use std::io;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use serde_json::{Value, json};

use super::shape::{SERVER, user};
use crate::account;
use crate::context::Context;
use crate::git::text;

/// A branch; `name` is without `refs/`.
pub(super) fn reference(cx: &Context<'_>, name: &str, sha: &str) -> Value {
    let url = format!("{}/repos/{}/git", cx.api, cx.world.repository);
    json!({
        "ref": format!("refs/{name}"),
        "node_id": format!("REF_{name}"),
        "url": format!("{url}/refs/{name}"),
        "object": { "type": "commit", "sha": sha, "url": format!("{url}/commits/{sha}") },
    })
}

/// The commits that `git log` lists for these arguments.
pub(super) fn log(cx: &Context<'_>, arguments: &[&str]) -> io::Result<Vec<Value>> {
    let format = "--format=%H%x1f%T%x1f%P%x1f%an%x1f%ae%x1f%cn%x1f%ce%x1f%cI%x1f%B";
    let listed = text(cx.git.run(&[&["log", "-z", format], arguments].concat())?);
    Ok(listed.split('\0').filter_map(|logged| commit(cx, logged)).collect())
}

fn commit(cx: &Context<'_>, logged: &str) -> Option<Value> {
    let fields: Vec<&str> = logged.splitn(9, '\u{1f}').collect();
    let &[sha, tree, parents, author, author_email, committer, committer_email, date, message] =
        fields.as_slice()
    else {
        return None;
    };
    let url = format!("{}/repos/{}/commits", cx.api, cx.world.repository);
    let html = format!("{SERVER}/{}/commit", cx.world.repository);
    let git = format!("{}/repos/{}/git", cx.api, cx.world.repository);
    let parents = parents
        .split_whitespace()
        .map(|sha| json!({ "sha": sha, "url": format!("{url}/{sha}"), "html_url": format!("{html}/{sha}") }));
    let is_verified = committer_email == GITHUB.1;
    Some(json!({
        "sha": sha,
        "node_id": format!("C_{sha}"),
        "url": format!("{url}/{sha}"),
        "html_url": format!("{html}/{sha}"),
        "comments_url": format!("{url}/{sha}/comments"),
        "commit": {
            "url": format!("{git}/commits/{sha}"),
            "author": { "name": author, "email": author_email, "date": date },
            "committer": { "name": committer, "email": committer_email, "date": date },
            "message": message.trim_end_matches('\n'),
            "comment_count": 0,
            "tree": { "sha": tree, "url": format!("{git}/trees/{tree}") },
            "verification": {
                "verified": is_verified,
                "reason": if is_verified { "valid" } else { "unsigned" },
                "payload": null, "signature": null, "verified_at": null,
            },
        },
        "author": login(author_email).map(|login| user(cx, login)),
        "committer": login(committer_email).map(|login| user(cx, login)),
        "parents": parents.collect::<Vec<_>>(),
    }))
}

/// The committer of commits that GitHub makes.
pub(crate) const GITHUB: (&str, &str) = ("GitHub", "noreply@github.com");

/// The no-reply address of an account.
pub(crate) fn email(login: &str) -> String {
    format!("{}+{login}@users.noreply.github.com", account::id(login))
}

/// The account of an address, if GitHub knows it.
fn login(email: &str) -> Option<&str> {
    if email == GITHUB.1 {
        return Some("web-flow");
    }
    email.strip_suffix("@users.noreply.github.com")?.split_once('+').map(|(_, login)| login)
}

/// A changed file in a comparison with head `at`.
pub(super) fn file(cx: &Context<'_>, path: &str, status: &str, blob: &str, at: &str) -> Value {
    let (api, repository, place) = (&cx.api, &cx.world.repository, encoded(path));
    json!({
        "sha": blob,
        "filename": path,
        "status": status,
        "additions": 0, "deletions": 0, "changes": 0,
        "blob_url": format!("{SERVER}/{repository}/blob/{at}/{place}"),
        "raw_url": format!("{SERVER}/{repository}/raw/{at}/{place}"),
        "contents_url": format!("{api}/repos/{repository}/contents/{place}?ref={at}"),
    })
}

/// A `blob` or `tree` in a folder.
pub(super) fn entry(cx: &Context<'_>, path: &str, commit: &str, sha: &str, kind: &str) -> Value {
    let (api, repository, place) = (&cx.api, &cx.world.repository, encoded(path));
    let url = format!("{api}/repos/{repository}/contents/{place}?ref={commit}");
    let git = format!("{api}/repos/{repository}/git/{kind}s/{sha}");
    let html = format!("{SERVER}/{repository}/{kind}/{commit}/{place}");
    let is_file = kind == "blob";
    let download = format!("https://raw.githubusercontent.com/{repository}/{commit}/{place}");
    json!({
        "name": path.rsplit('/').next(),
        "path": path,
        "sha": sha,
        "size": 0,
        "type": if is_file { "file" } else { "dir" },
        "url": url,
        "html_url": html,
        "git_url": git,
        "download_url": is_file.then_some(download),
        "_links": { "self": url, "git": git, "html": html },
    })
}

/// The differences between two commits.
pub(super) struct Comparison<'a> {
    pub(super) base_commit: Value,
    pub(super) merge_base_commit: Value,
    pub(super) ahead: usize,
    pub(super) behind: usize,
    /// One page of the commits ahead.
    pub(super) commits: &'a [Value],
    pub(super) files: &'a [Value],
}

impl Comparison<'_> {
    pub(super) fn shape(&self, cx: &Context<'_>, range: &str) -> Value {
        let repository = &cx.world.repository;
        let html = format!("{SERVER}/{repository}/compare/{range}");
        let status = match (self.ahead, self.behind) {
            (0, 0) => "identical",
            (_, 0) => "ahead",
            (0, _) => "behind",
            _ => "diverged",
        };
        json!({
            "url": format!("{}/repos/{repository}/compare/{range}", cx.api),
            "html_url": html,
            "permalink_url": html,
            "diff_url": format!("{html}.diff"),
            "patch_url": format!("{html}.patch"),
            "base_commit": self.base_commit,
            "merge_base_commit": self.merge_base_commit,
            "status": status,
            "ahead_by": self.ahead,
            "behind_by": self.behind,
            "total_commits": self.ahead,
            "commits": self.commits,
            "files": self.files,
        })
    }
}

fn encoded(path: &str) -> PercentEncode<'_> {
    const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'_').remove(b'-').remove(b'/');
    utf8_percent_encode(path, ESCAPED)
}
