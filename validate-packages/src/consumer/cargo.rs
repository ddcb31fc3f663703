//! Cargo: `Cargo.toml` with its workspace, `Cargo.lock`, and Cargo's configuration.

mod settings;

use perf_model::packages::{Consumer, Kind};

use self::settings::CargoSettings;
use super::origin::{LockOrigin, is_allowed};
use super::{Consumed, DeclaredChoice, DeclaredDependency, Lock, Locked, ReadConsumer};
use crate::checker::{Checker, ParsedFile, Reported};
use crate::node::{self, Node, ObjectEntry};
use crate::tree;

const SECTIONS: &[&str] = &["dependencies", "dev-dependencies", "build-dependencies"];

/// Reads a crate or a workspace.
pub(super) fn read(checker: &mut Checker<'_>, path: &str, consumer: &Consumer) -> ReadConsumer {
    let Some(root) = checker.parse(path, node::toml)? else {
        return Ok(None);
    };
    let workspace = workspace(checker, path, &root)?;
    let mut files = Consumed::of(&root, SECTIONS.iter().find_map(|name| root.entry(name)));
    let settings = CargoSettings::read(checker, tree::folder(path), &mut files)?;
    // Cargo reads these tables of a workspace in its root only.
    settings.patches(
        checker.manifest,
        workspace.as_ref().unwrap_or(&root),
        &mut files,
    );
    for entry in entries(&root) {
        // Cargo rejects a crate whose workspace does not have the entry.
        let shared = || {
            workspace
                .as_ref()?
                .at(&["workspace", "dependencies"])?
                .entry(&entry.key)
        };
        let entry = if entry.node.get("workspace").is_some() {
            shared()
        } else {
            Some(entry)
        };
        files
            .declared
            .extend(entry.map(|entry| declared(checker, &settings, entry)));
    }
    if consumer.lock {
        files.locks.push(lock(checker, path)?);
    }
    Ok(Some(files))
}

/// Every dependency of a manifest. A virtual workspace declares those of its members.
fn entries(root: &Node) -> Vec<&ObjectEntry> {
    let targets = root.table(&["target"]).iter().map(|entry| &entry.node);
    let tables = std::iter::once(root).chain(targets);
    let sections = tables.flat_map(|table| SECTIONS.iter().filter_map(|name| table.get(name)));
    let shared = root
        .at(&["workspace", "dependencies"])
        .filter(|_| root.get("package").is_none());
    sections.chain(shared).flat_map(Node::entries).collect()
}

/// The workspace of a crate: its own file, the one it names, or the nearest parent.
fn workspace(checker: &mut Checker<'_>, path: &str, root: &Node) -> ParsedFile {
    let folder = tree::folder(path);
    let named = root
        .text_at(&["package", "workspace"])
        .and_then(|named| tree::resolve(folder, named));
    let folders: Vec<String> = match named {
        Some(named) => vec![named],
        None => tree::ancestors(folder).map(str::to_owned).collect(),
    };
    for folder in folders {
        let root = checker.parse(&tree::join(&folder, "Cargo.toml"), node::toml)?;
        if let Some(root) = root.filter(|root| root.get("workspace").is_some()) {
            return Ok(Some(root));
        }
    }
    Ok(None)
}

/// True if a dependency names a registry that the pins do not come from.
fn has_other_registry(checker: &Checker<'_>, settings: &CargoSettings, node: &Node) -> bool {
    let named = node
        .text_at(&["registry"])
        .filter(|name| *name != "crates-io");
    let index = named.map(|name| settings.names.get(name).map_or(name, String::as_str));
    let index = index.or_else(|| node.text_at(&["registry-index"]));
    index.is_some_and(|index| !is_allowed(checker.manifest, Kind::Cargo, index))
}

fn declared(
    checker: &Checker<'_>,
    settings: &CargoSettings,
    entry: &ObjectEntry,
) -> DeclaredDependency {
    let node = &entry.node;
    let package = node.text_at(&["package"]).unwrap_or(&entry.key);
    let is_other =
        package != entry.key && super::is_pinned(checker.manifest, Kind::Cargo, &entry.key);
    let requirement = if node.text().is_some() {
        Some(node)
    } else {
        node.get("version")
    };
    let text = requirement.and_then(Node::text);
    let choice = match text {
        _ if is_other => DeclaredChoice::Elsewhere("another package"),
        _ if node.has(&["git"]) => DeclaredChoice::Elsewhere("a repository"),
        _ if node.has(&["path"]) => DeclaredChoice::Local,
        _ if has_other_registry(checker, settings, node) => {
            DeclaredChoice::Elsewhere("another registry")
        }
        Some(text) => choice(text),
        None => DeclaredChoice::Range,
    };
    let id = if is_other { &entry.key } else { package };
    let declared = DeclaredDependency::new(id, node.place.text(), choice, &entry.at);
    if !declared.has_version() {
        return declared;
    }
    let at = requirement.unwrap_or(node);
    let found = text.unwrap_or_else(|| node.place.text()).to_owned();
    DeclaredDependency {
        found,
        place: at.place.clone(),
        ..declared
    }
    .fixed_at(requirement.and_then(Node::inside))
}

/// Without `=`, a requirement is a range of compatible releases.
fn choice(requirement: &str) -> DeclaredChoice {
    let exact = requirement.trim().strip_prefix('=').unwrap_or_default();
    DeclaredChoice::of_version(Kind::Cargo, exact.trim())
}

fn lock(checker: &mut Checker<'_>, path: &str) -> Result<Lock, Reported> {
    const LOCK: &str = "Cargo.lock";
    let folder = tree::folder(path);
    Ok(match checker.parse_nearest(folder, &[LOCK], node::toml)? {
        Some(root) => Lock::read(&root, packages(&root, "package", &origin)),
        None => Lock::Absent(tree::join(folder, LOCK)),
    })
}

/// `source` of a package; those of the project itself have none.
fn origin(item: &Node) -> Option<LockOrigin> {
    let Some(from) = item.get("source") else {
        return Some(LockOrigin::elsewhere(
            "no source",
            "a folder",
            &item.get("name")?.place,
        ));
    };
    let text = from.text()?;
    let is_registry = ["registry+", "sparse+"]
        .iter()
        .any(|protocol| text.starts_with(protocol));
    Some(if is_registry {
        LockOrigin::registry(text, &from.place)
    } else {
        LockOrigin::elsewhere(text, "a repository", &from.place)
    })
}

/// The `[[package]]` tables that Cargo, Poetry and uv share; only where they tell the origin differs.
pub(super) fn packages(
    root: &Node,
    table: &str,
    origin: &dyn Fn(&Node) -> Option<LockOrigin>,
) -> Vec<Locked> {
    let locked = |item: &Node| {
        let locked = Locked::new(item.text_at(&["name"])?, item.get("version")?)?;
        Some(Locked {
            origin: origin(item),
            ..locked
        })
    };
    root.list(&[table]).iter().filter_map(locked).collect()
}
