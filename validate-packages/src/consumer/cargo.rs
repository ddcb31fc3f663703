//! Cargo: `Cargo.toml` with its workspace, `Cargo.lock`, and Cargo's configuration.

mod settings;

use std::rc::Rc;

use perf_model::packages::{Consumer, Kind};

use self::settings::Settings;
use super::origin::{Origin, is_allowed};
use super::{Choice, Consumed, Declared, Lock, Locked, section_place};
use crate::checker::{Checker, Reported};
use crate::node::{Entry, Node};
use crate::source::{Place, Source};
use crate::{tree, version};

const SECTIONS: &[&str] = &["dependencies", "dev-dependencies", "build-dependencies"];

/// Reads a crate or a workspace; `None` if it does not exist.
pub(super) fn read(
    checker: &mut Checker<'_>,
    path: &str,
    consumer: &Consumer,
) -> Result<Option<Consumed>, Reported> {
    let Some(source) = checker.open(path)? else { return Ok(None) };
    let root = checker.toml(&source)?;
    let workspace = workspace(checker, path, &root)?;
    let mut settings = Settings::read(checker, tree::folder(path))?;
    // Cargo reads these tables of a workspace in its root only.
    let (top, top_root) = workspace.as_ref().map_or((&source, &root), |top| (&top.source, &top.root));
    settings.patches(checker.manifest, top, top_root);
    let mut declared = Vec::new();
    for entry in entries(&root) {
        declared.extend(declare(checker, &settings, &source, entry, workspace.as_ref()));
    }
    let section = section_place(&source, SECTIONS.iter().find_map(|name| root.entry(name)));
    let locks = if consumer.lock { vec![lock(checker, path)?] } else { Vec::new() };
    let Settings { redirects, registries, .. } = settings;
    Ok(Some(Consumed { declared, redirects, registries, section, insertion: None, locks }))
}

/// Every dependency of a manifest. A virtual workspace declares those of its members.
fn entries(root: &Node) -> Vec<&Entry> {
    let targets = root.get("target").map_or(&[][..], Node::entries).iter().map(|entry| &entry.node);
    let tables = std::iter::once(root).chain(targets);
    let sections = tables.flat_map(|table| SECTIONS.iter().filter_map(|name| table.get(name)));
    let shared = root.at(&["workspace", "dependencies"]).filter(|_| root.get("package").is_none());
    sections.chain(shared).flat_map(Node::entries).collect()
}

/// A file and its tree.
struct Workspace {
    source: Rc<Source>,
    root: Node,
}

/// The workspace of a crate: its own file, the one it names, or the nearest parent.
fn workspace(checker: &mut Checker<'_>, path: &str, root: &Node) -> Result<Option<Workspace>, Reported> {
    let folder = tree::folder(path);
    let named = root.text_at(&["package", "workspace"]).and_then(|named| tree::resolve(folder, named));
    let folders: Vec<String> = match named {
        Some(named) => vec![named],
        None => tree::ancestors(folder).map(str::to_owned).collect(),
    };
    for folder in folders {
        let Some(source) = checker.open(&tree::join(&folder, "Cargo.toml"))? else { continue };
        let root = checker.toml(&source)?;
        if root.get("workspace").is_some() {
            return Ok(Some(Workspace { source, root }));
        }
    }
    Ok(None)
}

fn declare(
    checker: &Checker<'_>,
    settings: &Settings,
    source: &Rc<Source>,
    entry: &Entry,
    workspace: Option<&Workspace>,
) -> Option<Declared> {
    if entry.node.get("workspace").is_none() {
        return Some(declared(checker, settings, source, entry));
    }
    // Cargo rejects a crate whose workspace does not have the entry.
    let inherited = workspace?.root.at(&["workspace", "dependencies"])?.entry(&entry.key)?;
    Some(declared(checker, settings, &workspace?.source, inherited))
}

/// Whether a dependency names a registry that the pins do not come from.
fn has_other_registry(checker: &Checker<'_>, settings: &Settings, node: &Node) -> bool {
    let named = node.text_at(&["registry"]).filter(|name| *name != "crates-io");
    let index = named.map(|name| settings.names.get(name).map_or(name, String::as_str));
    let index = index.or_else(|| node.text_at(&["registry-index"]));
    index.is_some_and(|index| !is_allowed(checker.manifest, Kind::Cargo, index))
}

fn declared(checker: &Checker<'_>, settings: &Settings, source: &Rc<Source>, entry: &Entry) -> Declared {
    let node = &entry.node;
    let package = node.text_at(&["package"]).unwrap_or(&entry.key);
    let is_other = package != entry.key && super::is_pinned(checker.manifest, Kind::Cargo, &entry.key);
    let requirement = if node.text().is_some() { Some(node) } else { node.get("version") };
    let text = requirement.and_then(Node::text);
    let choice = match text {
        _ if is_other => Choice::Elsewhere("another package"),
        _ if node.get("git").is_some() => Choice::Elsewhere("a repository"),
        _ if node.get("path").is_some() => Choice::Local,
        _ if has_other_registry(checker, settings, node) => Choice::Elsewhere("another registry"),
        Some(text) => choice(text),
        None => Choice::Range,
    };
    let at = requirement.unwrap_or(node);
    let by_version = matches!(choice, Choice::Exact(_) | Choice::Range);
    Declared {
        id: if is_other { &entry.key } else { package }.to_owned(),
        found: text.filter(|_| by_version).unwrap_or_else(|| source.slice(&node.span)).to_owned(),
        place: Place::new(source, if by_version { at.span.clone() } else { entry.at.clone() }),
        prefix: "=",
        fix: requirement.filter(|_| by_version).and_then(|node| node.inside(source)),
        choice,
    }
}

/// Without `=`, a requirement is a range of compatible releases.
fn choice(requirement: &str) -> Choice {
    let exact = requirement.trim().strip_prefix('=').map(str::trim);
    match exact.filter(|version| version::is_exact(Kind::Cargo, version)) {
        Some(version) => Choice::Exact(version.to_owned()),
        None => Choice::Range,
    }
}

fn lock(checker: &mut Checker<'_>, path: &str) -> Result<Lock, Reported> {
    let folder = tree::folder(path);
    let paths = tree::ancestors(folder).map(|folder| tree::join(folder, "Cargo.lock")).collect::<Vec<_>>();
    let Some(source) = checker.open_first(paths)? else {
        return Ok(Lock::Absent(tree::join(folder, "Cargo.lock")));
    };
    let root = checker.toml(&source)?;
    Ok(Lock::Read(Rc::clone(&source), packages(&source, &root, "package", &origin)))
}

/// `source` of a package; those of the project itself have none.
fn origin(source: &Rc<Source>, item: &Node) -> Option<Origin> {
    let Some(from) = item.get("source") else {
        return Some(Origin::elsewhere(
            "no source",
            "a folder",
            Place::new(source, item.get("name")?.span.clone()),
        ));
    };
    let (text, place) = (from.text()?, Place::new(source, from.span.clone()));
    let is_registry = ["registry+", "sparse+"].iter().any(|protocol| text.starts_with(protocol));
    Some(if is_registry {
        Origin::registry(text, place)
    } else {
        Origin::elsewhere(text, "a repository", place)
    })
}

/// The `[[package]]` tables that Cargo, Poetry and uv share; only where they tell the origin differs.
pub(super) fn packages(
    source: &Rc<Source>,
    root: &Node,
    table: &str,
    origin: &dyn Fn(&Rc<Source>, &Node) -> Option<Origin>,
) -> Vec<Locked> {
    let items = root.get(table).map_or(&[][..], Node::items).iter();
    let locked = |item: &Node| {
        let locked = Locked::new(source, item.text_at(&["name"])?, item.get("version")?)?;
        Some(Locked { origin: origin(source, item), ..locked })
    };
    items.filter_map(locked).collect()
}
