//! The GraphQL API: the fields that the clients use, one per document.
//!
//! Documents are not parsed: `tests/contract` checks all of them against GitHub's schema. A response contains only
//! the fields that the document mentions, so a client that reads another field also fails here.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::account::{self, Permission, node_id};
use crate::git::{Edit, GITHUB, Signature};
use crate::request::{Response, error, json as response};
use crate::rest::{Context, PROTECTED, SERVER, email};
use crate::world::{PullState, REPOSITORY};

/// An error in a response: its type and its message.
struct Rejection(&'static str, String);

type Reply<T = Value> = Result<T, Rejection>;

type Resolver = fn(&mut Context<'_>, &Value) -> Reply;

/// The supported fields, and whether each is a mutation.
const FIELDS: [(&str, bool, Resolver); 4] = [
    ("node", false, comment),
    ("viewer", false, viewer),
    ("createCommitOnBranch", true, create_commit),
    ("enablePullRequestAutoMerge", true, enable_auto_merge),
];

/// The words in a document.
fn words(body: &Value) -> Vec<&str> {
    let query = body["query"].as_str().unwrap_or_default();
    query
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .collect()
}

fn find(body: &Value) -> Option<&'static (&'static str, bool, Resolver)> {
    let words = words(body);
    FIELDS.iter().find(|(name, ..)| words.contains(name))
}

/// The field in a request's document, and whether it is a mutation.
pub(crate) fn field(body: &Value) -> Option<(&'static str, bool)> {
    find(body).map(|(name, is_mutation, _)| (*name, *is_mutation))
}

pub(crate) fn answer(cx: &mut Context<'_>) -> Response {
    if cx.caller.is_none() {
        return error(401, "This endpoint requires you to be authenticated.");
    }
    let body = cx.request.json();
    let Some((name, _, resolve)) = find(&body) else {
        return response(
            200,
            &json!({ "errors": [{ "message": "Field doesn't exist" }] }),
        );
    };
    let answer = match resolve(cx, &body["variables"]) {
        Ok(value) => json!({ "data": { *name: selected(value, &words(&body)) } }),
        Err(Rejection(kind, message)) => json!({
            "data": { *name: null },
            "errors": [{ "type": kind, "path": [name], "message": message }],
        }),
    };
    response(200, &answer)
}

/// Removes the fields that the document does not mention.
fn selected(value: Value, words: &[&str]) -> Value {
    let Value::Object(object) = value else {
        return value;
    };
    let named = object
        .into_iter()
        .filter(|(key, _)| words.contains(&key.as_str()));
    named
        .map(|(key, value)| (key, selected(value, words)))
        .collect()
}

fn reject<T>(kind: &'static str, message: impl Into<String>) -> Reply<T> {
    Err(Rejection(kind, message.into()))
}

fn unprocessable<T>(message: impl Into<String>) -> Reply<T> {
    reject("UNPROCESSABLE", message)
}

/// The text at a path in the variables, such as `/input/subjectId`.
fn text<'v>(variables: &'v Value, path: &str) -> &'v str {
    variables
        .pointer(path)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

#[expect(clippy::unnecessary_wraps, reason = "one signature for all fields")]
fn viewer(cx: &mut Context<'_>, _: &Value) -> Reply {
    let login = cx
        .caller
        .as_ref()
        .map(|token| token.login.as_str())
        .unwrap_or_default();
    Ok(json!({ "login": login, "databaseId": account::id(login) }))
}

/// Fails unless the repository exists and the caller may read it.
fn check_repository(cx: &Context<'_>, name: &str) -> Reply<()> {
    if cx.may_read(name) {
        return Ok(());
    }
    reject(
        "NOT_FOUND",
        format!("Could not resolve to a Repository with the name '{name}'."),
    )
}

/// The caller's login, if the token has all of these permissions.
fn writer(cx: &Context<'_>, all: &[Permission]) -> Reply<String> {
    match &cx.caller {
        Some(token)
            if all
                .iter()
                .all(|permission| token.writes.contains(permission)) =>
        {
            Ok(token.login.clone())
        }
        Some(token) => reject("FORBIDDEN", token.refusal()),
        None => reject("FORBIDDEN", "Requires authentication"),
    }
}

/// A comment's edits, newest first. Logins have no `[bot]` suffix here.
fn comment(cx: &mut Context<'_>, variables: &Value) -> Reply {
    let id = text(variables, "/id");
    let Some(comment) = cx
        .world
        .comments
        .iter()
        .find(|comment| comment.node_id() == id)
    else {
        return reject(
            "NOT_FOUND",
            format!("Could not resolve to a node with the global id of '{id}'"),
        );
    };
    let edit = |(login, body): &(String, String)| json!({ "diff": body, "editor": { "login": login.trim_end_matches("[bot]") } });
    let edits: Vec<Value> = comment.edits.iter().rev().map(edit).collect();
    Ok(json!({ "userContentEdits": { "nodes": edits } }))
}

fn create_commit(cx: &mut Context<'_>, variables: &Value) -> Reply {
    check_repository(cx, text(variables, "/input/branch/repositoryNameWithOwner"))?;
    let login = writer(cx, &[Permission::Contents])?;
    let branch = text(variables, "/input/branch/branchName");
    let head = check_branch(cx, branch, text(variables, "/input/expectedHeadOid"))?;
    let edits = edits(&variables["input"]["fileChanges"])?;
    let (headline, body) = (
        text(variables, "/input/message/headline"),
        text(variables, "/input/message/body"),
    );
    let message = format!(
        "{headline}{}{body}",
        if body.is_empty() { "" } else { "\n\n" }
    );
    let email = email(&login);
    let signature = Signature {
        author: (&login, &email),
        committer: GITHUB,
    };
    let created = cx
        .git
        .commit(branch, Some(&head), &edits, &message, signature);
    let oid = created.map_err(|error| Rejection("INTERNAL", error.to_string()))?;
    let url = format!("{SERVER}/{REPOSITORY}/commit/{oid}");
    Ok(json!({ "commit": { "oid": oid, "url": url } }))
}

/// The branch's head, if it is the expected one and the caller may push to it.
fn check_branch(cx: &Context<'_>, branch: &str, expected: &str) -> Reply<String> {
    let Some(head) = cx.git.head(branch) else {
        return reject(
            "NOT_FOUND",
            format!("No such branch '{branch}' in the repository"),
        );
    };
    if cx.is_protected(branch) {
        return unprocessable(PROTECTED);
    }
    if head != expected {
        let message = format!(
            "Expected branch to point to \"{expected}\" but it did not.  Pull and try again."
        );
        return reject("STALE_DATA", message);
    }
    Ok(head)
}

fn edits(changes: &Value) -> Reply<Vec<Edit>> {
    let additions = changes["additions"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let edit = |addition: &Value| {
        let content = BASE64_STANDARD
            .decode(text(addition, "/contents"))
            .map_err(|error| {
                Rejection(
                    "UNPROCESSABLE",
                    format!("The contents of a file addition are not valid Base64: {error}"),
                )
            })?;
        Ok((text(addition, "/path").to_owned(), Some(content)))
    };
    additions.iter().map(edit).collect()
}

/// Enables auto-merge, if it is allowed and the pull request cannot be merged yet.
fn enable_auto_merge(cx: &mut Context<'_>, variables: &Value) -> Reply {
    writer(cx, &[Permission::Contents, Permission::PullRequests])?;
    let id = text(variables, "/input/pullRequestId");
    let world = &mut *cx.world;
    let Some(pull) = world
        .pulls
        .iter_mut()
        .find(|pull| node_id("PR", pull.number) == id)
    else {
        return reject(
            "NOT_FOUND",
            format!("Could not resolve to a node with the global id of '{id}'"),
        );
    };
    if !world.allow_auto_merge {
        return unprocessable("Auto merge is not allowed for this repository");
    }
    if pull.state != PullState::Open {
        return unprocessable("Can't enable auto-merge for this pull request.");
    }
    if !world.protected.contains(&pull.base.branch) {
        return unprocessable("Pull request Pull request is in clean status");
    }
    pull.auto_merge = Some(text(variables, "/input/mergeMethod").to_lowercase());
    Ok(json!({ "pullRequest": { "number": pull.number } }))
}
