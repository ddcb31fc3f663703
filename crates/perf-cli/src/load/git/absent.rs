//! Files that are probably missing by mistake: deleted or misspelt.

use std::path::Path;

use perf_model::suggest::is_misspelt;

use super::{RefPath, is_object, short};
use crate::git::Git;
use crate::paths::similar;
use crate::{Failure, term};

/// The error for a file that is probably missing by mistake; `None` if it never existed and no similar name exists.
/// `others` are files with similar names but other purposes.
pub fn mistake(file: &Path, others: &[&Path]) -> Option<Failure> {
    let shown = term::shown(file);
    if let Some(other) = similar(file, others) {
        return Some(misspelt(&shown, &other));
    }
    // Outside a repository, git cannot tell whether the file was deleted.
    let (git, path) = Git::for_file(file).ok()?;
    git.deleted(&RefPath::new("HEAD", &path).ok()?, &shown)
}

/// As [`mistake`], for a file that a commit does not contain.
pub fn mistake_at(spec: &RefPath) -> Option<Failure> {
    let git = Git::here();
    let path = spec.path_from_top(&git.repository().ok()?.prefix).ok()?;
    let folder = &path[..path.rfind('/').map_or(0, |slash| slash + 1)];
    let tree = format!("{}:{folder}", spec.reference());
    let shown = term::printable(&spec.to_string());
    let listed = git.clone().without_fetching().list(&[
        "ls-tree",
        "-z",
        "--full-tree",
        "--name-only",
        "--end-of-options",
        &tree,
    ]);
    for other in listed.unwrap_or_default() {
        if is_misspelt(&path[folder.len()..], &other) {
            return Some(misspelt(&shown, &term::printable(&(tree + &other))));
        }
    }
    git.deleted(spec, &shown)
}

fn misspelt(shown: &str, near: &str) -> Failure {
    Failure::new(format!("no baseline `{shown}`")).hint(format!("did you mean `{near}`?"))
}

impl Git {
    /// The error for a file that a commit deleted.
    fn deleted(&self, spec: &RefPath, shown: &str) -> Option<Failure> {
        let path = spec.path_from_top(&self.repository().ok()?.prefix).ok()?;
        let found = self.clone().without_fetching().ask(&[
            "log",
            "-1",
            "--no-color",
            "--diff-filter=D",
            "--no-renames",
            "--format=%H",
            "--end-of-options",
            spec.reference(),
            "--",
            &format!(":(top,literal){path}"),
        ])?;
        let commit = found.trim();
        if !is_object(commit) {
            return None;
        }
        let commit = short(commit);
        Some(
            Failure::new(format!("no baseline `{shown}`: commit {commit} deleted it")).hint(
                format!(
                    "`git checkout {commit}^ -- :/{}` restores it",
                    term::printable(&path)
                ),
            ),
        )
    }
}
