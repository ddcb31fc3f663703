//! The manifest's own rules: what must hold before anything is compared with it.

mod keys;

use std::collections::HashMap;

use perf_model::packages::{Kind, Pins};

use crate::checker::Checker;
use crate::finding::{Finding, Rule};
use crate::version;

const UNITY_PREFIX: &str = "com.unity.";

/// Checks everything that needs no other file.
pub(crate) fn check(checker: &mut Checker<'_>) {
    keys::check(checker);
    registry(checker);
    let manifest = checker.manifest;
    for (section, pins) in
        [("packages", &manifest.packages), ("integrationPackages", &manifest.integration_packages)]
    {
        exact(checker, Kind::Unity, &[section], pins);
        covered(checker, section, pins);
    }
    for (section, pins) in [
        ("unityBuiltInPackages", &manifest.unity_built_in_packages),
        ("integrationUnityBuiltInPackages", &manifest.integration_unity_built_in_packages),
    ] {
        exact(checker, Kind::Unity, &[section], pins);
        built_in(checker, section, pins);
    }
    agree(checker);
    defines(checker);
    min_unity(checker);
    ecosystems(checker);
    labels(checker);
}

fn registry(checker: &mut Checker<'_>) {
    let manifest = checker.manifest;
    let Some(registry) = &manifest.registry else {
        if !(manifest.packages.is_empty() && manifest.integration_packages.is_empty()) {
            let finding = Finding::new(
                Rule::Registry,
                &checker.key_place(&["packages"]),
                "there are Unity packages and no `registry` that serves them",
            );
            checker.find(finding.hint("add `registry` with `name`, `url` and `scopes`"));
        }
        return;
    };
    let mut wrong = |path: &[&str], message: &str, found: &str, hint: &str| {
        let finding = Finding::new(Rule::Registry, &checker.place(path), message);
        checker.find(finding.found(found).hint(hint));
    };
    if registry.name.trim().is_empty() {
        wrong(
            &["registry", "name"],
            "the registry has no name",
            &registry.name,
            "give the name that the Unity project uses",
        );
    }
    let host = registry.url.strip_prefix("https://").unwrap_or_default();
    if host.is_empty() || host.contains(|c: char| c.is_whitespace() || c.is_control()) {
        wrong(
            &["registry", "url"],
            "the registry's address is not `https`",
            &registry.url,
            "write an address that begins with `https://`",
        );
    }
    if registry.scopes.is_empty() {
        wrong(
            &["registry", "scopes"],
            "the registry has no scopes",
            "[]",
            "name the id prefixes that it serves",
        );
    }
    for (index, scope) in registry.scopes.iter().enumerate() {
        if scope.is_empty()
            || scope.starts_with('.')
            || scope.ends_with('.')
            || scope.contains(char::is_whitespace)
        {
            wrong(
                &["registry", "scopes", &index.to_string()],
                "a scope is no id prefix",
                scope,
                "write it as `com.example`, without a dot at its ends",
            );
        }
    }
}

/// Whether a scope covers an id: the scope ends where a dot or the id does.
pub(crate) fn covers(scope: &str, id: &str) -> bool {
    id.strip_prefix(scope).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn covered(checker: &mut Checker<'_>, section: &str, pins: &Pins) {
    let Some(registry) = &checker.manifest.registry else { return };
    for id in pins.keys().filter(|id| !registry.scopes.iter().any(|scope| covers(scope, id))) {
        let finding = Finding::new(
            Rule::Scope,
            &checker.key_place(&[section, id]),
            format!("no scope of the registry covers `{id}`"),
        );
        let scope = id.rsplit_once('.').map_or(id.as_str(), |(scope, _)| scope);
        checker.find(
            finding
                .found(registry.scopes.join(", "))
                .expected(scope)
                .hint(format!("add `{scope}` to `registry.scopes`")),
        );
    }
}

fn exact(checker: &mut Checker<'_>, kind: Kind, section: &[&str], pins: &Pins) {
    for (id, version) in pins.iter().filter(|(_, version)| !version::is_exact(kind, version)) {
        let place = checker.place(&[section, &[id]].concat());
        let finding =
            Finding::new(Rule::Exact, &place, format!("the pin of `{id}` is not one exact version"));
        let example = version::example(kind);
        let finding = finding.found(version).hint(format!("write one full version, such as `{example}`"));
        checker.find(Finding { expected: version::stripped(kind, version), ..finding });
    }
}

fn built_in(checker: &mut Checker<'_>, section: &str, pins: &Pins) {
    let manifest = checker.manifest;
    for id in pins.keys() {
        let place = checker.key_place(&[section, id]);
        if !id.starts_with(UNITY_PREFIX) {
            let finding =
                Finding::new(Rule::BuiltIn, &place, format!("`{id}` is not a package of Unity itself"));
            checker
                .find(finding.found(id).expected(format!("{UNITY_PREFIX}…")).hint("move it to `packages`"));
        }
        if manifest.packages.contains_key(id) || manifest.integration_packages.contains_key(id) {
            let finding = Finding::new(Rule::BuiltIn, &place, format!("`{id}` is a built-in and a package"));
            checker.find(finding.found(id).hint("keep it in one section"));
        }
    }
}

/// A library may be compared and integrated, at one version only.
fn agree(checker: &mut Checker<'_>) {
    let manifest = checker.manifest;
    for (section, pins, other) in [
        ("integrationPackages", &manifest.integration_packages, &manifest.packages),
        (
            "integrationUnityBuiltInPackages",
            &manifest.integration_unity_built_in_packages,
            &manifest.unity_built_in_packages,
        ),
    ] {
        for (id, version) in pins {
            if let Some(pinned) = other.get(id).filter(|pinned| *pinned != version) {
                let finding = Finding::new(
                    Rule::Version,
                    &checker.place(&[section, id]),
                    format!("`{id}` is pinned at two versions"),
                );
                checker.find(
                    finding.found(version).expected(pinned).hint("give both sections the same version"),
                );
            }
        }
    }
}

fn defines(checker: &mut Checker<'_>) {
    let manifest = checker.manifest;
    for id in manifest.packages.keys().filter(|id| !manifest.defines.contains_key(*id)) {
        let finding = Finding::new(
            Rule::Define,
            &checker.key_place(&["packages", id]),
            format!("`{id}` has no symbol in `defines`"),
        );
        checker.find(finding.hint(format!("add `\"{id}\": \"…_PRESENT\"` to `defines`")));
    }
    let mut owners: HashMap<&str, &str> = HashMap::new();
    for (id, symbol) in &manifest.defines {
        if !manifest.packages.contains_key(id) && !manifest.integration_packages.contains_key(id) {
            let finding = Finding::new(
                Rule::Define,
                &checker.key_place(&["defines", id]),
                format!("`{id}` has a symbol and is no package"),
            );
            checker.find(finding.found(id).hint("add it to `packages`, or remove its symbol"));
        }
        let place = checker.place(&["defines", id]);
        if !is_symbol(symbol) {
            let finding =
                Finding::new(Rule::Define, &place, format!("the symbol of `{id}` is no C# identifier"));
            checker.find(finding.found(symbol).hint("use letters, digits and `_`, and begin with no digit"));
        }
        if let Some(owner) = owners.insert(symbol, id) {
            let finding =
                Finding::new(Rule::Define, &place, format!("`{id}` and `{owner}` share one symbol"));
            checker.find(
                finding
                    .found(symbol)
                    .hint("give each package its own: a shared one is set when either is present"),
            );
        }
    }
}

fn is_symbol(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn min_unity(checker: &mut Checker<'_>) {
    let Some(version) = checker.manifest.min_unity_for_comparisons.as_deref() else { return };
    if !version::is_unity_editor(version) {
        let finding = Finding::new(
            Rule::MinUnity,
            &checker.place(&["minUnityForComparisons"]),
            "this is no Unity version",
        );
        checker.find(finding.found(version).hint("write it as the editor shows it, such as `2021.3.0f1`"));
    }
}

fn ecosystems(checker: &mut Checker<'_>) {
    for (&kind, pins) in &checker.manifest.ecosystems {
        exact(checker, kind, &["ecosystems", kind.name()], pins);
        if kind == Kind::Unity {
            let finding = Finding::new(
                Rule::UnknownKey,
                &checker.key_place(&["ecosystems", "unity"]),
                "Unity's pins have a section of their own",
            );
            checker
                .find(finding.found("ecosystems.unity").expected("packages").hint("move them to `packages`"));
        }
    }
}

fn labels(checker: &mut Checker<'_>) {
    let manifest = checker.manifest;
    for id in manifest.labels.keys().filter(|id| !manifest.pins().any(|pin| pin.id == *id)) {
        let finding = Finding::new(
            Rule::UnknownKey,
            &checker.key_place(&["labels", id]),
            format!("`{id}` has a label and is not pinned"),
        );
        checker.find(finding.found(id).hint("use the id as it is pinned, or remove the label"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_covers_on_a_dot_boundary() {
        assert!(covers("com.cysharp", "com.cysharp.x") && covers("com.cysharp.x", "com.cysharp.x"));
        assert!(!covers("com.cy", "com.cysharp.x") && !covers("com.cysharp.x.y", "com.cysharp.x"));
    }
}
