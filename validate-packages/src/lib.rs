//! Checks that all consumers of the compared libraries agree with one manifest of pinned versions.
//!
//! The *manifest* pins each library (see [`perf_model::packages`]); *consumers* are the files that use the libraries.
//! [`check`] reads a [`FileTree`] and returns a [`PackagesReport`] of *findings* (violations of a rule) and *broken* files
//! (unreadable or invalid). [`validate`] reads the manifest from a project on the disk, calls [`check`], and can apply
//! fixes.

mod checker;
mod cli;
mod consumer;
pub mod finding;
mod generate;
mod manifest;
mod node;
pub mod output;
mod source;
pub mod tree;
mod version;

use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::Context;
use perf_cli::{ResultExt, file, term};
use perf_model::packages::Manifest;

use crate::checker::Checker;
pub use crate::cli::{Cli, run};
pub use crate::finding::{Edit, Finding, FindingRule, PackagesReport};
pub use crate::generate::GenerateArgs;
use crate::source::SourceFile;
pub use crate::source::TextPosition;
pub use crate::tree::FileTree;

/// Checks a manifest and all its consumers.
///
/// `path` is the manifest's path, as findings show it, and `text` is its content.
pub fn check(path: &str, text: &str, tree: &FileTree) -> PackagesReport {
    let source = Rc::new(SourceFile::new(path, text));
    let mut report = PackagesReport {
        checked: vec![path.to_owned()],
        ..PackagesReport::default()
    };
    let root = match node::json(&source) {
        Ok(root) => root,
        Err(error) => {
            report.add_broken(&source, &error);
            return report;
        }
    };
    let manifest = match Manifest::read(&source.text) {
        Ok(manifest) => manifest,
        Err(error) => {
            report.add_invalid_manifest(&source, error);
            return report;
        }
    };
    let mut checker = Checker::new(&manifest, source, &root, tree, report);
    manifest::check(&mut checker);
    consumer::check(&mut checker);
    checker.report.sort();
    checker.report
}

/// Checks the project at `root`, and with `fix` also writes the fixes. Paths in the report are relative to the working
/// directory, like `root`. If `manifest` is `None`, the manifest is `.github/comparison-packages.json` in the root.
///
/// # Errors
/// Fails if the project or the manifest cannot be read, or if a fix cannot be written. Other unreadable files are listed in
/// the report.
pub fn validate(root: &Path, manifest: Option<&Path>, fix: bool) -> anyhow::Result<PackagesReport> {
    let tree = FileTree::new(root)
        .with_context(|| format!("cannot open the project `{}`", term::shown(root)))?;
    let (path, text) = read_manifest(root, manifest)?;
    let manifest = slashed(&path);
    let mut report = check(&manifest, &text, &tree);
    if fix {
        let mut fixed = Vec::new();
        for (name, edits) in report.edits() {
            let Some(path) = tree.locate(name)? else {
                continue;
            };
            let text = finding::apply(&file::read_text(&path)?, &edits);
            fixed.push((name.to_owned(), path, text));
        }
        // Write only after all files have been read, so that a file that cannot be read leaves the others unchanged.
        for (_, path, text) in &fixed {
            file::write_if_changed(path, text.as_bytes())?;
        }
        report = check(&manifest, &text, &tree);
        report.fixed = fixed.into_iter().map(|(name, ..)| name).collect();
    }
    // Annotations need paths from the repository root, which is the working directory in workflows.
    let folder = slashed(root);
    match folder.trim_end_matches('/') {
        "" | "." => {}
        folder => report.relocate(folder, &manifest),
    }
    Ok(report)
}

/// Returns the path and the text of the manifest. If `manifest` is `None`, this is `.github/comparison-packages.json` in the
/// root.
fn read_manifest(root: &Path, manifest: Option<&Path>) -> anyhow::Result<(PathBuf, String)> {
    let default = root.join(".github").join("comparison-packages.json");
    let path = manifest.map_or(default, Path::to_path_buf);
    let text = file::read_text(&path)
        .hint("set the manifest with `--manifest FILE`, or the project with `--root DIR`")?;
    Ok((path, text))
}

fn slashed(path: &Path) -> String {
    let text = path
        .to_string_lossy()
        .replace(std::path::MAIN_SEPARATOR, "/");
    text.strip_prefix("./").map_or(text.clone(), str::to_owned)
}
