//! Unity assembly definitions: code that needs a package is compiled only where the package is present.
//!
//! `versionDefines` *produces* a symbol when a package has a version that the expression admits;
//! `defineConstraints` *requires* symbols for the assembly to be compiled. An assembly is a *gate* when it
//! requires a symbol of the manifest, or is in a folder that the consumer's `asmdefs` names. A gate must produce
//! each symbol from the package that owns it, require it, and reference an assembly of the package. Other assemblies may test symbols with `#if`.

mod assembly;
mod references;

use std::collections::{BTreeMap, BTreeSet};

use self::assembly::{Assembly, entry};
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
    let (mut produced, mut required) = (BTreeSet::new(), BTreeSet::new());
    for (file, &listed) in &files {
        let Ok(Some(root)) = checker.json(file) else {
            continue;
        };
        let mut assembly = Assembly::read(checker, &root, listed, &ignored);
        assembly.check();
        produced.extend(assembly.produced);
        required.extend(assembly.required);
    }
    if !folders.is_empty() {
        let searched = folders
            .keys()
            .map(|folder| format!("`{folder}`"))
            .collect::<Vec<_>>()
            .join(", ");
        unused(checker, &searched, &produced, &required);
    }
}

fn list(checker: &mut Checker<'_>, folder: &str) -> Vec<String> {
    let place = checker.key_place(&["consumers"]);
    let Some(path) = tree::resolve(".", folder) else {
        let (message, hint) = (
            "a folder of `asmdefs` is outside the project",
            "write it from the project root, with `/`",
        );
        checker
            .find(FindingRule::Consumer, &place, message, hint)
            .found(folder);
        return Vec::new();
    };
    let Ok(found) = checker.list(&path, ".asmdef") else {
        return Vec::new();
    };
    if found.is_empty() {
        let message = "a folder of `asmdefs` contains no assembly definitions";
        let hint = "name the folders of the code that uses the packages";
        checker
            .find(FindingRule::Consumer, &place, message, hint)
            .found(folder);
    }
    found
}

/// Each symbol of a compared package gates at least one assembly; otherwise its comparison never compiles, or
/// breaks the build where the package is absent.
fn unused(
    checker: &mut Checker<'_>,
    searched: &str,
    produced: &BTreeSet<String>,
    required: &BTreeSet<String>,
) {
    let manifest = checker.manifest;
    for (id, symbols) in manifest
        .defines
        .iter()
        .filter(|(id, _)| manifest.packages.contains_key(*id))
    {
        let is_required = symbols
            .as_slice()
            .iter()
            .any(|symbol| required.contains(symbol));
        for symbol in symbols.as_slice() {
            let (rule, verb, hint) = match produced.contains(symbol) {
                false => (FindingRule::VersionDefine, "produces", entry(id, symbol)),
                true if is_required => continue,
                true => (
                    FindingRule::DefineConstraint,
                    "requires",
                    format!("add `{symbol}` to `defineConstraints`"),
                ),
            };
            let message =
                format!("no assembly definition {verb} `{symbol}` (searched: {searched})");
            let hint = format!("{hint} of the assembly that uses it");
            checker
                .find(rule, &checker.place(&["defines", id]), message, hint)
                .expected(symbol);
        }
    }
}
