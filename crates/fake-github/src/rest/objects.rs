//! Trees and commits that no branch has yet.

use serde_json::{Value, json};

use super::{GITHUB, Reply, email, reject};
use crate::account::Permission;
use crate::context::Context;
use crate::git::Signature;
use crate::http::json as response;

/// A tree of files with their contents in the request, and of nothing else: `base_tree` is not known here.
pub(super) fn create_tree(cx: &mut Context<'_>) -> Reply {
    cx.writer(&[Permission::Contents])?;
    let object = Value::Object(cx.object()?);
    let entries = object["tree"].as_array().map(Vec::as_slice).unwrap_or_default();
    let files: Option<Vec<(&str, &str)>> = entries.iter().map(file).collect();
    let (Some(files), false) = (files, entries.is_empty()) else { return reject(422, "Invalid tree info") };
    let tree = cx.git.tree(&files)?;
    let url = format!("{}/repos/{}/git", cx.api, cx.world.repository);
    let shape = |(path, content): &(&str, &str)| {
        let entry = json!({ "path": path, "mode": "100644", "type": "blob", "size": content.len() });
        with(entry, "sha", cx.git.blob(content.as_bytes()).unwrap_or_default().into())
    };
    let entries: Vec<Value> = files.iter().map(shape).collect();
    let body =
        json!({ "sha": tree, "url": format!("{url}/trees/{tree}"), "tree": entries, "truncated": false });
    Ok(response(201, &body))
}

fn with(mut object: Value, key: &str, value: Value) -> Value {
    object[key] = value;
    object
}

fn file(entry: &Value) -> Option<(&str, &str)> {
    let is_file = entry["mode"] == "100644" && entry["type"] == "blob";
    let path = entry["path"].as_str().filter(|path| !path.is_empty() && !path.starts_with('/'));
    path.zip(entry["content"].as_str()).filter(|_| is_file)
}

/// A commit without parents.
pub(super) fn create_commit(cx: &mut Context<'_>) -> Reply {
    let login = cx.writer(&[Permission::Contents])?.login.clone();
    let object = Value::Object(cx.object()?);
    let (message, tree) =
        (object["message"].as_str().unwrap_or_default(), object["tree"].as_str().unwrap_or_default());
    if object["parents"].as_array().is_some_and(|parents| !parents.is_empty()) {
        return reject(501, "the fake makes commits without parents only");
    }
    if !cx.git.has_tree(tree) {
        return reject(422, "Tree SHA does not exist");
    }
    let address = email(&login);
    let signature = Signature { author: (&login, &address), committer: GITHUB };
    let (sha, date) = cx.git.root(tree, message, signature)?;
    let url = format!("{}/repos/{}/git", cx.api, cx.world.repository);
    let person = |(name, email): (&str, &str)| json!({ "name": name, "email": email, "date": date });
    let body = json!({
        "sha": sha,
        "node_id": format!("C_{sha}"),
        "url": format!("{url}/commits/{sha}"),
        "html_url": format!("{}/{}/commit/{sha}", super::SERVER, cx.world.repository),
        "author": person(signature.author),
        "committer": person(signature.committer),
        "message": message,
        "tree": { "sha": tree, "url": format!("{url}/trees/{tree}") },
        "parents": [],
        "verification": {
            "verified": true, "reason": "valid", "payload": null, "signature": null, "verified_at": null,
        },
    });
    Ok(response(201, &body))
}
