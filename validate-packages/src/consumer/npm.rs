//! npm: `package.json`, and `package-lock.json` of lock file versions 1 to 3.

use std::collections::HashSet;
use std::rc::Rc;

use perf_model::packages::{Consumer, Kind};

use super::{Choice, Consumed, Declared, Lock, Locked, section_place};
use crate::checker::{Checker, Reported};
use crate::node::{Entry, Node};
use crate::source::{Place, Source};
use crate::{tree, version};

const SECTIONS: &[&str] = &["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
const LOCKS: &[&str] = &["package-lock.json", "npm-shrinkwrap.json"];
const MODULES: &str = "node_modules/";

/// Reads a package; `None` if it does not exist.
pub(super) fn read(
    checker: &mut Checker<'_>,
    path: &str,
    consumer: &Consumer,
) -> Result<Option<Consumed>, Reported> {
    let Some(source) = checker.open(path)? else { return Ok(None) };
    let root = checker.json(&source)?;
    let sections: Vec<&Entry> = SECTIONS.iter().filter_map(|name| root.entry(name)).collect();
    let declared = sections
        .iter()
        .flat_map(|section| section.node.entries())
        .map(|entry| declared(&source, entry))
        .collect();
    let section = section_place(&source, sections.first().copied());
    let lock = if consumer.lock { lock(checker, path)? } else { Lock::None };
    Ok(Some(Consumed { declared, section, insertion: None, lock }))
}

fn declared(source: &Rc<Source>, entry: &Entry) -> Declared {
    let found = entry.node.text().unwrap_or_else(|| source.slice(&entry.node.span)).to_owned();
    let (id, start) = alias(&found).unwrap_or((&entry.key, 0));
    let choice = choice(found.get(start..).unwrap_or_default());
    let fix = entry.node.inside(source).filter(|_| matches!(choice, Choice::Exact(_) | Choice::Range));
    // Escapes would shift the span of the version.
    let fix =
        fix.filter(|inside| source.slice(inside) == found).map(|inside| inside.start + start..inside.end);
    let place = Place::new(source, entry.node.span.clone());
    let (id, found) = (id.to_owned(), found.get(start..).unwrap_or_default().to_owned());
    Declared { id, found, choice, place, prefix: "", fix }
}

/// `npm:mitt@3.0.1` is `mitt` under another name: its id, and the offset of its version.
fn alias(requirement: &str) -> Option<(&str, usize)> {
    let target = requirement.strip_prefix("npm:")?;
    // The first character may be the `@` of a scope.
    let at = target.char_indices().skip(1).find(|&(_, c)| c == '@').map_or(target.len(), |(at, _)| at);
    let version = (at + 1).min(target.len());
    Some((&target[..at], "npm:".len() + version))
}

fn choice(requirement: &str) -> Choice {
    let text = requirement.trim();
    let exact = text.trim_start_matches(['=', 'v']).trim();
    if version::is_exact(Kind::Npm, exact) {
        Choice::Exact(exact.to_owned())
    } else if ["file:", "link:", "workspace:", "portal:"].iter().any(|scheme| text.starts_with(scheme)) {
        Choice::Local
    } else if text.contains(['/', ':']) {
        Choice::Elsewhere("a repository or a URL")
    } else {
        Choice::Range
    }
}

/// The nearest lock file: the packages of a workspace share the one of its root.
fn lock(checker: &mut Checker<'_>, path: &str) -> Result<Lock, Reported> {
    let folder = tree::folder(path);
    let paths: Vec<String> = tree::ancestors(folder)
        .flat_map(|folder| LOCKS.iter().map(move |lock| tree::join(folder, lock)))
        .collect();
    let Some(source) = checker.open_first(paths)? else {
        return Ok(Lock::Absent(tree::join(folder, LOCKS[0])));
    };
    let root = checker.json(&source)?;
    let above = tree::folder(&source.path);
    let inside = if above == "." { folder } else { folder.strip_prefix(above).unwrap_or_default() };
    let own = match inside.trim_matches('/') {
        "" | "." => String::new(),
        inside => format!("{inside}/"),
    };
    let entries = match root.get("packages") {
        Some(packages) => installed(&source, packages, &own),
        None => root.get("dependencies").map_or_else(Vec::new, |node| {
            node.entries().iter().filter_map(|entry| locked(&source, &entry.key, &entry.node)).collect()
        }),
    };
    Ok(Lock::Read(source, entries))
}

/// What the package itself resolves: from its own folder, then from the root; not from other packages.
fn installed(source: &Rc<Source>, packages: &Node, own: &str) -> Vec<Locked> {
    let within = |folder: &str| -> Vec<Locked> {
        let prefix = format!("{folder}{MODULES}");
        let entries = packages.entries().iter().filter_map(|entry| {
            let name = entry.key.strip_prefix(&prefix).filter(|name| !name.contains(MODULES))?;
            locked(source, name, &entry.node)
        });
        entries.collect()
    };
    let mut entries = within(own);
    if !own.is_empty() {
        let own: HashSet<String> = entries.iter().map(|entry| entry.id.clone()).collect();
        entries.extend(within("").into_iter().filter(|shared| !own.contains(&shared.id)));
    }
    entries
}

fn locked(source: &Rc<Source>, folder: &str, node: &Node) -> Option<Locked> {
    // An aliased package has a `name`.
    Locked::new(source, node.text_at(&["name"]).unwrap_or(folder), node.get("version")?)
}
