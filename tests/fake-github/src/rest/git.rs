//! Branches, commits and files.

use http::HeaderValue;
use http::header::{ACCEPT, CONTENT_TYPE};
use serde_json::{Value, json};

use super::{Context, PROTECTED, Reply, not_found, reject, shape, text as field};
use crate::account::Permission;
use crate::git::{full, text};
use crate::request::{json as response, raw};
use crate::world::{DEFAULT_BRANCH, PullState};

/// The maximum number of files in a comparison.
const MAX_FILES: usize = 300;

pub(super) fn reference(cx: &mut Context<'_>, name: &str) -> Reply {
    match existing(cx, name) {
        Some((_, sha)) => Ok(response(200, &shape::reference(name, &sha))),
        None => not_found(),
    }
}

pub(super) fn create(cx: &mut Context<'_>) -> Reply {
    cx.writer(&[Permission::Contents])?;
    let body = cx.request.json();
    let (name, sha) = (field(&body, "ref"), field(&body, "sha"));
    let Some(branch) = name.strip_prefix("refs/heads/") else {
        return reject(422, "Reference name must start with 'refs/'.");
    };
    if cx.git.head(branch).is_some() {
        return reject(422, "Reference already exists");
    }
    if !is_commit(cx, sha) {
        return reject(422, "Object does not exist");
    }
    if cx.git.run(&["update-ref", name, sha]).is_err() {
        return reject(422, "Reference update failed");
    }
    Ok(response(
        201,
        &shape::reference(&name["refs/".len()..], sha),
    ))
}

/// Moves a branch.
pub(super) fn update(cx: &mut Context<'_>, name: &str) -> Reply {
    cx.writer(&[Permission::Contents])?;
    let body = cx.request.json();
    let Some((branch, _)) = existing(cx, name) else {
        return reject(422, "Reference does not exist");
    };
    let sha = field(&body, "sha");
    if !is_commit(cx, sha) {
        return reject(422, "Object does not exist");
    }
    if cx.is_protected(&branch) {
        return reject(422, PROTECTED);
    }
    if body["force"] != json!(true) {
        return reject(501, "the fake moves branches with `force` only");
    }
    cx.git.reset(&branch, sha)?;
    Ok(response(200, &shape::reference(name, sha)))
}

/// Deletes a branch, and closes its pull requests.
pub(super) fn delete(cx: &mut Context<'_>, name: &str) -> Reply {
    cx.writer(&[Permission::Contents])?;
    let Some((branch, sha)) = existing(cx, name) else {
        return reject(422, "Reference does not exist");
    };
    if cx.is_protected(&branch) {
        return reject(422, PROTECTED);
    }
    cx.git.run(&["update-ref", "-d", &full(&branch), &sha])?;
    for pull in &mut cx.world.pulls {
        if pull.state == PullState::Open
            && pull.head.repository.is_none()
            && pull.head.branch == branch
        {
            pull.close(sha.clone());
        }
    }
    Ok(raw(204, ""))
}

fn existing(cx: &Context<'_>, name: &str) -> Option<(String, String)> {
    let branch = name.strip_prefix("heads/")?;
    Some((branch.to_owned(), cx.git.head(branch)?))
}

fn is_commit(cx: &Context<'_>, sha: &str) -> bool {
    cx.git.resolve(sha).is_some_and(|found| found == sha)
}

/// Finds a commit by branch or hash.
fn revision(cx: &Context<'_>, name: &str) -> Option<String> {
    cx.git
        .head(name)
        .or_else(|| cx.git.resolve(name).filter(|sha| sha == name))
}

/// The distance between two commits, the commits between them, and the changed files.
pub(super) fn compare(cx: &mut Context<'_>, range: &str) -> Reply {
    let Some((base, head)) = range.split_once("...") else {
        return not_found();
    };
    let (Some(base), Some(head)) = (revision(cx, base), revision(cx, head)) else {
        return not_found();
    };
    let Ok(merge_base) = cx.git.run(&["merge-base", &base, &head]).map(text) else {
        return reject(
            404,
            &format!("No common ancestor between {base} and {head}."),
        );
    };
    let merge_base = merge_base.trim();
    let count = |range: String| -> Reply<u64> {
        Ok(text(cx.git.run(&["rev-list", "--count", &range])?)
            .trim()
            .parse()
            .unwrap_or_default())
    };
    let distance = (
        count(format!("{merge_base}..{head}"))?,
        count(format!("{head}..{base}"))?,
    );
    let files = files(cx, merge_base, &head)?;
    let most = cx.request.number("per_page", 30, 100);
    let mut commits = log(cx, &["--reverse", &format!("{merge_base}..{head}")])?;
    commits.truncate(most);
    let (base_commit, merge_base) = (single_commit(cx, &base)?, single_commit(cx, merge_base)?);
    let range = format!("{base}...{head}");
    let commits_and_files = (commits.as_slice(), files.as_slice());
    Ok(response(
        200,
        &shape::comparison(
            &range,
            distance,
            commits_and_files,
            &base_commit,
            &merge_base,
        ),
    ))
}

/// The changed files.
fn files(cx: &Context<'_>, from: &str, to: &str) -> Reply<Vec<Value>> {
    let listed = text(
        cx.git
            .run(&["diff", "--name-status", "-z", "-M", from, to])?,
    );
    let mut fields = listed.split('\0').filter(|field| !field.is_empty());
    let mut files = Vec::new();
    // A letter and a path, or for a rename, the previous and the new path.
    while let (Some(letter), Some(path)) = (fields.next(), fields.next()) {
        files.push(match letter.chars().next() {
            Some('A') => shape::file(path, "added", to),
            Some('D') => shape::file(path, "removed", to),
            Some('R') => {
                let mut file = shape::file(fields.next().unwrap_or_default(), "renamed", to);
                file["previous_filename"] = path.into();
                file
            }
            _ => shape::file(path, "modified", to),
        });
    }
    files.truncate(MAX_FILES);
    for file in &mut files {
        let at = if file["status"] == "removed" {
            from
        } else {
            to
        };
        let name = format!("{at}:{}", file["filename"].as_str().unwrap_or_default());
        file["sha"] = text(cx.git.run(&["rev-parse", &name])?).trim().into();
    }
    Ok(files)
}

/// The content of a file, which the fake does not serve as JSON, or the names in a folder, which are always JSON.
pub(super) fn contents(cx: &mut Context<'_>, path: &str) -> Reply {
    let accept = cx.request.header(ACCEPT).unwrap_or_default();
    if !accept.starts_with("application/vnd.github.raw") {
        return reject(
            501,
            "the fake serves contents as `application/vnd.github.raw+json` only",
        );
    }
    let name = cx.request.query("ref").unwrap_or(DEFAULT_BRANCH);
    let Some(commit) = revision(cx, name) else {
        return reject(404, &format!("No commit found for the ref {name}"));
    };
    let Some(content) = cx.git.file(&commit, path) else {
        let Ok(names) = cx
            .git
            .run(&["ls-tree", "--name-only", &format!("{commit}:{path}")])
        else {
            return not_found();
        };
        return Ok(response(
            200,
            &json!(text(names).lines().collect::<Vec<_>>()),
        ));
    };
    let mut response = raw(200, content);
    let kind = HeaderValue::try_from(format!("{accept}; charset=utf-8"));
    response
        .headers_mut()
        .extend(kind.map(|kind| (CONTENT_TYPE, kind)));
    Ok(response)
}

pub(super) fn commits(cx: &mut Context<'_>) -> Reply {
    let Some(commit) = revision(cx, cx.request.query("sha").unwrap_or(DEFAULT_BRANCH)) else {
        return not_found();
    };
    let path = cx
        .request
        .query("path")
        .map(|path| format!(":(literal,top){path}"));
    let mut arguments = vec![commit.as_str()];
    arguments.extend(path.iter().flat_map(|path| ["--", path.as_str()]));
    Ok(cx.page(&log(cx, &arguments)?))
}

fn single_commit(cx: &Context<'_>, sha: &str) -> Reply<Value> {
    Ok(log(cx, &["-1", sha])?
        .into_iter()
        .next()
        .unwrap_or_default())
}

/// The commits that `git log` lists for these arguments.
fn log(cx: &Context<'_>, arguments: &[&str]) -> Reply<Vec<Value>> {
    let listed = text(
        cx.git
            .run(&[&["log", "-z", shape::LOG_FORMAT], arguments].concat())?,
    );
    Ok(listed.split('\0').filter_map(shape::commit).collect())
}
