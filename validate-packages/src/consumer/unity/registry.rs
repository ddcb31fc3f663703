//! The scoped registries of a Unity project.

use std::rc::Rc;

use perf_model::packages::Registry;

use crate::checker::Checker;
use crate::finding::{Edit, Rule};
use crate::manifest::covers;
use crate::node::Node;
use crate::source::{Place, Source};

/// Where Unity publishes packages that the editor does not include.
pub(super) const UNITY_REGISTRY: &str = "https://packages.unity.com";

/// Checks that the pinned registry, and no other, serves the pinned packages.
pub(super) fn check(checker: &mut Checker<'_>, registry: &Registry, source: &Rc<Source>, root: &Node) {
    let section = root.entry("scopedRegistries");
    let registries = section.map_or(&[][..], |entry| entry.node.items());
    let by = |key: &str, fits: &dyn Fn(&str) -> bool| {
        registries.iter().find(|node| node.text_at(&[key]).is_some_and(fits))
    };
    let found =
        by("url", &|url| same_url(url, &registry.url)).or_else(|| by("name", &|name| name == registry.name));
    if let Some(found) = found {
        identity(checker, registry, source, found);
        scopes(checker, registry, source, found);
    } else {
        let place =
            section.map_or_else(|| Place::start(source), |entry| Place::new(source, entry.at.clone()));
        let line = serde_json::json!({"name": registry.name, "url": registry.url, "scopes": registry.scopes});
        let hint = format!("add `{line}` to `scopedRegistries`");
        let message = "the pinned registry is not declared";
        checker.find(Rule::ProjectRegistry, &place, message, hint).expected(&registry.url);
    }
    let is_pinned = |node: &Node| node.text_at(&["url"]).is_some_and(|url| same_url(url, &registry.url));
    for other in registries
        .iter()
        .filter(|node| !is_pinned(node) && !found.is_some_and(|found| std::ptr::eq(*node, found)))
    {
        claims(checker, registry, source, other);
    }
}

/// Checks that Unity's registry serves its own packages: a scoped registry that covers one is asked instead.
pub(super) fn check_unity(checker: &mut Checker<'_>, source: &Rc<Source>, root: &Node) {
    let manifest = checker.manifest;
    let is_own = |node: &&Node| node.text_at(&["url"]).is_some_and(|url| same_url(url, UNITY_REGISTRY));
    let registries = root.entry("scopedRegistries").map_or(&[][..], |entry| entry.node.items());
    for item in registries.iter().filter(|node| !is_own(node)).filter_map(|node| node.get("scopes")) {
        for (item, scope) in item.items().iter().filter_map(|item| Some((item, item.text()?))) {
            if let Some(served) = manifest.unity_registry_packages.keys().find(|id| covers(scope, id)) {
                let message = format!("a scoped registry claims `{served}`");
                let hint = "remove the scope: the package must come from Unity's registry";
                let place = Place::new(source, item.span.clone());
                checker.find(Rule::ProjectRegistry, &place, message, hint).found(scope);
            }
        }
    }
}

pub(super) fn same_url(a: &str, b: &str) -> bool {
    a.trim_end_matches('/') == b.trim_end_matches('/')
}

fn identity(checker: &mut Checker<'_>, registry: &Registry, source: &Rc<Source>, found: &Node) {
    for (key, expected) in [("name", &registry.name), ("url", &registry.url)] {
        let agrees = |text| if key == "url" { same_url(text, expected) } else { text == expected };
        let Some(node) = found.get(key) else { continue };
        let Some(text) = node.text().filter(|text| !agrees(text)) else { continue };
        let fix = Edit { span: node.span.clone(), text: quoted(expected) };
        let (place, message) =
            (Place::new(source, node.span.clone()), format!("the registry's {key} differs"));
        let finding = checker.find(Rule::ProjectRegistry, &place, message, format!("write `{expected}`"));
        finding.found(text).expected(expected).fix(Some(fix));
    }
}

fn scopes(checker: &mut Checker<'_>, registry: &Registry, source: &Rc<Source>, found: &Node) {
    let list = found.get("scopes");
    let items = list.map_or(&[][..], Node::items);
    let place = Place::new(source, list.unwrap_or(found).span.clone());
    for scope in registry.scopes.iter().filter(|scope| !items.iter().any(|item| item.text() == Some(scope))) {
        let fix = items.last().map(|last| {
            let text = format!(",{}{}", source.blanks_before(last.span.start), quoted(scope));
            Edit { span: last.span.end..last.span.end, text }
        });
        let (message, hint) =
            (format!("the scope `{scope}` is missing"), format!("add `{scope}` to `scopes`"));
        checker.find(Rule::ProjectRegistry, &place, message, hint).expected(scope).fix(fix);
    }
    for item in items {
        let Some(scope) = item.text().filter(|text| !registry.scopes.iter().any(|scope| scope == text))
        else {
            continue;
        };
        let message = format!("the scope `{scope}` is not pinned");
        let hint = format!("remove it, or add it to `registry.scopes` in `{}`", checker.source.path);
        checker
            .find(Rule::ProjectRegistry, &Place::new(source, item.span.clone()), message, hint)
            .found(scope);
    }
}

/// Dependency confusion: another registry serves a pinned package when it claims the same scope or a longer one.
fn claims(checker: &mut Checker<'_>, registry: &Registry, source: &Rc<Source>, other: &Node) {
    let manifest = checker.manifest;
    let ids = || manifest.packages.keys().chain(manifest.integration_packages.keys());
    // Unity prefers the longest scope.
    let own = |id: &str| registry.scopes.iter().filter(|scope| covers(scope, id)).map(String::len).max();
    for item in other.get("scopes").map_or(&[][..], Node::items) {
        let Some(scope) = item.text() else { continue };
        let serves = |id: &&String| covers(scope, id) && own(id).is_none_or(|length| length <= scope.len());
        let same = registry.scopes.iter().find(|own| *own == scope);
        if let Some(served) = same.or_else(|| ids().find(serves)) {
            let message = format!("another registry claims `{served}`");
            let hint = "remove the scope: its packages must come from the pinned registry only";
            let place = Place::new(source, item.span.clone());
            checker.find(Rule::ProjectRegistry, &place, message, hint).found(scope);
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
