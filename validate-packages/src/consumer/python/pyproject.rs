//! `pyproject.toml` of the standards, Poetry and uv, and its lock file.

use std::collections::HashMap;
use std::rc::Rc;

use perf_model::packages::{Consumer, Kind};

use super::requirement::Requirement;
use crate::checker::{Checker, Reported};
use crate::consumer::compare::normal;
use crate::consumer::{Choice, Consumed, Declared, Lock, cargo, section_place};
use crate::node::{Entry, Node};
use crate::source::{Place, Source};
use crate::{tree, version};

/// Lock files and the table of their packages.
const LOCKS: &[(&str, &str)] = &[
    ("uv.lock", "package"),
    ("poetry.lock", "package"),
    ("pdm.lock", "package"),
    ("pylock.toml", "packages"),
];

/// Reads a project; `None` if it does not exist.
pub(super) fn read(
    checker: &mut Checker<'_>,
    path: &str,
    consumer: &Consumer,
) -> Result<Option<Consumed>, Reported> {
    let Some(source) = checker.open(path)? else { return Ok(None) };
    let root = checker.toml(&source)?;
    let mut declared: Vec<Declared> =
        requirements(&root).into_iter().filter_map(|node| requirement(&source, node)).collect();
    declared.extend(poetry_entries(&root).into_iter().filter_map(|entry| poetry(&source, entry)));
    redirect(&source, &root, &mut declared);
    let section = section_place(&source, section(&root));
    let lock =
        if consumer.lock { lock(checker, path, root.at(&["tool", "poetry"]).is_some())? } else { Lock::None };
    Ok(Some(Consumed { declared, section, insertion: None, lock }))
}

fn section(root: &Node) -> Option<&Entry> {
    let poetry = root.at(&["tool", "poetry"]).and_then(|poetry| poetry.entry("dependencies"));
    root.get("project").and_then(|project| project.entry("dependencies")).or(poetry)
}

/// All lists of requirements.
fn requirements(root: &Node) -> Vec<&Node> {
    let lists = [&["project", "dependencies"][..], &["tool", "uv", "dev-dependencies"]];
    let groups = [&["project", "optional-dependencies"][..], &["dependency-groups"]];
    let lists = lists.iter().filter_map(|path| root.at(path));
    let grouped =
        groups.iter().filter_map(|path| root.at(path)).flat_map(Node::entries).map(|entry| &entry.node);
    lists.chain(grouped).flat_map(Node::items).collect()
}

/// A table in such a list includes another group, which is a list of its own.
fn requirement(source: &Rc<Source>, node: &Node) -> Option<Declared> {
    let text = node.text()?;
    let Requirement { name, spec, choice } = Requirement::parse(text);
    let inside = node.inside(source)?;
    // Escapes before the version would shift its span.
    let plain = source.slice(&inside).starts_with(&text[..spec.end]);
    let fix = plain.then(|| inside.start + spec.start..inside.start + spec.end);
    Some(Declared {
        id: text[name].to_owned(),
        found: if spec.is_empty() { text } else { &text[spec] }.to_owned(),
        place: Place::new(source, node.span.clone()),
        prefix: "==",
        fix: fix.filter(|_| matches!(choice, Choice::Exact(_) | Choice::Range)),
        choice,
    })
}

fn poetry_entries(root: &Node) -> Vec<&Entry> {
    let Some(poetry) = root.at(&["tool", "poetry"]) else { return Vec::new() };
    let own = ["dependencies", "dev-dependencies"].into_iter().filter_map(|name| poetry.get(name));
    let groups = poetry.get("group").map_or(&[][..], Node::entries).iter();
    let grouped = groups.filter_map(|group| group.node.get("dependencies"));
    own.chain(grouped).flat_map(Node::entries).filter(|entry| entry.key != "python").collect()
}

/// A table without version and origin only refines a requirement of another section.
fn poetry(source: &Rc<Source>, entry: &Entry) -> Option<Declared> {
    let node = &entry.node;
    let has = |keys: &[&str]| keys.iter().any(|key| node.get(key).is_some());
    let requirement = if node.text().is_some() { Some(node) } else { node.get("version") };
    let text = requirement.and_then(Node::text).unwrap_or_default();
    let bare = text.trim().trim_start_matches('=').trim();
    let choice = match requirement {
        _ if has(&["git", "url"]) => Choice::Elsewhere("a URL"),
        _ if has(&["path"]) => Choice::Local,
        None if node.items().is_empty() => return None,
        Some(_) if version::is_exact(Kind::Python, bare) => Choice::Exact(bare.to_owned()),
        _ => Choice::Range,
    };
    Some(Declared {
        id: entry.key.clone(),
        found: if text.is_empty() { source.slice(&node.span) } else { text }.to_owned(),
        choice,
        place: Place::new(source, requirement.unwrap_or(node).span.clone()),
        prefix: if text.starts_with("==") { "==" } else { "" },
        fix: requirement.and_then(|node| node.inside(source)),
    })
}

/// `tool.uv.sources` replaces the origin of a requirement.
fn redirect(source: &Rc<Source>, root: &Node, declared: &mut [Declared]) {
    let entries = root.at(&["tool", "uv", "sources"]).map_or(&[][..], Node::entries);
    let has = |entry: &Entry, keys: &[&str]| keys.iter().any(|key| entry.node.get(key).is_some());
    let redirecting = entries.iter().filter(|entry| has(entry, &["git", "url", "path", "workspace"]));
    let sources: HashMap<String, &Entry> =
        redirecting.map(|entry| (normal(Kind::Python, &entry.key), entry)).collect();
    for declared in declared {
        let Some(entry) = sources.get(&normal(Kind::Python, &declared.id)) else { continue };
        let is_url = has(entry, &["git", "url"]);
        declared.choice = if is_url { Choice::Elsewhere("a URL") } else { Choice::Local };
        source.slice(&entry.node.span).clone_into(&mut declared.found);
        declared.place = Place::new(source, entry.at.clone());
        declared.fix = None;
    }
}

fn lock(checker: &mut Checker<'_>, path: &str, is_poetry: bool) -> Result<Lock, Reported> {
    let folder = tree::folder(path);
    for folder in tree::ancestors(folder) {
        for (name, table) in LOCKS {
            let Some(source) = checker.open(&tree::join(folder, name))? else { continue };
            let root = checker.toml(&source)?;
            return Ok(Lock::Read(Rc::clone(&source), cargo::packages(&source, &root, table)));
        }
    }
    Ok(Lock::Absent(tree::join(folder, if is_poetry { "poetry.lock" } else { "uv.lock" })))
}
