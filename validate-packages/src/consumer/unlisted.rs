//! Files that use pinned libraries, but are no consumers: their versions may drift without a finding. Scripts that name a
//! Unity package, such as the generator of a temporary project, are among them unless they read the manifest.

use std::collections::HashSet;

use perf_model::packages::{Consumer, Kind};

use super::{names, read, script};
use crate::checker::Checker;
use crate::finding::FindingRule;

/// Folders with copies of other projects.
const COPIES: &[&str] = &["vendor", "third_party", "venv", ".venv", "site-packages"];

/// Warns of every file that declares a pinned library, and that no consumer reads.
pub(super) fn check(checker: &mut Checker<'_>) {
    let manifest = checker.manifest;
    let mut kinds: HashSet<Kind> = manifest.pins().map(|pin| pin.kind).collect();
    if kinds.contains(&Kind::Unity) {
        kinds.insert(Kind::Script);
    }
    let Ok(files) = checker.list(".", "") else {
        // Nothing of the manifest is in a folder that cannot be read, so this is no reason to fail.
        let error = checker
            .report
            .broken
            .pop()
            .map(|broken| broken.message)
            .unwrap_or_default();
        let message = format!("files that no consumer lists were not searched: {error}");
        checker
            .find(
                FindingRule::Unlisted,
                &checker.place(&[]),
                message,
                "make all folders readable",
            )
            .warning();
        return;
    };
    for file in &files {
        if checker.compared.contains(file) || file.split('/').any(|part| COPIES.contains(&part)) {
            continue;
        }
        let kind = kind(file).filter(|kind| kinds.contains(kind));
        let ignored = manifest
            .ignore
            .iter()
            .any(|pattern| names::matches(Kind::Script, pattern, file));
        match kind.filter(|_| !ignored) {
            Some(Kind::Script) => check_script(checker, file),
            Some(kind) => warn(checker, kind, file),
            None => {}
        }
    }
}

/// The package manager that a file is for, by its name.
fn kind(file: &str) -> Option<Kind> {
    let name = file.rsplit('/').next()?;
    match name {
        "Cargo.toml" => Some(Kind::Cargo),
        "package.json" => Some(Kind::Npm),
        "pyproject.toml" => Some(Kind::Python),
        "go.mod" => Some(Kind::Go),
        "manifest.json" => {
            (file == UNITY || file.ends_with(&format!("/{UNITY}"))).then_some(Kind::Unity)
        }
        _ => match name.rsplit_once('.')? {
            (name, "txt") => name.starts_with("requirements").then_some(Kind::Python),
            (_, ending) if SCRIPTS.contains(&ending) => Some(Kind::Script),
            (_, ending) => matches!(ending, "csproj" | "fsproj" | "vbproj").then_some(Kind::Nuget),
        },
    }
}

const UNITY: &str = "Packages/manifest.json";

/// The endings of scripts that set up a project.
const SCRIPTS: [&str; 6] = ["ps1", "sh", "js", "mjs", "cjs", "py"];

/// Checks a script that no consumer lists, without listing it among the checked files.
fn check_script(checker: &mut Checker<'_>, file: &str) {
    let report = std::mem::take(&mut checker.report);
    let source = checker.open(file);
    checker.report = report;
    if let Ok(Some(source)) = source {
        script::check_unlisted(checker, &source);
    }
}

/// Reads a file as a consumer of its kind, and keeps nothing of the report: nobody asked for this file.
fn warn(checker: &mut Checker<'_>, kind: Kind, file: &str) {
    let path = if kind == Kind::Unity {
        file.strip_suffix(UNITY).unwrap_or(file)
    } else {
        file
    };
    let path = match path.trim_end_matches('/') {
        "" => ".",
        path => path,
    };
    let consumer = Consumer {
        lock: false,
        ..Consumer::new(kind, path)
    };
    let report = std::mem::take(&mut checker.report);
    let files = read(checker, path, &consumer);
    checker.report = report;
    let Ok(Some(files)) = files else { return };
    // What a file takes from another that is compared or has its own warning, such as a workspace, cannot drift.
    let is_own =
        |at: &str| at == file || self::kind(at).is_none() && !checker.compared.contains(at);
    let uses = |declared: &&super::DeclaredDependency| {
        super::is_pinned(checker.manifest, kind, &declared.id)
            && is_own(&declared.place.source.path)
    };
    let Some(declared) = files.declared.iter().find(uses) else {
        return;
    };
    let message = format!(
        "`{}` is declared in a file that no consumer lists",
        declared.id
    );
    let hint = format!(
        "add `{{\"kind\": \"{kind}\", \"path\": \"{path}\"}}` to `consumers` of `{0}`, or `{file}` to its `ignore`",
        checker.source.path
    );
    checker
        .find(FindingRule::Unlisted, &declared.place, message, hint)
        .found(&declared.found)
        .warning();
}
