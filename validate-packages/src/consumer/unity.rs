//! A Unity project: `Packages/manifest.json` and `Packages/packages-lock.json`.

use std::rc::Rc;

use perf_model::packages::{Consumer, Kind, Manifest, Pin, Registry};

use super::{Choice, Consumed, Declared, Insertion, Lock, Locked, Wanted};
use crate::checker::{Checker, Reported};
use crate::finding::{Edit, Finding, Rule};
use crate::manifest::covers;
use crate::node::Node;
use crate::source::{Place, Source};
use crate::{tree, version};

const MANIFEST: &str = "Packages/manifest.json";
const LOCK: &str = "Packages/packages-lock.json";

/// What a Unity project needs besides the compared packages; what only integration tests use may be left out.
pub(super) fn extra(manifest: &Manifest) -> Vec<Wanted<'_>> {
    let sections = [
        (&manifest.unity_built_in_packages, true),
        (&manifest.integration_packages, false),
        (&manifest.integration_unity_built_in_packages, false),
    ];
    let pins = sections.into_iter().flat_map(|(pins, required)| pins.iter().map(move |pin| (pin, required)));
    pins.map(|((id, version), required)| Wanted { pin: Pin { kind: Kind::Unity, id, version }, required })
        .collect()
}

/// The Unity projects of a manifest that names none: every folder with a `Packages/manifest.json`.
pub(super) fn discover(checker: &mut Checker<'_>) -> Vec<(Place, Consumer)> {
    if checker.manifest.packages.is_empty() {
        return Vec::new();
    }
    let place = checker.key_place(&["packages"]);
    let files = checker.list(".", MANIFEST).unwrap_or_default();
    let folders = files.iter().filter_map(|file| file.strip_suffix(MANIFEST));
    let folders = folders.filter(|folder| folder.is_empty() || folder.ends_with('/'));
    let project = |folder: &str| Consumer {
        kind: Kind::Unity,
        path: if folder.is_empty() { ".".to_owned() } else { folder.trim_end_matches('/').to_owned() },
        asmdefs: None,
        packages: None,
        ignore: Vec::new(),
        lock: true,
    };
    folders.map(|folder| (place.clone(), project(folder))).collect()
}

/// Reads a project; `None` when there is none.
pub(super) fn read(
    checker: &mut Checker<'_>,
    path: &str,
    consumer: &Consumer,
) -> Result<Option<Consumed>, Reported> {
    let Some(source) = checker.open(&tree::join(path, MANIFEST))? else { return Ok(None) };
    let root = checker.json(&source)?;
    if let Some(registry) = &checker.manifest.registry {
        scoped_registry(checker, registry, &source, &root);
    }
    let dependencies = root.entry("dependencies");
    let section =
        dependencies.map_or_else(|| Place::start(&source), |entry| Place::new(&source, entry.at.clone()));
    let entries = dependencies.map_or(&[][..], |entry| entry.node.entries());
    let ours = entries.iter().filter(|entry| is_ours(checker.manifest, &entry.key));
    let declared = ours.map(|entry| declared(&source, &entry.key, &entry.node)).collect();
    let insertion = dependencies.and_then(|entry| Insertion::after_last(&source, &entry.node));
    let lock = if consumer.lock { lock(checker, path)? } else { Lock::None };
    Ok(Some(Consumed { declared, section, insertion, lock }))
}

/// A project has many packages; ours are the pinned ones and whatever comes from the comparison registry.
fn is_ours(manifest: &Manifest, id: &str) -> bool {
    let scopes = manifest.registry.as_ref().map_or(&[][..], |registry| &registry.scopes);
    let pinned =
        manifest.packages.contains_key(id) || extra(manifest).iter().any(|wanted| wanted.pin.id == id);
    pinned || scopes.iter().any(|scope| covers(scope, id))
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

fn lock(checker: &mut Checker<'_>, path: &str) -> Result<Lock, Reported> {
    let path = tree::join(path, LOCK);
    let Some(source) = checker.open(&path)? else { return Ok(Lock::Absent(path)) };
    let root = checker.json(&source)?;
    let entries = root.get("dependencies").map_or(&[][..], Node::entries);
    for entry in entries {
        served_elsewhere(checker, &source, &entry.key, &entry.node);
    }
    let locked = entries.iter().filter_map(|entry| {
        let version = entry.node.get("version")?;
        let place = Place::new(&source, version.span.clone());
        Some(Locked { id: entry.key.clone(), version: version.text()?.to_owned(), place })
    });
    Ok(Lock::Read(Rc::clone(&source), locked.collect()))
}

/// The right version of a package, resolved from another registry, is another package.
fn served_elsewhere(checker: &mut Checker<'_>, source: &Rc<Source>, id: &str, entry: &Node) {
    let manifest = checker.manifest;
    let pinned = manifest.packages.contains_key(id) || manifest.integration_packages.contains_key(id);
    let (Some(registry), Some(url), true) = (&manifest.registry, entry.get("url"), pinned) else { return };
    if url.text().is_some_and(|found| !same_url(found, &registry.url)) {
        let finding = Finding::new(
            Rule::Origin,
            &Place::new(source, url.span.clone()),
            format!("`{id}` was resolved from another registry"),
        );
        let finding = finding.found(url.text().unwrap_or_default()).expected(&registry.url);
        checker.find(finding.hint(
            "once `scopedRegistries` agree, open the project, so that Unity resolves its packages again",
        ));
    }
}

fn same_url(a: &str, b: &str) -> bool {
    a.trim_end_matches('/') == b.trim_end_matches('/')
}

fn scoped_registry(checker: &mut Checker<'_>, registry: &Registry, source: &Rc<Source>, root: &Node) {
    let registries = root.get("scopedRegistries").map_or(&[][..], Node::items);
    let by = |key: &str, fits: &dyn Fn(&str) -> bool| {
        registries.iter().find(|node| node.text_at(&[key]).is_some_and(fits))
    };
    let found =
        by("url", &|url| same_url(url, &registry.url)).or_else(|| by("name", &|name| name == registry.name));
    let Some(found) = found else {
        let place = root
            .entry("scopedRegistries")
            .map_or_else(|| Place::start(source), |entry| Place::new(source, entry.at.clone()));
        let finding = Finding::new(
            Rule::ProjectRegistry,
            &place,
            "the scoped registry of the comparisons is not declared",
        );
        checker.find(
            finding
                .expected(&registry.url)
                .hint(format!("add `{}` to `scopedRegistries`", registry_line(registry))),
        );
        return;
    };
    identity(checker, registry, source, found);
    scopes(checker, registry, source, found);
}

fn identity(checker: &mut Checker<'_>, registry: &Registry, source: &Rc<Source>, found: &Node) {
    for (key, expected) in [("name", &registry.name), ("url", &registry.url)] {
        let differs = |node: &&Node| {
            node.text()
                .is_some_and(|text| if key == "url" { !same_url(text, expected) } else { text != expected })
        };
        if let Some(node) = found.get(key).filter(differs) {
            let finding = Finding::new(
                Rule::ProjectRegistry,
                &Place::new(source, node.span.clone()),
                format!("the registry's {key} differs"),
            );
            let edit = Edit { span: node.span.clone(), text: quoted(expected) };
            checker.find(
                finding
                    .found(node.text().unwrap_or_default())
                    .expected(expected)
                    .hint(format!("write `{expected}`"))
                    .fix(Some(edit)),
            );
        }
    }
}

fn scopes(checker: &mut Checker<'_>, registry: &Registry, source: &Rc<Source>, found: &Node) {
    let list = found.get("scopes");
    let items = list.map_or(&[][..], Node::items);
    let place = Place::new(source, list.map_or(found.span.clone(), |list| list.span.clone()));
    for scope in registry.scopes.iter().filter(|scope| !items.iter().any(|item| item.text() == Some(scope))) {
        let finding = Finding::new(
            Rule::ProjectRegistry,
            &place,
            format!("the registry does not serve the scope `{scope}`"),
        );
        let edit = items.last().map(|last| {
            let text = format!(",{}{}", source.blanks_before(last.span.start), quoted(scope));
            Edit { span: last.span.end..last.span.end, text }
        });
        checker.find(finding.expected(scope).hint(format!("add `{scope}` to its `scopes`")).fix(edit));
    }
    for item in items {
        let Some(scope) = item.text().filter(|text| !registry.scopes.iter().any(|scope| scope == text))
        else {
            continue;
        };
        let finding = Finding::new(
            Rule::ProjectRegistry,
            &Place::new(source, item.span.clone()),
            format!("the manifest's registry has no scope `{scope}`"),
        );
        checker.find(
            finding
                .found(scope)
                .hint(format!("remove it, or add it to `registry.scopes` in `{}`", checker.source.path)),
        );
    }
}

fn registry_line(registry: &Registry) -> String {
    serde_json::json!({"name": registry.name, "url": registry.url, "scopes": registry.scopes}).to_string()
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
