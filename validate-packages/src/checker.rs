//! One run over the project: opens files and collects findings.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use perf_model::packages::Manifest;

use crate::finding::{Broken, Finding, Report, Rule};
use crate::node::{Entry, Node, SyntaxError};
use crate::source::{Place, Position, Source};
use crate::tree::Tree;

/// A file cannot be read or parsed, which is in the report.
pub(crate) struct Reported;

/// A file's text, `None` when there is no such file.
pub(crate) type Opened = Result<Option<Rc<Source>>, Reported>;

/// The manifest, the project's files, and the report about them.
pub(crate) struct Checker<'t> {
    /// The pins.
    pub manifest: &'t Manifest,
    /// The manifest's own text.
    pub source: Rc<Source>,
    /// The report so far.
    pub report: Report,
    /// The files whose declarations are compared: a file is also opened for its settings.
    pub compared: HashSet<String>,
    root: Node,
    tree: &'t dyn Tree,
    opened: BTreeMap<String, Rc<Source>>,
}

impl<'t> Checker<'t> {
    /// Starts a run; `root` is the manifest's tree.
    pub fn new(manifest: &'t Manifest, source: Rc<Source>, root: Node, tree: &'t dyn Tree) -> Self {
        let mut checker = Self {
            manifest,
            source,
            report: Report::default(),
            compared: HashSet::new(),
            root,
            tree,
            opened: BTreeMap::new(),
        };
        checker.report.checked.push(checker.source.path.clone());
        checker.report.findings = duplicates(&checker.source, &checker.root);
        checker
    }

    /// The manifest's tree.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The value at a path of the manifest, or the manifest's start.
    pub fn place(&self, path: &[&str]) -> Place {
        self.root
            .at(path)
            .map_or_else(|| Place::start(&self.source), |node| Place::new(&self.source, node.span.clone()))
    }

    /// The key at a path of the manifest, or the manifest's start.
    pub fn key_place(&self, path: &[&str]) -> Place {
        let entry = path.split_last().and_then(|(key, parents)| self.root.at(parents)?.entry(key));
        entry.map_or_else(|| Place::start(&self.source), |entry| Place::new(&self.source, entry.at.clone()))
    }

    /// Adds a finding; its values can be added to what this returns.
    pub fn find(
        &mut self,
        rule: Rule,
        place: &Place,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> &mut Finding {
        let at = self.report.findings.len();
        self.report.findings.push(Finding::new(rule, place, message, hint));
        &mut self.report.findings[at]
    }

    /// Opens a file; each is read once.
    pub fn open(&mut self, path: &str) -> Opened {
        if let Some(source) = self.opened.get(path) {
            return Ok(Some(Rc::clone(source)));
        }
        match self.tree.read(path) {
            Ok(None) => Ok(None),
            Ok(Some(text)) => {
                let source = Rc::new(Source::new(path, &text));
                self.opened.insert(path.to_owned(), Rc::clone(&source));
                self.report.checked.push(path.to_owned());
                Ok(Some(source))
            }
            Err(error) => Err(self.unreadable(path, &error)),
        }
    }

    /// The first of several files that exists.
    pub fn open_first(&mut self, paths: impl IntoIterator<Item = String>) -> Opened {
        for path in paths {
            if let Some(source) = self.open(&path)? {
                return Ok(Some(source));
            }
        }
        Ok(None)
    }

    /// The files below a folder.
    pub fn list(&mut self, folder: &str, suffix: &str) -> Result<Vec<String>, Reported> {
        self.tree.list(folder, suffix).map_err(|error| self.unreadable(folder, &error))
    }

    /// Reads a file as JSON and reports duplicate keys.
    pub fn json(&mut self, source: &Rc<Source>) -> Result<Node, Reported> {
        let node = Node::json(source).map_err(|error| self.syntax(source, &error))?;
        self.report.findings.extend(duplicates(source, &node));
        Ok(node)
    }

    /// Reads a file as TOML.
    pub fn toml(&mut self, source: &Rc<Source>) -> Result<Node, Reported> {
        Node::toml(source).map_err(|error| self.syntax(source, &error))
    }

    /// Reads a file as YAML.
    pub fn yaml(&mut self, source: &Rc<Source>) -> Result<Node, Reported> {
        Node::yaml(source).map_err(|error| self.syntax(source, &error))
    }

    /// Reads a lock file of Yarn.
    pub fn yarn(&mut self, source: &Rc<Source>) -> Result<Node, Reported> {
        Node::yarn(source).map_err(|error| self.syntax(source, &error))
    }

    /// Reports a file that cannot be parsed.
    fn syntax(&mut self, source: &Source, error: &SyntaxError) -> Reported {
        self.broken(source, source.position(error.offset), &error.message)
    }

    /// Reports a file that cannot be parsed from a position on.
    pub fn broken(&mut self, source: &Source, position: Position, message: &str) -> Reported {
        let (file, message) = (source.path.clone(), message.to_owned());
        self.report.broken.push(Broken { file, position: Some(position), message });
        Reported
    }

    fn unreadable(&mut self, path: &str, error: &std::io::Error) -> Reported {
        let message = format!("cannot read this file: {error}");
        self.report.broken.push(Broken { file: path.to_owned(), position: None, message });
        Reported
    }
}

/// Parsers silently keep the last of duplicate keys.
fn duplicates(source: &Rc<Source>, node: &Node) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        let mut seen = HashSet::new();
        for Entry { key, at, node } in node.entries() {
            if !seen.insert(key) {
                let place = Place::new(source, at.clone());
                let (message, hint) = (format!("duplicate key `{key}`"), "keep one: parsers use the last");
                let mut finding = Finding::new(Rule::DuplicateKey, &place, message, hint);
                finding.found(key);
                findings.push(finding);
            }
            open.push(node);
        }
        open.extend(node.items());
    }
    findings
}
