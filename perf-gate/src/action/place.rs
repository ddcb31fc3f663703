//! The suite's folder and the checkout that contains it.
//!
//! A benchmark may have run in the checkout, and must not be able to redirect the action to another folder or repository.
//! So links to the folder are not followed and nested repositories not entered.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Context;
use perf_cli::{Failure, term};

use super::environment::variable;

/// The suite's folder.
#[derive(Debug, PartialEq, Eq)]
pub struct SuiteFolder {
    /// The absolute path.
    pub folder: PathBuf,
    /// The absolute path of the checkout, if there is one.
    pub checkout: Option<String>,
    /// The path relative to the checkout, with a leading `/`, or empty.
    suite: String,
}

/// Replaces `\` by `/` on Windows.
pub fn slashes(path: &str) -> String {
    if cfg!(windows) {
        path.replace('\\', "/")
    } else {
        path.to_owned()
    }
}

/// True if a path is absolute on Unix or Windows.
pub fn is_absolute(path: &str) -> bool {
    let drive = || {
        path.split_once(':')
            .is_some_and(|(drive, _)| matches!(drive.as_bytes(), [b'A'..=b'Z' | b'a'..=b'z']))
    };
    path.starts_with('/') || drive()
}

/// Resolves `.`, `..` and empty parts without reading the disk. `None` if the path leads out of its start.
pub fn normalize(path: &str) -> Option<String> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Prefixes a path with `./` if it could be taken for an option or for standard input.
pub fn path(path: &str) -> String {
    if path.starts_with('-') {
        format!("./{path}")
    } else {
        path.to_owned()
    }
}

impl SuiteFolder {
    /// Finds the folder `working-directory` below the workspace.
    ///
    /// # Errors
    /// If it does not exist, is outside of the workspace, is reached through a link, or is in a nested repository.
    pub fn find(directory: &str) -> Result<Self, Failure> {
        let workspace = variable("GITHUB_WORKSPACE")
            .ok_or_else(|| Failure::new("GITHUB_WORKSPACE is not set"))?;
        Self::below(slashes(&workspace).trim_end_matches('/'), directory)
    }

    fn below(workspace: &str, directory: &str) -> Result<Self, Failure> {
        let named = slashes(directory);
        let named = match named.strip_prefix(workspace) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => rest.trim_start_matches('/'),
            _ => &named,
        };
        let inside = normalize(named)
            .filter(|_| !is_absolute(named))
            .ok_or_else(|| {
                Failure::new(format!("invalid `working-directory`: `{directory}`"))
                    .hint("it is the path of a folder below the workspace")
            })?;
        let mut place = Self {
            folder: workspace.into(),
            checkout: None,
            suite: String::new(),
        };
        place.detect_repository(directory)?;
        for part in inside.split('/').filter(|part| !part.is_empty()) {
            place.folder.push(part);
            if place.folder.is_symlink() {
                return Err(Failure::new(format!("`{directory}` leads through a link"))
                    .hint("use the folder's real path in the repository"));
            }
            if place.checkout.is_some() {
                place.suite = format!("{}/{part}", place.suite);
            }
            place.detect_repository(directory)?;
        }
        place.check_exists(directory)
    }

    /// Remembers the folder as the checkout if it is a repository's root. Fails if it is already inside a checkout.
    fn detect_repository(&mut self, directory: &str) -> Result<(), Failure> {
        if !self.folder.join(".git").exists() {
            return Ok(());
        }
        if let Some(checkout) = &self.checkout {
            let name = checkout.rsplit('/').next().unwrap_or_default();
            let message = format!(
                "`{directory}` is in a submodule, or in a repository inside the workspace's repository"
            );
            let hint = format!("the action compares with commits from the checkout in `{name}`");
            return Err(Failure::new(message).hint(hint));
        }
        self.checkout = Some(slashes(&self.folder.to_string_lossy()));
        Ok(())
    }

    fn check_exists(self, directory: &str) -> Result<Self, Failure> {
        if self.folder.is_dir() {
            return Ok(self);
        }
        Err(
            Failure::new(format!("the folder `{directory}` does not exist"))
                .hint("check the input `working-directory`"),
        )
    }

    /// Changes the current folder.
    pub fn enter(folder: &Path) -> anyhow::Result<()> {
        env::set_current_dir(folder).with_context(|| format!("cannot enter `{}`", folder.display()))
    }

    /// Converts a path, absolute or relative to the suite's folder, to one relative to the repository's root. `None` if it
    /// is outside.
    pub fn in_repository(&self, file: &str) -> Option<String> {
        let file = slashes(file);
        if is_absolute(&file) {
            return normalize(
                file.strip_prefix(self.checkout.as_ref()?)?
                    .strip_prefix('/')?,
            );
        }
        normalize(&format!("{}/{file}", self.suite))
    }
}

/// Makes messages show the repository paths of the base's files instead of their paths in the run's folder.
pub fn name_as_repository(folder: &Path) {
    term::name_within(vec![
        folder.join("base"),
        folder.join("base-config"),
        folder.join("head-config"),
        folder.to_owned(),
    ]);
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn normalized_path_stays_inside() {
        assert_eq!(normalize("./a//b/../c").as_deref(), Some("a/c"));
        assert_eq!(normalize("").as_deref(), Some(""));
        assert_eq!((normalize(".."), normalize("a/../../b")), (None, None));
        assert!(
            is_absolute("/a")
                && is_absolute("C:\\a")
                && !is_absolute("ab:c")
                && !is_absolute("a/b:c")
        );
    }

    #[test]
    fn checkout_is_outermost_repository() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = slashes(&folder.path().to_string_lossy());
        fs::create_dir_all(folder.path().join("repo/.git")).unwrap();
        fs::create_dir_all(folder.path().join("repo/packages/a b")).unwrap();
        let place = SuiteFolder::below(&workspace, "./repo/packages/a b/").unwrap();
        assert_eq!(place.checkout, Some(format!("{workspace}/repo")));
        assert_eq!(
            place.in_repository("../x.csv").as_deref(),
            Some("packages/x.csv")
        );
        assert_eq!(place.in_repository("../../../x.csv"), None);
        assert_eq!(
            place
                .in_repository(&format!("{workspace}/repo/y.csv"))
                .as_deref(),
            Some("y.csv")
        );
        assert_eq!(place.in_repository("/etc/passwd"), None);
        assert_eq!(
            SuiteFolder::below(&workspace, &format!("{workspace}/repo/packages/a b")).unwrap(),
            place
        );
        fs::create_dir(folder.path().join("repo/packages/.git")).unwrap();
        assert!(
            SuiteFolder::below(&workspace, "repo/packages")
                .unwrap_err()
                .to_string()
                .contains("submodule")
        );
        for outside in ["..", "/tmp", "repo/../.."] {
            assert!(
                SuiteFolder::below(&workspace, outside).is_err(),
                "{outside}"
            );
        }
    }
}
