//! What branches, commits and files look like in answers.

use std::io;

use serde_json::{Value, json};

use super::shape::{SERVER, user};
use crate::account;
use crate::git::text;
use crate::hub::Desk;

/// A branch; `name` is without `refs/`.
pub(super) fn reference(desk: &Desk<'_>, name: &str, sha: &str) -> Value {
    let url = format!("{}/repos/{}/git", desk.api, desk.world.repository);
    json!({
        "ref": format!("refs/{name}"),
        "node_id": format!("REF_{name}"),
        "url": format!("{url}/refs/{name}"),
        "object": { "type": "commit", "sha": sha, "url": format!("{url}/commits/{sha}") },
    })
}

/// Commits that `git log` lists with these arguments.
pub(super) fn log(desk: &Desk<'_>, arguments: &[&str]) -> io::Result<Vec<Value>> {
    let format = "--format=%H%x1f%T%x1f%P%x1f%an%x1f%ae%x1f%cn%x1f%ce%x1f%cI%x1f%B";
    let mut all = vec!["log", "-z", format];
    all.extend(arguments);
    let listed = text(desk.git.run(&all)?);
    Ok(listed.split('\0').filter(|one| !one.is_empty()).map(|one| commit(desk, one)).collect())
}

fn commit(desk: &Desk<'_>, logged: &str) -> Value {
    let fields: Vec<&str> = logged.splitn(9, '\u{1f}').collect();
    let field = |at: usize| fields.get(at).copied().unwrap_or_default();
    let (sha, date) = (field(0), field(7));
    let url = format!("{}/repos/{}/commits", desk.api, desk.world.repository);
    let html = format!("{SERVER}/{}/commit", desk.world.repository);
    let git = format!("{}/repos/{}/git", desk.api, desk.world.repository);
    let parents = field(2)
        .split_whitespace()
        .map(|sha| json!({ "sha": sha, "url": format!("{url}/{sha}"), "html_url": format!("{html}/{sha}") }));
    let by_github = field(6) == GITHUB.1;
    json!({
        "sha": sha,
        "node_id": format!("C_{sha}"),
        "url": format!("{url}/{sha}"),
        "html_url": format!("{html}/{sha}"),
        "comments_url": format!("{url}/{sha}/comments"),
        "commit": {
            "url": format!("{git}/commits/{sha}"),
            "author": { "name": field(3), "email": field(4), "date": date },
            "committer": { "name": field(5), "email": field(6), "date": date },
            "message": field(8).trim_end_matches('\n'),
            "comment_count": 0,
            "tree": { "sha": field(1), "url": format!("{git}/trees/{}", field(1)) },
            "verification": {
                "verified": by_github,
                "reason": if by_github { "valid" } else { "unsigned" },
                "payload": null, "signature": null, "verified_at": null,
            },
        },
        "author": login(field(4)).map(|login| user(desk, login)),
        "committer": login(field(6)).map(|login| user(desk, login)),
        "parents": parents.collect::<Vec<_>>(),
    })
}

/// Name and address that GitHub itself commits with.
pub(crate) const GITHUB: (&str, &str) = ("GitHub", "noreply@github.com");

/// The address that GitHub gives an account.
pub(crate) fn address(login: &str) -> String {
    format!("{}+{login}@users.noreply.github.com", account::id(login))
}

/// The account with that address.
fn login(address: &str) -> Option<&str> {
    if address == GITHUB.1 {
        return Some("web-flow");
    }
    address.strip_suffix("@users.noreply.github.com")?.split_once('+').map(|(_, login)| login)
}

/// A file that changed between two commits.
pub(super) fn file(
    desk: &Desk<'_>,
    path: &str,
    previous: Option<&str>,
    status: &str,
    blob: &str,
    at: &str,
) -> Value {
    let (api, repository) = (&desk.api, &desk.world.repository);
    let mut file = json!({
        "sha": blob,
        "filename": path,
        "status": status,
        "additions": 0, "deletions": 0, "changes": 0,
        "blob_url": format!("{SERVER}/{repository}/blob/{at}/{}", in_url(path)),
        "raw_url": format!("{SERVER}/{repository}/raw/{at}/{}", in_url(path)),
        "contents_url": format!("{api}/repos/{repository}/contents/{}?ref={at}", in_url(path)),
    });
    if let Some(previous) = previous {
        file["previous_filename"] = json!(previous);
    }
    file
}

/// A file or a folder in a commit.
pub(super) fn entry(desk: &Desk<'_>, path: &str, commit: &str, sha: &str, kind: &str, size: usize) -> Value {
    let (api, repository, place) = (&desk.api, &desk.world.repository, in_url(path));
    let url = format!("{api}/repos/{repository}/contents/{place}?ref={commit}");
    let (git, html) = (
        format!("{api}/repos/{repository}/git/blobs/{sha}"),
        format!("{SERVER}/{repository}/blob/{commit}/{place}"),
    );
    json!({
        "name": path.rsplit('/').next(),
        "path": path,
        "sha": sha,
        "size": size,
        "type": kind,
        "url": url,
        "html_url": html,
        "git_url": git,
        "download_url": format!("https://raw.githubusercontent.com/{repository}/{commit}/{place}"),
        "_links": { "self": url, "git": git, "html": html },
    })
}

/// What lies between two commits, whose names are `ends`: themselves and their merge base as answers have them, where
/// they stand, how many commits each has, and the commits and files that are shown.
pub(super) fn comparison(
    desk: &Desk<'_>,
    ends: (&str, &str),
    [base, merge_base]: [Value; 2],
    (status, ahead, behind): (&str, usize, u64),
    (commits, files): (&[Value], &[Value]),
) -> Value {
    let (sides, repository) = (format!("{}...{}", ends.0, ends.1), &desk.world.repository);
    let html = format!("{SERVER}/{repository}/compare/{sides}");
    json!({
        "url": format!("{}/repos/{repository}/compare/{sides}", desk.api),
        "html_url": html,
        "permalink_url": html,
        "diff_url": format!("{html}.diff"),
        "patch_url": format!("{html}.patch"),
        "base_commit": base,
        "merge_base_commit": merge_base,
        "status": status,
        "ahead_by": ahead,
        "behind_by": behind,
        "total_commits": ahead,
        "commits": commits,
        "files": files,
    })
}

/// A path as it is in an address.
fn in_url(path: &str) -> String {
    let encoded = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'-' | b'/' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    path.bytes().map(encoded).collect()
}
