//! `pyproject.toml` of the standards, Poetry and uv, and its lock file.

use std::rc::Rc;

use perf_model::packages::{Consumer, Kind, Manifest};

use super::requirement::Requirement;
use super::settings::Settings;
use crate::checker::{Checker, Reported};
use crate::consumer::origin::{Origin, Registry, is_allowed, is_host_allowed};
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

/// Keys of a locked package that comes from no registry.
const ELSEWHERE: &[(&str, &str)] = &[
    ("git", "a repository"),
    ("vcs", "a repository"),
    ("url", "a URL"),
    ("archive", "a URL"),
    ("path", "a folder"),
    ("directory", "a folder"),
    ("editable", "a folder"),
    ("virtual", "a folder"),
    ("type", "elsewhere"),
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
    let poetry_entries = poetry_entries(&root);
    for entry in &poetry_entries {
        // A list has a table for each platform.
        let tables = if entry.node.items().is_empty() {
            std::slice::from_ref(&entry.node)
        } else {
            entry.node.items()
        };
        declared.extend(tables.iter().filter_map(|node| poetry(&source, entry, node)));
    }
    let section = section_place(&source, section(&root));
    let is_poetry = root.at(&["tool", "poetry"]).is_some();
    let locks = if consumer.lock { vec![lock(checker, path, is_poetry)?] } else { Vec::new() };
    let (mut registries, mut redirects) = shared(checker, path, &root)?;
    let mut settings = Settings::new(&source);
    settings.project(&root);
    settings.sources(&root);
    for entry in poetry_entries {
        settings.named(&entry.key, entry.node.get("source"));
    }
    registries.extend(settings.registries);
    redirects.extend(settings.redirects);
    Ok(Some(Consumed { declared, redirects, registries, section, insertion: None, locks }))
}

/// The nearest `uv.toml`, and the root of the workspace that a project belongs to.
fn shared(
    checker: &mut Checker<'_>,
    path: &str,
    own: &Node,
) -> Result<(Vec<Registry>, Vec<Declared>), Reported> {
    let (mut registries, mut redirects) = (Vec::new(), Vec::new());
    let folders: Vec<String> = tree::ancestors(tree::folder(path)).map(str::to_owned).collect();
    if let Some(source) = checker.open_first(folders.iter().map(|folder| tree::join(folder, "uv.toml")))? {
        let root = checker.toml(&source)?;
        let mut settings = Settings::new(&source);
        settings.uv(&root);
        registries.extend(settings.registries);
        redirects.extend(settings.redirects);
    }
    let is_root = |root: &Node| root.at(&["tool", "uv", "workspace"]).is_some();
    for folder in folders.iter().skip(1).filter(|_| own.get("project").is_some() && !is_root(own)) {
        let Some(source) = checker.open(&tree::join(folder, "pyproject.toml"))? else { continue };
        let root = checker.toml(&source)?;
        if is_root(&root) {
            let mut settings = Settings::new(&source);
            settings.project(&root);
            settings.sources(&root);
            registries.extend(settings.registries);
            redirects.extend(settings.redirects);
            break;
        }
    }
    Ok((registries, redirects))
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
fn poetry(source: &Rc<Source>, entry: &Entry, node: &Node) -> Option<Declared> {
    let has = |keys: &[&str]| keys.iter().any(|key| node.get(key).is_some());
    let requirement = if node.text().is_some() { Some(node) } else { node.get("version") };
    let text = requirement.and_then(Node::text).unwrap_or_default();
    let bare = text.trim().trim_start_matches('=').trim();
    let choice = match requirement {
        _ if has(&["git", "url"]) => Choice::Elsewhere("a URL"),
        _ if has(&["path", "file"]) => Choice::Local,
        None => return None,
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

fn lock(checker: &mut Checker<'_>, path: &str, is_poetry: bool) -> Result<Lock, Reported> {
    let folder = tree::folder(path);
    for folder in tree::ancestors(folder) {
        for (name, table) in LOCKS {
            let Some(source) = checker.open(&tree::join(folder, name))? else { continue };
            let root = checker.toml(&source)?;
            let manifest = checker.manifest;
            let origin = |source: &Rc<Source>, item: &Node| origin(manifest, source, item);
            return Ok(Lock::Read(Rc::clone(&source), cargo::packages(&source, &root, table, &origin)));
        }
    }
    Ok(Lock::Absent(tree::join(folder, if is_poetry { "poetry.lock" } else { "uv.lock" })))
}

/// The origin of a locked package: in `source` (uv, Poetry), or in keys of its own (PDM, `pylock.toml`).
fn origin(manifest: &Manifest, source: &Rc<Source>, item: &Node) -> Option<Origin> {
    let place = |node: &Node| Place::new(source, node.span.clone());
    let text = |node: &Node| node.text().unwrap_or_else(|| source.slice(&node.span)).to_owned();
    let from = item.get("source").unwrap_or(item);
    let is_index = from.text_at(&["type"]) == Some("legacy");
    let index =
        from.get("registry").or_else(|| from.get("index")).or_else(|| from.get("url").filter(|_| is_index));
    if let Some(index) = index.filter(|index| !is_allowed(manifest, Kind::Python, &text(index))) {
        return Some(Origin::registry(text(index), place(index)));
    }
    for (key, what) in ELSEWHERE {
        if let Some(node) = from.get(key).filter(|_| index.is_none()) {
            return Some(Origin::elsewhere(text(node), what, place(node)));
        }
    }
    // The archives, which are downloaded from their own URLs.
    let lists = ["wheels", "files"].iter().filter_map(|key| item.get(key)).flat_map(Node::items);
    let urls = lists.chain(item.get("sdist")).filter_map(|archive| archive.get("url"));
    let mut others = urls.filter(|url| !is_host_allowed(manifest, Kind::Python, &text(url)));
    others.next().map(|url| Origin::elsewhere(text(url), "another host", place(url)))
}
