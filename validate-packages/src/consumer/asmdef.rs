//! Unity assembly definitions: code that needs a package is compiled only where the package is present.
//!
//! `versionDefines` *produces* a symbol when a package has a version that the expression admits;
//! `defineConstraints` *requires* symbols for the assembly to be compiled. An assembly is a *gate* when it
//! requires a symbol of the manifest, or is in a folder that the consumer's `asmdefs` names. A gate must produce
//! each symbol from the package that owns it, require it, and reference an assembly of the package. Other assemblies may test symbols with `#if`.

mod assembly;
mod references;

use std::collections::BTreeMap;

use self::assembly::{Symbols, entry};
use super::UnityProject;
use crate::checker::Checker;
use crate::finding::FindingRule;
use crate::tree;

/// Checks every assembly definition of the Unity projects, each once.
pub(super) fn check(checker: &mut Checker<'_>, projects: &[UnityProject]) {
    if checker.manifest.defines.is_empty() {
        return;
    }
    let mut ignored: Vec<String> = Vec::new();
    // The folders to search, and whether a consumer lists them.
    let mut folders: BTreeMap<&str, bool> = BTreeMap::new();
    for UnityProject { consumer, .. } in projects {
        ignored.extend_from_slice(&consumer.ignore);
        match &consumer.asmdefs {
            Some(listed) => folders.extend(listed.iter().map(|folder| (folder.as_str(), true))),
            None => _ = folders.entry(".").or_insert(false),
        }
    }
    let mut files: BTreeMap<String, bool> = BTreeMap::new();
    for (folder, listed) in &folders {
        for file in list(checker, folder) {
            *files.entry(file).or_default() |= listed;
        }
    }
    let mut symbols = Symbols::default();
    for (file, &listed) in &files {
        let Ok(Some(root)) = checker.json(file) else {
            continue;
        };
        assembly::check(checker, &root, listed, &ignored, &mut symbols);
    }
    if !folders.is_empty() {
        let searched: Vec<String> = folders.keys().map(|folder| format!("`{folder}`")).collect();
        unused(checker, &searched.join(", "), &symbols);
    }
}

fn list(checker: &mut Checker<'_>, folder: &str) -> Vec<String> {
    let (message, hint, found) = match tree::resolve(folder) {
        None => (
            "a folder of `asmdefs` is outside the project",
            "write it from the project root, with `/`",
            Vec::new(),
        ),
        Some(path) => (
            "a folder of `asmdefs` contains no assembly definitions",
            "name the folders of the code that uses the packages",
            match checker.list(&path, ".asmdef") {
                Ok(found) => found,
                // An unreadable folder is in the report.
                Err(_) => return Vec::new(),
            },
        ),
    };
    if found.is_empty() {
        checker
            .at_key(FindingRule::Consumer, &["consumers"], message, hint)
            .found(folder);
    }
    found
}

/// Each symbol of a compared package gates at least one assembly; otherwise its comparison never compiles, or
/// breaks the build where the package is absent.
fn unused(checker: &mut Checker<'_>, searched: &str, symbols: &Symbols) {
    let manifest = checker.manifest;
    for (id, own) in &manifest.defines {
        if !manifest.packages.contains_key(id) {
            continue;
        }
        let own = own.as_slice();
        let is_required = own.iter().any(|symbol| symbols.required.contains(symbol));
        for symbol in own {
            let (rule, verb, hint) = if !symbols.produced.contains(symbol) {
                (FindingRule::VersionDefine, "produces", entry(id, symbol))
            } else if !is_required {
                let hint = format!("add `{symbol}` to `defineConstraints`");
                (FindingRule::DefineConstraint, "requires", hint)
            } else {
                continue;
            };
            let message =
                format!("no assembly definition {verb} `{symbol}` (searched: {searched})");
            let hint = format!("{hint} of the assembly that uses it");
            checker
                .at(rule, &["defines", id], message, hint)
                .expected(symbol);
        }
    }
}
