//! A repository's caches in `actions/cache`: each path (as written in the workflow) has separate keys, a key
//! is written once, and `restore-keys` selects the newest key with that prefix. Isolation between branches is left
//! out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::workspace::Workspace;
use crate::folder::visit;

/// The effect and outputs of an external action. Actions other than `actions/cache` do nothing here.
pub fn run_external_action(
    workspace: &Workspace,
    uses: &str,
    with: &BTreeMap<String, String>,
) -> Map<String, Value> {
    let (name, _) = uses.split_once('@').expect("an action has a version");
    match name {
        "actions/cache/restore" => restore(workspace, with),
        "actions/cache/save" => save(workspace, with),
        _ => Map::new(),
    }
}

fn restore(workspace: &Workspace, with: &BTreeMap<String, String>) -> Map<String, Value> {
    let keys = [&with["key"]].into_iter().chain(with.get("restore-keys"));
    let beginnings: Vec<&str> = keys.flat_map(|keys| keys.lines()).collect();
    let newest = entries(workspace, with).into_iter().rev();
    let mut fitting = newest.filter(|(key, _)| {
        beginnings
            .iter()
            .any(|beginning| key.starts_with(beginning))
    });
    let Some((key, folder)) = fitting.next() else {
        return Map::new();
    };
    copy(&folder, &expanded(workspace, with));
    let outputs =
        json!({ "cache-matched-key": key, "cache-hit": (*key == with["key"]).to_string() });
    outputs.as_object().cloned().unwrap_or_default()
}

fn save(workspace: &Workspace, with: &BTreeMap<String, String>) -> Map<String, Value> {
    let (key, entries) = (&with["key"], entries(workspace, with));
    if entries.iter().all(|(known, _)| known != key) {
        let folder =
            caches(workspace, with).join(format!("{:03}-{}", entries.len(), key.replace('/', "+")));
        copy(&expanded(workspace, with), &folder);
    }
    Map::new()
}

/// Keys and folders, oldest first.
fn entries(workspace: &Workspace, with: &BTreeMap<String, String>) -> Vec<(String, PathBuf)> {
    let found = fs::read_dir(caches(workspace, with))
        .into_iter()
        .flatten()
        .flatten();
    let mut found: Vec<(String, PathBuf)> = found
        .map(|entry| {
            (
                entry.file_name().to_string_lossy().into_owned(),
                entry.path(),
            )
        })
        .collect();
    found.sort();
    found
        .into_iter()
        .map(|(name, path)| (name[4..].replace('+', "/"), path))
        .collect()
}

fn caches(workspace: &Workspace, with: &BTreeMap<String, String>) -> PathBuf {
    workspace
        .root()
        .join("caches")
        .join(with["path"].replace('/', "+"))
}

/// The path, with `~` replaced by the steps' home folder.
fn expanded(workspace: &Workspace, with: &BTreeMap<String, String>) -> PathBuf {
    match with["path"].strip_prefix("~/") {
        Some(below) => workspace.root().join(below),
        None => PathBuf::from(&with["path"]),
    }
}

/// Copies a folder.
pub fn copy(from: &Path, to: &Path) {
    visit(from, "", &mut |name, path| {
        let target = to.join(name.trim_start_matches('/'));
        fs::create_dir_all(target.parent().expect("a file is in a folder"))
            .expect("a writable folder");
        fs::copy(path, target).expect("a readable file");
    });
}
