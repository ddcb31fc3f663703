//! The manifest's own rules, which need no other file.

use std::collections::HashMap;

use perf_model::packages::{Pins, Registry};
use perf_model::suggest::suggest;

use crate::checker::Checker;
use crate::finding::FindingRule;
use crate::node::ObjectEntry;
use crate::version::{self, EditorVersion};

/// The prefix of the IDs of Unity's own packages.
pub(crate) const UNITY_PREFIX: &str = "com.unity.";

/// The keys of each object whose keys are not IDs.
const ROOT: &[&str] = &[
    "$schema",
    "_comment",
    "registry",
    "packages",
    "unityBuiltInPackages",
    "unityRegistryPackages",
    "defines",
    "integrationPackages",
    "integrationUnityBuiltInPackages",
    "assemblies",
    "minUnityForComparisons",
    "ecosystems",
    "labels",
    "consumers",
    "ignore",
];
const REGISTRY: &[&str] = &["name", "url", "scopes"];
pub(crate) const CONSUMER: &[&str] = &[
    "kind", "path", "file", "key", "pattern", "package", "asmdefs", "packages", "ignore", "lock",
    "mentions",
];

/// Checks the manifest itself.
pub(crate) fn check(checker: &mut Checker<'_>) {
    let manifest = checker.manifest;
    unknown_keys(checker, &[], ROOT);
    unknown_keys(checker, &["registry"], REGISTRY);
    for index in 0..manifest.consumers.len() {
        unknown_keys(checker, &["consumers", &index.to_string()], CONSUMER);
    }
    if let Some(registry) = &manifest.registry {
        check_registry(checker, registry);
    } else if !manifest.packages.is_empty() || !manifest.integration_packages.is_empty() {
        let message = "Unity packages are pinned, but `registry` is missing";
        let hint = "add `registry` with `name`, `url` and `scopes`";
        checker.at_key(FindingRule::Registry, &["packages"], message, hint);
    }
    let mut is_empty = true;
    for section in manifest.unity_sections() {
        is_empty &= section.pins.is_empty();
        exact(
            checker,
            &[section.name],
            section.pins,
            version::is_exact_for_unity,
        );
        match section.name {
            "packages" | "integrationPackages" => covered(checker, section.name, section.pins),
            name => of_unity(checker, name, section.pins),
        }
    }
    for (group, pins) in &manifest.ecosystems {
        is_empty &= pins.is_empty();
        exact(checker, &["ecosystems", group], pins, version::is_exact);
    }
    if is_empty {
        let message = "the manifest pins nothing, so nothing is compared";
        let hint = "add the compared libraries to `packages` or `ecosystems`";
        checker.at(FindingRule::NoPins, &[], message, hint);
    }
    let (packages, built_in) = (&manifest.packages, &manifest.unity_built_in_packages);
    let integration = &manifest.integration_packages;
    agree(checker, "integrationPackages", integration, packages);
    let section = "integrationUnityBuiltInPackages";
    agree(
        checker,
        section,
        &manifest.integration_unity_built_in_packages,
        built_in,
    );
    defines(checker);
    let oldest = manifest.min_unity_for_comparisons.as_deref();
    if let Some(oldest) = oldest.filter(|oldest| EditorVersion::parse(oldest).is_none()) {
        let hint = "write it as the editor shows it, such as `2021.3.0f1`";
        let path = ["minUnityForComparisons"];
        checker
            .at(FindingRule::MinUnity, &path, "invalid Unity version", hint)
            .found(oldest);
    }
    assemblies(checker);
    labels(checker);
}

/// Unknown keys, mostly typos.
fn unknown_keys(checker: &mut Checker<'_>, path: &[&str], known: &[&str]) {
    for ObjectEntry { key, at, .. } in checker.root.table(path) {
        if known.contains(&key.as_str()) {
            continue;
        }
        let hint = suggest(key, known.iter().copied()).unwrap_or_default();
        let message = format!("unknown key `{key}`");
        checker
            .find(FindingRule::UnknownKey, at, message, hint)
            .found(key);
    }
}

fn check_registry(checker: &mut Checker<'_>, registry: &Registry) {
    let rule = FindingRule::Registry;
    if registry.name.trim().is_empty() {
        let hint = "write the name that the Unity project uses";
        checker
            .at(
                rule,
                &["registry", "name"],
                "the registry's name is empty",
                hint,
            )
            .found(&registry.name);
    }
    let host = registry.url.strip_prefix("https://").unwrap_or_default();
    if host.is_empty() || host.contains(|c: char| c.is_whitespace() || c.is_control()) {
        let message = "the registry's URL is not `https`";
        let hint = "write a URL that starts with `https://`";
        checker
            .at(rule, &["registry", "url"], message, hint)
            .found(&registry.url);
    }
    if registry.scopes.is_empty() {
        let hint = "add the id prefixes that it serves";
        checker
            .at(
                rule,
                &["registry", "scopes"],
                "the registry has no scopes",
                hint,
            )
            .found("[]");
    }
    for (index, scope) in registry.scopes.iter().enumerate() {
        let is_open = scope.starts_with('.') || scope.ends_with('.');
        if is_open || scope.is_empty() || scope.contains(char::is_whitespace) {
            let hint = "write an id prefix such as `com.example`, without a dot at either end";
            let path = ["registry", "scopes", &index.to_string()];
            checker.at(rule, &path, "invalid scope", hint).found(scope);
        }
    }
}

/// Whether a scope covers an ID, on a dot boundary.
pub(crate) fn covers(scope: &str, id: &str) -> bool {
    id.strip_prefix(scope)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Each package needs a scope of the registry.
fn covered(checker: &mut Checker<'_>, section: &str, pins: &Pins) {
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
            .at_key(FindingRule::Scope, &[section, id], message, hint)
            .found(registry.scopes.join(", "))
            .expected(scope);
    }
}

fn exact(checker: &mut Checker<'_>, section: &[&str], pins: &Pins, is_exact: fn(&str) -> bool) {
    for (id, version) in pins.iter().filter(|(_, version)| !is_exact(version)) {
        let message = format!("the pin of `{id}` is not an exact version");
        let hint = "write one full version, such as `1.2.3`";
        let path = [section, &[id]].concat();
        let finding = checker.at(FindingRule::Exact, &path, message, hint);
        let stripped = Some(version::stripped(version)).filter(|version| is_exact(version));
        finding.found(version).expected = stripped.map(str::to_owned);
    }
}

/// Unity packages, which come with the editor or from Unity's registry.
fn of_unity(checker: &mut Checker<'_>, section: &str, pins: &Pins) {
    let manifest = checker.manifest;
    let is_of_registry = section == "unityRegistryPackages";
    for id in pins.keys() {
        let path = [section, id];
        if !id.starts_with(UNITY_PREFIX) {
            let message = format!("`{id}` is not a Unity package");
            checker
                .at_key(
                    FindingRule::BuiltIn,
                    &path,
                    message,
                    "move it to `packages`",
                )
                .found(id)
                .expected(format!("{UNITY_PREFIX}…"));
        }
        for other in manifest.unity_sections() {
            // A package of the other sections of built-in packages is compared by version.
            let is_other = other.name != section
                && (is_of_registry || matches!(other.name, "packages" | "integrationPackages"));
            if is_other && other.pins.contains_key(id) {
                let message = format!("`{id}` is pinned in `{}` and in `{section}`", other.name);
                checker
                    .at_key(
                        FindingRule::BuiltIn,
                        &path,
                        message,
                        "keep it in one section",
                    )
                    .found(id);
                break;
            }
        }
        // A scoped registry comes before Unity's for the packages that its scopes cover.
        let mut scopes = manifest
            .registry
            .iter()
            .flat_map(|registry| &registry.scopes);
        let scope = scopes.find(|scope| is_of_registry && covers(scope, id));
        if let Some(scope) = scope {
            let message = format!("a scope of the registry covers `{id}`");
            let hint = "write narrower scopes, or move it to `packages`";
            checker
                .at_key(FindingRule::Scope, &path, message, hint)
                .found(scope);
        }
    }
}

/// A library may be compared and integrated, at one version only.
fn agree(checker: &mut Checker<'_>, section: &str, pins: &Pins, other: &Pins) {
    for (id, version) in pins {
        if let Some(pinned) = other.get(id).filter(|pinned| *pinned != version) {
            let message = format!("`{id}` is pinned at two versions");
            let hint = "use the same version in both sections";
            checker
                .at(FindingRule::Version, &[section, id], message, hint)
                .found(version)
                .expected(pinned);
        }
    }
}

fn defines(checker: &mut Checker<'_>) {
    let manifest = checker.manifest;
    let rule = FindingRule::Define;
    for id in manifest.packages.keys() {
        if !manifest.defines.contains_key(id) {
            let hint = format!("add `\"{id}\": \"…_PRESENT\"` to `defines`");
            let message = format!("`{id}` has no symbol in `defines`");
            checker.at_key(rule, &["packages", id], message, hint);
        }
    }
    let mut owners: HashMap<&str, &str> = HashMap::new();
    for (id, symbols) in &manifest.defines {
        let path = ["defines", id];
        if !manifest.packages.contains_key(id) && !manifest.integration_packages.contains_key(id) {
            let hint = "add it to `packages`, or remove its symbols";
            let message = format!("`{id}` has a symbol but is not pinned");
            checker.at_key(rule, &path, message, hint).found(id);
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
                let hint = "use letters, digits and `_`; the first must not be a digit";
                checker.at(rule, &path, message, hint).found(symbol);
            }
            if let Some(owner) = owners.insert(symbol, id) {
                let message = if owner == id {
                    format!("duplicate symbol of `{id}`")
                } else {
                    format!("`{id}` and `{owner}` share a symbol")
                };
                let hint =
                    "use each symbol once: a shared one is defined when either package is present";
                checker.at(rule, &path, message, hint).found(symbol);
            }
        }
    }
}

fn assemblies(checker: &mut Checker<'_>) {
    let manifest = checker.manifest;
    for (id, names) in &manifest.assemblies {
        let (message, hint) = if !manifest.defines.contains_key(id) {
            (
                format!("`{id}` has assemblies but no symbol"),
                "add it to `defines`, or remove its assemblies",
            )
        } else if names.as_slice().iter().all(|name| name.trim().is_empty()) {
            (
                format!("`{id}` has no assembly"),
                "name the assembly that its users reference",
            )
        } else {
            continue;
        };
        checker
            .at_key(FindingRule::Define, &["assemblies", id], message, hint)
            .found(id);
    }
}

fn labels(checker: &mut Checker<'_>) {
    let manifest = checker.manifest;
    for (id, label) in &manifest.labels {
        let path = ["labels", id];
        if !manifest.pins().any(|pin| pin.id == id) {
            let message = format!("`{id}` has a label but is not pinned");
            let hint = "use a pinned id, or remove the label";
            checker
                .at_key(FindingRule::UnknownKey, &path, message, hint)
                .found(id);
        }
        if label.trim().is_empty() {
            let message = format!("the label of `{id}` is empty");
            let hint = "write a name, or remove the label";
            checker
                .at(FindingRule::Label, &path, message, hint)
                .found(label);
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
