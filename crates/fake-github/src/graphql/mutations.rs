//! The mutations.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::{Error, check_repository, reference};
use crate::account::Permission;
use crate::context::Context;
use crate::git::{Edit, Signature};
use crate::rest;
use crate::world::{Pull, State, World};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CommitInput {
    branch: Branch,
    message: Message,
    expected_head_oid: String,
    #[serde(default)]
    file_changes: FileChanges,
    client_mutation_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Branch {
    repository_name_with_owner: String,
    branch_name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    headline: String,
    #[serde(default)]
    body: String,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct FileChanges {
    additions: Vec<Addition>,
    deletions: Vec<Deletion>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Addition {
    path: String,
    contents: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Deletion {
    path: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AutoMergeInput {
    pull_request_id: String,
    #[serde(default = "merge")]
    merge_method: String,
    client_mutation_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct MinimizeInput {
    subject_id: String,
    classifier: String,
    client_mutation_id: Option<String>,
}

/// Hides a comment.
pub(super) fn minimize(cx: &mut Context<'_>, arguments: &Map<String, Value>) -> Result<Value, Error> {
    let input: MinimizeInput = input(arguments)?;
    let writes = |permission| cx.caller.as_ref().is_some_and(|token| token.writes.contains(&permission));
    if !writes(Permission::Issues) && !writes(Permission::PullRequests) {
        return Err(Error::new("FORBIDDEN", "Resource not accessible by integration"));
    }
    let is_meant = |id: u64| rest::node_id("IC", id) == input.subject_id;
    let Some(comment) = cx.world.comments.iter_mut().find(|comment| is_meant(comment.id)) else {
        let message = format!("Could not resolve to a node with the global id of '{}'", input.subject_id);
        return Err(Error::new("NOT_FOUND", message));
    };
    comment.minimized = Some(input.classifier.to_lowercase());
    Ok(json!({
        "__typename": "MinimizeCommentPayload",
        "clientMutationId": input.client_mutation_id,
        "minimizedComment": { "__typename": "IssueComment", "isMinimized": true, "minimizedReason": comment.minimized },
    }))
}

fn merge() -> String {
    "MERGE".into()
}

fn input<T: DeserializeOwned>(arguments: &Map<String, Value>) -> Result<T, Error> {
    let mut input = arguments.get("input").cloned().unwrap_or_default();
    drop_nulls(&mut input);
    let invalid = |error| Error::invalid(format!("Variable $input was provided invalid value: {error}"));
    serde_json::from_value(input).map_err(invalid)
}

/// An optional input field that is null counts as absent.
fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|_, value| !value.is_null());
            object.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

/// The caller's login, if the token has all of these permissions.
fn writer(cx: &Context<'_>, all: &[Permission]) -> Result<String, Error> {
    let Some(token) = &cx.caller else { return Err(Error::new("FORBIDDEN", "Requires authentication")) };
    if all.iter().all(|permission| token.writes.contains(permission)) {
        return Ok(token.login.clone());
    }
    Err(Error::new("FORBIDDEN", token.refusal()))
}

pub(super) fn create_commit(cx: &mut Context<'_>, arguments: &Map<String, Value>) -> Result<Value, Error> {
    let input: CommitInput = input(arguments)?;
    check_repository(cx, &input.branch.repository_name_with_owner)?;
    let login = writer(cx, &[Permission::Contents])?;
    let branch = &input.branch.branch_name;
    let head = check_branch(cx, branch, &input.expected_head_oid)?;
    let edits = edits(cx, input.file_changes, &head)?;
    let message = message(&input.message)?;
    let email = rest::email(&login);
    let signature = Signature { author: (&login, &email), committer: rest::GITHUB };
    cx.world.tick();
    let created = cx.git.commit(branch, Some(&head), &edits, &message, signature);
    let oid = created.map_err(|error| Error::new("INTERNAL", error.to_string()))?;
    Ok(json!({
        "__typename": "CreateCommitOnBranchPayload",
        "clientMutationId": input.client_mutation_id,
        "commit": {
            "__typename": "Commit",
            "id": format!("C_{oid}"),
            "abbreviatedOid": &oid[..7],
            "oid": oid,
            "url": format!("{}/{}/commit/{oid}", rest::SERVER, cx.world.repository),
            "message": message,
        },
        "ref": reference(cx, branch),
    }))
}

/// The head of the branch, if it is the expected one and the caller may push to it.
fn check_branch(cx: &Context<'_>, branch: &str, expected: &str) -> Result<String, Error> {
    let Some(head) = cx.git.head(branch) else {
        return Err(Error::new("NOT_FOUND", format!("No such branch '{branch}' in the repository")));
    };
    if cx.is_protected(branch) {
        return Err(Error::new("UNPROCESSABLE", rest::PROTECTED));
    }
    if head != expected {
        let message =
            format!("Expected branch to point to \"{expected}\" but it did not.  Pull and try again.");
        return Err(Error::new("STALE_DATA", message));
    }
    Ok(head)
}

fn message(message: &Message) -> Result<String, Error> {
    if message.headline.trim().is_empty() {
        return Err(Error::new("UNPROCESSABLE", "A commit message headline is required"));
    }
    let separator = if message.body.is_empty() { "" } else { "\n\n" };
    Ok(format!("{}{separator}{}", message.headline, message.body))
}

fn edits(cx: &Context<'_>, changes: FileChanges, head: &str) -> Result<Vec<Edit>, Error> {
    let unprocessable = |message| Error::new("UNPROCESSABLE", message);
    let mut edits = Vec::new();
    for Deletion { path } in changes.deletions {
        if cx.git.file(head, &path).is_none() {
            let reason = "A path was requested for deletion which does not exist as of commit oid";
            return Err(unprocessable(format!("{reason} `{head}`: {path}")));
        }
        edits.push((path, None));
    }
    for Addition { path, contents } in changes.additions {
        let is_bad = |piece: &str| matches!(piece, "" | "." | "..") || piece.eq_ignore_ascii_case(".git");
        if path.split('/').any(is_bad) {
            return Err(unprocessable(format!("A path contains a malformed path component: {path}")));
        }
        let Ok(content) = BASE64_STANDARD.decode(contents) else {
            return Err(unprocessable("The contents of a file addition are not valid Base64".into()));
        };
        edits.push((path, Some(content)));
    }
    Ok(edits)
}

pub(super) fn enable_auto_merge(
    cx: &mut Context<'_>,
    arguments: &Map<String, Value>,
) -> Result<Value, Error> {
    let input: AutoMergeInput = input(arguments)?;
    let id = input.pull_request_id;
    let Some(at) = cx.world.pulls.iter().position(|pull| rest::node_id("PR", pull.number) == id) else {
        let message = format!("Could not resolve to a node with the global id of '{id}'");
        return Err(Error::new("NOT_FOUND", message));
    };
    let login = writer(cx, &[Permission::Contents, Permission::PullRequests])?;
    let method = input.merge_method.to_lowercase();
    check_auto_merge(cx.world, &cx.world.pulls[at], &method)?;
    let pull = &mut cx.world.pulls[at];
    pull.auto_merge = Some(method);
    Ok(json!({
        "__typename": "EnablePullRequestAutoMergePayload",
        "actor": { "__typename": "User", "login": login },
        "clientMutationId": input.client_mutation_id,
        "pullRequest": {
            "__typename": "PullRequest",
            "id": id,
            "number": pull.number,
            "url": format!("{}/{}/pull/{}", rest::SERVER, cx.world.repository, pull.number),
            "autoMergeRequest": { "__typename": "AutoMergeRequest", "mergeMethod": input.merge_method },
        },
    }))
}

/// Fails unless auto-merge is allowed and the pull request cannot be merged yet.
fn check_auto_merge(world: &World, pull: &Pull, method: &String) -> Result<(), Error> {
    let unprocessable = |message: &str| Err(Error::new("UNPROCESSABLE", message));
    let base = if pull.base.branch.is_empty() { &world.default_branch } else { &pull.base.branch };
    if !world.allow_auto_merge {
        return unprocessable("Auto merge is not allowed for this repository");
    }
    if !world.merge_methods.contains(method) {
        return unprocessable(&format!("Merge method {method} merging is not allowed on this repository"));
    }
    if pull.state != State::Open {
        return unprocessable("Can't enable auto-merge for this pull request.");
    }
    if !world.protected.contains(base) {
        return unprocessable("Pull request Pull request is in clean status");
    }
    Ok(())
}
