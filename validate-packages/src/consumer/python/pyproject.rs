//! `pyproject.toml` of the standards, Poetry and uv, and its lock file.

use perf_model::packages::{Consumer, Kind, Manifest};

use super::requirement::Requirement;
use super::settings::PythonSettings;
use crate::checker::{Checker, Reported};
use crate::consumer::origin::{LockOrigin, is_allowed, is_host_allowed};
use crate::consumer::{Consumed, DeclaredChoice, DeclaredDependency, Lock, ReadConsumer, cargo};
use crate::node::{self, Node, ObjectEntry};
use crate::tree;

/// Lock files and the table of their packages.
const LOCKS: [(&str, &str); 4] = [
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

pub(super) fn read(checker: &mut Checker<'_>, path: &str, consumer: &Consumer) -> ReadConsumer {
    let Some(root) = checker.parse(path, node::toml)? else {
        return Ok(None);
    };
    let mut files = Consumed::of(&root, section(&root));
    files
        .declared
        .extend(requirements(&root).into_iter().filter_map(requirement));
    let poetry_entries = poetry_entries(&root);
    for entry in &poetry_entries {
        // A list has a table for each platform.
        files.declared.extend(
            entry
                .node
                .each()
                .iter()
                .filter_map(|node| poetry(entry, node)),
        );
    }
    if consumer.lock {
        files
            .locks
            .push(lock(checker, path, root.at(&["tool", "poetry"]).is_some())?);
    }
    shared(checker, path, &root, &mut files)?;
    let mut settings = PythonSettings::new(&mut files);
    settings.project(&root);
    for entry in poetry_entries {
        settings.named(&entry.key, entry.node.string("source"));
    }
    Ok(Some(files))
}

/// The nearest `uv.toml`, and the root of the workspace that a project belongs to.
fn shared(
    checker: &mut Checker<'_>,
    path: &str,
    own: &Node,
    files: &mut Consumed,
) -> Result<(), Reported> {
    let folder = tree::folder(path);
    if let Some(root) = checker.parse_nearest(folder, &["uv.toml"], node::toml)? {
        PythonSettings::new(files).uv(&root);
    }
    let is_root = |root: &Node| root.at(&["tool", "uv", "workspace"]).is_some();
    for folder in tree::ancestors(folder)
        .skip(1)
        .filter(|_| own.get("project").is_some() && !is_root(own))
    {
        let root = checker.parse(&tree::join(folder, "pyproject.toml"), node::toml)?;
        if let Some(root) = root.filter(is_root) {
            PythonSettings::new(files).project(&root);
            break;
        }
    }
    Ok(())
}

fn section(root: &Node) -> Option<&ObjectEntry> {
    let poetry = root
        .at(&["tool", "poetry"])
        .and_then(|poetry| poetry.entry("dependencies"));
    root.get("project")
        .and_then(|project| project.entry("dependencies"))
        .or(poetry)
}

fn requirements(root: &Node) -> Vec<&Node> {
    let lists = [
        &["project", "dependencies"][..],
        &["tool", "uv", "dev-dependencies"],
    ];
    let groups = [
        &["project", "optional-dependencies"][..],
        &["dependency-groups"],
    ];
    let lists = lists.iter().filter_map(|path| root.at(path));
    let grouped = groups
        .iter()
        .filter_map(|path| root.at(path))
        .flat_map(Node::entries)
        .map(|entry| &entry.node);
    lists.chain(grouped).flat_map(Node::items).collect()
}

/// A table in such a list includes another group, which is a list of its own.
fn requirement(node: &Node) -> Option<DeclaredDependency> {
    let text = node.text()?;
    let Requirement { name, spec, choice } = Requirement::parse(text);
    let inside = node.inside()?;
    // Escapes before the version would shift its span.
    let plain = node
        .place
        .source
        .slice(&inside)
        .starts_with(&text[..spec.end]);
    let found = if spec.is_empty() {
        text
    } else {
        &text[spec.clone()]
    };
    let fix = plain.then(|| inside.start + spec.start..inside.start + spec.end);
    Some(DeclaredDependency::new(&text[name], found, choice, &node.place).fixed_at(fix))
}

fn poetry_entries(root: &Node) -> Vec<&ObjectEntry> {
    let Some(poetry) = root.at(&["tool", "poetry"]) else {
        return Vec::new();
    };
    let own = ["dependencies", "dev-dependencies"]
        .into_iter()
        .filter_map(|name| poetry.get(name));
    let grouped = poetry
        .table(&["group"])
        .iter()
        .filter_map(|group| group.node.get("dependencies"));
    own.chain(grouped)
        .flat_map(Node::entries)
        .filter(|entry| entry.key != "python")
        .collect()
}

/// A table without version and origin only refines a requirement of another section.
fn poetry(entry: &ObjectEntry, node: &Node) -> Option<DeclaredDependency> {
    let requirement = if node.text().is_some() {
        Some(node)
    } else {
        node.get("version")
    };
    let text = requirement.and_then(Node::text).unwrap_or_default();
    let bare = text.trim().trim_start_matches('=').trim();
    let choice = match requirement {
        _ if node.has(&["git", "url"]) => DeclaredChoice::Elsewhere("a URL"),
        _ if node.has(&["path", "file"]) => DeclaredChoice::Local,
        None => return None,
        Some(_) => DeclaredChoice::of_version(Kind::Python, bare),
    };
    let found = if text.is_empty() {
        node.place.text()
    } else {
        text
    };
    let declared = DeclaredDependency::new(
        &entry.key,
        found,
        choice,
        &requirement.unwrap_or(node).place,
    );
    let prefix = if text.starts_with("==") { "==" } else { "" };
    Some(DeclaredDependency {
        prefix: Some(prefix),
        fix: requirement.and_then(Node::inside),
        ..declared
    })
}

fn lock(checker: &mut Checker<'_>, path: &str, is_poetry: bool) -> Result<Lock, Reported> {
    let (folder, manifest) = (tree::folder(path), checker.manifest);
    let Some(root) = checker.parse_nearest(folder, &LOCKS.map(|(name, _)| name), node::toml)?
    else {
        return Ok(Lock::Absent(tree::join(
            folder,
            if is_poetry { "poetry.lock" } else { "uv.lock" },
        )));
    };
    let table = LOCKS
        .iter()
        .find(|(name, _)| root.place.source.path.ends_with(name));
    let packages = cargo::packages(&root, table.map_or("", |lock| lock.1), &|item| {
        origin(manifest, item)
    });
    Ok(Lock::read(&root, packages))
}

/// The origin of a locked package: in `source` (uv, Poetry), or in keys of its own (PDM, `pylock.toml`).
fn origin(manifest: &Manifest, item: &Node) -> Option<LockOrigin> {
    let from = item.get("source").unwrap_or(item);
    let is_index = from.text_at(&["type"]) == Some("legacy");
    let index = from
        .get("registry")
        .or_else(|| from.get("index"))
        .or_else(|| from.get("url").filter(|_| is_index));
    if let Some(index) = index.filter(|index| !is_allowed(manifest, Kind::Python, index.shown())) {
        return Some(LockOrigin::registry(index.shown(), &index.place));
    }
    for (key, what) in ELSEWHERE {
        if let Some(node) = from.get(key).filter(|_| index.is_none()) {
            return Some(LockOrigin::elsewhere(node.shown(), what, &node.place));
        }
    }
    // The archives, which are downloaded from their own URLs.
    let lists = ["wheels", "files"].iter().flat_map(|key| item.list(&[key]));
    let urls = lists
        .chain(item.get("sdist"))
        .filter_map(|archive| archive.get("url"));
    let mut others = urls.filter(|url| !is_host_allowed(manifest, Kind::Python, url.shown()));
    others
        .next()
        .map(|url| LockOrigin::elsewhere(url.shown(), "another host", &url.place))
}
