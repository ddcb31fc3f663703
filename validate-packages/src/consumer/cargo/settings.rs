//! What replaces versions and origins of crates: `[patch]`, `[replace]`, and Cargo's own configuration.

use std::collections::HashMap;
use std::rc::Rc;

use perf_model::packages::{Kind, Manifest};

use crate::checker::{Checker, Reported};
use crate::consumer::origin::{Registry, address, is_allowed};
use crate::consumer::{Choice, Declared};
use crate::node::{Entry, Node};
use crate::source::{Place, Source};
use crate::tree;

const CRATES_IO: &str = "crates-io";

/// The registries of `.cargo/config.toml` by name, and what replaces crates.
#[derive(Default)]
pub(super) struct Settings {
    pub names: HashMap<String, String>,
    pub redirects: Vec<Declared>,
    pub registries: Vec<Registry>,
}

impl Settings {
    /// Reads the configuration files of a folder and its parents.
    pub fn read(checker: &mut Checker<'_>, folder: &str) -> Result<Self, Reported> {
        let mut files = Vec::new();
        for folder in tree::ancestors(folder) {
            let paths = [".cargo/config.toml", ".cargo/config"].map(|name| tree::join(folder, name));
            if let Some(source) = checker.open_first(paths)? {
                let root = checker.toml(&source)?;
                // Paths in these files start at the folder above.
                files.push((source, root, Source::new(tree::join(folder, "config.toml"), "")));
            }
        }
        let mut settings = Self::default();
        for (_, root, _) in &files {
            for entry in root.get("registries").map_or(&[][..], Node::entries) {
                let index = entry.node.text_at(&["index"]).unwrap_or_default().to_owned();
                settings.names.entry(entry.key.clone()).or_insert(index);
            }
        }
        for (source, root, base) in &files {
            settings.patches(checker.manifest, source, root);
            settings.replaced_source(source, root, base);
            settings.overrides(checker, source, root, base)?;
        }
        Ok(settings)
    }

    /// `[patch.crates-io]`, or of another registry that the pins come from; and `[replace]`.
    pub fn patches(&mut self, manifest: &Manifest, source: &Rc<Source>, root: &Node) {
        let is_registry = |name: &str| {
            name == CRATES_IO || self.names.contains_key(name) || is_allowed(manifest, Kind::Cargo, name)
        };
        let tables = root.get("patch").map_or(&[][..], Node::entries).iter();
        let patched = tables.filter(|table| is_registry(&table.key)).flat_map(|table| table.node.entries());
        let redirects: Vec<Declared> = patched.map(|entry| redirect(source, entry, "a `[patch]`")).collect();
        self.redirects.extend(redirects);
        let replaced = root.get("replace").map_or(&[][..], Node::entries).iter();
        self.redirects.extend(replaced.map(|entry| redirect(source, entry, "a `[replace]`")));
    }

    /// `[source.crates-io] replace-with`, which may name another source that is replaced.
    fn replaced_source(&mut self, source: &Rc<Source>, root: &Node, base: &Source) {
        let Some(first) = root.at(&["source", CRATES_IO, "replace-with"]) else { return };
        let mut name = first.text().unwrap_or_default();
        // Sources may refer to each other in a circle.
        for _ in 0..8 {
            let Some(next) = root.text_at(&["source", name, "replace-with"]) else { break };
            name = next;
        }
        let own = root.at(&["source", name]);
        let text = |key: &str| own.and_then(|own| own.text_at(&[key]));
        let url = text("registry").map(str::to_owned).or_else(|| self.names.get(name).cloned());
        let folder = || text("directory").or_else(|| text("local-registry")).map(|path| address(base, path));
        let url = url.or_else(folder).or_else(|| text("git").map(str::to_owned));
        let (url, place) = (url.unwrap_or_else(|| name.to_owned()), Place::new(source, first.span.clone()));
        self.registries.push(Registry { url, place, serves: None });
    }

    /// `paths`, folders with crates that replace those of the same name.
    fn overrides(
        &mut self,
        checker: &mut Checker<'_>,
        source: &Rc<Source>,
        root: &Node,
        base: &Source,
    ) -> Result<(), Reported> {
        for item in root.get("paths").map_or(&[][..], Node::items) {
            let Some(path) = item.text() else { continue };
            let folder = address(base, path);
            let manifest = checker.open(&tree::join(&folder, "Cargo.toml"))?;
            let root = manifest.map(|manifest| checker.toml(&manifest)).transpose()?;
            let name = root.as_ref().and_then(|root| root.text_at(&["package", "name"]));
            self.redirects.push(Declared {
                id: name.unwrap_or_else(|| folder.rsplit('/').next().unwrap_or_default()).to_owned(),
                found: path.to_owned(),
                choice: Choice::Elsewhere("a folder in `paths`"),
                place: Place::new(source, item.span.clone()),
                prefix: "=",
                fix: None,
            });
        }
        Ok(())
    }
}

fn redirect(source: &Rc<Source>, entry: &Entry, what: &'static str) -> Declared {
    // `[replace]` has the version in the key, `flume:0.11.1`, perhaps after a URL and `#`.
    let name = entry.key.rsplit('#').next().unwrap_or_default();
    let name = name.split([':', '@']).next().unwrap_or_default();
    Declared {
        id: entry.node.text_at(&["package"]).unwrap_or(name).to_owned(),
        found: source.slice(&entry.node.span).to_owned(),
        choice: Choice::Elsewhere(what),
        place: Place::new(source, entry.at.clone()),
        prefix: "=",
        fix: None,
    }
}
