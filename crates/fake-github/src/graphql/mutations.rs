//! What changes something.

use std::fmt::Display;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::{Fault, found, reference};
use crate::account::Permission;
use crate::git::{By, Edit};
use crate::hub::Desk;
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
    #[serde(rename = "clientMutationId")]
    _client_mutation_id: Option<String>,
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
    body: Option<String>,
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
    #[serde(rename = "commitHeadline")]
    _headline: Option<String>,
    #[serde(rename = "commitBody")]
    _body: Option<String>,
    #[serde(rename = "expectedHeadOid")]
    _expected: Option<String>,
}

fn merge() -> String {
    "MERGE".into()
}

fn input<T: DeserializeOwned>(arguments: &Map<String, Value>) -> Result<T, Fault> {
    let input = arguments.get("input").cloned().unwrap_or_default();
    let invalid =
        |error: &dyn Display| Fault::invalid(format!("Variable $input was provided invalid value: {error}"));
    serde_json::from_value(input).map_err(|error| invalid(&error))
}

/// Whose request it is, who must have all of these permissions.
fn writer(desk: &Desk<'_>, all: &[Permission]) -> Result<String, Fault> {
    let Some(token) = &desk.caller else { return Err(Fault::new("FORBIDDEN", "Requires authentication")) };
    if all.iter().all(|permission| token.writes.contains(permission)) {
        return Ok(token.login.clone());
    }
    let what = if token.is_app() { "integration" } else { "personal access token" };
    Err(Fault::new("FORBIDDEN", format!("Resource not accessible by {what}")))
}

/// Files are committed onto a branch, if its head is the expected one.
pub(super) fn commit(desk: &mut Desk<'_>, arguments: &Map<String, Value>) -> Result<Value, Fault> {
    let input: CommitInput = input(arguments)?;
    found(desk, &input.branch.repository_name_with_owner)?;
    let login = writer(desk, &[Permission::Contents])?;
    let (branch, expected) = (&input.branch.branch_name, &input.expected_head_oid);
    let Some(head) = desk.git.head(branch) else {
        return Err(Fault::new("NOT_FOUND", format!("No such branch '{branch}' in the repository")));
    };
    allowed(desk, branch)?;
    if head != *expected {
        let message =
            format!("Expected branch to point to \"{expected}\" but it did not.  Pull and try again.");
        return Err(Fault::new("STALE_DATA", message));
    }
    let contents = contents(&input.file_changes)?;
    let edits = edits(desk, &input.file_changes, &contents, &head)?;
    let message = message(&input.message)?;
    let address = rest::address(&login);
    let by = By { author: (&login, &address), committer: rest::GITHUB };
    desk.world.tick();
    let made = desk.git.commit(branch, Some(&head), &edits, &message, by);
    let oid = made.map_err(|error| Fault::new("INTERNAL", error.to_string()))?;
    Ok(json!({
        "__typename": "CreateCommitOnBranchPayload",
        "clientMutationId": null,
        "commit": {
            "__typename": "Commit",
            "id": format!("C_{oid}"),
            "abbreviatedOid": &oid[..7],
            "oid": oid,
            "url": format!("{}/{}/commit/{oid}", rest::SERVER, desk.world.repository),
            "message": message,
        },
        "ref": reference(desk, branch),
    }))
}

fn allowed(desk: &Desk<'_>, branch: &str) -> Result<(), Fault> {
    let bypasses = desk.caller.as_ref().is_some_and(|token| token.bypasses);
    if !bypasses && desk.world.protected.iter().any(|name| name == branch) {
        let message = "Repository rule violations found\n\nChanges must be made through a pull request.\n\n";
        return Err(Fault::new("UNPROCESSABLE", message));
    }
    Ok(())
}

fn message(message: &Message) -> Result<String, Fault> {
    if message.headline.trim().is_empty() {
        return Err(Fault::new("UNPROCESSABLE", "A commit message headline is required"));
    }
    let body = message.body.as_deref().unwrap_or_default();
    Ok(if body.is_empty() { message.headline.clone() } else { format!("{}\n\n{body}", message.headline) })
}

fn contents(changes: &FileChanges) -> Result<Vec<Vec<u8>>, Fault> {
    let decode = |addition: &Addition| BASE64_STANDARD.decode(&addition.contents);
    let decoded: Result<_, _> = changes.additions.iter().map(decode).collect();
    decoded.map_err(|_| Fault::new("UNPROCESSABLE", "The contents of a file addition are not valid Base64"))
}

fn edits<'c>(
    desk: &Desk<'_>,
    changes: &'c FileChanges,
    contents: &'c [Vec<u8>],
    head: &str,
) -> Result<Vec<Edit<'c>>, Fault> {
    let mut edits: Vec<Edit<'c>> = Vec::new();
    for Deletion { path } in &changes.deletions {
        if desk.git.file(head, path).is_none() {
            let why = "A path was requested for deletion which does not exist as of commit oid";
            return Err(Fault::new("UNPROCESSABLE", format!("{why} `{head}`: {path}")));
        }
        edits.push((path, None));
    }
    for (Addition { path, .. }, content) in changes.additions.iter().zip(contents) {
        let is_bad = |piece: &str| matches!(piece, "" | "." | "..") || piece.eq_ignore_ascii_case(".git");
        if path.split('/').any(is_bad) {
            let message = format!("A path contains a malformed path component: {path}");
            return Err(Fault::new("UNPROCESSABLE", message));
        }
        edits.push((path, Some(content)));
    }
    Ok(edits)
}

/// A pull request is to be merged as soon as it may be.
pub(super) fn auto_merge(desk: &mut Desk<'_>, arguments: &Map<String, Value>) -> Result<Value, Fault> {
    let input: AutoMergeInput = input(arguments)?;
    let is_it = |number: u64| rest::node_id("PR", number) == input.pull_request_id;
    let Some(at) = desk.world.pulls.iter().position(|pull| is_it(pull.number)) else {
        let message =
            format!("Could not resolve to a node with the global id of '{}'", input.pull_request_id);
        return Err(Fault::new("NOT_FOUND", message));
    };
    writer(desk, &[Permission::Contents, Permission::PullRequests])?;
    let method = input.merge_method.to_lowercase();
    waits(desk.world, &desk.world.pulls[at], &method)?;
    let pull = &mut desk.world.pulls[at];
    pull.auto_merge = Some(method);
    Ok(json!({
        "__typename": "EnablePullRequestAutoMergePayload",
        "actor": null,
        "clientMutationId": null,
        "pullRequest": {
            "__typename": "PullRequest",
            "id": input.pull_request_id,
            "number": pull.number,
            "url": format!("{}/{}/pull/{}", rest::SERVER, desk.world.repository, pull.number),
            "autoMergeRequest": { "__typename": "AutoMergeRequest", "mergeMethod": input.merge_method },
        },
    }))
}

/// Whether a pull request may merge itself, and cannot at once.
fn waits(world: &World, pull: &Pull, method: &String) -> Result<(), Fault> {
    let unprocessable = |message: &str| Err(Fault::new("UNPROCESSABLE", message));
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
