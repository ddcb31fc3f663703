//! The manifest's own rules, which need no other file.

use std::collections::{HashMap, HashSet};

use perf_model::packages::{Kind, Pins, Registry, UnitySection};
use perf_model::suggest::suggest;

use crate::checker::Checker;
use crate::finding::FindingRule;
use crate::version;

const UNITY_PREFIX: &str = "com.unity.";

/// The keys of each object whose keys are not ids.
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
    "registries",
    "labels",
    "consumers",
    "ignore",
];
const REGISTRY: &[&str] = &["name", "url", "scopes"];
const CONSUMER: &[&str] = &[
    "kind", "path", "asmdefs", "packages", "ignore", "lock", "mentions",
];

/// Checks the manifest itself.
pub(crate) fn check(checker: &mut Checker<'_>) {
    unknown_keys(checker);
    let manifest = checker.manifest;
    match &manifest.registry {
        Some(registry) => check_registry(checker, registry),
        None if manifest.packages.is_empty() && manifest.integration_packages.is_empty() => {}
        None => {
            let message = "Unity packages are pinned, but `registry` is missing";
            let hint = "add `registry` with `name`, `url` and `scopes`";
            checker.find(
                FindingRule::Registry,
                &checker.key_place(&["packages"]),
                message,
                hint,
            );
        }
    }
    for UnitySection { name, pins, .. } in manifest.unity_sections() {
        exact(checker, Kind::Unity, &[name], pins);
        match name {
            "packages" | "integrationPackages" => covered(checker, name, pins),
            _ => of_unity(checker, name, pins),
        }
    }
    not_scoped(checker);
    agree(checker);
    defines(checker);
    let oldest = manifest.min_unity_for_comparisons.as_deref();
    if let Some(oldest) = oldest.filter(|oldest| version::EditorVersion::parse(oldest).is_none()) {
        let (path, hint) = (
            ["minUnityForComparisons"],
            "write it as the editor shows it, such as `2021.3.0f1`",
        );
        checker
            .find(
                FindingRule::MinUnity,
                &checker.place(&path),
                "invalid Unity version",
                hint,
            )
            .found(oldest);
    }
    ecosystems(checker);
    registries(checker);
    assemblies(checker);
    labels(checker);
    no_pins(checker);
}

/// Unknown keys, mostly typos.
fn unknown_keys(checker: &mut Checker<'_>) {
    let consumers: Vec<String> = (0..checker.manifest.consumers.len())
        .map(|index| index.to_string())
        .collect();
    let mut objects = vec![(vec![], ROOT), (vec!["registry"], REGISTRY)];
    objects.extend(
        consumers
            .iter()
            .map(|index| (vec!["consumers", index], CONSUMER)),
    );
    for (path, known) in objects {
        let entries = checker.root.table(&path).iter();
        let keys: Vec<String> = entries.map(|entry| entry.key.clone()).collect();
        for key in keys.iter().filter(|key| !known.contains(&key.as_str())) {
            let hint = suggest(key, known.iter().copied()).unwrap_or_default();
            let (path, message) = ([&path[..], &[key]].concat(), format!("unknown key `{key}`"));
            checker
                .find(
                    FindingRule::UnknownKey,
                    &checker.key_place(&path),
                    message,
                    hint,
                )
                .found(key);
        }
    }
}

/// A manifest without pins would agree with everything.
fn no_pins(checker: &mut Checker<'_>) {
    let manifest = checker.manifest;
    let unity = manifest.unity_sections().map(|section| section.pins);
    if unity
        .into_iter()
        .chain(manifest.ecosystems.values())
        .all(Pins::is_empty)
    {
        let hint = "add the compared libraries to `packages` or `ecosystems`";
        let message = "the manifest pins nothing, so nothing is compared";
        checker.find(FindingRule::NoPins, &checker.place(&[]), message, hint);
    }
}

fn check_registry(checker: &mut Checker<'_>, registry: &Registry) {
    let mut wrong = |key: &[&str], message: &str, found: &str, hint: &str| {
        checker
            .find(
                FindingRule::Registry,
                &checker.place(&[&["registry"], key].concat()),
                message,
                hint,
            )
            .found(found);
    };
    if registry.name.trim().is_empty() {
        let hint = "write the name that the Unity project uses";
        wrong(
            &["name"],
            "the registry's name is empty",
            &registry.name,
            hint,
        );
    }
    let host = registry.url.strip_prefix("https://").unwrap_or_default();
    if host.is_empty() || host.contains(|c: char| c.is_whitespace() || c.is_control()) {
        let hint = "write a URL that starts with `https://`";
        wrong(
            &["url"],
            "the registry's URL is not `https`",
            &registry.url,
            hint,
        );
    }
    if registry.scopes.is_empty() {
        wrong(
            &["scopes"],
            "the registry has no scopes",
            "[]",
            "add the id prefixes that it serves",
        );
    }
    let is_scope = |scope: &str| {
        let is_open = scope.starts_with('.') || scope.ends_with('.');
        !(scope.is_empty() || is_open || scope.contains(char::is_whitespace))
    };
    for (index, scope) in registry
        .scopes
        .iter()
        .enumerate()
        .filter(|(_, scope)| !is_scope(scope))
    {
        let hint = "write an id prefix such as `com.example`, without a dot at either end";
        wrong(
            &["scopes", &index.to_string()],
            "invalid scope",
            scope,
            hint,
        );
    }
}

/// True if a scope covers an id, on a dot boundary.
pub(crate) fn covers(scope: &str, id: &str) -> bool {
    id.strip_prefix(scope)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn covered(checker: &mut Checker<'_>, section: &str, pins: &Pins) {
    let Some(registry) = &checker.manifest.registry else {
        return;
    };
    for id in pins
        .keys()
        .filter(|id| !registry.scopes.iter().any(|scope| covers(scope, id)))
    {
        let scope = id.rsplit_once('.').map_or(id.as_str(), |(scope, _)| scope);
        let hint = format!("add `{scope}` to `registry.scopes`");
        let message = format!("no scope of the registry covers `{id}`");
        checker
            .find(
                FindingRule::Scope,
                &checker.key_place(&[section, id]),
                message,
                hint,
            )
            .found(registry.scopes.join(", "))
            .expected(scope);
    }
}

fn exact(checker: &mut Checker<'_>, kind: Kind, section: &[&str], pins: &Pins) {
    for (id, version) in pins
        .iter()
        .filter(|(_, version)| !version::is_exact(kind, version))
    {
        let message = format!("the pin of `{id}` is not an exact version");
        let hint = format!(
            "write one full version, such as `{}`",
            version::example(kind)
        );
        checker
            .find(
                FindingRule::Exact,
                &checker.place(&[section, &[id]].concat()),
                message,
                hint,
            )
            .found(version)
            .expected = version::stripped(kind, version);
    }
}

/// Unity packages, which come with the editor or from Unity's registry.
fn of_unity(checker: &mut Checker<'_>, section: &str, pins: &Pins) {
    let manifest = checker.manifest;
    let mut others = vec![
        ("packages", &manifest.packages),
        ("integrationPackages", &manifest.integration_packages),
    ];
    if section == "unityRegistryPackages" {
        others.push(("unityBuiltInPackages", &manifest.unity_built_in_packages));
        others.push((
            "integrationUnityBuiltInPackages",
            &manifest.integration_unity_built_in_packages,
        ));
    }
    for id in pins.keys() {
        let place = checker.key_place(&[section, id]);
        if !id.starts_with(UNITY_PREFIX) {
            let message = format!("`{id}` is not a Unity package");
            let finding = checker.find(
                FindingRule::BuiltIn,
                &place,
                message,
                "move it to `packages`",
            );
            finding.found(id).expected(format!("{UNITY_PREFIX}…"));
        }
        if let Some((other, _)) = others.iter().find(|(_, pins)| pins.contains_key(id)) {
            let message = format!("`{id}` is pinned in `{other}` and in `{section}`");
            checker
                .find(
                    FindingRule::BuiltIn,
                    &place,
                    message,
                    "keep it in one section",
                )
                .found(id);
        }
    }
}

/// A scoped registry comes before Unity's for the packages that its scopes cover.
fn not_scoped(checker: &mut Checker<'_>) {
    let (manifest, section) = (checker.manifest, "unityRegistryPackages");
    let scopes = manifest
        .registry
        .as_ref()
        .map_or(&[][..], |registry| &registry.scopes);
    for id in manifest.unity_registry_packages.keys() {
        if let Some(scope) = scopes.iter().find(|scope| covers(scope, id)) {
            let message = format!("a scope of the registry covers `{id}`");
            let hint = "write narrower scopes, or move it to `packages`";
            checker
                .find(
                    FindingRule::Scope,
                    &checker.key_place(&[section, id]),
                    message,
                    hint,
                )
                .found(scope);
        }
    }
}

/// A library may be compared and integrated, at one version only.
fn agree(checker: &mut Checker<'_>) {
    let manifest = checker.manifest;
    for (section, pins, other) in [
        (
            "integrationPackages",
            &manifest.integration_packages,
            &manifest.packages,
        ),
        (
            "integrationUnityBuiltInPackages",
            &manifest.integration_unity_built_in_packages,
            &manifest.unity_built_in_packages,
        ),
    ] {
        for (id, version) in pins {
            if let Some(pinned) = other.get(id).filter(|pinned| *pinned != version) {
                let message = format!("`{id}` is pinned at two versions");
                let hint = "use the same version in both sections";
                checker
                    .find(
                        FindingRule::Version,
                        &checker.place(&[section, id]),
                        message,
                        hint,
                    )
                    .found(version)
                    .expected(pinned);
            }
        }
    }
}

fn defines(checker: &mut Checker<'_>) {
    let manifest = checker.manifest;
    for id in manifest
        .packages
        .keys()
        .filter(|id| !manifest.defines.contains_key(*id))
    {
        let hint = format!("add `\"{id}\": \"…_PRESENT\"` to `defines`");
        let message = format!("`{id}` has no symbol in `defines`");
        checker.find(
            FindingRule::Define,
            &checker.key_place(&["packages", id]),
            message,
            hint,
        );
    }
    let mut owners: HashMap<&str, &str> = HashMap::new();
    for (id, symbols) in &manifest.defines {
        let key = checker.key_place(&["defines", id]);
        if !manifest.packages.contains_key(id) && !manifest.integration_packages.contains_key(id) {
            let hint = "add it to `packages`, or remove its symbols";
            let message = format!("`{id}` has a symbol but is not pinned");
            checker
                .find(FindingRule::Define, &key, message, hint)
                .found(id);
        }
        let place = checker.place(&["defines", id]);
        if symbols.as_slice().is_empty() {
            let message = format!("`{id}` has no symbol in `defines`");
            checker.find(FindingRule::Define, &place, message, "add a symbol");
        }
        for symbol in symbols.as_slice() {
            if !is_symbol(symbol) {
                let message = format!("the symbol of `{id}` is not a C# identifier");
                let hint = "use letters, digits and `_`; the first must not be a digit";
                checker
                    .find(FindingRule::Define, &place, message, hint)
                    .found(symbol);
            }
            if let Some(owner) = owners.insert(symbol, id) {
                let message = format!("`{id}` and `{owner}` share a symbol");
                let message = if owner == id {
                    format!("duplicate symbol of `{id}`")
                } else {
                    message
                };
                let hint =
                    "use each symbol once: a shared one is defined when either package is present";
                checker
                    .find(FindingRule::Define, &place, message, hint)
                    .found(symbol);
            }
        }
    }
}

fn is_symbol(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn ecosystems(checker: &mut Checker<'_>) {
    for (&kind, pins) in &checker.manifest.ecosystems {
        let (message, hint) = match kind {
            Kind::Unity => (
                "Unity packages are pinned in `packages`",
                "move them to `packages`",
            ),
            Kind::Markdown | Kind::Script => {
                ("pages and scripts have no pins", "remove this section")
            }
            _ => {
                exact(checker, kind, &["ecosystems", kind.name()], pins);
                continue;
            }
        };
        checker
            .find(
                FindingRule::UnknownKey,
                &checker.key_place(&["ecosystems", kind.name()]),
                message,
                hint,
            )
            .found(format!("ecosystems.{kind}"));
    }
}

/// Registries that nothing may come from, or that cannot be compared.
fn registries(checker: &mut Checker<'_>) {
    for (&kind, urls) in &checker.manifest.registries {
        let path = ["registries", kind.name()];
        let (message, hint) = match kind {
            Kind::Unity => ("Unity's registry is in `registry`", "move it to `registry`"),
            Kind::Go | Kind::Markdown | Kind::Script => {
                ("this kind has no registries", "remove this section")
            }
            _ if urls.as_slice().is_empty()
                || urls.as_slice().iter().any(|url| url.trim().is_empty()) =>
            {
                (
                    "a registry is empty",
                    "write its URL, or a folder of the project",
                )
            }
            _ => continue,
        };
        checker
            .find(
                FindingRule::Registry,
                &checker.key_place(&path),
                message,
                hint,
            )
            .found(path.join("."));
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
            .find(
                FindingRule::Define,
                &checker.key_place(&["assemblies", id]),
                message,
                hint,
            )
            .found(id);
    }
}

fn labels(checker: &mut Checker<'_>) {
    let manifest = checker.manifest;
    let pinned: HashSet<&str> = manifest.pins().map(|pin| pin.id).collect();
    for (id, label) in &manifest.labels {
        if !pinned.contains(&**id) {
            let message = format!("`{id}` has a label but is not pinned");
            let hint = "use a pinned id, or remove the label";
            checker
                .find(
                    FindingRule::UnknownKey,
                    &checker.key_place(&["labels", id]),
                    message,
                    hint,
                )
                .found(id);
        }
        if label.trim().is_empty() {
            let message = format!("the label of `{id}` is empty");
            let hint = "write a name, or remove the label";
            checker
                .find(
                    FindingRule::Label,
                    &checker.place(&["labels", id]),
                    message,
                    hint,
                )
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
