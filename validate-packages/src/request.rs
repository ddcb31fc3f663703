//! A whole run on the disk: reads the project, checks it, and fixes it where it is asked to.

use std::path::{Path, PathBuf};

use anyhow::Context;
use perf_cli::{ResultExt, file, term};

use crate::finding::FileChange;
use crate::fix::{apply, edits};
use crate::{FileTree, PackagesReport, check};

/// The fate of files that can be fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fix {
    /// Leaves the files as they are and reports what could be fixed as findings.
    Nothing,
    /// Leaves the files as they are, but reports on the project as it would be once fixed.
    Preview,
    /// Writes the fixed files.
    Write,
}

/// Checks the project at `root`, and fixes it if `fix` says so. Paths in the report start at the working directory, as
/// `root` does. Without a `manifest`, it is `.github/comparison-packages.json` of the root.
///
/// # Errors
/// No project or manifest, or a file that cannot be written; files that cannot be read are in the report.
pub fn validate(root: &Path, manifest: Option<&Path>, fix: Fix) -> anyhow::Result<PackagesReport> {
    let mut tree = FileTree::new(root)
        .with_context(|| format!("cannot open the project `{}`", term::shown(root)))?;
    let (path, text) = read_manifest(root, manifest)?;
    let (manifest, prefix) = (slashed(&path), prefix(root));
    let mut report = check(&manifest, &text, &tree);
    let mut changes = Vec::new();
    if fix != Fix::Nothing {
        let mut written = Vec::new();
        for (name, edits) in edits(&report) {
            let Some(path) = tree.locate(name)? else {
                continue;
            };
            let old = file::read_text(&path)?;
            let new = apply(&old, &edits);
            tree.changed.insert(name.to_owned(), new.clone());
            written.push((path, new.clone()));
            let file = format!("{prefix}{name}");
            changes.push(FileChange { file, old, new });
        }
        // A file that cannot be read leaves all others as they are.
        if fix == Fix::Write {
            for (path, text) in written {
                file::write_if_changed(&path, text.as_bytes())?;
            }
        }
        report = check(&manifest, &text, &tree);
    }
    report.relocate(&prefix, &manifest);
    Ok(PackagesReport { changes, ..report })
}

/// The path and the text of the manifest; by default `.github/comparison-packages.json` of the root.
pub(crate) fn read_manifest(
    root: &Path,
    manifest: Option<&Path>,
) -> anyhow::Result<(PathBuf, String)> {
    let default = root.join(".github").join("comparison-packages.json");
    let path = manifest.map_or(default, Path::to_path_buf);
    let text = file::read_text(&path)
        .hint("set the manifest with `--manifest FILE`, or the project with `--root DIR`")?;
    Ok((path, text))
}

pub(crate) fn slashed(path: &Path) -> String {
    let text = path
        .to_string_lossy()
        .replace(std::path::MAIN_SEPARATOR, "/");
    text.strip_prefix("./").map_or(text.clone(), str::to_owned)
}

/// Annotations need paths from the repository root, where a workflow runs.
fn prefix(root: &Path) -> String {
    match slashed(root).trim_end_matches('/') {
        "" | "." => String::new(),
        root => format!("{root}/"),
    }
}
