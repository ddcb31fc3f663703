//! The settings that replace versions and origins of npm packages: overrides and patches in `package.json`, and files
//! of npm, Yarn and pnpm beside it or above.

use std::rc::Rc;

use perf_model::packages::{Kind, Manifest};
use semver::{Version, VersionReq};

use super::{MANIFEST, declared, name_end};
use crate::checker::{Checker, Reported};
use crate::consumer::{Consumed, DeclaredDependency};
use crate::node::{self, Node, ObjectEntry};
use crate::source::{SourceFile, SourceSpan};
use crate::{tree, version};

const PNPM: &str = "pnpm-workspace.yaml";
const YARN: &str = ".yarnrc.yml";

/// Files with `catalog:` versions, which the packages of a workspace share.
pub(super) struct Catalogs(Vec<Node>);

/// Reads the settings that apply to a `package.json`.
pub(super) fn read(
    checker: &mut Checker<'_>,
    root: &Node,
    files: &mut Consumed,
) -> Result<Catalogs, Reported> {
    let (mut catalogs, own) = (Vec::new(), &root.place.source.path);
    package(checker.manifest, root, files);
    for folder in tree::ancestors(tree::folder(own)) {
        for name in [".npmrc", ".yarnrc"] {
            if let Some(file) = checker.open(&tree::join(folder, name))? {
                lines(&file, files);
            }
        }
        let mut is_workspace = false;
        for name in [PNPM, YARN] {
            let Some(root) = checker.parse(&tree::join(folder, name), node::yaml)? else {
                continue;
            };
            yaml(checker.manifest, &root, files);
            is_workspace |= name == PNPM;
            catalogs.push(root);
        }
        let path = tree::join(folder, MANIFEST);
        let root = if path == *own {
            None
        } else {
            checker.json(&path)?
        };
        if let Some(root) = root.filter(|root| is_workspace || root.get("workspaces").is_some()) {
            package(checker.manifest, &root, files);
        }
    }
    Ok(Catalogs(catalogs))
}

/// `overrides` of npm, `resolutions` of Yarn, and the table of pnpm.
fn package(manifest: &Manifest, root: &Node, files: &mut Consumed) {
    for path in [&["overrides"][..], &["resolutions"], &["pnpm", "overrides"]] {
        let replaced = root
            .table(path)
            .iter()
            .filter_map(|entry| replaced(manifest, entry));
        files.redirects.extend(replaced);
    }
    for path in [
        &["patchedDependencies"][..],
        &["pnpm", "patchedDependencies"],
    ] {
        files.redirects.extend(root.table(path).iter().map(patched));
    }
}

fn yaml(manifest: &Manifest, root: &Node, files: &mut Consumed) {
    let replaced = root
        .table(&["overrides"])
        .iter()
        .filter_map(|entry| replaced(manifest, entry));
    files
        .redirects
        .extend(replaced.map(|redirect| DeclaredDependency {
            fix: None,
            ..redirect
        }));
    files
        .redirects
        .extend(root.table(&["patchedDependencies"]).iter().map(patched));
    let mut registry = |node: Option<&Node>, serves: Option<String>| {
        if let Some((node, url)) = node.and_then(|node| Some((node, node.text()?))) {
            files.registry(url, &node.place, serves);
        }
    };
    for path in [
        &["npmRegistryServer"][..],
        &["registry"],
        &["registries", "default"],
    ] {
        registry(root.at(path), None);
    }
    for entry in root
        .table(&["registries"])
        .iter()
        .filter(|entry| entry.key.starts_with('@'))
    {
        registry(Some(&entry.node), Some(format!("{}/*", entry.key)));
    }
    for entry in root.table(&["npmScopes"]) {
        registry(
            entry.node.get("npmRegistryServer"),
            Some(format!("@{}/*", entry.key)),
        );
    }
}

/// `.npmrc` has `key = value` in each line, `.yarnrc` has `key value`.
fn lines(source: &Rc<SourceFile>, files: &mut Consumed) {
    for (start, line) in source
        .lines()
        .filter(|(_, line)| !line.starts_with(['#', ';']))
    {
        let Some((key, value)) = line.split_once(['=', ' ', '\t']) else {
            continue;
        };
        let (key, value) = (
            unquoted(key),
            unquoted(value.trim_start_matches(['=', ' ', '\t'])),
        );
        let serves = match key.strip_suffix("registry") {
            Some("") => None,
            Some(scope) if scope.ends_with(':') => {
                Some(format!("{}/*", scope.trim_end_matches(':')))
            }
            _ => continue,
        };
        let at = start + line.find(value).unwrap_or_default();
        files.registry(
            value,
            &SourceSpan::new(source, at..at + value.len()),
            serves,
        );
    }
}

/// The declaration that replaces others; `None` for one that does not concern the package everywhere.
fn replaced(manifest: &Manifest, entry: &ObjectEntry) -> Option<DeclaredDependency> {
    let (name, range) = selected(&entry.key)?;
    // In npm, `.` is the package itself beside overrides for its dependencies.
    let node = entry.node.get(".").unwrap_or(&entry.node);
    let is_reference = node.text()?.starts_with('$');
    let is_own = !is_reference && range.is_none_or(|range| applies(manifest, name, range));
    is_own.then(|| declared(manifest, name, node))
}

/// `patchedDependencies`: the pinned version with other code.
fn patched(entry: &ObjectEntry) -> DeclaredDependency {
    let name = &entry.key[..name_end(&entry.key)];
    DeclaredDependency::elsewhere(
        name,
        entry.node.text().unwrap_or_default(),
        "a patched copy",
        &entry.at,
    )
}

impl Catalogs {
    /// The declaration that `catalog:` or `catalog:name` stands for.
    pub fn declared(
        &self,
        manifest: &Manifest,
        name: &str,
        text: &str,
    ) -> Option<DeclaredDependency> {
        let catalog = text.strip_prefix("catalog:")?.trim();
        self.0.iter().find_map(|root| {
            let named = root.at(&[
                "catalogs",
                if catalog.is_empty() {
                    "default"
                } else {
                    catalog
                },
                name,
            ]);
            let default = || {
                root.at(&["catalog", name])
                    .filter(|_| matches!(catalog, "" | "default"))
            };
            Some(DeclaredDependency {
                fix: None,
                ..declared(manifest, name, named.or_else(default)?)
            })
        })
    }
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches('"')
}

/// The package that a key selects everywhere, and the range of versions; `None` for one below another package.
fn selected(key: &str) -> Option<(&str, Option<&str>)> {
    let key = key.strip_prefix("**/").unwrap_or(key);
    // In pnpm, `parent>child`; the mark is also an operator of ranges.
    let nests =
        |(at, _): (usize, &str)| !key[..at].is_empty() && !key[..at].ends_with([' ', '|', '@']);
    if key.match_indices('>').any(nests) {
        return None;
    }
    let end = name_end(key);
    let name = &key[..end];
    let slashes = name.matches('/').count();
    let range = key[end..]
        .strip_prefix('@')
        .map(|range| range.strip_prefix("npm:").unwrap_or(range));
    (slashes == usize::from(name.starts_with('@'))).then_some((name, range))
}

/// True if a range has the pinned version, as far as it can be read.
fn applies(manifest: &Manifest, name: &str, range: &str) -> bool {
    let pin = manifest.pins_of(Kind::Npm).find(|pin| pin.id == name);
    let Some(pin) = pin.and_then(|pin| Version::parse(pin.version).ok()) else {
        return true;
    };
    if version::is_exact(Kind::Npm, range) {
        return range == pin.to_string();
    }
    VersionReq::parse(&range.trim().replace(' ', ",")).map_or(true, |range| range.matches(&pin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_select_a_package_everywhere_or_below_another() {
        let everywhere = [
            "mitt",
            "**/mitt",
            "mitt@^3",
            "mitt@>=1 <4",
            "@a/b",
            "@a/b@npm:1.0.0",
        ]
        .map(selected);
        let expected = [
            ("mitt", None),
            ("mitt", None),
            ("mitt", Some("^3")),
            ("mitt", Some(">=1 <4")),
        ];
        assert_eq!(everywhere[..4], expected.map(Some));
        assert_eq!(
            everywhere[4..],
            [Some(("@a/b", None)), Some(("@a/b", Some("1.0.0")))]
        );
        assert_eq!(
            ["a/mitt", "a>mitt", "a@1>mitt", "@a/b/mitt", "a/**/mitt"].map(selected),
            [None; 5]
        );
    }
}
