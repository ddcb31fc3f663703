//! The settings that replace versions and origins of crates: `[patch]`, `[replace]`, and Cargo's own configuration.

use std::collections::HashMap;

use perf_model::packages::{Kind, Manifest};

use crate::checker::{Checker, Reported};
use crate::consumer::origin::{address, is_allowed};
use crate::consumer::{Consumed, DeclaredDependency};
use crate::node::{self, Node, ObjectEntry};
use crate::source::SourceFile;
use crate::tree;

const CRATES_IO: &str = "crates-io";

/// The registries of `.cargo/config.toml` by name.
#[derive(Default)]
pub(super) struct CargoSettings {
    pub names: HashMap<String, String>,
}

impl CargoSettings {
    /// Reads the configuration files of a folder and its parents.
    pub fn read(
        checker: &mut Checker<'_>,
        folder: &str,
        files: &mut Consumed,
    ) -> Result<Self, Reported> {
        let mut found = Vec::new();
        for folder in tree::ancestors(folder) {
            for name in [".cargo/config.toml", ".cargo/config"] {
                if let Some(root) = checker.parse(&tree::join(folder, name), node::toml)? {
                    // Paths in these files start at the folder above.
                    found.push((root, SourceFile::new(tree::join(folder, "config.toml"), "")));
                    break;
                }
            }
        }
        let mut settings = Self::default();
        for entry in found
            .iter()
            .flat_map(|(root, _)| root.table(&["registries"]))
        {
            let index = entry
                .node
                .text_at(&["index"])
                .unwrap_or_default()
                .to_owned();
            settings.names.entry(entry.key.clone()).or_insert(index);
        }
        for (root, base) in &found {
            settings.patches(checker.manifest, root, files);
            settings.replaced_source(root, base, files);
            overrides(checker, root, base, files)?;
        }
        Ok(settings)
    }

    /// `[patch.crates-io]`, or of another registry that the pins come from; and `[replace]`.
    pub fn patches(&self, manifest: &Manifest, root: &Node, files: &mut Consumed) {
        let is_registry = |name: &str| {
            name == CRATES_IO
                || self.names.contains_key(name)
                || is_allowed(manifest, Kind::Cargo, name)
        };
        let tables = root
            .table(&["patch"])
            .iter()
            .filter(|table| is_registry(&table.key));
        let patched = tables.flat_map(|table| table.node.entries());
        files
            .redirects
            .extend(patched.map(|entry| redirect(entry, "a `[patch]`")));
        let replaced = root.table(&["replace"]).iter();
        files
            .redirects
            .extend(replaced.map(|entry| redirect(entry, "a `[replace]`")));
    }

    /// `[source.crates-io] replace-with`, which may name another source that is replaced.
    fn replaced_source(&self, root: &Node, base: &SourceFile, files: &mut Consumed) {
        let Some(first) = root.at(&["source", CRATES_IO, "replace-with"]) else {
            return;
        };
        let mut name = first.text().unwrap_or_default();
        // Sources may refer to each other in a circle.
        for _ in 0..8 {
            let Some(next) = root.text_at(&["source", name, "replace-with"]) else {
                break;
            };
            name = next;
        }
        let text = |key: &str| root.text_at(&["source", name, key]);
        let url = text("registry")
            .map(str::to_owned)
            .or_else(|| self.names.get(name).cloned());
        let folder = || {
            text("directory")
                .or_else(|| text("local-registry"))
                .map(|path| address(base, path))
        };
        let url = url
            .or_else(folder)
            .or_else(|| text("git").map(str::to_owned));
        files.registry(url.unwrap_or_else(|| name.to_owned()), &first.place, None);
    }
}

/// `paths`, folders with crates that replace those of the same name.
fn overrides(
    checker: &mut Checker<'_>,
    root: &Node,
    base: &SourceFile,
    files: &mut Consumed,
) -> Result<(), Reported> {
    for item in root.list(&["paths"]) {
        let Some(path) = item.text() else { continue };
        let folder = address(base, path);
        let manifest = checker.parse(&tree::join(&folder, "Cargo.toml"), node::toml)?;
        let name = manifest
            .as_ref()
            .and_then(|root| root.text_at(&["package", "name"]));
        let id = name.unwrap_or_else(|| folder.rsplit('/').next().unwrap_or_default());
        files.redirects.push(DeclaredDependency::elsewhere(
            id,
            path,
            "a folder in `paths`",
            &item.place,
        ));
    }
    Ok(())
}

fn redirect(entry: &ObjectEntry, what: &'static str) -> DeclaredDependency {
    // `[replace]` has the version in the key, `flume:0.11.1`, perhaps after a URL and `#`.
    let name = entry.key.rsplit('#').next().unwrap_or_default();
    let name = name.split([':', '@']).next().unwrap_or_default();
    let id = entry.node.text_at(&["package"]).unwrap_or(name);
    DeclaredDependency::elsewhere(id, entry.node.place.text(), what, &entry.at)
}
