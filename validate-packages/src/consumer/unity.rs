//! A Unity project: `Packages/manifest.json` and `Packages/packages-lock.json`.

mod registry;

use std::collections::HashSet;

use perf_model::packages::{Consumer, Kind, Manifest, Pin, Pins};

use super::{
    AppliedPin, Consumed, DeclaredChoice, DeclaredDependency, Insertion, Lock, Locked, ReadConsumer,
};
use crate::checker::{Checker, Reported};
use crate::finding::FindingRule;
use crate::manifest::covers;
use crate::node::{Node, ObjectEntry};
use crate::source::SourceSpan;
use crate::{tree, version};

const MANIFEST: &str = "Packages/manifest.json";
const LOCK: &str = "Packages/packages-lock.json";
const EDITOR: &str = "ProjectSettings/ProjectVersion.txt";

/// The hint for a package of another section.
const OTHER_SECTION: &str = "if the editor does not include this package, pin it in `unityRegistryPackages`; otherwise fix `Packages/manifest.json`";

/// The hint for a lock file.
pub(super) const RESOLVE: &str =
    "fix `Packages/manifest.json`, then open the project in Unity to resolve its packages";

/// Pins of a Unity project besides the compared packages; those of integration tests are optional.
pub(super) fn extra(manifest: &Manifest) -> Vec<AppliedPin<'_>> {
    let sections = manifest
        .unity_sections()
        .into_iter()
        .filter(|section| section.name != "packages");
    let pins =
        sections.flat_map(|section| section.pins.iter().map(move |pin| (pin, section.required)));
    pins.map(|((id, version), required)| AppliedPin {
        pin: Pin {
            kind: Kind::Unity,
            id,
            version,
        },
        required,
    })
    .collect()
}

/// The Unity projects when `consumers` names none: every folder with a `Packages/manifest.json`.
pub(super) fn discover(checker: &mut Checker<'_>) -> Vec<(SourceSpan, Consumer)> {
    let manifest = checker.manifest;
    let mut sections = manifest.unity_sections().into_iter();
    let Some(section) = sections.find(|section| section.required && !section.pins.is_empty())
    else {
        return Vec::new();
    };
    let place = checker.key_place(&[section.name]);
    let files = checker.list(".", MANIFEST).unwrap_or_default();
    let folders = files.iter().filter_map(|file| file.strip_suffix(MANIFEST));
    let folders = folders.filter(|folder| folder.is_empty() || folder.ends_with('/'));
    let project = |folder: &str| {
        Consumer::new(
            Kind::Unity,
            if folder.is_empty() {
                "."
            } else {
                folder.trim_end_matches('/')
            },
        )
    };
    folders
        .map(|folder| (place.clone(), project(folder)))
        .collect()
}

pub(super) fn read(checker: &mut Checker<'_>, path: &str, consumer: &Consumer) -> ReadConsumer {
    let Some(root) = checker.json(&tree::join(path, MANIFEST))? else {
        return Ok(None);
    };
    registry::check(checker, &root);
    let mut files = Consumed::of(&root, root.entry("dependencies"));
    files.insertion = root.get("dependencies").and_then(Insertion::after_last);
    let manifest = checker.manifest;
    let scopes = manifest
        .registry
        .as_ref()
        .map_or(&[][..], |registry| &registry.scopes);
    // A package of a project is compared if it is pinned, or from the comparison registry.
    let is_compared = |entry: &&ObjectEntry| {
        manifest.is_pinned_for_unity(&entry.key)
            || scopes.iter().any(|scope| covers(scope, &entry.key))
    };
    files.declared = root
        .table(&["dependencies"])
        .iter()
        .filter(is_compared)
        .map(declared)
        .collect();
    files.redirects = embedded(checker, path)?;
    oldest_editor(checker, path)?;
    if consumer.lock {
        files.locks.push(lock(checker, path, &files.declared)?);
    }
    Ok(Some(files))
}

/// Packages in folders of `Packages`, which Unity uses instead of those that the manifest declares.
fn embedded(checker: &mut Checker<'_>, path: &str) -> Result<Vec<DeclaredDependency>, Reported> {
    let packages = tree::join(path, "Packages");
    let mut embedded = Vec::new();
    for file in checker.list(&packages, "/package.json")? {
        let inside = file.strip_prefix(&packages).unwrap_or_default();
        let root = if inside.matches('/').count() == 2 {
            checker.json(&file)?
        } else {
            None
        };
        if let Some((root, (node, id))) = root
            .as_ref()
            .and_then(|root| Some((root, root.string("name")?)))
        {
            let found = root.text_at(&["version"]).unwrap_or(id);
            embedded.push(DeclaredDependency::elsewhere(
                id,
                found,
                "a folder of `Packages`",
                &node.place,
            ));
        }
    }
    Ok(embedded)
}

/// Checks that the editor of a project is not older than the oldest that the comparisons support.
fn oldest_editor(checker: &mut Checker<'_>, path: &str) -> Result<(), Reported> {
    let Some(oldest) = checker.manifest.min_unity_for_comparisons.as_deref() else {
        return Ok(());
    };
    let path = tree::join(path, EDITOR);
    let place = checker.place(&["minUnityForComparisons"]);
    let Some(source) = checker.open(&path)? else {
        let hint = format!("commit `{path}`, which Unity writes");
        let message = "the Unity version of a project is unknown";
        checker
            .find(FindingRule::MinUnity, &place, message, hint)
            .expected(oldest)
            .warning();
        return Ok(());
    };
    let key = "m_EditorVersion:";
    let found = source
        .text
        .lines()
        .find_map(|line| line.trim().strip_prefix(key))
        .map(str::trim);
    let place = source.text.find(key).map_or(0, |at| at + key.len() + 1);
    let place = SourceSpan::new(&source, place..place);
    let Some((found, version)) =
        found.and_then(|found| Some((found, version::EditorVersion::parse(found)?)))
    else {
        let hint = "open the project in Unity, which writes this file";
        checker
            .find(
                FindingRule::MinUnity,
                &place,
                "no valid `m_EditorVersion`",
                hint,
            )
            .expected(oldest);
        return Ok(());
    };
    if version::EditorVersion::parse(oldest).is_some_and(|oldest| version < oldest) {
        let hint = format!(
            "open the project in Unity {oldest} or newer, or change `minUnityForComparisons` in `{}`",
            checker.source.path
        );
        let message = "the project's Unity version is older than `minUnityForComparisons`";
        checker
            .find(FindingRule::MinUnity, &place, message, hint)
            .found(found)
            .expected(oldest);
    }
    Ok(())
}

fn declared(entry: &ObjectEntry) -> DeclaredDependency {
    let found = entry.node.shown();
    let choice = if found.starts_with("file:") {
        DeclaredChoice::Elsewhere("a folder")
    } else if found.contains(':') {
        DeclaredChoice::Elsewhere("a repository")
    } else {
        DeclaredChoice::of_version(Kind::Unity, found)
    };
    DeclaredDependency {
        fix: entry.node.inside(),
        ..DeclaredDependency::new(&entry.key, found, choice, &entry.node.place)
    }
}

fn lock(
    checker: &mut Checker<'_>,
    path: &str,
    declared: &[DeclaredDependency],
) -> Result<Lock, Reported> {
    let path = tree::join(path, LOCK);
    let Some(root) = checker.json(&path)? else {
        return Ok(Lock::Absent(path));
    };
    let entries = root.table(&["dependencies"]);
    let declared: HashSet<&str> = declared.iter().map(|declared| &*declared.id).collect();
    for entry in entries {
        resolved(checker, entry);
        if declared.contains(&*entry.key) {
            direct(checker, entry);
        }
    }
    let locked = entries
        .iter()
        .filter_map(|entry| Locked::new(&entry.key, entry.node.get("version")?));
    Ok(Lock::read(&root, locked.collect()))
}

/// The `source` of a lock entry for a package that the editor includes.
const BUILT_IN: &str = "builtin";

/// The `source` and the URL of a pinned package in a lock file; without a URL, any registry counts.
fn origin<'m>(manifest: &'m Manifest, id: &str) -> Option<(&'static str, Option<&'m str>)> {
    let has = |one: &Pins, other: &Pins| one.contains_key(id) || other.contains_key(id);
    if has(&manifest.packages, &manifest.integration_packages) {
        return Some((
            "registry",
            manifest.registry.as_ref().map(|registry| &*registry.url),
        ));
    }
    if has(
        &manifest.unity_built_in_packages,
        &manifest.integration_unity_built_in_packages,
    ) {
        return Some((BUILT_IN, None));
    }
    let is_of_unity = manifest.unity_registry_packages.contains_key(id);
    is_of_unity.then_some(("registry", Some(registry::UNITY_REGISTRY)))
}

/// The pinned version of a package is another package when it comes from elsewhere.
fn resolved(checker: &mut Checker<'_>, entry: &ObjectEntry) {
    let id = &entry.key;
    let Some((source, url)) = origin(checker.manifest, id) else {
        return;
    };
    let mut differs = |key: &str, expected: &str, message: String, hint: &str| {
        let value = entry.node.get(key);
        let place = value.map_or(&entry.at, |value| &value.place);
        let finding = checker
            .find(FindingRule::Origin, place, message, hint)
            .expected(expected);
        finding.found = value.map(|value| value.shown().to_owned());
    };
    let text = |key| entry.node.get(key).and_then(Node::text);
    let comes_from = |url: &str| text("url").is_some_and(|found| registry::same_url(found, url));
    if text("source") != Some(source) {
        let is_built_in = source == BUILT_IN;
        let what = if is_built_in {
            "Unity's built-in packages"
        } else {
            "a registry"
        };
        let is_other = is_built_in && comes_from(registry::UNITY_REGISTRY);
        let hint = if is_other { OTHER_SECTION } else { RESOLVE };
        differs(
            "source",
            source,
            format!("`{id}` is not locked from {what}"),
            hint,
        );
    } else if let Some(url) = url.filter(|url| !comes_from(url)) {
        let what = if url == registry::UNITY_REGISTRY {
            "Unity's"
        } else {
            "the pinned"
        };
        differs(
            "url",
            url,
            format!("`{id}` is not locked from {what} registry"),
            RESOLVE,
        );
    }
}

/// A declared package has depth 0; a transitive one follows the versions of others.
fn direct(checker: &mut Checker<'_>, entry: &ObjectEntry) {
    let depth = entry.node.get("depth").map(|depth| &depth.place);
    if let Some(depth) = depth.filter(|depth| depth.text() != "0") {
        let message = format!("`{}` is locked as a transitive dependency", entry.key);
        checker
            .find(FindingRule::Lock, depth, message, RESOLVE)
            .found(depth.text())
            .expected("0");
    }
}
