//! The settings that choose the origin of Python packages: the tables of uv, Poetry and PDM, in `pyproject.toml` or
//! `uv.toml`.

use std::collections::HashMap;

use super::requirement::Requirement;
use crate::consumer::origin::address;
use crate::consumer::{Consumed, DeclaredChoice, DeclaredDependency};
use crate::node::{Node, ObjectEntry};

/// The settings of one file, on their way into what was read.
pub(super) struct PythonSettings<'n, 'f> {
    files: &'f mut Consumed,
    /// Registries that serve only what names them.
    explicit: HashMap<&'n str, &'n str>,
}

impl<'n, 'f> PythonSettings<'n, 'f> {
    pub fn new(files: &'f mut Consumed) -> Self {
        Self {
            files,
            explicit: HashMap::new(),
        }
    }

    /// The tables of a `pyproject.toml`.
    pub fn project(&mut self, root: &'n Node) {
        if let Some(uv) = root.at(&["tool", "uv"]) {
            self.uv(uv);
        }
        for tool in ["poetry", "pdm"] {
            for node in root.list(&["tool", tool, "source"]) {
                self.index(node, node.text_at(&["priority"]) == Some("explicit"));
            }
        }
        for entry in root.table(&["tool", "pdm", "resolution", "overrides"]) {
            let version = entry.node.text().unwrap_or_default();
            let operator = if version.starts_with(|c: char| c.is_ascii_digit()) {
                "=="
            } else {
                ""
            };
            self.redirect(&format!("{}{operator}{version}", entry.key), &entry.node);
        }
        // One table for a package, or a list of them.
        for entry in root.table(&["tool", "uv", "sources"]) {
            for table in entry.node.each() {
                self.files.redirects.extend(origin(entry, table));
                self.named(&entry.key, table.string("index"));
            }
        }
    }

    /// The settings of uv, which are a table in `pyproject.toml`, and the whole of `uv.toml`.
    pub fn uv(&mut self, uv: &'n Node) {
        for table in [Some(uv), uv.get("pip")].into_iter().flatten() {
            for key in ["index-url", "extra-index-url", "find-links"] {
                table
                    .get(key)
                    .map_or(&[][..], Node::each)
                    .iter()
                    .for_each(|node| self.url(node));
            }
        }
        for node in uv.list(&["index"]) {
            // The tree knows strings only; a truth value is its text.
            self.index(
                node,
                node.get("explicit")
                    .is_some_and(|value| value.place.text() == "true"),
            );
        }
        for node in uv.list(&["override-dependencies"]) {
            self.redirect(node.text().unwrap_or_default(), node);
        }
    }

    fn url(&mut self, node: &Node) {
        if let Some(text) = node.text() {
            self.files
                .registry(address(&node.place.source, text), &node.place, None);
        }
    }

    fn index(&mut self, table: &'n Node, explicit: bool) {
        if let (Some(name), Some(url)) = (table.text_at(&["name"]), table.text_at(&["url"])) {
            self.explicit.insert(name, url);
        }
        if let Some(url) = table.get("url").filter(|_| !explicit) {
            self.url(url);
        }
    }

    /// A version for a package whatever others require.
    fn redirect(&mut self, text: &str, node: &Node) {
        let Requirement { name, spec, choice } = Requirement::parse(text);
        self.files.redirects.push(DeclaredDependency::new(
            &text[name],
            &text[spec],
            choice,
            &node.place,
        ));
    }

    /// A package that names its registry.
    pub fn named(&mut self, id: &str, name: Option<(&Node, &str)>) {
        let Some((node, name)) = name else { return };
        if let Some(url) = self.explicit.get(name) {
            self.files.registry(*url, &node.place, Some(id.to_owned()));
        }
    }
}

/// An entry of `tool.uv.sources` that is no registry.
fn origin(entry: &ObjectEntry, table: &Node) -> Option<DeclaredDependency> {
    let choice = if table.has(&["path", "workspace"]) {
        DeclaredChoice::Local
    } else if table.has(&["git", "url"]) {
        DeclaredChoice::Elsewhere("a URL")
    } else {
        return None;
    };
    Some(DeclaredDependency::new(
        &entry.key,
        table.place.text(),
        choice,
        &entry.at,
    ))
}
