//! Unity assembly definitions: code that needs a package is compiled only if the package is present.
//!
//! `versionDefines` *produces* a symbol if the package's version matches the expression; `defineConstraints` *requires*
//! symbols for compiling the assembly. An assembly is a *gate* if it requires one of the manifest's symbols, or is in
//! one of the consumer's `asmdefs` folders. A gate must produce each symbol from the package that owns it, require it,
//! and reference one of the package's assemblies. Other assemblies may test symbols with `#if`.

mod assembly;
mod references;

use std::collections::BTreeMap;

use self::assembly::{Symbols, entry};
use super::UnityProject;
use crate::checker::{Checker, Reported};
use crate::finding::FindingRule;
use crate::tree;

/// Checks every assembly definition of the Unity projects once.
pub(super) fn check(checker: &mut Checker<'_>, projects: &[UnityProject]) {
    if checker.manifest.defines.is_empty() {
        return;
    }
    let mut ignored: Vec<String> = Vec::new();
    // The files, and whether a consumer lists their folder.
    let mut files: BTreeMap<String, bool> = BTreeMap::new();
    for UnityProject { consumer, .. } in projects {
        ignored.extend_from_slice(&consumer.ignore);
        if let Some(folders) = &consumer.asmdefs {
            for folder in folders {
                files.extend(list(checker, folder).into_iter().map(|file| (file, true)));
            }
        } else {
            for file in list(checker, ".") {
                files.entry(file).or_insert(false);
            }
        }
    }
    let mut symbols = Symbols::default();
    for (file, &is_listed) in &files {
        let Ok(Some(root)) = checker.json(file) else {
            continue;
        };
        assembly::check(checker, &root, is_listed, &ignored, &mut symbols);
    }
    if !files.is_empty() {
        check_unused(checker, &symbols);
    }
}

fn list(checker: &mut Checker<'_>, folder: &str) -> Vec<String> {
    let mut files = Vec::new();
    if let Some(path) = tree::resolve(folder) {
        match checker.list(&path, ".asmdef") {
            Ok(found) => files = found,
            // An unreadable folder is already in the report.
            Err(Reported) => return files,
        }
    }
    if files.is_empty() {
        let message =
            "a folder of `asmdefs` contains no assembly definitions, or is outside the project";
        let hint = "list the folders whose code uses the packages";
        checker
            .at(FindingRule::Consumer, &["consumers"], message, hint)
            .found(folder);
    }
    files
}

/// Checks that some assembly produces each symbol of a compared package, and that some assembly requires one of them.
/// Otherwise, the comparison never compiles, or breaks the build if the package is absent.
fn check_unused(checker: &mut Checker<'_>, symbols: &Symbols) {
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
            let message = format!("no assembly definition {verb} `{symbol}`");
            let hint = format!("{hint} of the assembly that uses it");
            checker.at(rule, &["defines", id], message, hint);
        }
    }
}
