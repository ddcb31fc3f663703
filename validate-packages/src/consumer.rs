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
    /// The place of findings about the consumer itself.
    place: SourceSpan,
    path: String,
    consumer: Consumer,
}

/// Checks all consumers, and that every pin has one.
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
            let exists = script::check(checker, &path, consumer);
            must_exist(checker, &place, &path, exists);
        }
    }
    if projects.is_empty() {
        projects = unity::discover(checker);
    }
    for project in &projects {
        if let Some(path) = locate(checker, &project.path, &project.place) {
            // A file that cannot be read is in the report.
            let exists = unity::check(checker, &path, &project.consumer).unwrap_or(true);
            must_exist(checker, &project.place, &project.path, exists);
        }
    }
    check_unused_pins(checker, &projects, &used);
    asmdef::check(checker, &projects);
    check_unlisted(checker);
}

/// A path of the manifest from the project root, or a finding.
fn locate(checker: &mut Checker<'_>, path: &str, place: &SourceSpan) -> Option<String> {
    let located = tree::resolve(path).filter(|_| !path.contains('\\'));
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
        let hint = "set an existing Unity project (the folder that contains `Packages/manifest.json`), script or file, or remove the consumer";
        checker
            .find(FindingRule::Consumer, place, "consumer not found", hint)
            .found(path);
    }
}

/// The keys of a kind of consumer, the required ones first, and their number.
fn keys_of(kind: Option<Kind>) -> (&'static [&'static str], usize) {
    match kind {
        Some(Kind::Unity) => (
            &["kind", "path", "asmdefs", "packages", "ignore", "lock"],
            2,
        ),
        Some(Kind::Script) => (&["kind", "path", "mentions"], 2),
        None => (&["file", "key", "pattern", "package"], 1),
    }
}

/// Reports keys that are missing, or that have no effect for this kind of consumer.
fn check_keys(checker: &mut Checker<'_>, index: &str, consumer: &Consumer) {
    let (keys, required) = keys_of(consumer.kind);
    for key in crate::manifest::CONSUMER {
        let path = ["consumers", index, key];
        let is_given = checker.root.at(&path).is_some();
        if is_given && !keys.contains(key) {
            let message = format!("`{key}` has no effect for this kind of consumer");
            let hint = format!("remove `{key}`");
            checker.at_key(FindingRule::Consumer, &path, message, hint);
        } else if !is_given && keys[..required].contains(key) {
            let message = format!("the consumer has no `{key}`");
            let hint = "write `kind` and `path`, or `file` with `key` or `pattern`";
            checker.at(FindingRule::Consumer, &path[..2], message, hint);
        }
    }
    for (at, id) in consumer.packages.iter().flatten().enumerate() {
        if !checker.manifest.packages.contains_key(id) {
            let path = ["consumers", index, "packages", &at.to_string()];
            let message = format!("`{id}` is not in `packages` of the manifest");
            let hint = "pin it, or remove it here";
            checker
                .at(FindingRule::Consumer, &path, message, hint)
                .found(id);
        }
    }
}

/// Pins without a consumer would pass without being compared.
fn check_unused_pins(checker: &mut Checker<'_>, projects: &[UnityProject], used: &HashSet<String>) {
    let manifest = checker.manifest;
    if projects.is_empty() && !manifest.packages.is_empty() {
        let hint = "add `{\"kind\": \"unity\", \"path\": \"…\"}` to `consumers`";
        let message = "no consumer uses the Unity packages";
        checker.at_key(FindingRule::Consumer, &["packages"], message, hint);
    } else {
        for id in manifest.packages.keys() {
            let is_used = projects
                .iter()
                .any(|project| is_chosen(&project.consumer, id));
            if !is_used && !used.contains(id) {
                unused(checker, &["packages", id]);
            }
        }
    }
    for (group, pins) in &manifest.ecosystems {
        for id in pins.keys().filter(|id| !used.contains(*id)) {
            unused(checker, &["ecosystems", group, id]);
        }
    }
}

fn unused(checker: &mut Checker<'_>, path: &[&str]) {
    let id = path.last().copied().unwrap_or_default();
    let hint = format!(
        "add `{{\"file\": \"…\", \"key\": \"…\", \"package\": \"{id}\"}}` to `consumers`, or remove the pin"
    );
    checker
        .at_key(
            FindingRule::Consumer,
            path,
            format!("no consumer uses `{id}`"),
            hint,
        )
        .found(id);
}

/// Whether a Unity project has to declare a compared package.
fn is_chosen(consumer: &Consumer, id: &str) -> bool {
    let chosen = consumer.packages.as_ref();
    chosen.is_none_or(|chosen| chosen.iter().any(|own| own == id))
}

/// Whether a path or an id matches one of these patterns, in which `*` is any text.
fn is_ignored(patterns: &[String], text: &str) -> bool {
    patterns.iter().any(|pattern| {
        let glob = Glob::new(pattern).map(|glob| glob.compile_matcher());
        glob.is_ok_and(|glob| glob.is_match(text)) || pattern == text
    })
}

/// The endings of scripts that set up a project.
const SCRIPTS: [&str; 6] = ["ps1", "sh", "js", "mjs", "cjs", "py"];

/// Folders with copies of other projects.
const COPIES: [&str; 5] = ["vendor", "third_party", "venv", ".venv", "site-packages"];

/// Checks Unity projects and scripts that no consumer lists: their versions would drift without a finding.
fn check_unlisted(checker: &mut Checker<'_>) {
    let manifest = checker.manifest;
    if manifest.packages.is_empty() {
        return;
    }
    let Ok(files) = checker.list(".", "") else {
        // None of the manifest's files is in a folder that cannot be read, so this is no reason to fail.
        let broken = checker.report.broken.pop();
        let error = broken.map(|broken| broken.message).unwrap_or_default();
        let message = format!("files that no consumer lists were not searched: {error}");
        let hint = "make all folders readable";
        checker
            .at(FindingRule::Unlisted, &[], message, hint)
            .warning();
        return;
    };
    for file in &files {
        let is_copy = file.split('/').any(|part| COPIES.contains(&part));
        if is_copy || checker.compared.contains(file) || is_ignored(&manifest.ignore, file) {
            continue;
        }
        let is_script = file
            .rsplit_once('.')
            .is_some_and(|(_, ending)| SCRIPTS.contains(&ending));
        if is_script {
            script::check_unlisted(checker, file);
        } else if unity::project_of(file).is_some() {
            unity::check_unlisted(checker, file);
        }
    }
}
