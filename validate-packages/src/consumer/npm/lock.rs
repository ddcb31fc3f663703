//! The lock files of npm, Yarn and pnpm: the version that a package resolves, and the archive it is downloaded from.

use std::collections::{HashMap, HashSet};

use perf_model::packages::Kind;

use super::{dependencies, name_end};
use crate::checker::{Checker, Reported};
use crate::consumer::origin::{LockOrigin, is_allowed};
use crate::consumer::{Lock, Locked};
use crate::node::{self, Node, ObjectEntry};
use crate::source::SourceSpan;
use crate::{tree, version};

const LOCKS: &[&str] = &[
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
];
const MODULES: &str = "node_modules/";
const URL: &str = "a repository or a URL";

/// Hosts whose archives are at `/{id}/-/{name}-{version}.tgz`.
const STANDARD: &[&str] = &[
    "https://registry.npmjs.org/",
    "https://registry.yarnpkg.com/",
];

/// The lock files of the nearest folder with any: the packages of a workspace share those of its root.
pub(super) fn read(
    checker: &mut Checker<'_>,
    path: &str,
    root: &Node,
) -> Result<Vec<Lock>, Reported> {
    let folder = tree::folder(path);
    for above in tree::ancestors(folder) {
        let inside = if above == "." {
            folder
        } else {
            folder.strip_prefix(above).unwrap_or_default()
        };
        let own = if inside == "." {
            ""
        } else {
            inside.trim_matches('/')
        };
        let mut locks = Vec::new();
        for name in LOCKS {
            let path = tree::join(above, name);
            let lock = match *name {
                "yarn.lock" => checker
                    .parse(&path, node::yarn)?
                    .map(|lock| (yarn(&lock, root), lock)),
                "pnpm-lock.yaml" => checker
                    .parse(&path, node::yaml)?
                    .map(|lock| (pnpm(&lock, own), lock)),
                _ => checker.json(&path)?.map(|lock| (npm(&lock, own), lock)),
            };
            let Some((mut locked, lock)) = lock else {
                continue;
            };
            for entry in &mut locked {
                entry.check_archive(checker);
            }
            locks.push(Lock::read(&lock, locked));
        }
        if !locks.is_empty() {
            return Ok(locks);
        }
    }
    let tool = root.text_at(&["packageManager"]).unwrap_or_default();
    let by_tool = LOCKS
        .iter()
        .skip(2)
        .find(|name| name.get(..4).is_some_and(|start| tool.starts_with(start)));
    Ok(vec![Lock::Absent(tree::join(
        folder,
        by_tool.unwrap_or(&LOCKS[0]),
    ))])
}

impl Locked {
    /// A registry also serves other packages, and other versions.
    fn check_archive(&mut self, checker: &Checker<'_>) {
        let Some(origin) = self
            .origin
            .as_mut()
            .filter(|origin| origin.elsewhere.is_none())
        else {
            return;
        };
        let path = STANDARD
            .iter()
            .find_map(|host| origin.found.strip_prefix(host));
        let Some(path) = path.filter(|_| is_allowed(checker.manifest, Kind::Npm, &origin.found))
        else {
            return;
        };
        let path = path
            .split(['#', '?'])
            .next()
            .unwrap_or_default()
            .replace("%2f", "/")
            .replace("%2F", "/");
        let name = self.id.rsplit('/').next().unwrap_or_default();
        let version = self.version.split('+').next().unwrap_or_default();
        if path != format!("{}/-/{name}-{version}.tgz", self.id) {
            origin.elsewhere = Some("the archive of another package");
        }
    }
}

/// `package-lock.json` of versions 1 to 3.
fn npm(root: &Node, own: &str) -> Vec<Locked> {
    match root.get("packages") {
        Some(packages) => installed(packages, own),
        None => root
            .table(&["dependencies"])
            .iter()
            .filter_map(|entry| npm_entry(&entry.key, entry))
            .collect(),
    }
}

/// The versions that the package itself resolves: from its own folder, then from the root; not from other packages.
fn installed(packages: &Node, own: &str) -> Vec<Locked> {
    let within = |folder: &str| -> Vec<Locked> {
        let prefix = format!("{folder}{MODULES}");
        let entries = packages.entries().iter().filter_map(|entry| {
            let name = entry
                .key
                .strip_prefix(&prefix)
                .filter(|name| !name.contains(MODULES))?;
            npm_entry(name, entry)
        });
        entries.collect()
    };
    if own.is_empty() {
        return within("");
    }
    preferred(within(&format!("{own}/")), within(""))
}

/// Entries, and others of packages that are not among them.
fn preferred(mut entries: Vec<Locked>, others: Vec<Locked>) -> Vec<Locked> {
    let found: HashSet<String> = entries.iter().map(|entry| entry.id.clone()).collect();
    entries.extend(
        others
            .into_iter()
            .filter(|entry| !found.contains(&entry.id)),
    );
    entries
}

fn npm_entry(folder: &str, entry: &ObjectEntry) -> Option<Locked> {
    let node = &entry.node;
    // An aliased package has a `name`.
    let id = node.text_at(&["name"]).unwrap_or(folder);
    if let Some(link) = node.get("link") {
        // A link has no version, so it is none of a release.
        let found = node.text_at(&["resolved"]).unwrap_or(folder);
        let origin = Some(LockOrigin::elsewhere(found, "a folder", &link.place));
        let (id, version, place) = (id.to_owned(), found.to_owned(), link.place.clone());
        return Some(Locked {
            id,
            version,
            place,
            origin,
        });
    }
    let mut locked = Locked::new(id, node.get("version")?)?;
    // In version 1, an alias or another origin takes the place of the version.
    let aliased = locked.version.strip_prefix("npm:").map(|target| {
        let (id, version) = target.split_at(name_end(target));
        (id.to_owned(), version.trim_start_matches('@').to_owned())
    });
    if let Some((id, version)) = aliased {
        (locked.id, locked.version) = (id, version);
    }
    locked.origin = resolved(node);
    Some(locked)
}

/// The archive in `resolved`.
fn resolved(node: &Node) -> Option<LockOrigin> {
    node.string("resolved")
        .map(|(node, url)| origin(url, &node.place))
}

/// A URL of an archive; everything else comes from a repository or a folder.
fn origin(url: &str, place: &SourceSpan) -> LockOrigin {
    match url.split_once(':').map(|(scheme, _)| scheme) {
        Some("https" | "http") if !url.contains(".git#") => LockOrigin::registry(url, place),
        Some(scheme) if scheme != "file" => LockOrigin::elsewhere(url, "a repository", place),
        _ => LockOrigin::elsewhere(url, "a folder", place),
    }
}

/// `yarn.lock`: what each requirement of the package resolves to, and without one every entry.
fn yarn(lock: &Node, root: &Node) -> Vec<Locked> {
    let wanted: HashSet<String> = dependencies(root)
        .filter_map(|entry| Some((&entry.key, entry.node.text()?)))
        .flat_map(|(name, range)| [format!("{name}@{range}"), format!("{name}@npm:{range}")])
        .collect();
    let is_wanted = |entry: &&ObjectEntry| {
        entry
            .key
            .split(", ")
            .any(|descriptor| wanted.contains(descriptor))
    };
    let (own, others): (Vec<&ObjectEntry>, Vec<&ObjectEntry>) =
        lock.entries().iter().partition(is_wanted);
    let [own, others] =
        [own, others].map(|entries| entries.into_iter().filter_map(yarn_entry).collect());
    preferred(own, others)
}

/// One package: with `resolved`, a URL (Yarn 1), or with `resolution`, such as `mitt@npm:3.0.1`.
fn yarn_entry(entry: &ObjectEntry) -> Option<Locked> {
    let version = entry.node.get("version")?;
    let Some((node, resolution)) = entry.node.string("resolution") else {
        let descriptor = entry.key.split(", ").next()?;
        let (name, range) = descriptor.split_at(name_end(descriptor));
        let target = range
            .strip_prefix("@npm:")
            .filter(|target| name_end(target) < target.len());
        let id = target.map_or(name, |target| &target[..name_end(target)]);
        return Some(Locked {
            origin: resolved(&entry.node),
            ..Locked::new(id, version)?
        });
    };
    let (id, from) = resolution.split_at(name_end(resolution));
    let elsewhere = |what| Some(LockOrigin::elsewhere(resolution, what, &node.place));
    let origin = match from
        .strip_prefix("@npm:")
        .map(|from| from.split_once("::__archiveUrl="))
    {
        Some(None) => None,
        Some(Some((_, url))) => Some(LockOrigin::registry(
            &url.replace("%3A", ":").replace("%2F", "/"),
            &node.place,
        )),
        None if from.starts_with("@workspace:") => elsewhere("a folder"),
        None if from.starts_with("@patch:") => elsewhere("a patched copy"),
        None => elsewhere(URL),
    };
    Some(Locked {
        origin,
        ..Locked::new(id, version)?
    })
}

/// `pnpm-lock.yaml` of versions 5 to 9: the package's own dependencies, and the archives in `packages`.
fn pnpm(lock: &Node, own: &str) -> Vec<Locked> {
    let importer = lock.at(&["importers", if own.is_empty() { "." } else { own }]);
    let importer = importer.or_else(|| Some(lock).filter(|_| own.is_empty()));
    let packages = lock.table(&["packages"]).iter();
    let packages: HashMap<&str, &Node> = packages
        .map(|entry| (without_peers(&entry.key), &entry.node))
        .collect();
    importer
        .into_iter()
        .flat_map(dependencies)
        .filter_map(|entry| pnpm_entry(entry, &packages))
        .collect()
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

fn pnpm_entry(entry: &ObjectEntry, packages: &HashMap<&str, &Node>) -> Option<Locked> {
    let node = if entry.node.text().is_some() {
        &entry.node
    } else {
        entry.node.get("version")?
    };
    let text = node.text()?;
    let bare = without_peers(text);
    let mut locked = Locked::new(&entry.key, node)?;
    bare.clone_into(&mut locked.version);
    // An alias names its target: `eventemitter3@5.0.1`, `/eventemitter3@5.0.1` or `/eventemitter3/5.0.1`.
    let target = bare.strip_prefix('/').unwrap_or(bare);
    let end = if name_end(target) < target.len() {
        Some(name_end(target))
    } else {
        target.rfind('/')
    };
    if let Some(end) = end.filter(|_| !bare.contains(':')) {
        (locked.id, locked.version) = (target[..end].to_owned(), target[end + 1..].to_owned());
    }
    if !version::is_exact(Kind::Npm, &locked.version) {
        let is_local = bare.starts_with("link:") || bare.starts_with("file:");
        let what = if is_local { "a folder" } else { URL };
        return Some(Locked {
            origin: Some(LockOrigin::elsewhere(text, what, &node.place)),
            ..locked
        });
    }
    let keys = [("", "@"), ("/", "@"), ("/", "/")]
        .map(|(start, mark)| format!("{start}{}{mark}{}", locked.id, locked.version));
    let package = keys.iter().find_map(|key| packages.get(key.as_str()));
    let archive = package.and_then(|package| package.at(&["resolution", "tarball"]));
    locked.origin = archive.and_then(|node| Some(origin(node.text()?, &node.place)));
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
        let expected = [
            "1.0.0",
            "3.0.1",
            "/string_decoder/1.3.0",
            "string_decoder@1.3.0",
            "/@a_b/c/1.0.0",
        ];
        assert_eq!(texts.map(without_peers), expected);
    }
}
