//! Checks that all consumers of the compared libraries agree with one manifest of pinned versions.
//!
//! The *manifest* pins each library (see [`perf_model::packages`]); *consumers* are the files that use them.
//! [`check`] reads a [`FileTree`] of files and returns a [`PackagesReport`] of *findings* (violations of a rule) and *broken*
//! files (which cannot be read). [`validate`] does so for a project on the disk, and applies fixes.

mod checker;
mod cli;
mod consumer;
pub mod finding;
pub mod fix;
mod generate;
mod manifest;
mod node;
pub mod output;
mod request;
mod source;
pub mod tree;
mod version;

use std::rc::Rc;

use perf_model::packages::Manifest;

use crate::checker::Checker;
pub use crate::cli::{Cli, run};
pub use crate::finding::{Edit, FileChange, Finding, FindingRule, FindingSeverity, PackagesReport};
pub use crate::generate::GenerateArgs;
use crate::node::Node;
pub use crate::request::{Fix, validate};
use crate::source::SourceFile;
pub use crate::source::{Broken, TextPosition};
pub use crate::tree::FileTree;

/// Checks a manifest and all its consumers.
///
/// `path` is the manifest's path in findings.
pub fn check(path: &str, text: &str, tree: &FileTree) -> PackagesReport {
    let source = Rc::new(SourceFile::new(path, text));
    let (root, manifest) = match read(&source) {
        Ok(read) => read,
        Err(broken) => {
            return PackagesReport {
                checked: vec![path.to_owned()],
                broken: vec![broken],
                ..PackagesReport::default()
            };
        }
    };
    let mut checker = Checker::new(&manifest, source, &root, tree);
    manifest::check(&mut checker);
    consumer::check(&mut checker);
    checker.report.sort();
    checker.report
}

/// The manifest as a tree with positions, and deserialised.
fn read(source: &Rc<SourceFile>) -> Result<(Node, Manifest), Broken> {
    let root = node::json(source)?;
    // serde also accepts the fields of an object as a list, which the schema does not.
    let objects = root.get("registry").into_iter();
    for node in objects.chain(root.list(&["consumers"])) {
        if !node.items().is_empty() {
            return Err(source.broken(node.place.span.start, "expected an object"));
        }
    }
    let manifest = Manifest::read(&source.text).map_err(|error| {
        let (line, column) = (error.line, error.column);
        let mut message = error.message;
        if message.starts_with("unknown variant") {
            message += "; for any other file, write `file` with `key` or `pattern`";
        }
        Broken {
            file: source.path.clone(),
            position: Some(TextPosition { line, column }),
            message,
        }
    })?;
    Ok((root, manifest))
}
