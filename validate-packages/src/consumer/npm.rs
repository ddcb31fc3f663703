//! npm, Yarn and pnpm: `package.json`, their settings and their lock files.

mod lock;
mod settings;

use perf_model::packages::{Consumer, Kind, Manifest};

use super::{Consumed, DeclaredChoice, DeclaredDependency, ReadConsumer};
use crate::checker::Checker;
use crate::node::{Node, ObjectEntry};

const SECTIONS: &[&str] = &[
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
];
const MANIFEST: &str = "package.json";

pub(super) fn read(checker: &mut Checker<'_>, path: &str, consumer: &Consumer) -> ReadConsumer {
    let Some(root) = checker.json(path)? else {
        return Ok(None);
    };
    let mut files = Consumed::of(&root, SECTIONS.iter().find_map(|name| root.entry(name)));
    let catalogs = settings::read(checker, &root, &mut files)?;
    let manifest = checker.manifest;
    let own = |entry: &ObjectEntry| {
        let shared = entry
            .node
            .text()
            .and_then(|text| catalogs.declared(manifest, &entry.key, text));
        shared.unwrap_or_else(|| declared(manifest, &entry.key, &entry.node))
    };
    files.declared = dependencies(&root).map(own).collect();
    if consumer.lock {
        files.locks = lock::read(checker, path, &root)?;
    }
    Ok(Some(files))
}

/// The entries of every section of dependencies.
fn dependencies(root: &Node) -> impl Iterator<Item = &ObjectEntry> {
    SECTIONS.iter().flat_map(|section| root.table(&[section]))
}

/// A requirement of `package.json`, or one that replaces it.
fn declared(manifest: &Manifest, key: &str, node: &Node) -> DeclaredDependency {
    let found = node.shown();
    let (id, start) = alias(found).unwrap_or((key, 0));
    if id != key && super::is_pinned(manifest, Kind::Npm, key) {
        return DeclaredDependency::elsewhere(key, found, "another package", &node.place);
    }
    let requirement = found.get(start..).unwrap_or_default();
    // Escapes would shift the span of the version.
    let inside = node
        .inside()
        .filter(|inside| node.place.source.slice(inside) == found);
    DeclaredDependency::new(id, requirement, choice(requirement), &node.place)
        .fixed_at(inside.map(|inside| inside.start + start..inside.end))
}

/// `npm:mitt@3.0.1` is `mitt` under another name: its id, and the offset of its version. In Yarn, `npm:3.0.1` is a
/// version of the package itself.
fn alias(requirement: &str) -> Option<(&str, usize)> {
    let target = requirement.strip_prefix("npm:")?;
    let end = name_end(target);
    let is_version = end == target.len()
        && target.starts_with(|c: char| c.is_ascii_digit() || "^~=<>*v".contains(c));
    (!is_version).then(|| (&target[..end], "npm:".len() + (end + 1).min(target.len())))
}

/// The end of the name in `name@version`; the first character may be the `@` of a scope.
fn name_end(text: &str) -> usize {
    text.char_indices()
        .skip(1)
        .find(|&(_, c)| c == '@')
        .map_or(text.len(), |(at, _)| at)
}

fn choice(requirement: &str) -> DeclaredChoice {
    let text = requirement.trim();
    let text = text.strip_prefix("npm:").unwrap_or(text);
    if ["file:", "link:", "workspace:", "portal:"]
        .iter()
        .any(|scheme| text.starts_with(scheme))
    {
        DeclaredChoice::Local
    } else if text.contains(['/', ':']) {
        DeclaredChoice::Elsewhere("a repository or a URL")
    } else {
        DeclaredChoice::of_version(Kind::Npm, text.trim_start_matches(['=', 'v']).trim())
    }
}
