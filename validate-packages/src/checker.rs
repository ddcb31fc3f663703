//! One run over the project: opens files, keeps what is said about them.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use perf_model::packages::Manifest;

use crate::finding::{Broken, Finding, Report, Rule};
use crate::node::{Node, SyntaxError};
use crate::source::{Place, Source};
use crate::tree::Tree;

/// Something is wrong with a file, and the report says so already.
pub(crate) struct Reported;

/// A file's text, `None` when there is no such file.
pub(crate) type Opened = Result<Option<Rc<Source>>, Reported>;

/// The manifest, the project's files, and the report about them.
pub(crate) struct Checker<'t> {
    /// What everything must agree with.
    pub manifest: &'t Manifest,
    /// The manifest's own text.
    pub source: Rc<Source>,
    /// The report so far.
    pub report: Report,
    root: Node,
    tree: &'t dyn Tree,
    opened: BTreeMap<String, Rc<Source>>,
}

impl<'t> Checker<'t> {
    /// Begins a run; `root` is the manifest's tree.
    pub fn new(manifest: &'t Manifest, source: Rc<Source>, root: Node, tree: &'t dyn Tree) -> Self {
        let mut checker =
            Self { manifest, source, report: Report::default(), root, tree, opened: BTreeMap::new() };
        checker.report.checked.push(checker.source.path.clone());
        let duplicates = duplicates(&checker.source, &checker.root);
        checker.report.findings.extend(duplicates);
        checker
    }

    /// The manifest's tree.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// Where the manifest has the value at a path of keys, or its start when it has none.
    pub fn place(&self, path: &[&str]) -> Place {
        self.root
            .at(path)
            .map_or_else(|| Place::start(&self.source), |node| Place::new(&self.source, node.span.clone()))
    }

    /// Where the manifest has the key at a path of keys, or its start when it has none.
    pub fn key_place(&self, path: &[&str]) -> Place {
        let entry = path.split_last().and_then(|(key, parents)| self.root.at(parents)?.entry(key));
        entry.map_or_else(|| Place::start(&self.source), |entry| Place::new(&self.source, entry.at.clone()))
    }

    /// Adds a finding.
    pub fn find(&mut self, finding: Finding) {
        self.report.findings.push(finding);
    }

    /// Opens a file; one that was opened before is not read again.
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

    /// Reads a file as JSON and reports keys that are given twice.
    pub fn json(&mut self, source: &Rc<Source>) -> Result<Node, Reported> {
        let node = Node::json(source).map_err(|error| self.syntax(source, &error))?;
        self.report.findings.extend(duplicates(source, &node));
        Ok(node)
    }

    /// Reads a file as TOML.
    pub fn toml(&mut self, source: &Rc<Source>) -> Result<Node, Reported> {
        Node::toml(source).map_err(|error| self.syntax(source, &error))
    }

    /// Reports a file that is not what its name says.
    pub fn syntax(&mut self, source: &Source, error: &SyntaxError) -> Reported {
        let position = Some(source.position(error.offset));
        self.report.broken.push(Broken {
            file: source.path.clone(),
            position,
            message: error.message.clone(),
        });
        Reported
    }

    fn unreadable(&mut self, path: &str, error: &std::io::Error) -> Reported {
        let message = format!("cannot be read: {error}");
        self.report.broken.push(Broken { file: path.to_owned(), position: None, message });
        Reported
    }
}

/// Readers silently keep the last of two equal keys; people rarely mean that.
fn duplicates(source: &Rc<Source>, node: &Node) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        let mut seen = HashSet::new();
        for entry in node.entries() {
            if !seen.insert(entry.key.as_str()) {
                let place = Place::new(source, entry.at.clone());
                let finding =
                    Finding::new(Rule::DuplicateKey, &place, format!("`{}` is given twice", entry.key));
                findings.push(
                    finding.found(&entry.key).hint("keep one: readers take the last and drop the others"),
                );
            }
            open.push(&entry.node);
        }
        open.extend(node.items());
    }
    findings
}
