//! One run over the project: opens files and collects findings.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use perf_model::packages::Manifest;

use crate::finding::{Broken, Finding, FindingRule, PackagesReport};
use crate::node::{self, Node, ObjectEntry, Parser};
use crate::source::{SourceFile, SourceSpan, TextPosition};
use crate::tree::{self, FileTree};

/// A file cannot be read or parsed, which is in the report.
pub(crate) struct Reported;

/// A file's text, `None` when there is no such file.
pub(crate) type OpenedFile = Result<Option<Rc<SourceFile>>, Reported>;

/// A file's tree, `None` when there is no such file.
pub(crate) type ParsedFile = Result<Option<Node>, Reported>;

/// The manifest, the project's files, and the report about them.
pub(crate) struct Checker<'t> {
    pub manifest: &'t Manifest,
    /// The manifest's own text.
    pub source: Rc<SourceFile>,
    pub report: PackagesReport,
    /// The files whose declarations are compared: a file is also opened for its settings.
    pub compared: HashSet<String>,
    /// The manifest's tree.
    pub root: Node,
    tree: &'t FileTree,
    opened: BTreeMap<String, Rc<SourceFile>>,
}

impl<'t> Checker<'t> {
    /// Starts a run; `root` is the manifest's tree.
    pub fn new(
        manifest: &'t Manifest,
        source: Rc<SourceFile>,
        root: Node,
        tree: &'t FileTree,
    ) -> Self {
        let mut checker = Self {
            manifest,
            source,
            report: PackagesReport::default(),
            compared: HashSet::new(),
            root,
            tree,
            opened: BTreeMap::new(),
        };
        checker.report.checked.push(checker.source.path.clone());
        checker.report.findings = duplicates(&checker.root);
        checker
    }

    /// The value at a path of the manifest, or the manifest's start.
    pub fn place(&self, path: &[&str]) -> SourceSpan {
        self.root.at(path).map_or_else(
            || SourceSpan::start(&self.source),
            |node| node.place.clone(),
        )
    }

    /// The key at a path of the manifest, or the manifest's start.
    pub fn key_place(&self, path: &[&str]) -> SourceSpan {
        let entry = path
            .split_last()
            .and_then(|(key, parents)| self.root.at(parents)?.entry(key));
        entry.map_or_else(|| SourceSpan::start(&self.source), |entry| entry.at.clone())
    }

    /// Adds a finding; its values can be added to what this returns.
    pub fn find(
        &mut self,
        rule: FindingRule,
        place: &SourceSpan,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> &mut Finding {
        let at = self.report.findings.len();
        self.report
            .findings
            .push(Finding::new(rule, place, message, hint));
        &mut self.report.findings[at]
    }

    /// Opens a file; each is read once.
    pub fn open(&mut self, path: &str) -> OpenedFile {
        if let Some(source) = self.opened.get(path) {
            return Ok(Some(Rc::clone(source)));
        }
        match self.tree.read(path) {
            Ok(None) => Ok(None),
            Ok(Some(text)) => {
                let source = Rc::new(SourceFile::new(path, &text));
                self.opened.insert(path.to_owned(), Rc::clone(&source));
                self.report.checked.push(path.to_owned());
                Ok(Some(source))
            }
            Err(error) => Err(self.unreadable(path, &error)),
        }
    }

    /// The first of several files of a folder.
    pub fn open_first(&mut self, folder: &str, names: &[&str]) -> OpenedFile {
        for name in names {
            if let Some(source) = self.open(&tree::join(folder, name))? {
                return Ok(Some(source));
            }
        }
        Ok(None)
    }

    /// The first of several files of a folder, or of the nearest folder above with one.
    pub fn open_nearest(&mut self, folder: &str, names: &[&str]) -> OpenedFile {
        for folder in tree::ancestors(folder) {
            if let Some(source) = self.open_first(folder, names)? {
                return Ok(Some(source));
            }
        }
        Ok(None)
    }

    /// The files below a folder.
    pub fn list(&mut self, folder: &str, suffix: &str) -> Result<Vec<String>, Reported> {
        self.tree
            .list(folder, suffix)
            .map_err(|error| self.unreadable(folder, &error))
    }

    /// Reads a file as JSON and reports duplicate keys.
    pub fn json(&mut self, path: &str) -> ParsedFile {
        let root = self.parse(path, node::json)?;
        self.report
            .findings
            .extend(root.iter().flat_map(duplicates));
        Ok(root)
    }

    pub fn parse(&mut self, path: &str, parser: Parser) -> ParsedFile {
        self.open(path)?
            .map(|source| self.parse_text(&source, parser))
            .transpose()
    }

    /// As [`open_nearest`](Self::open_nearest), read.
    pub fn parse_nearest(&mut self, folder: &str, names: &[&str], parser: Parser) -> ParsedFile {
        self.open_nearest(folder, names)?
            .map(|source| self.parse_text(&source, parser))
            .transpose()
    }

    fn parse_text(&mut self, source: &Rc<SourceFile>, parser: Parser) -> Result<Node, Reported> {
        parser(source)
            .map_err(|error| self.broken(source, source.position(error.offset), &error.message))
    }

    /// Reports a file that cannot be parsed from a position on.
    pub fn broken(
        &mut self,
        source: &SourceFile,
        position: TextPosition,
        message: &str,
    ) -> Reported {
        let (file, message) = (source.path.clone(), message.to_owned());
        self.report.broken.push(Broken {
            file,
            position: Some(position),
            message,
        });
        Reported
    }

    fn unreadable(&mut self, path: &str, error: &std::io::Error) -> Reported {
        let message = format!("cannot read this file: {error}");
        self.report.broken.push(Broken {
            file: path.to_owned(),
            position: None,
            message,
        });
        Reported
    }
}

/// Parsers silently keep the last of duplicate keys.
fn duplicates(node: &Node) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        let mut seen = HashSet::new();
        for ObjectEntry { key, at, node } in node.entries() {
            if !seen.insert(key) {
                let (message, hint) = (
                    format!("duplicate key `{key}`"),
                    "keep one: parsers use the last",
                );
                let mut finding = Finding::new(FindingRule::DuplicateKey, at, message, hint);
                finding.found(key);
                findings.push(finding);
            }
            open.push(node);
        }
        open.extend(node.items());
    }
    findings
}
