//! What chooses the origin of Python packages: the tables of uv, Poetry and PDM, in `pyproject.toml` or `uv.toml`.

use std::collections::HashMap;
use std::rc::Rc;

use super::requirement::Requirement;
use crate::consumer::origin::{Registry, address};
use crate::consumer::{Choice, Declared};
use crate::node::{Entry, Node};
use crate::source::{Place, Source};

/// The registries and redirects of one file.
pub(super) struct Settings<'n> {
    pub registries: Vec<Registry>,
    pub redirects: Vec<Declared>,
    /// Registries that serve only what names them.
    explicit: HashMap<&'n str, &'n str>,
    source: &'n Rc<Source>,
}

impl<'n> Settings<'n> {
    pub fn new(source: &'n Rc<Source>) -> Self {
        Self { registries: Vec::new(), redirects: Vec::new(), explicit: HashMap::new(), source }
    }

    /// The tables of a `pyproject.toml`.
    pub fn project(&mut self, root: &'n Node) {
        if let Some(uv) = root.at(&["tool", "uv"]) {
            self.uv(uv);
        }
        for tool in ["poetry", "pdm"] {
            for node in root.at(&["tool", tool, "source"]).map_or(&[][..], Node::items) {
                self.index(node, node.text_at(&["priority"]) == Some("explicit"));
            }
        }
        for entry in root.at(&["tool", "pdm", "resolution", "overrides"]).map_or(&[][..], Node::entries) {
            let version = entry.node.text().unwrap_or_default();
            let operator = if version.starts_with(|c: char| c.is_ascii_digit()) { "==" } else { "" };
            self.redirect(&format!("{}{operator}{version}", entry.key), &entry.node);
        }
    }

    /// The settings of uv, which are a table in `pyproject.toml`, and the whole of `uv.toml`.
    pub fn uv(&mut self, uv: &'n Node) {
        for table in [Some(uv), uv.get("pip")].into_iter().flatten() {
            for key in ["index-url", "extra-index-url", "find-links"] {
                let value = table.get(key);
                for node in value.into_iter().chain(value.map_or(&[][..], Node::items)) {
                    self.url(node);
                }
            }
        }
        for node in uv.get("index").map_or(&[][..], Node::items) {
            // The tree knows strings only; a truth value is its text.
            let explicit = node.get("explicit").is_some_and(|value| self.source.slice(&value.span) == "true");
            self.index(node, explicit);
        }
        for node in uv.get("override-dependencies").map_or(&[][..], Node::items) {
            self.redirect(node.text().unwrap_or_default(), node);
        }
    }

    fn url(&mut self, node: &Node) {
        if let Some(text) = node.text() {
            let place = Place::new(self.source, node.span.clone());
            self.registries.push(Registry { url: address(self.source, text), place, serves: None });
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
        self.redirects.push(Declared {
            id: text[name].to_owned(),
            found: text[spec].to_owned(),
            choice,
            place: Place::new(self.source, node.span.clone()),
            prefix: "==",
            fix: None,
        });
    }

    /// `tool.uv.sources`: one table for a package, or a list of them.
    pub fn sources(&mut self, root: &'n Node) {
        for entry in root.at(&["tool", "uv", "sources"]).map_or(&[][..], Node::entries) {
            let tables = entry.node.items().iter().chain(Some(&entry.node));
            for table in tables {
                self.redirects.extend(self.origin(entry, table));
                self.named(&entry.key, table.get("index"));
            }
        }
    }

    fn origin(&self, entry: &Entry, table: &Node) -> Option<Declared> {
        let has = |keys: &[&str]| keys.iter().any(|key| table.get(key).is_some());
        let is_local = has(&["path", "workspace"]);
        let choice = if is_local { Choice::Local } else { Choice::Elsewhere("a URL") };
        (is_local || has(&["git", "url"])).then(|| Declared {
            id: entry.key.clone(),
            found: self.source.slice(&table.span).to_owned(),
            choice,
            place: Place::new(self.source, entry.at.clone()),
            prefix: "==",
            fix: None,
        })
    }

    /// A package that names its registry.
    pub fn named(&mut self, id: &str, name: Option<&Node>) {
        let Some((node, name)) = name.and_then(|node| Some((node, node.text()?))) else { return };
        if let Some(url) = self.explicit.get(name) {
            let place = Place::new(self.source, node.span.clone());
            let url = (*url).to_owned();
            self.registries.push(Registry { url, place, serves: Some(id.to_owned()) });
        }
    }
}
