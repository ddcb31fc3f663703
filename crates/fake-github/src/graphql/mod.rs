//! The GraphQL API: the fields that the clients use. Any other field is an error.

mod document;
mod mutations;

use serde_json::{Map, Value, json};

use crate::account;
use crate::context::Context;
use crate::http::{Response, json as response};
use crate::rest;
use document::{Field, Operation};

/// An error in a response.
struct Error {
    /// `None` for a document or variables that violate the schema.
    kind: Option<&'static str>,
    message: String,
}

impl Error {
    fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind: Some(kind), message: message.into() }
    }

    fn invalid(message: impl Into<String>) -> Self {
        Self { kind: None, message: message.into() }
    }
}

/// The name of the first field of a request's document, and whether it is a mutation.
pub(crate) fn operation(body: &Value) -> Option<(String, bool)> {
    let Operation { is_mutation, fields } = parse(body).ok()?;
    Some((fields.into_iter().next()?.name, is_mutation))
}

fn parse(body: &Value) -> Result<Operation, String> {
    let query = body["query"].as_str();
    let query = query.ok_or("A query attribute must be specified and must be a string.")?;
    document::parse(query, &body["variables"])
}

pub(crate) fn answer(cx: &mut Context<'_>) -> Response {
    if cx.caller.is_none() {
        return rest::error(401, "This endpoint requires you to be authenticated.");
    }
    let Some(body) = cx.request.json() else { return rest::error(400, "Problems parsing JSON") };
    match parse(&body) {
        Ok(operation) => response(200, &execute(cx, &operation)),
        Err(message) => response(200, &json!({ "errors": [{ "message": message }] })),
    }
}

fn execute(cx: &mut Context<'_>, operation: &Operation) -> Value {
    let mut data = Map::new();
    let mut errors = Vec::new();
    for field in &operation.fields {
        let value = match resolve(cx, operation, field).and_then(|value| selected(&value, &field.fields)) {
            Ok(value) => value,
            Err(Error { kind: Some(kind), message }) => {
                let location = json!({ "line": 1, "column": 1 });
                errors.push(
                    json!({ "type": kind, "path": [field.key], "locations": [location], "message": message }),
                );
                Value::Null
            }
            // GitHub validates a document before it executes it, so the response has no data.
            Err(Error { kind: None, message }) => {
                return json!({ "errors": [{ "message": message, "path": [field.key] }] });
            }
        };
        data.insert(field.key.clone(), value);
    }
    if errors.is_empty() { json!({ "data": data }) } else { json!({ "data": data, "errors": errors }) }
}

fn resolve(cx: &mut Context<'_>, operation: &Operation, field: &Field) -> Result<Value, Error> {
    match (operation.is_mutation, field.name.as_str()) {
        (false, "viewer") => Ok(viewer(cx)),
        (false, "repository") => repository(cx, &field.arguments),
        (true, "createCommitOnBranch") => mutations::create_commit(cx, &field.arguments),
        (true, "enablePullRequestAutoMerge") => mutations::enable_auto_merge(cx, &field.arguments),
        (true, "minimizeComment") => mutations::minimize(cx, &field.arguments),
        (is_mutation, name) => {
            let kind = if is_mutation { "Mutation" } else { "Query" };
            Err(Error::invalid(format!("Field '{name}' doesn't exist on type '{kind}'")))
        }
    }
}

/// The selected fields of an object, or any other value as it is.
fn selected(value: &Value, fields: &[Field]) -> Result<Value, Error> {
    let Value::Object(object) = value else { return Ok(value.clone()) };
    let kind = value["__typename"].as_str().unwrap_or_default();
    if fields.is_empty() {
        return Err(Error::invalid(format!("Field must have selections (an object of type '{kind}')")));
    }
    let select = |field: &Field| match object.get(&field.name) {
        Some(value) => Ok((field.key.clone(), selected(value, &field.fields)?)),
        None => Err(Error::invalid(format!("Field '{}' doesn't exist on type '{kind}'", field.name))),
    };
    fields.iter().map(select).collect::<Result<_, _>>().map(Value::Object)
}

fn viewer(cx: &Context<'_>) -> Value {
    let login = cx.caller.as_ref().map(|token| token.login.as_str()).unwrap_or_default();
    let id = account::id(login);
    json!({ "__typename": "User", "login": login, "databaseId": id, "id": rest::node_id("U", id) })
}

fn repository(cx: &Context<'_>, arguments: &Map<String, Value>) -> Result<Value, Error> {
    let argument = |key: &str| arguments.get(key).and_then(Value::as_str).unwrap_or_default();
    check_repository(cx, &format!("{}/{}", argument("owner"), argument("name")))?;
    let allows = |method: &str| cx.world.merge_methods.iter().any(|other| other == method);
    Ok(json!({
        "__typename": "Repository",
        "id": rest::node_id("R", account::id(&cx.world.repository)),
        "nameWithOwner": cx.world.repository,
        "isPrivate": cx.world.private,
        "autoMergeAllowed": cx.world.allow_auto_merge,
        "mergeCommitAllowed": allows("merge"),
        "squashMergeAllowed": allows("squash"),
        "rebaseMergeAllowed": allows("rebase"),
        "defaultBranchRef": reference(cx, &cx.world.default_branch),
    }))
}

/// Fails unless the repository exists and the caller may read it.
fn check_repository(cx: &Context<'_>, name: &str) -> Result<(), Error> {
    if !cx.may_read() || !cx.world.repository.eq_ignore_ascii_case(name) {
        let message = format!("Could not resolve to a Repository with the name '{name}'.");
        return Err(Error::new("NOT_FOUND", message));
    }
    Ok(())
}

/// A branch, or null if it does not exist.
fn reference(cx: &Context<'_>, branch: &str) -> Value {
    let Some(oid) = cx.git.head(branch) else { return Value::Null };
    json!({
        "__typename": "Ref",
        "id": format!("REF_{branch}"),
        "name": branch,
        "prefix": "refs/heads/",
        "target": { "__typename": "Commit", "oid": oid },
    })
}
