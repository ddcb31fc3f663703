//! The rules for the manifest itself, which can be checked without other files.

use std::collections::HashMap;

use perf_model::packages::{Pins, Registry};

use crate::checker::Checker;
use crate::finding::FindingRule;
use crate::version::{self, EditorVersion};

/// The ID prefix of Unity's own packages.
pub(crate) const UNITY_PREFIX: &str = "com.unity.";

pub(crate) fn check(checker: &mut Checker<'_>) {
    let manifest = checker.manifest;
    if let Some(registry) = &manifest.registry {
        check_registry(checker, registry);
    } else if !manifest.packages.is_empty() || !manifest.integration_packages.is_empty() {
        let message = "Unity packages are pinned, but `registry` is missing";
        let hint = "add `registry` with `name`, `url` and `scopes`";
        checker.at(FindingRule::Registry, &["packages"], message, hint);
    }
    let mut is_empty = true;
    for section in manifest.unity_sections() {
        let (name, pins) = (section.name, section.pins);
        is_empty &= pins.is_empty();
        check_exact(checker, &[name], pins, version::is_exact_for_unity);
        if matches!(name, "packages" | "integrationPackages") {
            check_covered(checker, name, pins);
        } else {
            check_unity_packages(checker, name, pins);
        }
    }
    for (group, pins) in &manifest.ecosystems {
        is_empty &= pins.is_empty();
        check_exact(checker, &["ecosystems", group], pins, version::is_exact);
    }
    if is_empty {
        let message = "the manifest pins nothing, so nothing is compared";
        let hint = "add the compared libraries to `packages` or `ecosystems`";
        checker.at(FindingRule::NoPins, &[], message, hint);
    }
    // A library may be pinned both for comparisons and for integration tests, but only at one version.
    let [packages, built_in, _, integration, integration_built_in] = manifest.unity_sections();
    for (section, other) in [(integration, packages), (integration_built_in, built_in)] {
        for (id, version) in section.pins {
            if let Some(pinned) = other.pins.get(id).filter(|pinned| *pinned != version) {
                let message = format!("`{id}` is pinned at two versions");
                let hint = "use the same version in both sections";
                checker
                    .at(FindingRule::Version, &[section.name, id], message, hint)
                    .found(version)
                    .expected(pinned);
            }
        }
    }
    check_defines(checker);
    if let Some(oldest) = &manifest.min_unity_for_comparisons
        && EditorVersion::parse(oldest).is_none()
    {
        let hint = "write it as the editor shows it, such as `2021.3.0f1`";
        let path = ["minUnityForComparisons"];
        checker
            .at(FindingRule::MinUnity, &path, "invalid Unity version", hint)
            .found(oldest);
    }
    check_assemblies(checker);
    check_labels(checker);
}

fn check_registry(checker: &mut Checker<'_>, registry: &Registry) {
    let host = registry.url.strip_prefix("https://").unwrap_or_default();
    let is_url = !host.is_empty() && !host.contains(|c: char| c.is_whitespace() || c.is_control());
    let has_name = !registry.name.trim().is_empty();
    for (key, is_valid, message, hint) in [
        (
            "name",
            has_name,
            "the registry's name is empty",
            "write the Unity project's name for it",
        ),
        (
            "url",
            is_url,
            "the registry's URL is not `https`",
            "write a URL that starts with `https://`",
        ),
        (
            "scopes",
            !registry.scopes.is_empty(),
            "the registry has no scopes",
            "add the ID prefixes that it serves, such as `com.example`",
        ),
    ] {
        if !is_valid {
            checker.at(FindingRule::Registry, &["registry", key], message, hint);
        }
    }
}

/// Whether a scope covers a package: the ID is the scope, or begins with the scope and a dot.
pub(crate) fn covers(scope: &str, id: &str) -> bool {
    id.strip_prefix(scope)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Checks that a scope of the registry covers each package.
fn check_covered(checker: &mut Checker<'_>, section: &str, pins: &Pins) {
    let Some(registry) = &checker.manifest.registry else {
        return;
    };
    for id in pins.keys() {
        if registry.scopes.iter().any(|scope| covers(scope, id)) {
            continue;
        }
        let scope = id.rsplit_once('.').map_or(id.as_str(), |(scope, _)| scope);
        let hint = format!("add `{scope}` to `registry.scopes`");
        let message = format!("no scope of the registry covers `{id}`");
        checker
            .at(FindingRule::Scope, &[section, id], message, hint)
            .found(registry.scopes.join(", "))
            .expected(scope);
    }
}

fn check_exact(
    checker: &mut Checker<'_>,
    section: &[&str],
    pins: &Pins,
    is_exact: fn(&str) -> bool,
) {
    for (id, version) in pins.iter().filter(|(_, version)| !is_exact(version)) {
        let message = format!("the pin of `{id}` is not an exact version");
        let hint = "write one full version, such as `1.2.3`";
        let path = [section, &[id]].concat();
        checker
            .at(FindingRule::Exact, &path, message, hint)
            .found(version);
    }
}

/// Checks a section with Unity's own packages, which come with the editor or from Unity's registry.
fn check_unity_packages(checker: &mut Checker<'_>, section: &str, pins: &Pins) {
    let manifest = checker.manifest;
    let is_of_registry = section == "unityRegistryPackages";
    for id in pins.keys() {
        let path = [section, id];
        if !id.starts_with(UNITY_PREFIX) {
            let message = format!("`{id}` is not a Unity package");
            let hint = "move it to `packages`";
            checker
                .at(FindingRule::BuiltIn, &path, message, hint)
                .expected(format!("{UNITY_PREFIX}…"));
        }
        for other in manifest.unity_sections() {
            // Both built-in sections may pin a package. `check` compares the two versions.
            let is_other = other.name != section
                && (is_of_registry || matches!(other.name, "packages" | "integrationPackages"));
            if is_other && other.pins.contains_key(id) {
                let message = format!("`{id}` is pinned in `{}` and in `{section}`", other.name);
                let hint = "keep it in one section";
                checker.at(FindingRule::BuiltIn, &path, message, hint);
                break;
            }
        }
        // For the packages that its scopes cover, a scoped registry takes precedence over Unity's registry.
        let registry = manifest.registry.iter().filter(|_| is_of_registry);
        let mut scopes = registry.flat_map(|registry| &registry.scopes);
        if let Some(scope) = scopes.find(|scope| covers(scope, id)) {
            let message = format!("a scope of the registry covers `{id}`");
            let hint = "write narrower scopes, or move it to `packages`";
            checker
                .at(FindingRule::Scope, &path, message, hint)
                .found(scope);
        }
    }
}

fn check_defines(checker: &mut Checker<'_>) {
    let manifest = checker.manifest;
    let rule = FindingRule::Define;
    for id in manifest.packages.keys() {
        if !manifest.defines.contains_key(id) {
            let hint = format!("add `\"{id}\": \"…_PRESENT\"` to `defines`");
            let message = format!("`{id}` has no symbol in `defines`");
            checker.at(rule, &["packages", id], message, hint);
        }
    }
    let mut owners: HashMap<&str, &str> = HashMap::new();
    for (id, symbols) in &manifest.defines {
        let path = ["defines", id];
        if !manifest.packages.contains_key(id) && !manifest.integration_packages.contains_key(id) {
            let hint = "add it to `packages`, or remove its symbols";
            let message = format!("`{id}` has a symbol but is not pinned");
            checker.at(rule, &path, message, hint);
        }
        if symbols.as_slice().is_empty() {
            let message = format!("`{id}` has no symbol in `defines`");
            checker.at(rule, &path, message, "add a symbol");
        }
        for symbol in symbols.as_slice() {
            let is_identifier = !symbol.is_empty()
                && !symbol.starts_with(|c: char| c.is_ascii_digit())
                && symbol.chars().all(|c| c.is_alphanumeric() || c == '_');
            if !is_identifier {
                let message = format!("the symbol of `{id}` is not a C# identifier");
                let hint = "use letters, digits and `_`";
                checker.at(rule, &path, message, hint).found(symbol);
            }
            if let Some(owner) = owners.insert(symbol, id) {
                let message = format!("`{id}` and `{owner}` share a symbol");
                let hint = "use each symbol once";
                checker.at(rule, &path, message, hint).found(symbol);
            }
        }
    }
}

fn check_assemblies(checker: &mut Checker<'_>) {
    let manifest = checker.manifest;
    for (id, names) in &manifest.assemblies {
        let has_name = names.as_slice().iter().any(|name| !name.trim().is_empty());
        if !has_name || !manifest.defines.contains_key(id) {
            let message = format!("`{id}` needs an assembly here, and a symbol in `defines`");
            let hint = "write the assembly that its users reference, or remove the entry";
            checker.at(FindingRule::Define, &["assemblies", id], message, hint);
        }
    }
}

fn check_labels(checker: &mut Checker<'_>) {
    let manifest = checker.manifest;
    for (id, label) in &manifest.labels {
        let path = ["labels", id];
        if !manifest.pins().any(|pin| pin.id == id) {
            let message = format!("`{id}` has a label but is not pinned");
            let hint = "use a pinned ID, or remove the label";
            checker.at(FindingRule::UnknownKey, &path, message, hint);
        }
        if label.trim().is_empty() {
            let message = format!("the label of `{id}` is empty");
            let hint = "write a name, or remove the label";
            checker.at(FindingRule::Label, &path, message, hint);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scope_covers_on_a_dot_boundary() {
        assert!(covers("com.cysharp", "com.cysharp.x") && covers("com.cysharp.x", "com.cysharp.x"));
        assert!(!covers("com.cy", "com.cysharp.x") && !covers("com.cysharp.x.y", "com.cysharp.x"));
    }
}
