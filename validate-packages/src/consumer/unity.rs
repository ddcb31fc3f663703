//! A Unity project: `Packages/manifest.json`, `Packages/packages-lock.json` and the editor's version.

mod registry;

use perf_model::packages::{Consumer, Kind, Pin, Pins};

use super::{UnityProject, is_chosen, is_ignored};
use crate::checker::{Checker, Reported};
use crate::finding::{Edit, FindingRule, quoted};
use crate::manifest::covers;
use crate::node::{Node, ObjectEntry};
use crate::source::SourceSpan;
use crate::tree;
use crate::version::{self, EditorVersion};

const MANIFEST: &str = "Packages/manifest.json";
const LOCK: &str = "Packages/packages-lock.json";
const EDITOR: &str = "ProjectSettings/ProjectVersion.txt";

/// The hint for a package of another section.
const OTHER_SECTION: &str = "if the editor does not include this package, pin it in `unityRegistryPackages`; otherwise fix `Packages/manifest.json`";

/// The hint for a lock file.
const RESOLVE: &str =
    "fix `Packages/manifest.json`, then open the project in Unity to resolve its packages";

/// The folder of the Unity project that a file is the manifest of.
pub(super) fn project_of(file: &str) -> Option<&str> {
    match file.strip_suffix(MANIFEST)? {
        "" => Some("."),
        folder => folder.strip_suffix('/'),
    }
}

/// The Unity projects if `consumers` lists none: every folder with a `Packages/manifest.json`.
pub(super) fn discover(checker: &mut Checker<'_>) -> Vec<UnityProject> {
    let mut sections = checker.manifest.unity_sections().into_iter();
    let Some(section) = sections.find(|section| section.required && !section.pins.is_empty())
    else {
        return Vec::new();
    };
    let place = checker.key_place(&[section.name]);
    let files = checker.list(".", MANIFEST).unwrap_or_default();
    let mut projects = Vec::new();
    for path in files.iter().filter_map(|file| project_of(file)) {
        projects.push(UnityProject {
            place: place.clone(),
            path: path.to_owned(),
            consumer: Consumer {
                kind: Some(Kind::Unity),
                ..Consumer::default()
            },
        });
    }
    projects
}

/// Warns of a project that no consumer lists and that declares a compared package.
pub(super) fn check_unlisted(checker: &mut Checker<'_>, file: &str) {
    let report = std::mem::take(&mut checker.report);
    let root = checker.json(file);
    checker.report = report;
    let (Ok(Some(root)), Some(path)) = (root, project_of(file)) else {
        return;
    };
    let mut entries = root.table(&["dependencies"]).iter();
    let Some(entry) = entries.find(|entry| checker.manifest.packages.contains_key(&entry.key))
    else {
        return;
    };
    let message = format!(
        "`{}` is declared in a file that no consumer lists",
        entry.key
    );
    let hint = format!(
        "add `{{\"kind\": \"unity\", \"path\": \"{path}\"}}` to `consumers` of `{0}`, or `{file}` to its `ignore`",
        checker.source.path
    );
    checker
        .find(FindingRule::Unlisted, &entry.node.place, message, hint)
        .found(entry.node.shown())
        .warning();
}

/// Checks a project; `false` if it does not exist.
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

/// Compares the declared dependencies with the pins, and returns the pins that the project must use or does use.
fn declarations<'m>(checker: &mut Checker<'m>, consumer: &Consumer, root: &Node) -> Vec<Pin<'m>> {
    let manifest = checker.manifest;
    let declared = root.table(&["dependencies"]);
    let section = root.entry("dependencies");
    let mut used: Vec<Pin<'m>> = Vec::new();
    for section_of_pins in manifest.unity_sections() {
        let is_compared = section_of_pins.name == "packages";
        for (id, version) in section_of_pins.pins {
            // Any other pin has a finding, and cannot be compared.
            if !version::is_exact_for_unity(version) || used.iter().any(|pin| pin.id == id) {
                continue;
            }
            let pin = Pin { id, version };
            let mut is_used = section_of_pins.required && (!is_compared || is_chosen(consumer, id));
            let is_declared = declared.iter().any(|entry| entry.key == *id);
            if is_used && !is_declared {
                missing(checker, pin, root, section);
            }
            is_used |= is_declared;
            if is_used {
                used.push(pin);
            }
        }
    }
    let scopes = manifest.registry.as_ref().map(|registry| &registry.scopes);
    for entry in declared {
        if let Some(pin) = used.iter().find(|pin| pin.id == entry.key) {
            declares(checker, entry, *pin);
            continue;
        }
        // A package is compared if it is from the comparison registry.
        let mut scopes = scopes.into_iter().flatten();
        let is_compared = scopes.any(|scope| covers(scope, &entry.key));
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

fn missing(checker: &mut Checker<'_>, pin: Pin<'_>, root: &Node, section: Option<&ObjectEntry>) {
    let source = &root.place.source;
    let start = SourceSpan::start(source);
    let place = section.map_or(&start, |entry| &entry.at);
    let line = format!("{}: {}", quoted(pin.id), quoted(pin.version));
    let hint = format!("add `{line}` to `{}`", source.path);
    let message = format!("`{}` is pinned but not declared", pin.id);
    // After the last member, formatted like it.
    let last = root.table(&["dependencies"]).last();
    let fix = last.map(|last| {
        let (key, value) = (&last.at.span, &last.node.place.span);
        let between = source.slice(&(key.end..value.start));
        let text = format!("{}{between}{}", quoted(pin.id), quoted(pin.version));
        Edit::append(&SourceSpan::new(source, key.start..value.end), &text)
    });
    checker
        .find(FindingRule::Missing, place, message, hint)
        .expected(pin.version)
        .fix(fix);
}

fn declares(checker: &mut Checker<'_>, entry: &ObjectEntry, Pin { id, version }: Pin<'_>) {
    let found = entry.node.shown();
    let (rule, message) = if found == version {
        return;
    } else if found.contains(':') {
        let origin = if found.starts_with("file:") {
            "a folder"
        } else {
            "a repository"
        };
        let message = format!("`{id}` comes from {origin} instead of its pinned release");
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

/// Reports packages in folders of `Packages`, which Unity uses instead of those that the manifest declares.
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
        let message =
            format!("`{id}` comes from a folder of `Packages` instead of its pinned release");
        let hint = format!(
            "declare it as `{}: {}` instead, or change the pin in `{}`",
            quoted(id),
            quoted(pin.version),
            checker.source.path
        );
        checker
            .find(FindingRule::Origin, &node.place, message, hint)
            .found(root.text_at(&["version"]).unwrap_or(id))
            .expected(pin.version);
    }
    Ok(())
}

/// Checks that the editor of a project is not older than the oldest that the comparisons support.
fn oldest_editor(checker: &mut Checker<'_>, path: &str) -> Result<(), Reported> {
    let Some(oldest) = checker.manifest.min_unity_for_comparisons.as_deref() else {
        return Ok(());
    };
    let path = tree::join(path, EDITOR);
    let Some(source) = checker.open(&path)? else {
        let hint = format!("commit `{path}`, which Unity writes");
        let message = "the Unity version of a project is unknown";
        checker
            .at(
                FindingRule::MinUnity,
                &["minUnityForComparisons"],
                message,
                hint,
            )
            .expected(oldest)
            .warning();
        return Ok(());
    };
    let key = "m_EditorVersion:";
    let mut lines = source.text.lines();
    let found = lines.find_map(|line| line.trim().strip_prefix(key));
    let found = found.unwrap_or_default().trim();
    let at = source.text.find(key).map_or(0, |at| at + key.len() + 1);
    let place = SourceSpan::new(&source, at..at);
    let Some(version) = EditorVersion::parse(found) else {
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
    if EditorVersion::parse(oldest).is_some_and(|oldest| version < oldest) {
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

/// Compares the lock file with the pins in use.
fn lock(
    checker: &mut Checker<'_>,
    path: &str,
    project: &Node,
    used: &[Pin<'_>],
) -> Result<(), Reported> {
    let path = tree::join(path, LOCK);
    let Some(root) = checker.json(&path)? else {
        let place = SourceSpan::start(&project.place.source);
        let hint = "commit it, or set `\"lock\": false` on this consumer";
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
        let of_pin = entries.iter().filter(|entry| entry.key == *id);
        let locked: Vec<_> = of_pin
            .filter_map(|entry| entry.node.string("version"))
            .collect();
        if locked.iter().any(|(_, found)| found == version) {
            continue;
        }
        if locked.is_empty() {
            let message = format!("`{id}` is pinned but not locked");
            let place = SourceSpan::start(&root.place.source);
            checker
                .find(FindingRule::Lock, &place, message, RESOLVE)
                .expected(*version);
        }
        for (node, found) in locked {
            let message = format!("the locked version of `{id}` differs from its pin");
            checker
                .find(FindingRule::Lock, &node.place, message, RESOLVE)
                .found(found)
                .expected(*version);
        }
    }
    Ok(())
}

/// The pinned version of a package is another package if it comes from elsewhere.
fn resolved(checker: &mut Checker<'_>, entry: &ObjectEntry) {
    let manifest = checker.manifest;
    let id = &entry.key;
    let is_in = |one: &Pins, other: &Pins| one.contains_key(id) || other.contains_key(id);
    let built_in = &manifest.unity_built_in_packages;
    let (source, url) = if is_in(&manifest.packages, &manifest.integration_packages) {
        (
            "registry",
            manifest.registry.as_ref().map(|registry| &*registry.url),
        )
    } else if is_in(built_in, &manifest.integration_unity_built_in_packages) {
        ("builtin", None)
    } else if manifest.unity_registry_packages.contains_key(id) {
        ("registry", Some(registry::UNITY_REGISTRY))
    } else {
        return;
    };
    let comes_from = |url: &str| {
        let found = entry.node.text_at(&["url"]);
        found.is_some_and(|found| registry::same_url(found, url))
    };
    let (key, expected, origin, hint) = if entry.node.text_at(&["source"]) != Some(source) {
        let is_other = source == "builtin" && comes_from(registry::UNITY_REGISTRY);
        let hint = if is_other { OTHER_SECTION } else { RESOLVE };
        let origin = if source == "builtin" {
            "Unity's built-in packages"
        } else {
            "a registry"
        };
        ("source", source, origin, hint)
    } else if let Some(url) = url.filter(|url| !comes_from(url)) {
        let origin = if url == registry::UNITY_REGISTRY {
            "Unity's registry"
        } else {
            "the pinned registry"
        };
        ("url", url, origin, RESOLVE)
    } else {
        return;
    };
    let value = entry.node.get(key);
    let place = value.map_or(&entry.at, |value| &value.place);
    let message = format!("`{id}` is not locked from {origin}");
    let finding = checker.find(FindingRule::Origin, place, message, hint);
    finding.expected(expected).found = value.map(|value| value.shown().to_owned());
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
