//! A Unity project: `Packages/manifest.json` and `Packages/packages-lock.json`.

mod registry;

use std::collections::HashSet;
use std::rc::Rc;

use perf_model::packages::{Consumer, Kind, Manifest, Pin, Pins};

use super::{Choice, Consumed, Declared, Insertion, Lock, Locked, Wanted, section_place};
use crate::checker::{Checker, Reported};
use crate::finding::Rule;
use crate::manifest::covers;
use crate::node::{Entry, Node};
use crate::source::{Place, Source};
use crate::{tree, version};

const MANIFEST: &str = "Packages/manifest.json";
const LOCK: &str = "Packages/packages-lock.json";
const EDITOR: &str = "ProjectSettings/ProjectVersion.txt";

/// How to pin such a package.
const OTHER_SECTION: &str = "if the editor does not include this package, pin it in `unityRegistryPackages`; otherwise fix `Packages/manifest.json`";

/// How to write the lock file.
pub(super) const RESOLVE: &str =
    "fix `Packages/manifest.json`, then open the project in Unity to resolve its packages";

/// Pins of a Unity project besides the compared packages; those of integration tests are optional.
pub(super) fn extra(manifest: &Manifest) -> Vec<Wanted<'_>> {
    let sections = [
        (&manifest.unity_built_in_packages, true),
        (&manifest.unity_registry_packages, true),
        (&manifest.integration_packages, false),
        (&manifest.integration_unity_built_in_packages, false),
    ];
    let pins = sections.into_iter().flat_map(|(pins, required)| pins.iter().map(move |pin| (pin, required)));
    pins.map(|((id, version), required)| Wanted { pin: Pin { kind: Kind::Unity, id, version }, required })
        .collect()
}

/// The Unity projects when `consumers` names none: every folder with a `Packages/manifest.json`.
pub(super) fn discover(checker: &mut Checker<'_>) -> Vec<(Place, Consumer)> {
    let manifest = checker.manifest;
    let required = [
        ("packages", &manifest.packages),
        ("unityRegistryPackages", &manifest.unity_registry_packages),
        ("unityBuiltInPackages", &manifest.unity_built_in_packages),
    ];
    let Some((section, _)) = required.into_iter().find(|(_, pins)| !pins.is_empty()) else {
        return Vec::new();
    };
    let place = checker.key_place(&[section]);
    let files = checker.list(".", MANIFEST).unwrap_or_default();
    let folders = files.iter().filter_map(|file| file.strip_suffix(MANIFEST));
    let folders = folders.filter(|folder| folder.is_empty() || folder.ends_with('/'));
    let project = |folder: &str| {
        Consumer::new(Kind::Unity, if folder.is_empty() { "." } else { folder.trim_end_matches('/') })
    };
    folders.map(|folder| (place.clone(), project(folder))).collect()
}

/// Reads a project; `None` if it does not exist.
pub(super) fn read(
    checker: &mut Checker<'_>,
    path: &str,
    consumer: &Consumer,
) -> Result<Option<Consumed>, Reported> {
    let Some(source) = checker.open(&tree::join(path, MANIFEST))? else { return Ok(None) };
    let root = checker.json(&source)?;
    if let Some(registry) = &checker.manifest.registry {
        registry::check(checker, registry, &source, &root);
    }
    registry::check_unity(checker, &source, &root);
    let dependencies = root.entry("dependencies");
    let section = section_place(&source, dependencies);
    let entries = dependencies.map_or(&[][..], |entry| entry.node.entries());
    let compared = entries.iter().filter(|entry| is_compared(checker.manifest, &entry.key));
    let declared: Vec<Declared> = compared.map(|entry| declared(&source, &entry.key, &entry.node)).collect();
    let insertion = dependencies.and_then(|entry| Insertion::after_last(&source, &entry.node));
    let redirects = embedded(checker, path)?;
    oldest_editor(checker, path)?;
    let locks = if consumer.lock { vec![lock(checker, path, &declared)?] } else { Vec::new() };
    Ok(Some(Consumed { declared, redirects, registries: Vec::new(), section, insertion, locks }))
}

/// Packages in folders of `Packages`, which Unity uses instead of those that the manifest declares.
fn embedded(checker: &mut Checker<'_>, path: &str) -> Result<Vec<Declared>, Reported> {
    let packages = tree::join(path, "Packages");
    let mut embedded = Vec::new();
    for file in checker.list(&packages, "/package.json")? {
        let inside = file.strip_prefix(&packages).unwrap_or_default();
        let Some(source) = (if inside.matches('/').count() == 2 { checker.open(&file)? } else { None })
        else {
            continue;
        };
        let root = checker.json(&source)?;
        let Some((node, id)) = root.get("name").and_then(|node| Some((node, node.text()?))) else { continue };
        embedded.push(Declared {
            id: id.to_owned(),
            found: root.text_at(&["version"]).unwrap_or(id).to_owned(),
            choice: Choice::Elsewhere("a folder of `Packages`"),
            place: Place::new(&source, node.span.clone()),
            prefix: "",
            fix: None,
        });
    }
    Ok(embedded)
}

/// Checks that the editor of a project is not older than the oldest that the comparisons support.
fn oldest_editor(checker: &mut Checker<'_>, path: &str) -> Result<(), Reported> {
    let Some(oldest) = checker.manifest.min_unity_for_comparisons.as_deref() else { return Ok(()) };
    let path = tree::join(path, EDITOR);
    let place = checker.place(&["minUnityForComparisons"]);
    let Some(source) = checker.open(&path)? else {
        let hint = format!("commit `{path}`, which Unity writes");
        let message = "the Unity version of a project is unknown";
        checker.find(Rule::MinUnity, &place, message, hint).expected(oldest).warning();
        return Ok(());
    };
    let key = "m_EditorVersion:";
    let found = source.text.lines().find_map(|line| line.trim().strip_prefix(key)).map(str::trim);
    let place = source.text.find(key).map_or(0, |at| at + key.len() + 1);
    let place = Place::new(&source, place..place);
    let Some((found, version)) = found.and_then(|found| Some((found, version::Editor::parse(found)?))) else {
        let hint = "open the project in Unity, which writes this file";
        checker.find(Rule::MinUnity, &place, "no valid `m_EditorVersion`", hint).expected(oldest);
        return Ok(());
    };
    if version::Editor::parse(oldest).is_some_and(|oldest| version < oldest) {
        let hint = format!(
            "open the project in Unity {oldest} or newer, or change `minUnityForComparisons` in `{}`",
            checker.source.path
        );
        let message = "the project's Unity version is older than `minUnityForComparisons`";
        checker.find(Rule::MinUnity, &place, message, hint).found(found).expected(oldest);
    }
    Ok(())
}

/// Of a project's packages, the pinned ones and all from the comparison registry.
fn is_compared(manifest: &Manifest, id: &str) -> bool {
    let scopes = manifest.registry.as_ref().map_or(&[][..], |registry| &registry.scopes);
    let sections = [
        &manifest.packages,
        &manifest.unity_built_in_packages,
        &manifest.unity_registry_packages,
        &manifest.integration_packages,
        &manifest.integration_unity_built_in_packages,
    ];
    let is_pinned = sections.into_iter().any(|pins| pins.contains_key(id));
    is_pinned || scopes.iter().any(|scope| covers(scope, id))
}

fn declared(source: &Rc<Source>, id: &str, node: &Node) -> Declared {
    let found = node.text().unwrap_or_else(|| source.slice(&node.span)).to_owned();
    let choice = if version::is_exact(Kind::Unity, &found) {
        Choice::Exact(found.clone())
    } else if found.starts_with("file:") {
        Choice::Elsewhere("a folder")
    } else if found.contains(':') {
        Choice::Elsewhere("a repository")
    } else {
        Choice::Range
    };
    let (place, fix) = (Place::new(source, node.span.clone()), node.inside(source));
    Declared { id: id.to_owned(), found, choice, place, prefix: "", fix }
}

fn lock(checker: &mut Checker<'_>, path: &str, declared: &[Declared]) -> Result<Lock, Reported> {
    let path = tree::join(path, LOCK);
    let Some(source) = checker.open(&path)? else { return Ok(Lock::Absent(path)) };
    let root = checker.json(&source)?;
    let entries = root.get("dependencies").map_or(&[][..], Node::entries);
    let declared: HashSet<&str> = declared.iter().map(|declared| &*declared.id).collect();
    for entry in entries {
        resolved(checker, &source, entry);
        if declared.contains(&*entry.key) {
            direct(checker, &source, entry);
        }
    }
    let locked =
        entries.iter().filter_map(|entry| Locked::new(&source, &entry.key, entry.node.get("version")?));
    let locked = locked.collect();
    Ok(Lock::Read(source, locked))
}

/// Where a pinned package comes from.
enum Origin<'m> {
    BuiltIn,
    UnityRegistry,
    /// The scoped registry of the manifest; without one any registry.
    Registry(Option<&'m str>),
}

impl<'m> Origin<'m> {
    fn of(manifest: &'m Manifest, id: &str) -> Option<Self> {
        let has = |one: &Pins, other: &Pins| one.contains_key(id) || other.contains_key(id);
        match () {
            () if has(&manifest.packages, &manifest.integration_packages) => {
                Some(Self::Registry(manifest.registry.as_ref().map(|registry| &*registry.url)))
            }
            () if has(&manifest.unity_built_in_packages, &manifest.integration_unity_built_in_packages) => {
                Some(Self::BuiltIn)
            }
            () => manifest.unity_registry_packages.contains_key(id).then_some(Self::UnityRegistry),
        }
    }

    /// The `source` of a lock entry.
    fn source(&self) -> &'static str {
        if matches!(self, Self::BuiltIn) { "builtin" } else { "registry" }
    }

    fn url(&self) -> Option<&'m str> {
        match self {
            Self::BuiltIn => None,
            Self::UnityRegistry => Some(registry::UNITY_REGISTRY),
            Self::Registry(url) => *url,
        }
    }
}

/// The pinned version of a package is another package when it comes from elsewhere.
fn resolved(checker: &mut Checker<'_>, source: &Rc<Source>, entry: &Entry) {
    let id = &entry.key;
    let Some(origin) = Origin::of(checker.manifest, id) else { return };
    let mut differs = |key: &str, expected: &str, message: String, hint: &str| {
        let value = entry.node.get(key);
        let place = Place::new(source, value.map_or(&entry.at, |value| &value.span).clone());
        let finding = checker.find(Rule::Origin, &place, message, hint).expected(expected);
        finding.found =
            value.map(|value| value.text().unwrap_or_else(|| source.slice(&value.span)).to_owned());
    };
    let text = |key| entry.node.get(key).and_then(Node::text);
    let comes_from = |url: &str| text("url").is_some_and(|found| registry::same_url(found, url));
    if text("source") != Some(origin.source()) {
        let (what, hint) = match origin {
            Origin::BuiltIn if comes_from(registry::UNITY_REGISTRY) => {
                ("Unity's built-in packages", OTHER_SECTION)
            }
            Origin::BuiltIn => ("Unity's built-in packages", RESOLVE),
            Origin::UnityRegistry | Origin::Registry(_) => ("a registry", RESOLVE),
        };
        differs("source", origin.source(), format!("`{id}` is not locked from {what}"), hint);
    } else if let Some(url) = origin.url().filter(|url| !comes_from(url)) {
        let what = if url == registry::UNITY_REGISTRY { "Unity's" } else { "the pinned" };
        differs("url", url, format!("`{id}` is not locked from {what} registry"), RESOLVE);
    }
}

/// A declared package has depth 0; a transitive one follows the versions of others.
fn direct(checker: &mut Checker<'_>, source: &Rc<Source>, entry: &Entry) {
    let Some(depth) = entry.node.get("depth").filter(|depth| source.slice(&depth.span) != "0") else {
        return;
    };
    let message = format!("`{}` is locked as a transitive dependency", entry.key);
    let finding = checker.find(Rule::Lock, &Place::new(source, depth.span.clone()), message, RESOLVE);
    finding.found(source.slice(&depth.span)).expected("0");
}
