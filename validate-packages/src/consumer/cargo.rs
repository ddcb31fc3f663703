//! Cargo: `Cargo.toml` with its workspace, and `Cargo.lock`.

use std::rc::Rc;

use perf_model::packages::{Consumer, Kind};

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
    let mut declared = Vec::new();
    for entry in entries(&root) {
        declared.extend(declare(&source, entry, workspace.as_ref()));
    }
    let section = section_place(&source, SECTIONS.iter().find_map(|name| root.entry(name)));
    let lock = if consumer.lock { lock(checker, path)? } else { Lock::None };
    Ok(Some(Consumed { declared, section, insertion: None, lock }))
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

fn declare(source: &Rc<Source>, entry: &Entry, workspace: Option<&Workspace>) -> Option<Declared> {
    if entry.node.get("workspace").is_none() {
        return Some(declared(source, entry));
    }
    // Cargo rejects a crate whose workspace does not have the entry.
    let inherited = workspace?.root.at(&["workspace", "dependencies"])?.entry(&entry.key)?;
    Some(declared(&workspace?.source, inherited))
}

fn declared(source: &Rc<Source>, entry: &Entry) -> Declared {
    let node = &entry.node;
    let requirement = if node.text().is_some() { Some(node) } else { node.get("version") };
    let text = requirement.and_then(Node::text);
    let choice = match text {
        _ if node.get("git").is_some() => Choice::Elsewhere("a repository"),
        _ if node.get("path").is_some() => Choice::Local,
        Some(text) => choice(text),
        None => Choice::Range,
    };
    let at = requirement.unwrap_or(node);
    let by_version = matches!(choice, Choice::Exact(_) | Choice::Range);
    Declared {
        id: node.text_at(&["package"]).unwrap_or(&entry.key).to_owned(),
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
    Ok(Lock::Read(Rc::clone(&source), packages(&source, &root, "package")))
}

/// The `[[package]]` tables that Cargo, Poetry and uv share.
pub(super) fn packages(source: &Rc<Source>, root: &Node, table: &str) -> Vec<Locked> {
    let items = root.get(table).map_or(&[][..], Node::items).iter();
    items.filter_map(|item| Locked::new(source, item.text_at(&["name"])?, item.get("version")?)).collect()
}
