//! The project's files, read-only.
//!
//! Paths are relative to the project root and use `/` on every system. The root itself is `.`.

use std::io;
use std::path::{Path, PathBuf};

/// Folders with build output, installed packages or git's own files. They are not searched.
const SKIPPED: &[&str] = &[
    ".git",
    "Library",
    "Logs",
    "Temp",
    "node_modules",
    "obj",
    "target",
];

/// The maximum number of nested folders that a search enters.
const MAX_FOLDERS: usize = 32;

/// A project's files on the disk. It is an error if a symbolic link points out of the project root.
#[derive(Debug)]
pub struct FileTree {
    root: PathBuf,
}

impl FileTree {
    /// Opens the project at `root`, which must be a folder.
    pub fn new(root: &Path) -> io::Result<Self> {
        let root = root.canonicalize()?;
        if !root.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self { root })
    }

    /// The real path of a file, with links resolved. `None` if the file does not exist.
    ///
    /// # Errors
    /// Fails if the path leads out of the root, for example through a link, or cannot be resolved.
    pub fn locate(&self, path: &str) -> io::Result<Option<PathBuf>> {
        match self.root.join(path).canonicalize() {
            Ok(real) if real.starts_with(&self.root) => Ok(Some(real)),
            Ok(_) => Err(io::Error::other("the link points outside the project")),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// A file's text. `None` if the file does not exist.
    ///
    /// # Errors
    /// Fails if the file is not UTF-8, cannot be read, or is outside the root.
    pub fn read(&self, path: &str) -> io::Result<Option<String>> {
        let path = self.locate(path)?;
        path.map(std::fs::read_to_string).transpose()
    }

    /// Lists the files in and below a folder, sorted by path. Only files whose paths end with `suffix` are listed.
    pub fn list(&self, folder: &str, suffix: &str) -> io::Result<Vec<String>> {
        let mut found = Vec::new();
        if self.locate(folder)?.is_some() {
            let dir = self.root.join(folder);
            walk(&dir, folder, suffix, MAX_FOLDERS, &mut found)?;
        }
        found.sort_unstable();
        Ok(found)
    }
}

/// Adds the files in and below `dir` to `found`. Links are not followed, so there are no cycles. Names that are not Unicode
/// are skipped.
fn walk(
    dir: &Path,
    name: &str,
    suffix: &str,
    depth: usize,
    found: &mut Vec<String>,
) -> io::Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let Ok(child) = entry.file_name().into_string() else {
            continue;
        };
        let path = join(name, &child);
        let kind = entry.file_type()?;
        if kind.is_file() && path.ends_with(suffix) {
            found.push(path);
        } else if kind.is_dir() && depth > 0 && !SKIPPED.contains(&child.as_str()) {
            walk(&entry.path(), &path, suffix, depth - 1, found)?;
        }
    }
    Ok(())
}

/// Joins a folder and a path in it. The result does not start with `./` if the folder is the root.
pub(crate) fn join(folder: &str, path: &str) -> String {
    if folder == "." {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    }
}

/// Resolves `.` and `..` in a relative path with `/`. `None` if the path leaves the root or is absolute, or contains `\` or
/// `:`.
pub(crate) fn resolve(path: &str) -> Option<String> {
    if path.starts_with('/') || path.contains(['\\', ':', '\0']) {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    if parts.is_empty() {
        parts.push(".");
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_project() {
        let resolved = [
            "a/b/../c",
            "./x//y",
            "a/..",
            "a/../..",
            "/etc/passwd",
            "C:x",
        ]
        .map(resolve);
        let expected = [Some("a/c"), Some("x/y"), Some("."), None, None, None];
        assert_eq!(resolved.each_ref().map(Option::as_deref), expected);
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_root_are_errors() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret"), "s").unwrap();
        let inside = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret"), inside.path().join("link"))
            .unwrap();
        std::os::unix::fs::symlink(inside.path(), inside.path().join("loop")).unwrap();
        std::fs::write(inside.path().join("own"), "o").unwrap();
        let tree = FileTree::new(inside.path()).unwrap();
        assert!(tree.read("link").is_err());
        assert_eq!(tree.read("own").unwrap().as_deref(), Some("o"));
        assert_eq!(tree.read("none/own").unwrap(), None);
        assert_eq!(tree.list(".", "").unwrap(), ["own"]);
    }
}
