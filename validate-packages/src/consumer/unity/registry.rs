//! The scoped registries of a Unity project.

use perf_model::packages::Registry;

use crate::checker::Checker;
use crate::finding::{Edit, FindingRule, quoted};
use crate::manifest::covers;
use crate::node::Node;
use crate::source::SourceSpan;

/// Unity's own registry, with packages that the editor does not include.
pub(super) const UNITY_REGISTRY: &str = "https://packages.unity.com";

const RULE: FindingRule = FindingRule::ProjectRegistry;

/// Checks that only the pinned registry serves the pinned packages, and that only Unity's registry serves Unity's packages.
pub(super) fn check(checker: &mut Checker<'_>, root: &Node) {
    let registries = root.list(&["scopedRegistries"]);
    let mut own = None;
    if let Some(registry) = &checker.manifest.registry {
        let has_name = |node: &&Node| node.text_at(&["name"]) == Some(&registry.name);
        own = registries.iter().find(|node| is_at(node, &registry.url));
        own = own.or_else(|| registries.iter().find(has_name));
        match own {
            Some(own) => compare(checker, registry, own),
            None => missing(checker, registry, root),
        }
    }
    for other in registries {
        let is_own = own.is_some_and(|own| own.text_at(&["url"]) == other.text_at(&["url"]));
        if !is_own {
            check_other(checker, other);
        }
    }
}

fn is_at(registry: &Node, url: &str) -> bool {
    let found = registry.text_at(&["url"]);
    found.is_some_and(|found| same_url(found, url))
}

pub(super) fn same_url(a: &str, b: &str) -> bool {
    a.trim_end_matches('/') == b.trim_end_matches('/')
}

fn missing(checker: &mut Checker<'_>, registry: &Registry, root: &Node) {
    let start = SourceSpan::start(&root.place.source);
    let section = root.entry("scopedRegistries");
    let place = section.map_or(&start, |entry| &entry.at);
    let line =
        serde_json::json!({"name": registry.name, "url": registry.url, "scopes": registry.scopes});
    let hint = format!("add `{line}` to `scopedRegistries`");
    checker
        .find(RULE, place, "the pinned registry is not declared", hint)
        .expected(&registry.url);
}

/// Compares the pinned registry's name, URL and scopes.
fn compare(checker: &mut Checker<'_>, registry: &Registry, found: &Node) {
    for (key, expected) in [("name", &registry.name), ("url", &registry.url)] {
        let Some((node, text)) = found.string(key) else {
            continue;
        };
        if text == expected || key == "url" && same_url(text, expected) {
            continue;
        }
        let fix = Edit {
            span: node.place.span.clone(),
            text: quoted(expected),
        };
        let message = format!("the registry's {key} differs");
        checker
            .find(RULE, &node.place, message, format!("write `{expected}`"))
            .found(text)
            .expected(expected)
            .fix(Some(fix));
    }
    let items = found.list(&["scopes"]);
    let place = &found.get("scopes").unwrap_or(found).place;
    for scope in &registry.scopes {
        if !items.iter().any(|item| item.text() == Some(scope)) {
            let message = format!("the scope `{scope}` is missing");
            checker
                .find(RULE, place, message, format!("add `{scope}` to `scopes`"))
                .expected(scope);
        }
    }
    for item in items {
        let Some(scope) = item.text() else { continue };
        if !registry.scopes.iter().any(|own| own == scope) {
            let manifest = &checker.source.path;
            let hint = format!("remove it, or add it to `registry.scopes` in `{manifest}`");
            let message = format!("the scope `{scope}` is not pinned");
            checker.find(RULE, &item.place, message, hint).found(scope);
        }
    }
}

/// Reports a registry that would serve a pinned package because it claims the same scope as the pinned registry, or a longer
/// one. This prevents dependency confusion.
fn check_other(checker: &mut Checker<'_>, other: &Node) {
    let manifest = checker.manifest;
    let scopes = manifest.registry.as_ref().map(|registry| &*registry.scopes);
    let own_scopes = scopes.unwrap_or_default();
    let is_of_unity = is_at(other, UNITY_REGISTRY);
    for item in other.list(&["scopes"]) {
        let Some(scope) = item.text() else { continue };
        // Unity uses the registry with the longest matching scope.
        let is_served_by_own = |id: &&String| {
            let mut own = own_scopes.iter().filter(|own| covers(own, id));
            own.any(|own| own.len() > scope.len())
        };
        let compared = manifest.packages.keys();
        let compared = compared.chain(manifest.integration_packages.keys());
        let compared = compared.filter(|id| !is_served_by_own(id));
        let of_unity = manifest.unity_registry_packages.keys();
        let mut ids = compared.chain(of_unity.filter(|_| !is_of_unity));
        if let Some(id) = ids.find(|id| covers(scope, id)) {
            let message = format!("another registry claims `{id}`");
            let hint = "remove the scope: its packages must come from their pinned registry only";
            checker.find(RULE, &item.place, message, hint).found(scope);
        }
    }
}
