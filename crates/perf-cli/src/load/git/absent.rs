//! Files that are probably missing by mistake: deleted or misspelt.

use std::fs;
use std::path::Path;

use perf_model::suggest::is_misspelt;

use super::ask::is_object;
use super::{RefPath, short};
use crate::git::Git;
use crate::paths::folder_of;
use crate::{Failure, term};

/// The error for a file that is probably missing by mistake; `None` if it never existed and no similar name exists.
/// `others` are files with similar names but other purposes.
pub fn mistake(file: &Path, others: &[&Path]) -> Option<Failure> {
    let shown = term::shown(file);
    if let Some(near) = near(file, others) {
        return Some(misspelt(&shown, &near));
    }
    // Outside a repository, nothing is known.
    let (git, path) = Git::beside(file).ok()?;
    let prefix = git.repository().ok()?.prefix;
    let head = RefPath::new("HEAD", &path).ok()?;
    git.deleted(&head, &head.path_from_top(&prefix).ok()?, &shown)
}

/// As [`mistake`], for a file that a commit does not contain.
pub fn mistake_at(spec: &RefPath) -> Option<Failure> {
    let git = Git::here();
    let path = spec.path_from_top(&git.repository().ok()?.prefix).ok()?;
    let (folder, name) = path
        .rsplit_once('/')
        .map_or(("", &*path), |(folder, name)| (folder, name));
    let tree = format!("{}:{folder}", spec.reference());
    let names = git
        .clone()
        .without_fetching()
        .list(&["ls-tree", "-z", "--name-only", "--end-of-options", &tree])
        .unwrap_or_default();
    let shown = term::printable(&spec.to_string());
    match names.iter().find(|other| is_misspelt(name, other)) {
        Some(near) => {
            let folder = if folder.is_empty() {
                String::new()
            } else {
                format!("{folder}/")
            };
            Some(misspelt(
                &shown,
                &term::printable(&format!("{}:{folder}{near}", spec.reference())),
            ))
        }
        None => git.deleted(spec, &path, &shown),
    }
}

fn misspelt(shown: &str, near: &str) -> Failure {
    Failure::new(format!("no baseline `{shown}`")).hint(format!("did you mean `{near}`?"))
}

/// A similar name next to the file, or the same name in a folder with a similar name.
fn near(file: &Path, others: &[&Path]) -> Option<String> {
    let name = file.file_name()?.to_str()?;
    let folder = folder_of(file);
    if folder.is_dir() {
        let known: Vec<_> = others
            .iter()
            .filter_map(|other| fs::canonicalize(other).ok())
            .collect();
        let is_known =
            |name: &String| fs::canonicalize(folder.join(name)).is_ok_and(|it| known.contains(&it));
        let found = similar(folder, name)
            .into_iter()
            .find(|name| folder.join(name).is_file() && !is_known(name));
        return found.map(|name| term::shown(&file.with_file_name(name)));
    }
    let folders = similar(folder_of(folder), folder.file_name()?.to_str()?).into_iter();
    let mut files = folders.map(|other| folder.with_file_name(other).join(name));
    files
        .find(|file| file.is_file())
        .map(|file| term::shown(&file))
}

/// The similar names in a folder, sorted.
fn similar(folder: &Path, name: &str) -> Vec<String> {
    let entries = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok);
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|other| is_misspelt(name, other)).collect();
    names.sort_unstable();
    names
}

impl Git {
    /// The error for a file that a commit deleted.
    fn deleted(&self, spec: &RefPath, path: &str, shown: &str) -> Option<Failure> {
        let place = format!(":(top,literal){path}");
        let log = [
            "log",
            "-z",
            "-1",
            "--diff-filter=D",
            "--no-renames",
            "--format=%H",
        ];
        let end = ["--end-of-options", spec.reference(), "--", &place];
        let found = self
            .clone()
            .without_fetching()
            .list(&[&log[..], &end].concat())
            .unwrap_or_default();
        let commit = found
            .iter()
            .map(|line| line.trim())
            .find(|line| is_object(line))?;
        let commit = short(commit);
        Some(
            Failure::new(format!("no baseline `{shown}`: commit {commit} deleted it")).hint(
                format!(
                    "`git checkout {commit}^ -- {}` restores it",
                    term::printable(path)
                ),
            ),
        )
    }
}
