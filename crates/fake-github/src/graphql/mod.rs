//! The GraphQL API: the fields that clients ask for, and refusal of any other.

mod mutations;
mod parse;

use serde_json::{Map, Value, json};

use crate::account;
use crate::http::Answer;
use crate::hub::Desk;
use crate::rest;
use parse::{Document, Field};

/// An error in an answer.
struct Fault {
    kind: Option<&'static str>,
    message: String,
}

impl Fault {
    fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind: Some(kind), message: message.into() }
    }

    /// The document, or what is in its variables, is not as the API has it.
    fn invalid(message: impl Into<String>) -> Self {
        Self { kind: None, message: message.into() }
    }
}

/// The name of the first field of a request's document, and whether that is a mutation.
pub(crate) fn called(body: &Value) -> Option<(String, bool)> {
    let Document { is_mutation, fields } = document(body).ok()?;
    Some((fields.into_iter().next()?.name, is_mutation))
}

fn document(body: &Value) -> Result<Document, String> {
    let text = body
        .get("query")
        .and_then(Value::as_str)
        .ok_or("A query attribute must be specified and must be a string.")?;
    parse::parse(text, body.get("variables").unwrap_or(&Value::Null))
}

/// Whether an answer tells errors.
pub(crate) fn has_errors(body: &[u8]) -> bool {
    serde_json::from_slice::<Value>(body).is_ok_and(|body| body.get("errors").is_some())
}

/// Answers a request of the GraphQL API.
pub(crate) fn answer(desk: &mut Desk<'_>) -> Answer {
    if desk.caller.is_none() {
        return rest::error(401, "This endpoint requires you to be authenticated.");
    }
    let Some(body) = desk.request.json() else { return rest::error(400, "Problems parsing JSON") };
    match document(&body) {
        Ok(document) => execute(desk, &document),
        Err(message) => Answer::json(200, &json!({ "errors": [{ "message": message }] })),
    }
}

fn execute(desk: &mut Desk<'_>, document: &Document) -> Answer {
    let mut data = Map::new();
    let mut errors = Vec::new();
    for field in &document.fields {
        match resolve(desk, document, field).and_then(|value| picked(&value, &field.fields)) {
            Ok(value) => drop(data.insert(field.key.clone(), value)),
            Err(Fault { kind: Some(kind), message }) => {
                data.insert(field.key.clone(), Value::Null);
                let place = json!([{ "line": 1, "column": 1 }]);
                errors.push(
                    json!({ "type": kind, "path": [field.key], "locations": place, "message": message }),
                );
            }
            Err(Fault { kind: None, message }) => {
                // What is not valid is not begun.
                return Answer::json(
                    200,
                    &json!({ "errors": [{ "message": message, "path": [field.key] }] }),
                );
            }
        }
    }
    let mut answer = json!({ "data": data });
    if !errors.is_empty() {
        answer["errors"] = errors.into();
    }
    Answer::json(200, &answer)
}

fn resolve(desk: &mut Desk<'_>, document: &Document, field: &Field) -> Result<Value, Fault> {
    match (document.is_mutation, field.name.as_str()) {
        (false, "viewer") => Ok(viewer(desk)),
        (false, "repository") => repository(desk, &field.arguments),
        (true, "createCommitOnBranch") => mutations::commit(desk, &field.arguments),
        (true, "enablePullRequestAutoMerge") => mutations::auto_merge(desk, &field.arguments),
        (is_mutation, name) => {
            let kind = if is_mutation { "Mutation" } else { "Query" };
            Err(Fault::invalid(format!("Field '{name}' doesn't exist on type '{kind}'")))
        }
    }
}

/// The fields of an object that are asked for.
fn picked(value: &Value, fields: &[Field]) -> Result<Value, Fault> {
    let Value::Object(object) = value else { return Ok(value.clone()) };
    let kind = object.get("__typename").and_then(Value::as_str).unwrap_or_default();
    if fields.is_empty() {
        return Err(Fault::invalid(format!("Field must have selections (an object of type '{kind}')")));
    }
    let pick = |field: &Field| match object.get(&field.name) {
        Some(value) => Ok((field.key.clone(), picked(value, &field.fields)?)),
        None => Err(Fault::invalid(format!("Field '{}' doesn't exist on type '{kind}'", field.name))),
    };
    fields.iter().map(pick).collect::<Result<Map<_, _>, _>>().map(Value::Object)
}

fn viewer(desk: &Desk<'_>) -> Value {
    let login = desk.caller.as_ref().map(|token| token.login.clone()).unwrap_or_default();
    let id = account::id(&login);
    json!({ "__typename": "User", "login": login, "databaseId": id, "id": rest::node_id("U", id) })
}

fn repository(desk: &Desk<'_>, arguments: &Map<String, Value>) -> Result<Value, Fault> {
    let argument = |key: &str| arguments.get(key).and_then(Value::as_str).unwrap_or_default();
    let name = format!("{}/{}", argument("owner"), argument("name"));
    found(desk, &name)?;
    let has = |method: &str| desk.world.merge_methods.iter().any(|other| other == method);
    Ok(json!({
        "__typename": "Repository",
        "id": rest::node_id("R", account::id(&desk.world.repository)),
        "nameWithOwner": desk.world.repository,
        "isPrivate": desk.world.private,
        "autoMergeAllowed": desk.world.allow_auto_merge,
        "mergeCommitAllowed": has("merge"),
        "squashMergeAllowed": has("squash"),
        "rebaseMergeAllowed": has("rebase"),
        "defaultBranchRef": reference(desk, &desk.world.default_branch),
    }))
}

/// Whether there is such a repository, as far as the caller may know.
fn found(desk: &Desk<'_>, name: &str) -> Result<(), Fault> {
    let is_hidden = desk.world.private && !desk.caller.as_ref().is_some_and(|token| token.reads);
    if is_hidden || !desk.world.repository.eq_ignore_ascii_case(name) {
        let message = format!("Could not resolve to a Repository with the name '{name}'.");
        return Err(Fault::new("NOT_FOUND", message));
    }
    Ok(())
}

fn reference(desk: &Desk<'_>, branch: &str) -> Value {
    json!({
        "__typename": "Ref",
        "id": format!("REF_{branch}"),
        "name": branch,
        "prefix": "refs/heads/",
        "target": { "__typename": "Commit", "oid": desk.git.head(branch) },
    })
}
