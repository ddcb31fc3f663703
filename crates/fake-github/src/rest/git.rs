//! Branches, commits and files.

use http::HeaderValue;
use http::header::{ACCEPT, CONTENT_TYPE};
use serde_json::{Value, json};

use super::{PROTECTED, Reply, not_found, reject, shape_git};
use crate::account::Permission;
use crate::context::Context;
use crate::git::{full, text};
use crate::http::{Response, json as response, raw};
use crate::world::State;

/// The most files that a comparison lists.
const MAX_FILES: usize = 300;

pub(super) fn reference(cx: &mut Context<'_>, name: &str) -> Reply {
    match existing(cx, name) {
        Some((_, sha)) => Ok(response(200, &shape_git::reference(cx, name, &sha))),
        None => not_found(),
    }
}

pub(super) fn create(cx: &mut Context<'_>) -> Reply {
    cx.writer(&[Permission::Contents])?;
    let object = Value::Object(cx.object()?);
    let (name, sha) =
        (object["ref"].as_str().unwrap_or_default(), object["sha"].as_str().unwrap_or_default());
    let Some(branch) = name.strip_prefix("refs/heads/") else {
        return reject(422, "Reference name must start with 'refs/'.");
    };
    if cx.git.run(&["check-ref-format", name]).is_err() {
        return reject(422, &format!("{name} is not a valid ref name."));
    }
    if cx.git.head(branch).is_some() {
        return reject(422, "Reference already exists");
    }
    if cx.git.resolve(sha).is_none_or(|found| found != sha) {
        return reject(422, "Object does not exist");
    }
    if cx.git.run(&["update-ref", name, sha]).is_err() {
        return reject(422, "Reference update failed");
    }
    Ok(response(201, &shape_git::reference(cx, &name["refs/".len()..], sha)))
}

/// The branches whose names begin so.
pub(super) fn matching(cx: &Context<'_>, name: &str) -> Response {
    let Some(beginning) = name.strip_prefix("heads/") else { return response(200, &json!([])) };
    let branches = cx.git.branches().into_iter().filter(|branch| branch.starts_with(beginning));
    let shape = |branch: String| {
        let sha = cx.git.head(&branch)?;
        Some(shape_git::reference(cx, &format!("heads/{branch}"), &sha))
    };
    response(200, &json!(branches.filter_map(shape).collect::<Vec<_>>()))
}

/// Moves a branch; without `force`, forward only.
pub(super) fn update(cx: &mut Context<'_>, name: &str) -> Reply {
    cx.writer(&[Permission::Contents])?;
    let object = Value::Object(cx.object()?);
    let Some((branch, before)) = existing(cx, name) else { return reject(422, "Reference does not exist") };
    let sha = object["sha"].as_str().unwrap_or_default();
    if cx.git.resolve(sha).is_none_or(|found| found != sha) {
        return reject(422, "Object does not exist");
    }
    if cx.is_protected(&branch) {
        return reject(422, PROTECTED);
    }
    let is_forward = cx.git.run(&["merge-base", "--is-ancestor", &before, sha]).is_ok();
    if !is_forward && object["force"] != json!(true) {
        return reject(422, "Update is not a fast forward");
    }
    cx.git.run(&["update-ref", &full(&branch), sha])?;
    Ok(response(200, &shape_git::reference(cx, name, sha)))
}

/// Closes the pull requests of the branch too.
pub(super) fn delete(cx: &mut Context<'_>, name: &str) -> Reply {
    cx.writer(&[Permission::Contents])?;
    let Some((branch, sha)) = existing(cx, name) else { return reject(422, "Reference does not exist") };
    if cx.is_protected(&branch) {
        return reject(422, PROTECTED);
    }
    cx.git.run(&["update-ref", "-d", &full(&branch), &sha])?;
    for pull in &mut cx.world.pulls {
        if pull.state == State::Open && pull.head.repository.is_none() && pull.head.branch == branch {
            pull.close(sha.clone());
        }
    }
    Ok(raw(204, ""))
}

fn existing(cx: &Context<'_>, name: &str) -> Option<(String, String)> {
    let branch = name.strip_prefix("heads/")?;
    Some((branch.to_owned(), cx.git.head(branch)?))
}

/// The commit of a branch or of an abbreviated hash.
fn revision(cx: &Context<'_>, name: &str) -> Option<String> {
    cx.git.head(name).or_else(|| cx.git.resolve(name).filter(|sha| sha.starts_with(name)))
}

pub(super) fn compare(cx: &mut Context<'_>, range: &str) -> Reply {
    let Some((base, head)) = range.split_once("...") else { return not_found() };
    let (Some(base), Some(head)) = (revision(cx, base), revision(cx, head)) else { return not_found() };
    let Ok(merge_base) = cx.git.run(&["merge-base", &base, &head]).map(text) else {
        return reject(404, &format!("No common ancestor between {base} and {head}."));
    };
    let merge_base = merge_base.trim();
    let ahead = shape_git::log(cx, &["--reverse", &format!("{merge_base}..{head}")])?;
    let behind = text(cx.git.run(&["rev-list", "--count", &format!("{head}..{base}")])?);
    // Only the first page lists files.
    let is_first = cx.number("page", 1, usize::MAX) == 1;
    let comparison = shape_git::Comparison {
        base_commit: one(cx, &base)?,
        merge_base_commit: one(cx, merge_base)?,
        ahead: ahead.len(),
        behind: behind.trim().parse().unwrap_or(0),
        commits: cx.slice(&ahead, 250, 250),
        files: &if is_first { files(cx, merge_base, &head)? } else { Vec::new() },
    };
    Ok(response(200, &comparison.shape(cx, &format!("{base}...{head}"))))
}

/// The changed files.
fn files(cx: &Context<'_>, from: &str, to: &str) -> Reply<Vec<Value>> {
    let raw = text(cx.git.run(&["diff", "--raw", "-z", "-M", "--no-abbrev", from, to])?);
    let mut fields = raw.split('\0');
    let mut files = Vec::new();
    while let Some(head) = fields.next().filter(|head| !head.is_empty()) {
        // `:100644 100644 OLD NEW M`, then the path, or the previous and the new path of a rename.
        let words: Vec<&str> = head.split(' ').collect();
        let &[_, _, old, new, letter] = words.as_slice() else { break };
        let first = fields.next().unwrap_or_default();
        let (status, blob) = match letter.chars().next() {
            Some('A') => ("added", new),
            Some('D') => ("removed", old),
            Some('R') => ("renamed", new),
            _ => ("modified", new),
        };
        let path = if status == "renamed" { fields.next().unwrap_or_default() } else { first };
        let mut file = shape_git::file(cx, path, status, blob, to);
        if status == "renamed" {
            file["previous_filename"] = first.into();
        }
        files.push(file);
    }
    files.truncate(MAX_FILES);
    Ok(files)
}

/// The content of a file, which the fake does not serve as JSON, or the entries of a folder, which are always JSON.
pub(super) fn contents(cx: &mut Context<'_>, path: &str) -> Reply {
    let accept = cx.request.header(ACCEPT).unwrap_or_default();
    if !accept.starts_with("application/vnd.github.raw") {
        return reject(501, "the fake serves contents as `application/vnd.github.raw+json` only");
    }
    if path.starts_with('/') {
        return reject(422, "path cannot start with a slash");
    }
    let name = cx.request.query("ref").unwrap_or(&cx.world.default_branch);
    let Some(commit) = revision(cx, name) else {
        return reject(404, &format!("No commit found for the ref {name}"));
    };
    let Some(content) = cx.git.file(&commit, path) else { return folder(cx, path, &commit) };
    let mut response = raw(200, content);
    if let Ok(kind) = HeaderValue::try_from(format!("{accept}; charset=utf-8")) {
        response.headers_mut().insert(CONTENT_TYPE, kind);
    }
    Ok(response)
}

fn folder(cx: &Context<'_>, path: &str, commit: &str) -> Reply {
    let format = "--format=%(objecttype) %(objectname) %(path)";
    let listed = cx.git.run(&["ls-tree", "-z", format, &format!("{commit}:{path}")]);
    let Ok(listed) = listed.map(text) else { return not_found() };
    let entries = listed.split('\0').filter_map(|line| {
        let words: Vec<&str> = line.splitn(3, ' ').collect();
        let &[kind, sha, name] = words.as_slice() else { return None };
        let path = format!("{path}/{name}");
        Some(shape_git::entry(cx, path.trim_start_matches('/'), commit, sha, kind))
    });
    Ok(response(200, &json!(entries.collect::<Vec<_>>())))
}

pub(super) fn commits(cx: &mut Context<'_>) -> Reply {
    let name = cx.request.query("sha").unwrap_or(&cx.world.default_branch);
    let Some(commit) = revision(cx, name) else { return not_found() };
    let path = cx.request.query("path").map(|path| format!(":(literal,top){path}"));
    let mut arguments = vec![commit.as_str()];
    arguments.extend(path.iter().flat_map(|path| ["--", path.as_str()]));
    Ok(cx.page(&shape_git::log(cx, &arguments)?))
}

fn one(cx: &Context<'_>, sha: &str) -> Reply<Value> {
    Ok(shape_git::log(cx, &["-1", sha])?.into_iter().next().unwrap_or_default())
}
