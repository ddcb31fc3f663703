//! The scoped registries of a Unity project.

use perf_model::packages::Registry;

use crate::checker::Checker;
use crate::finding::{Edit, FindingRule, quoted};
use crate::manifest::covers;
use crate::node::Node;
use crate::source::SourceSpan;

/// Unity's own registry, with the packages that the editor does not include.
pub(super) const UNITY_REGISTRY: &str = "https://packages.unity.com";

/// Checks that the pinned registry, and no other, serves the pinned packages, and Unity's serves its own.
pub(super) fn check(checker: &mut Checker<'_>, root: &Node) {
    if let Some(registry) = &checker.manifest.registry {
        check_pinned(checker, registry, root);
    }
    check_unity(checker, root);
}

fn check_pinned(checker: &mut Checker<'_>, registry: &Registry, root: &Node) {
    let registries = root.list(&["scopedRegistries"]);
    let by = |key: &str, fits: &dyn Fn(&str) -> bool| {
        registries
            .iter()
            .find(|node| node.text_at(&[key]).is_some_and(fits))
    };
    let found = by("url", &|url| same_url(url, &registry.url))
        .or_else(|| by("name", &|name| name == registry.name));
    if let Some(found) = found {
        identity(checker, registry, found);
        scopes(checker, registry, found);
    } else {
        let section = root.entry("scopedRegistries").map(|entry| entry.at.clone());
        let place = section.unwrap_or_else(|| SourceSpan::start(&root.place.source));
        let line = serde_json::json!({"name": registry.name, "url": registry.url, "scopes": registry.scopes});
        let hint = format!("add `{line}` to `scopedRegistries`");
        let message = "the pinned registry is not declared";
        checker
            .find(FindingRule::ProjectRegistry, &place, message, hint)
            .expected(&registry.url);
    }
    let is_pinned = |node: &Node| {
        node.text_at(&["url"])
            .is_some_and(|url| same_url(url, &registry.url))
    };
    let is_found = |node: &Node| found.is_some_and(|found| std::ptr::eq(node, found));
    for other in registries
        .iter()
        .filter(|node| !is_pinned(node) && !is_found(node))
    {
        claims(checker, registry, other);
    }
}

/// A scoped registry that covers one of Unity's own packages is asked instead.
fn check_unity(checker: &mut Checker<'_>, root: &Node) {
    let manifest = checker.manifest;
    let is_own = |node: &&Node| {
        node.text_at(&["url"])
            .is_some_and(|url| same_url(url, UNITY_REGISTRY))
    };
    let others = root
        .list(&["scopedRegistries"])
        .iter()
        .filter(|node| !is_own(node));
    for item in others.flat_map(|node| node.list(&["scopes"])) {
        let Some(scope) = item.text() else { continue };
        if let Some(served) = manifest
            .unity_registry_packages
            .keys()
            .find(|id| covers(scope, id))
        {
            let message = format!("a scoped registry claims `{served}`");
            let hint = "remove the scope: the package must come from Unity's registry";
            checker
                .find(FindingRule::ProjectRegistry, &item.place, message, hint)
                .found(scope);
        }
    }
}

pub(super) fn same_url(a: &str, b: &str) -> bool {
    a.trim_end_matches('/') == b.trim_end_matches('/')
}

fn identity(checker: &mut Checker<'_>, registry: &Registry, found: &Node) {
    for (key, expected) in [("name", &registry.name), ("url", &registry.url)] {
        let agrees = |text| {
            if key == "url" {
                same_url(text, expected)
            } else {
                text == expected
            }
        };
        let Some((node, text)) = found.string(key).filter(|(_, text)| !agrees(text)) else {
            continue;
        };
        let fix = Edit {
            span: node.place.span.clone(),
            text: quoted(expected),
        };
        let (message, hint) = (
            format!("the registry's {key} differs"),
            format!("write `{expected}`"),
        );
        let finding = checker.find(FindingRule::ProjectRegistry, &node.place, message, hint);
        finding.found(text).expected(expected).fix(Some(fix));
    }
}

fn scopes(checker: &mut Checker<'_>, registry: &Registry, found: &Node) {
    let items = found.list(&["scopes"]);
    let place = &found.get("scopes").unwrap_or(found).place;
    for scope in registry
        .scopes
        .iter()
        .filter(|scope| !items.iter().any(|item| item.text() == Some(scope)))
    {
        let fix = items
            .last()
            .map(|last| Edit::append(&last.place, &quoted(scope)));
        let (message, hint) = (
            format!("the scope `{scope}` is missing"),
            format!("add `{scope}` to `scopes`"),
        );
        checker
            .find(FindingRule::ProjectRegistry, place, message, hint)
            .expected(scope)
            .fix(fix);
    }
    for item in items {
        let Some(scope) = item
            .text()
            .filter(|text| !registry.scopes.iter().any(|scope| scope == text))
        else {
            continue;
        };
        let message = format!("the scope `{scope}` is not pinned");
        let hint = format!(
            "remove it, or add it to `registry.scopes` in `{}`",
            checker.source.path
        );
        checker
            .find(FindingRule::ProjectRegistry, &item.place, message, hint)
            .found(scope);
    }
}

/// Dependency confusion: another registry serves a pinned package when it claims the same scope or a longer one.
fn claims(checker: &mut Checker<'_>, registry: &Registry, other: &Node) {
    let manifest = checker.manifest;
    let ids = || {
        manifest
            .packages
            .keys()
            .chain(manifest.integration_packages.keys())
    };
    // Unity prefers the longest scope.
    let own = |id: &str| {
        registry
            .scopes
            .iter()
            .filter(|scope| covers(scope, id))
            .map(String::len)
            .max()
    };
    for item in other.list(&["scopes"]) {
        let Some(scope) = item.text() else { continue };
        let serves =
            |id: &&String| covers(scope, id) && own(id).is_none_or(|length| length <= scope.len());
        let same = registry.scopes.iter().find(|own| *own == scope);
        if let Some(served) = same.or_else(|| ids().find(serves)) {
            let message = format!("another registry claims `{served}`");
            let hint = "remove the scope: its packages must come from the pinned registry only";
            checker
                .find(FindingRule::ProjectRegistry, &item.place, message, hint)
                .found(scope);
        }
    }
}
