//! The state of one check: opens each file once, and collects findings.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use perf_model::packages::Manifest;

use crate::finding::{Finding, FindingRule, PackagesReport};
use crate::node::{self, Node, ObjectEntry, Parser};
use crate::source::{ParseError, SourceFile, SourceSpan};
use crate::tree::FileTree;

/// The error for an unreadable or invalid file that is already in the report.
pub struct Reported;

/// The manifest, the project's files, and the report about them.
pub(crate) struct Checker<'t> {
    pub manifest: &'t Manifest,
    /// The manifest's source.
    pub source: Rc<SourceFile>,
    pub report: PackagesReport,
    /// The files that consumers list and whose versions are compared. The search for unlisted files skips them.
    pub compared: HashSet<String>,
    /// The root of the manifest's tree.
    pub root: &'t Node,
    tree: &'t FileTree,
    opened: BTreeMap<String, Rc<SourceFile>>,
}

impl<'t> Checker<'t> {
    /// Starts a check. `root` is the root of the manifest's tree, and `report` already lists the manifest as checked.
    pub fn new(
        manifest: &'t Manifest,
        source: Rc<SourceFile>,
        root: &'t Node,
        tree: &'t FileTree,
        mut report: PackagesReport,
    ) -> Self {
        report.findings = duplicates(root);
        Self {
            manifest,
            source,
            report,
            compared: HashSet::new(),
            root,
            tree,
            opened: BTreeMap::new(),
        }
    }

    /// The span of the key or array element at a path in the manifest. If the path does not exist, the manifest's start.
    pub fn place(&self, path: &[&str]) -> SourceSpan {
        if let Some((key, parents)) = path.split_last()
            && let Some(parent) = self.root.at(parents)
        {
            if let Some(entry) = parent.entry(key) {
                return entry.at.clone();
            }
            if let Some(item) = parent.at(&[key]) {
                return item.place.clone();
            }
        }
        SourceSpan::start(&self.source)
    }

    /// Adds a finding, and returns it so that the caller can set its values and its fix.
    pub fn find(
        &mut self,
        rule: FindingRule,
        place: &SourceSpan,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> &mut Finding {
        let at = self.report.findings.len();
        let finding = Finding::new(rule, place, message, hint);
        self.report.findings.push(finding);
        &mut self.report.findings[at]
    }

    /// Adds a finding at a key or an array element of the manifest.
    pub fn at(
        &mut self,
        rule: FindingRule,
        path: &[&str],
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> &mut Finding {
        let place = self.place(path);
        self.find(rule, &place, message, hint)
    }

    /// Opens a file and lists it as checked. A file that is already open is not read again. Returns `None` if the file does
    /// not exist.
    pub fn open(&mut self, path: &str) -> Result<Option<Rc<SourceFile>>, Reported> {
        if let Some(source) = self.opened.get(path) {
            return Ok(Some(Rc::clone(source)));
        }
        let source = self.peek(path);
        let Some(source) = source.map_err(|error| self.unreadable(path, &error))? else {
            return Ok(None);
        };
        self.opened.insert(path.to_owned(), Rc::clone(&source));
        self.report.checked.push(path.to_owned());
        Ok(Some(source))
    }

    /// Reads a file without listing it as checked, because the file is compared only if it uses a package.
    pub fn peek(&self, path: &str) -> std::io::Result<Option<Rc<SourceFile>>> {
        let text = self.tree.read(path)?;
        Ok(text.map(|text| Rc::new(SourceFile::new(path, &text))))
    }

    /// Lists the files in and below a folder whose paths end with `suffix`.
    pub fn list(&mut self, folder: &str, suffix: &str) -> Result<Vec<String>, Reported> {
        let files = self.tree.list(folder, suffix);
        files.map_err(|error| self.unreadable(folder, &error))
    }

    /// Reads a file as JSON and reports duplicate keys.
    pub fn json(&mut self, path: &str) -> Result<Option<Node>, Reported> {
        let root = self.parse(path, node::json)?;
        let findings = root.iter().flat_map(duplicates);
        self.report.findings.extend(findings);
        Ok(root)
    }

    pub fn parse(&mut self, path: &str, parser: Parser) -> Result<Option<Node>, Reported> {
        let Some(source) = self.open(path)? else {
            return Ok(None);
        };
        parser(&source).map(Some).map_err(|error| {
            self.report.add_broken(&source, &error);
            Reported
        })
    }

    fn unreadable(&mut self, path: &str, error: &std::io::Error) -> Reported {
        let source = Rc::new(SourceFile::new(path, ""));
        let error = ParseError {
            offset: 0,
            message: format!("cannot read this file: {error}"),
        };
        self.report.add_broken(&source, &error);
        Reported
    }
}

/// Finds duplicate keys. They are mistakes, because parsers silently use the last one.
fn duplicates(node: &Node) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        let mut seen = HashSet::new();
        for ObjectEntry { key, at, node } in node.entries() {
            if !seen.insert(key) {
                let message = format!("duplicate key `{key}`");
                let hint = "keep one: parsers use the last";
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
