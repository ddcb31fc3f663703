//! A Unity project: `Packages/manifest.json`, `Packages/packages-lock.json` and the editor's version.

mod registry;

use perf_model::packages::{Consumer, Pin};

use super::{is_chosen, is_ignored};
use crate::checker::{Checker, Reported};
use crate::finding::{Edit, FindingRule, quoted};
use crate::manifest::covers;
use crate::node::{self, Node, ObjectEntry};
use crate::source::SourceSpan;
use crate::tree;
use crate::version::{self, EditorVersion};

const MANIFEST: &str = "Packages/manifest.json";
const LOCK: &str = "Packages/packages-lock.json";
const EDITOR: &str = "ProjectSettings/ProjectVersion.txt";

/// The hint for a package that belongs to another section of the manifest.
const OTHER_SECTION: &str = "if the editor does not include this package, pin it in `unityRegistryPackages`; otherwise fix `Packages/manifest.json`";

/// The hint for a lock file that disagrees with the pins.
const RESOLVE: &str =
    "fix `Packages/manifest.json`, then open the project in Unity to resolve its packages";

/// The folder of a Unity project, given its manifest's path. `None` if the file is not a Unity project's manifest.
pub(super) fn project_of(file: &str) -> Option<&str> {
    match file.strip_suffix(MANIFEST)? {
        "" => Some("."),
        folder => folder.strip_suffix('/'),
    }
}

/// Whether a Unity project's manifest declares a compared package. If only Unity's own packages are pinned, one of those
/// suffices. Also true if the manifest is invalid, so that it is reported.
pub(super) fn uses_pins(checker: &Checker<'_>, file: &str) -> bool {
    let Ok(Some(source)) = checker.peek(file) else {
        return false;
    };
    let Ok(root) = node::json(&source) else {
        return true;
    };
    let mut sections = checker.manifest.unity_sections().into_iter();
    let section = sections.find(|section| section.required && !section.pins.is_empty());
    let mut declared = root.table(&["dependencies"]).iter();
    section.is_some_and(|section| declared.any(|entry| section.pins.contains_key(&entry.key)))
}

/// Checks a project. Returns false if the project does not exist.
pub(super) fn check(
    checker: &mut Checker<'_>,
    path: &str,
    consumer: &Consumer,
) -> Result<bool, Reported> {
    let Some(root) = checker.json(&tree::join(path, MANIFEST))? else {
        return Ok(false);
    };
    checker.compared.insert(root.place.source.path.clone());
    registry::check(checker, &root);
    let used = declarations(checker, consumer, &root);
    embedded(checker, path, &used)?;
    oldest_editor(checker, path)?;
    if consumer.lock != Some(false) {
        lock(checker, path, &root, &used)?;
    }
    Ok(true)
}

/// Compares the declared dependencies with the pins, and returns the pins of all packages that the project declares or has
/// to declare.
fn declarations<'m>(checker: &mut Checker<'m>, consumer: &Consumer, root: &Node) -> Vec<Pin<'m>> {
    let manifest = checker.manifest;
    let declared = root.table(&["dependencies"]);
    let mut used: Vec<Pin<'m>> = Vec::new();
    for section in manifest.unity_sections() {
        for (id, version) in section.pins {
            // A pin that is not an exact version already has a finding, and cannot be compared.
            if !version::is_exact_for_unity(version) || used.iter().any(|pin| pin.id == id) {
                continue;
            }
            let pin = Pin { id, version };
            let is_declared = declared.iter().any(|entry| entry.key == *id);
            let is_required =
                section.required && (section.name != "packages" || is_chosen(consumer, id));
            if is_required && !is_declared {
                missing(checker, pin, root);
            }
            if is_required || is_declared {
                used.push(pin);
            }
        }
    }
    let scopes = manifest.registry.as_ref().map(|registry| &*registry.scopes);
    let scopes = scopes.unwrap_or_default();
    for entry in declared {
        if let Some(pin) = used.iter().find(|pin| pin.id == entry.key) {
            declares(checker, entry, *pin);
            continue;
        }
        // All packages that the manifest's registry serves are compared packages.
        let is_compared = scopes.iter().any(|scope| covers(scope, &entry.key));
        let is_pinned = manifest.is_pinned_for_unity(&entry.key);
        if is_compared && !is_pinned && !is_ignored(&consumer.ignore, &entry.key) {
            let message = format!("`{}` is declared but not pinned", entry.key);
            let hint = format!(
                "pin it in `{}`, or add it to the consumer's `ignore`",
                checker.source.path
            );
            checker
                .find(FindingRule::Unpinned, &entry.node.place, message, hint)
                .found(entry.node.shown());
        }
    }
    used
}

fn missing(checker: &mut Checker<'_>, pin: Pin<'_>, root: &Node) {
    let source = &root.place.source;
    let start = SourceSpan::start(source);
    let section = root.entry("dependencies");
    let place = section.map_or(&start, |entry| &entry.at);
    let line = format!("{}: {}", quoted(pin.id), quoted(pin.version));
    let hint = format!("add `{line}` to `{}`", source.path);
    let message = format!("`{}` is pinned but not declared", pin.id);
    checker
        .find(FindingRule::Missing, place, message, hint)
        .expected(pin.version);
}

fn declares(checker: &mut Checker<'_>, entry: &ObjectEntry, Pin { id, version }: Pin<'_>) {
    let found = entry.node.shown();
    let (rule, message) = if found == version {
        return;
    } else if found.contains(':') {
        let message = format!("`{id}` does not come from its registry");
        (FindingRule::Origin, message)
    } else if version::is_exact_for_unity(found) {
        let message = format!("the version of `{id}` differs from its pin");
        (FindingRule::Version, message)
    } else {
        (FindingRule::Range, format!("`{id}` has no exact version"))
    };
    let hint = format!(
        "write `{version}`, or change the pin in `{}`",
        checker.source.path
    );
    let fix = entry.node.inside().map(|span| Edit {
        span,
        text: version.to_owned(),
    });
    checker
        .find(rule, &entry.node.place, message, hint)
        .found(found)
        .expected(version)
        .fix(fix);
}

/// Reports packages in folders under `Packages`, which Unity uses instead of the declared ones.
fn embedded(checker: &mut Checker<'_>, path: &str, used: &[Pin<'_>]) -> Result<(), Reported> {
    let packages = tree::join(path, "Packages");
    for file in checker.list(&packages, "/package.json")? {
        let inside = file.strip_prefix(&packages).unwrap_or_default();
        if inside.matches('/').count() != 2 {
            continue;
        }
        let Some(root) = checker.json(&file)? else {
            continue;
        };
        let Some((node, id)) = root.string("name") else {
            continue;
        };
        let Some(pin) = used.iter().find(|pin| pin.id == id) else {
            continue;
        };
        let message = format!("`{id}` comes from a folder of `Packages`");
        let hint = "remove the folder, or the pin";
        checker
            .find(FindingRule::Origin, &node.place, message, hint)
            .found(root.text_at(&["version"]).unwrap_or(id))
            .expected(pin.version);
    }
    Ok(())
}

/// Checks that the project's Unity version is not older than `minUnityForComparisons`.
fn oldest_editor(checker: &mut Checker<'_>, path: &str) -> Result<(), Reported> {
    let Some(oldest) = checker.manifest.min_unity_for_comparisons.as_deref() else {
        return Ok(());
    };
    let rule = FindingRule::MinUnity;
    let path = tree::join(path, EDITOR);
    let Some(source) = checker.open(&path)? else {
        let hint = format!("commit `{path}`, which Unity writes");
        let message = "the Unity version of a project is unknown";
        checker.at(rule, &["minUnityForComparisons"], message, hint);
        return Ok(());
    };
    let key = "m_EditorVersion:";
    let mut lines = source.text.lines();
    let found = lines.find_map(|line| line.trim().strip_prefix(key));
    let found = found.unwrap_or_default().trim();
    let at = source.text.find(key).map_or(0, |at| at + key.len() + 1);
    let place = SourceSpan::new(&source, at..at);
    let version = EditorVersion::parse(found);
    if version.is_none() {
        let hint = "open the project in Unity, which writes this file";
        let message = "no valid `m_EditorVersion`";
        checker.find(rule, &place, message, hint).expected(oldest);
    } else if version < EditorVersion::parse(oldest) {
        let hint = format!(
            "open the project in Unity {oldest} or newer, or change `minUnityForComparisons` in `{}`",
            checker.source.path
        );
        let message = "the project's Unity version is older than `minUnityForComparisons`";
        checker
            .find(rule, &place, message, hint)
            .found(found)
            .expected(oldest);
    }
    Ok(())
}

/// Compares the lock file with the pins that the project uses.
fn lock(
    checker: &mut Checker<'_>,
    path: &str,
    project: &Node,
    used: &[Pin<'_>],
) -> Result<(), Reported> {
    let path = tree::join(path, LOCK);
    let Some(root) = checker.json(&path)? else {
        let place = SourceSpan::start(&project.place.source);
        let hint = "commit it, or add `\"lock\": false` to this project in `consumers`";
        checker
            .find(FindingRule::Lock, &place, "the lock file is missing", hint)
            .expected(path);
        return Ok(());
    };
    let entries = root.table(&["dependencies"]);
    let declared = project.at(&["dependencies"]);
    for entry in entries {
        resolved(checker, entry);
        if declared.is_some_and(|declared| declared.get(&entry.key).is_some()) {
            direct(checker, entry);
        }
    }
    for Pin { id, version } in used {
        let Some((node, found)) = root
            .at(&["dependencies", id])
            .and_then(|entry| entry.string("version"))
        else {
            let message = format!("`{id}` is pinned but not locked");
            let place = SourceSpan::start(&root.place.source);
            checker
                .find(FindingRule::Lock, &place, message, RESOLVE)
                .expected(*version);
            continue;
        };
        if found != *version {
            let message = format!("the locked version of `{id}` differs from its pin");
            checker
                .find(FindingRule::Lock, &node.place, message, RESOLVE)
                .found(found)
                .expected(*version);
        }
    }
    Ok(())
}

/// Checks the origin of a locked package, because the pinned version from another origin is a different package.
fn resolved(checker: &mut Checker<'_>, entry: &ObjectEntry) {
    let manifest = checker.manifest;
    let mut sections = manifest.unity_sections().into_iter();
    let Some(section) = sections.find(|section| section.pins.contains_key(&entry.key)) else {
        return;
    };
    let (source, url) = match section.name {
        "packages" | "integrationPackages" => {
            let registry = manifest.registry.as_ref();
            ("registry", registry.map(|registry| registry.url.as_str()))
        }
        "unityRegistryPackages" => ("registry", Some(registry::UNITY_REGISTRY)),
        _ => ("builtin", None),
    };
    let found_url = entry.node.text_at(&["url"]).unwrap_or_default();
    let (key, expected) = if entry.node.text_at(&["source"]) != Some(source) {
        ("source", source)
    } else if let Some(url) = url.filter(|url| !registry::same_url(found_url, url)) {
        ("url", url)
    } else {
        return;
    };
    let is_of_registry = registry::same_url(found_url, registry::UNITY_REGISTRY);
    let hint = if expected == "builtin" && is_of_registry {
        OTHER_SECTION
    } else {
        RESOLVE
    };
    let value = entry.node.get(key);
    let place = value.map_or(&entry.at, |value| &value.place);
    let message = format!("`{}` is locked from a different origin", entry.key);
    let finding = checker.find(FindingRule::Origin, place, message, hint);
    finding.expected(expected).found = value.map(|value| value.shown().to_owned());
}

/// Checks that a declared package is locked at depth 0. A transitive dependency, at a greater depth, would follow the
/// versions that other packages require.
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
