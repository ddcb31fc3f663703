//! Branches, commits and files.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::{Refusal, Reply, not_found, refuse, shape_git};
use crate::account::Permission;
use crate::git::{full, text};
use crate::http::Answer;
use crate::hub::Desk;
use crate::world::State;

/// The most files that a comparison lists.
const MOST_FILES: usize = 300;

/// The longest content that is within JSON, in bytes.
const LONGEST: usize = 1 << 20;

pub(super) fn reference(desk: &mut Desk<'_>, name: &str) -> Reply {
    match name.strip_prefix("heads/").and_then(|branch| desk.git.head(branch)) {
        Some(sha) => Ok(Answer::json(200, &shape_git::reference(desk, name, &sha))),
        None => not_found(),
    }
}

pub(super) fn create(desk: &mut Desk<'_>) -> Reply {
    desk.writer(&[Permission::Contents])?;
    let object = desk.object()?;
    let field = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (name, sha) = (field("ref"), field("sha"));
    let Some(branch) = name.strip_prefix("refs/heads/") else {
        return refuse(422, "Reference name must start with 'refs/'.");
    };
    if desk.git.run(&["check-ref-format", &name]).is_err() {
        return refuse(422, &format!("{name} is not a valid ref name."));
    }
    if desk.git.head(branch).is_some() {
        return refuse(422, "Reference already exists");
    }
    if desk.git.resolve(&sha).is_none_or(|found| found != sha) {
        return refuse(422, "Object does not exist");
    }
    if desk.git.run(&["update-ref", &name, &sha]).is_err() {
        return refuse(422, "Reference update failed");
    }
    Ok(Answer::json(201, &shape_git::reference(desk, &name["refs/".len()..], &sha)))
}

pub(super) fn update(desk: &mut Desk<'_>, name: &str) -> Reply {
    desk.writer(&[Permission::Contents])?;
    let object = desk.object()?;
    let sha = object.get("sha").and_then(Value::as_str).unwrap_or_default();
    let Some((branch, old)) = existing(desk, name) else { return refuse(422, "Reference does not exist") };
    unprotected(desk, &branch)?;
    if desk.git.resolve(sha).is_none_or(|found| found != sha) {
        return refuse(422, "Object does not exist");
    }
    let forced = object.get("force") == Some(&Value::Bool(true));
    if !forced && desk.git.run(&["merge-base", "--is-ancestor", &old, sha]).is_err() {
        return refuse(422, "Update is not a fast forward");
    }
    desk.git.run(&["update-ref", &full(&branch), sha, &old])?;
    Ok(Answer::json(200, &shape_git::reference(desk, name, sha)))
}

pub(super) fn delete(desk: &mut Desk<'_>, name: &str) -> Reply {
    desk.writer(&[Permission::Contents])?;
    let Some((branch, sha)) = existing(desk, name) else { return refuse(422, "Reference does not exist") };
    unprotected(desk, &branch)?;
    desk.git.run(&["update-ref", "-d", &full(&branch), &sha])?;
    // What is to be merged from it cannot be any more.
    for pull in &mut desk.world.pulls {
        if pull.state == State::Open && pull.head.repository.is_none() && pull.head.branch == branch {
            pull.state = State::Closed;
            pull.head.sha.get_or_insert_with(|| sha.clone());
        }
    }
    Ok(Answer { status: 204, ..Answer::default() })
}

fn existing(desk: &Desk<'_>, name: &str) -> Option<(String, String)> {
    let branch = name.strip_prefix("heads/")?;
    Some((branch.to_owned(), desk.git.head(branch)?))
}

fn unprotected(desk: &Desk<'_>, branch: &str) -> Result<(), Refusal> {
    let bypasses = desk.caller.as_ref().is_some_and(|token| token.bypasses);
    if !bypasses && desk.world.protected.iter().any(|name| name == branch) {
        return refuse(
            422,
            "Repository rule violations found\n\nChanges must be made through a pull request.\n\n",
        );
    }
    Ok(())
}

/// The commit that a branch's or a commit's name stands for.
fn revision(desk: &Desk<'_>, name: &str) -> Option<String> {
    desk.git.head(name).or_else(|| desk.git.resolve(name).filter(|sha| sha.starts_with(name)))
}

pub(super) fn compare(desk: &mut Desk<'_>, sides: &str) -> Reply {
    let Some((base, head)) = sides.split_once("...") else { return not_found() };
    let (Some(base), Some(head)) = (revision(desk, base), revision(desk, head)) else { return not_found() };
    let merge_base = desk.git.run(&["merge-base", &base, &head]).map(text);
    let Ok(merge_base) = merge_base else {
        return refuse(404, &format!("No common ancestor between {base} and {head}."));
    };
    let merge_base = merge_base.trim().to_owned();
    let ahead = shape_git::log(desk, &["--reverse", &format!("{merge_base}..{head}")])?;
    let behind = text(desk.git.run(&["rev-list", "--count", &format!("{head}..{base}")])?);
    let behind: u64 = behind.trim().parse().unwrap_or(0);
    let status = match (ahead.len(), behind) {
        (0, 0) => "identical",
        (_, 0) => "ahead",
        (0, _) => "behind",
        _ => "diverged",
    };
    let page = desk.number("page", 1, usize::MAX);
    let files = if page == 1 { files(desk, &merge_base, &head)? } else { Vec::new() };
    let size = desk.number("per_page", 250, 250);
    let count = ahead.len();
    let shown: Vec<Value> = ahead.into_iter().skip((page - 1).saturating_mul(size)).take(size).collect();
    let both = [one(desk, &base)?, one(desk, &merge_base)?];
    let ends = (base.as_str(), head.as_str());
    Ok(Answer::json(200, &shape_git::comparison(desk, ends, both, (status, count, behind), (&shown, &files))))
}

/// The files that changed, with their names before they were renamed.
fn files(desk: &Desk<'_>, from: &str, to: &str) -> Result<Vec<Value>, Refusal> {
    let raw = text(desk.git.run(&["diff", "--raw", "-z", "-M", "--no-abbrev", from, to])?);
    let mut fields = raw.split('\0');
    let mut files = Vec::new();
    while let Some(head) = fields.next().filter(|head| !head.is_empty()) {
        // `:100644 100644 OLD NEW M`, then one path, or two for what was renamed.
        let words: Vec<&str> = head.split(' ').collect();
        let (Some(old), Some(new), Some(letter)) = (words.get(2), words.get(3), words.get(4)) else { break };
        let first = fields.next().unwrap_or_default();
        let (status, blob) = match letter.chars().next() {
            Some('A') => ("added", new),
            Some('D') => ("removed", old),
            Some('R') => ("renamed", new),
            _ => ("modified", new),
        };
        let path = if status == "renamed" { fields.next().unwrap_or_default() } else { first };
        let previous = (status == "renamed").then_some(first);
        files.push(shape_git::file(desk, path, previous, status, blob, to));
    }
    files.truncate(MOST_FILES);
    Ok(files)
}

pub(super) fn contents(desk: &mut Desk<'_>, path: &str) -> Reply {
    if path.starts_with('/') {
        return refuse(422, "path cannot start with a slash");
    }
    let name = desk.request.query("ref").unwrap_or(&desk.world.default_branch).to_owned();
    let Some(commit) = revision(desk, &name) else {
        return refuse(404, &format!("No commit found for the ref {name}"));
    };
    let object = format!("{commit}:{path}");
    match desk.git.run(&["cat-file", "-t", &object]).map(text).unwrap_or_default().trim() {
        "blob" => blob(desk, path, &commit),
        "tree" => folder(desk, path.trim_end_matches('/'), &commit),
        _ => not_found(),
    }
}

fn blob(desk: &Desk<'_>, path: &str, commit: &str) -> Reply {
    let object = format!("{commit}:{path}");
    let content = desk.git.run(&["cat-file", "blob", &object])?;
    let accept = desk.request.header("accept").unwrap_or_default();
    if accept.starts_with("application/vnd.github.raw") {
        let answer = Answer { status: 200, body: content, ..Answer::default() };
        return Ok(answer.header("content-type", format!("{accept}; charset=utf-8")));
    }
    let sha = text(desk.git.run(&["rev-parse", &object])?);
    let (encoding, shown) = if content.len() > LONGEST {
        ("none", String::new())
    } else {
        ("base64", lines(&BASE64_STANDARD.encode(&content)))
    };
    let mut file = shape_git::entry(desk, path, commit, sha.trim(), "file", content.len());
    file["content"] = json!(shown);
    file["encoding"] = json!(encoding);
    Ok(Answer::json(200, &file))
}

/// As GitHub breaks base64.
fn lines(base64: &str) -> String {
    base64.as_bytes().chunks(60).map(|line| String::from_utf8_lossy(line).into_owned() + "\n").collect()
}

fn folder(desk: &Desk<'_>, path: &str, commit: &str) -> Reply {
    let listed = text(desk.git.run(&[
        "ls-tree",
        "-z",
        "--format=%(objecttype) %(objectname) %(path)",
        &format!("{commit}:{path}"),
    ])?);
    let entries = listed.split('\0').filter_map(|line| {
        let mut words = line.splitn(3, ' ');
        let (kind, sha, name) = (words.next()?, words.next()?, words.next()?);
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
        let kind = if kind == "tree" { "dir" } else { "file" };
        Some(shape_git::entry(desk, &path, commit, sha, kind, 0))
    });
    Ok(Answer::json(200, &entries.collect::<Vec<_>>().into()))
}

pub(super) fn commits(desk: &mut Desk<'_>) -> Reply {
    let name = desk.request.query("sha").unwrap_or(&desk.world.default_branch).to_owned();
    let Some(commit) = revision(desk, &name) else { return not_found() };
    let path = desk.request.query("path").map(|path| format!(":(literal,top){path}"));
    let mut arguments = vec![commit.as_str()];
    arguments.extend(path.iter().flat_map(|path| ["--", path.as_str()]));
    let all = shape_git::log(desk, &arguments)?;
    Ok(desk.page(all))
}

pub(super) fn commit(desk: &mut Desk<'_>, name: &str) -> Reply {
    match revision(desk, name) {
        Some(sha) => Ok(Answer::json(200, &one(desk, &sha)?)),
        None => refuse(422, &format!("No commit found for SHA: {name}")),
    }
}

fn one(desk: &Desk<'_>, sha: &str) -> Result<Value, Refusal> {
    Ok(shape_git::log(desk, &["-1", sha])?.into_iter().next().unwrap_or_default())
}
