//! The lock files of npm, Yarn and pnpm: the version that a package resolves, and the archive it is downloaded from.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use perf_model::packages::Kind;

use super::name_end;
use crate::checker::{Checker, Reported};
use crate::consumer::origin::{Origin, is_allowed};
use crate::consumer::{Lock, Locked};
use crate::node::{Entry, Node};
use crate::source::{Place, Source};
use crate::tree;

const LOCKS: &[&str] = &["package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml"];
const MODULES: &str = "node_modules/";

/// Hosts whose archives are at `/{id}/-/{name}-{version}.tgz`.
const STANDARD: &[&str] = &["https://registry.npmjs.org/", "https://registry.yarnpkg.com/"];

/// The lock files of the nearest folder with any: the packages of a workspace share those of its root.
pub(super) fn read(checker: &mut Checker<'_>, path: &str, root: &Node) -> Result<Vec<Lock>, Reported> {
    let folder = tree::folder(path);
    for above in tree::ancestors(folder) {
        let mut locks = Vec::new();
        for name in LOCKS {
            let Some(source) = checker.open(&tree::join(above, name))? else { continue };
            let inside = if above == "." { folder } else { folder.strip_prefix(above).unwrap_or_default() };
            let own = if inside == "." { "" } else { inside.trim_matches('/') };
            let mut locked = match *name {
                "yarn.lock" => yarn(&source, &checker.yarn(&source)?, root),
                "pnpm-lock.yaml" => pnpm(&source, &checker.yaml(&source)?, own),
                _ => npm(&source, &checker.json(&source)?, own),
            };
            for entry in &mut locked {
                entry.check_archive(checker);
            }
            locks.push(Lock::Read(source, locked));
        }
        if !locks.is_empty() {
            return Ok(locks);
        }
    }
    let tool = root.text_at(&["packageManager"]).unwrap_or_default();
    let name = if tool.starts_with("yarn") {
        LOCKS[2]
    } else if tool.starts_with("pnpm") {
        LOCKS[3]
    } else {
        LOCKS[0]
    };
    Ok(vec![Lock::Absent(tree::join(folder, name))])
}

impl Locked {
    /// A registry also serves other packages, and other versions.
    fn check_archive(&mut self, checker: &Checker<'_>) {
        let Some(origin) = self.origin.as_mut().filter(|origin| origin.elsewhere.is_none()) else { return };
        let path = STANDARD.iter().find_map(|host| origin.found.strip_prefix(host));
        let Some(path) = path.filter(|_| is_allowed(checker.manifest, Kind::Npm, &origin.found)) else {
            return;
        };
        let path = path.split(['#', '?']).next().unwrap_or_default().replace("%2f", "/").replace("%2F", "/");
        let name = self.id.rsplit('/').next().unwrap_or_default();
        let version = self.version.split('+').next().unwrap_or_default();
        if path != format!("{}/-/{name}-{version}.tgz", self.id) {
            origin.elsewhere = Some("the archive of another package");
        }
    }
}

/// `package-lock.json` of versions 1 to 3.
fn npm(source: &Rc<Source>, root: &Node, own: &str) -> Vec<Locked> {
    if let Some(packages) = root.get("packages") {
        return installed(source, packages, own);
    }
    let entries = root.get("dependencies").map_or(&[][..], Node::entries);
    entries.iter().filter_map(|entry| npm_entry(source, &entry.key, entry)).collect()
}

/// What the package itself resolves: from its own folder, then from the root; not from other packages.
fn installed(source: &Rc<Source>, packages: &Node, own: &str) -> Vec<Locked> {
    let within = |folder: &str| -> Vec<Locked> {
        let prefix = format!("{folder}{MODULES}");
        let entries = packages.entries().iter().filter_map(|entry| {
            let name = entry.key.strip_prefix(&prefix).filter(|name| !name.contains(MODULES))?;
            npm_entry(source, name, entry)
        });
        entries.collect()
    };
    if own.is_empty() {
        return within("");
    }
    let mut entries = within(&format!("{own}/"));
    let own: HashSet<String> = entries.iter().map(|entry| entry.id.clone()).collect();
    entries.extend(within("").into_iter().filter(|shared| !own.contains(&shared.id)));
    entries
}

fn npm_entry(source: &Rc<Source>, folder: &str, entry: &Entry) -> Option<Locked> {
    let (node, place) = (&entry.node, |node: &Node| Place::new(source, node.span.clone()));
    // An aliased package has a `name`.
    let id = node.text_at(&["name"]).unwrap_or(folder);
    let from = node.get("resolved").and_then(|node| Some((node, node.text()?)));
    if let Some(link) = node.get("link") {
        // A link has no version, so it is none of a release.
        let found = from.map_or(folder, |(_, found)| found);
        let origin = Some(Origin::elsewhere(found, "a folder", place(link)));
        return Some(Locked { id: id.to_owned(), version: found.to_owned(), place: place(link), origin });
    }
    let mut locked = Locked::new(source, id, node.get("version")?)?;
    // In version 1, an alias or another origin takes the place of the version.
    let aliased = locked.version.strip_prefix("npm:").map(|target| {
        let end = name_end(target);
        (target[..end].to_owned(), target[end..].trim_start_matches('@').to_owned())
    });
    if let Some((id, version)) = aliased {
        (locked.id, locked.version) = (id, version);
    }
    locked.origin = from.map(|(node, url)| origin(url, place(node)));
    Some(locked)
}

/// A URL of an archive; everything else comes from a repository or a folder.
fn origin(url: &str, place: Place) -> Origin {
    match url.split_once(':').map(|(scheme, _)| scheme) {
        Some("https" | "http") if !url.contains(".git#") => Origin::registry(url, place),
        Some(scheme) if scheme != "file" => Origin::elsewhere(url, "a repository", place),
        _ => Origin::elsewhere(url, "a folder", place),
    }
}

/// `yarn.lock`: what each requirement of the package resolves to, and without one every entry.
fn yarn(source: &Rc<Source>, lock: &Node, root: &Node) -> Vec<Locked> {
    let sections = super::SECTIONS.iter().filter_map(|section| root.get(section)).flat_map(Node::entries);
    let wanted: HashSet<String> = sections
        .filter_map(|entry| Some((&entry.key, entry.node.text()?)))
        .flat_map(|(name, range)| [format!("{name}@{range}"), format!("{name}@npm:{range}")])
        .collect();
    let is_wanted = |entry: &Entry| entry.key.split(", ").any(|descriptor| wanted.contains(descriptor));
    let locked = |entry: &Entry| yarn_entry(source, entry);
    let mut entries: Vec<Locked> =
        lock.entries().iter().filter(|entry| is_wanted(entry)).filter_map(locked).collect();
    let found: HashSet<String> = entries.iter().map(|entry| entry.id.clone()).collect();
    let others = lock.entries().iter().filter(|entry| !is_wanted(entry)).filter_map(locked);
    entries.extend(others.filter(|entry| !found.contains(&entry.id)));
    entries
}

/// One package: with `resolved`, a URL (Yarn 1), or with `resolution`, such as `mitt@npm:3.0.1`.
fn yarn_entry(source: &Rc<Source>, entry: &Entry) -> Option<Locked> {
    let place = |node: &Node| Place::new(source, node.span.clone());
    let Some((node, resolution)) = entry.node.get("resolution").and_then(|node| Some((node, node.text()?)))
    else {
        let descriptor = entry.key.split(", ").next()?;
        let (name, range) = descriptor.split_at(name_end(descriptor));
        let target = range.strip_prefix("@npm:").filter(|target| name_end(target) < target.len());
        let id = target.map_or(name, |target| &target[..name_end(target)]);
        let mut locked = Locked::new(source, id, entry.node.get("version")?)?;
        let from = entry.node.get("resolved").and_then(|node| Some((node, node.text()?)));
        locked.origin = from.map(|(node, url)| origin(url, place(node)));
        return Some(locked);
    };
    let (id, from) = resolution.split_at(name_end(resolution));
    let mut locked = Locked::new(source, id, entry.node.get("version")?)?;
    locked.origin = match from.strip_prefix("@npm:").map(|from| from.split_once("::__archiveUrl=")) {
        Some(None) => None,
        Some(Some((_, url))) => {
            Some(Origin::registry(url.replace("%3A", ":").replace("%2F", "/"), place(node)))
        }
        None if from.starts_with("@workspace:") => {
            Some(Origin::elsewhere(resolution, "a folder", place(node)))
        }
        None if from.starts_with("@patch:") => {
            Some(Origin::elsewhere(resolution, "a patched copy", place(node)))
        }
        None => Some(Origin::elsewhere(resolution, "a repository or a URL", place(node))),
    };
    Some(locked)
}

/// `pnpm-lock.yaml` of versions 5 to 9: the package's own dependencies, and the archives in `packages`.
fn pnpm(source: &Rc<Source>, lock: &Node, own: &str) -> Vec<Locked> {
    let importer = lock.at(&["importers", if own.is_empty() { "." } else { own }]);
    let importer = importer.or_else(|| Some(lock).filter(|_| own.is_empty()));
    let sections =
        super::SECTIONS.iter().filter_map(|section| importer?.get(section)).flat_map(Node::entries);
    let key = |entry: &Entry| without_peers(&entry.key).to_owned();
    let packages = lock.get("packages").map_or(&[][..], Node::entries);
    let packages: HashMap<String, &Node> = packages.iter().map(|entry| (key(entry), &entry.node)).collect();
    sections.filter_map(|entry| pnpm_entry(source, entry, &packages)).collect()
}

/// A version, or a package with its version, without the peers: in parentheses, and up to version 5 after `_`.
fn without_peers(text: &str) -> &str {
    let text = text.split('(').next().unwrap_or_default();
    let is_version = |at: &usize| {
        let part = text[..*at].rsplit(['/', '@']).next().unwrap_or_default();
        part.starts_with(|c: char| c.is_ascii_digit())
    };
    let end = text.match_indices('_').map(|(at, _)| at).find(is_version);
    &text[..end.unwrap_or(text.len())]
}

fn pnpm_entry(source: &Rc<Source>, entry: &Entry, packages: &HashMap<String, &Node>) -> Option<Locked> {
    let node = if entry.node.text().is_some() { &entry.node } else { entry.node.get("version")? };
    let text = node.text()?;
    let place = Place::new(source, node.span.clone());
    let bare = without_peers(text);
    let mut locked = Locked::new(source, &entry.key, node)?;
    bare.clone_into(&mut locked.version);
    // An alias names its target: `eventemitter3@5.0.1`, `/eventemitter3@5.0.1` or `/eventemitter3/5.0.1`.
    let target = bare.strip_prefix('/').unwrap_or(bare);
    let end = if name_end(target) < target.len() { Some(name_end(target)) } else { target.rfind('/') };
    if let Some(end) = end.filter(|_| !bare.contains(':')) {
        (locked.id, locked.version) = (target[..end].to_owned(), target[end + 1..].to_owned());
    }
    if !crate::version::is_exact(Kind::Npm, &locked.version) {
        let what = if bare.starts_with("link:") || bare.starts_with("file:") {
            "a folder"
        } else {
            "a repository or a URL"
        };
        locked.origin = Some(Origin::elsewhere(text, what, place));
        return Some(locked);
    }
    let keys = [("", "@"), ("/", "@"), ("/", "/")]
        .map(|(start, mark)| format!("{start}{}{mark}{}", locked.id, locked.version));
    let package = keys.iter().find_map(|key| packages.get(key));
    let archive = package.and_then(|package| package.at(&["resolution", "tarball"]));
    locked.origin =
        archive.and_then(|node| Some(origin(node.text()?, Place::new(source, node.span.clone()))));
    Some(locked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peers_are_not_part_of_a_version() {
        let texts = [
            "1.0.0(react@18.2.0)(@a/b_c@1.0.0)",
            "3.0.1_react@18.2.0+@babel+core@7.0.0",
            "/string_decoder/1.3.0_x@1.0.0",
            "string_decoder@1.3.0",
            "/@a_b/c/1.0.0",
        ];
        let expected = ["1.0.0", "3.0.1", "/string_decoder/1.3.0", "string_decoder@1.3.0", "/@a_b/c/1.0.0"];
        assert_eq!(texts.map(without_peers), expected);
    }
}
