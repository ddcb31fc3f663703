//! Consumers: Unity projects, scripts, and versions in other files.

mod asmdef;
mod script;
mod unity;
mod value;

use std::collections::HashSet;

use globset::Glob;
use perf_model::packages::{Consumer, Kind};

use crate::checker::Checker;
use crate::finding::FindingRule;
use crate::source::SourceSpan;
use crate::tree;

/// A Unity project to check.
pub(crate) struct UnityProject {
    /// The position for findings about the consumer itself.
    place: SourceSpan,
    path: String,
    consumer: Consumer,
}

/// Checks all consumers, and that every pin has a consumer.
pub(crate) fn check(checker: &mut Checker<'_>) {
    let mut projects = Vec::new();
    let mut used: HashSet<String> = HashSet::new();
    for (index, consumer) in checker.manifest.consumers.iter().enumerate() {
        let index = index.to_string();
        check_keys(checker, &index, consumer);
        let Some(kind) = consumer.kind else {
            used.extend(value::check(checker, &index, consumer));
            continue;
        };
        let Some(path) = &consumer.path else {
            continue;
        };
        let place = checker.place(&["consumers", &index, "path"]);
        if kind == Kind::Unity {
            projects.push(UnityProject {
                place,
                path: path.clone(),
                consumer: consumer.clone(),
            });
        } else if let Some(path) = locate(checker, path, &place) {
            let source = checker.open(&path);
            if let Ok(Some(source)) = &source {
                checker.compared.insert(path.clone());
                script::check(checker, source, true);
            }
            must_exist(checker, &place, &path, !matches!(source, Ok(None)));
        }
    }
    let (scripts, unlisted) = find_unlisted(checker, &projects);
    projects.extend(unlisted);
    for project in &projects {
        if let Some(path) = locate(checker, &project.path, &project.place) {
            // An unreadable file is already in the report.
            let exists = unity::check(checker, &path, &project.consumer).unwrap_or(true);
            must_exist(checker, &project.place, &project.path, exists);
        }
    }
    check_unused_pins(checker, &projects, &used);
    asmdef::check(checker, &projects);
    for file in scripts {
        // Ignore a script that cannot be read as text: without pinned packages, it may have any encoding.
        if let Ok(Some(source)) = checker.peek(&file) {
            script::check(checker, &source, false);
        }
    }
}

/// Resolves a path in the manifest to a path from the project root. If the path leaves the project, adds a finding and
/// returns `None`.
fn locate(checker: &mut Checker<'_>, path: &str, place: &SourceSpan) -> Option<String> {
    let located = tree::resolve(path);
    if located.is_none() {
        let message = "the consumer's path is outside the project";
        let hint = "write it from the project root, with `/`";
        checker
            .find(FindingRule::Consumer, place, message, hint)
            .found(path);
    }
    located
}

fn must_exist(checker: &mut Checker<'_>, place: &SourceSpan, path: &str, exists: bool) {
    if !exists {
        let hint = "correct the path, or remove the consumer";
        checker
            .find(FindingRule::Consumer, place, "consumer not found", hint)
            .found(path);
    }
}

/// Reports missing keys, keys that have no effect for this kind of consumer, and `packages` that are not pinned.
fn check_keys(checker: &mut Checker<'_>, index: &str, consumer: &Consumer) {
    let (required, optional): (&[&str], &[&str]) = match consumer.kind {
        Some(Kind::Unity) => (
            &["kind", "path"],
            &["asmdefs", "packages", "ignore", "lock"],
        ),
        Some(Kind::Script) => (&["kind", "path"], &[]),
        None => (&["file"], &["key", "pattern", "package"]),
    };
    let entries = checker.root.table(&["consumers", index]);
    for entry in entries {
        let key = entry.key.as_str();
        if !required.contains(&key) && !optional.contains(&key) {
            let message = format!("`{key}` has no effect for this kind of consumer");
            let hint = format!("remove `{key}`");
            checker.find(FindingRule::Consumer, &entry.at, message, hint);
        }
    }
    for key in required {
        if !entries.iter().any(|entry| entry.key == *key) {
            let message = format!("the consumer has no `{key}`");
            let hint = "write `kind` and `path`, or `file` with `key` or `pattern`";
            checker.at(FindingRule::Consumer, &["consumers", index], message, hint);
        }
    }
    for (at, id) in consumer.packages.iter().flatten().enumerate() {
        if !checker.manifest.packages.contains_key(id) {
            let path = ["consumers", index, "packages", &at.to_string()];
            let message = format!("`{id}` is not in `packages` of the manifest");
            let hint = "pin it, or remove it here";
            checker.at(FindingRule::Consumer, &path, message, hint);
        }
    }
}

/// Reports pins without a consumer, because nothing is compared with them.
fn check_unused_pins(checker: &mut Checker<'_>, projects: &[UnityProject], used: &HashSet<String>) {
    let manifest = checker.manifest;
    for id in manifest.packages.keys() {
        let is_chosen = projects
            .iter()
            .any(|project| is_chosen(&project.consumer, id));
        if !is_chosen && !used.contains(id) {
            let hint = "add `{\"kind\": \"unity\", \"path\": \"…\"}` to `consumers`";
            let message = format!("no consumer uses `{id}`");
            checker.at(FindingRule::Consumer, &["packages", id], message, hint);
        }
    }
    for (group, pins) in &manifest.ecosystems {
        for id in pins.keys().filter(|id| !used.contains(*id)) {
            let hint = format!(
                "add `{{\"file\": \"…\", \"key\": \"…\", \"package\": \"{id}\"}}` to `consumers`, or remove the pin"
            );
            let path = ["ecosystems", group, id];
            let message = format!("no consumer uses `{id}`");
            checker.at(FindingRule::Consumer, &path, message, hint);
        }
    }
}

/// Whether a Unity project has to declare a compared package.
fn is_chosen(consumer: &Consumer, id: &str) -> bool {
    match &consumer.packages {
        Some(chosen) => chosen.iter().any(|own| own == id),
        None => true,
    }
}

/// Whether a path or an ID matches one of these patterns, in which `*` stands for any text.
fn is_ignored(patterns: &[String], text: &str) -> bool {
    patterns.iter().any(|pattern| {
        let glob = Glob::new(pattern).map(|glob| glob.compile_matcher());
        glob.is_ok_and(|glob| glob.is_match(text)) || pattern == text
    })
}

/// The extensions of scripts that set up a project.
const SCRIPTS: [&str; 6] = [".ps1", ".sh", ".js", ".mjs", ".cjs", ".py"];

/// Folders with copies of other projects. They are not searched for unlisted consumers.
const COPIES: [&str; 5] = ["vendor", "third_party", "venv", ".venv", "site-packages"];

/// Finds scripts, and Unity projects with compared packages, that no consumer lists. Without a check, their versions could
/// drift unnoticed.
fn find_unlisted(
    checker: &mut Checker<'_>,
    projects: &[UnityProject],
) -> (Vec<String>, Vec<UnityProject>) {
    let (mut scripts, mut unlisted) = (Vec::new(), Vec::new());
    let manifest = checker.manifest;
    if manifest
        .unity_sections()
        .iter()
        .all(|section| section.pins.is_empty())
    {
        return (scripts, unlisted);
    }
    let listed: HashSet<String> = projects
        .iter()
        .filter_map(|project| tree::resolve(&project.path))
        .collect();
    // An unreadable folder is already in the report.
    for file in checker.list(".", "").unwrap_or_default() {
        let is_copy = file.split('/').any(|part| COPIES.contains(&part));
        if is_copy || checker.compared.contains(&file) || is_ignored(&manifest.ignore, &file) {
            continue;
        }
        if SCRIPTS.iter().any(|ending| file.ends_with(ending)) {
            scripts.push(file);
        } else if let Some(folder) = unity::project_of(&file)
            && !listed.contains(folder)
            && unity::uses_pins(checker, &file)
        {
            unlisted.push(UnityProject {
                place: SourceSpan::start(&checker.source),
                path: folder.to_owned(),
                consumer: Consumer::default(),
            });
        }
    }
    (scripts, unlisted)
}
