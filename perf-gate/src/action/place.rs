//! The suite's folder and the checkout that contains it.
//!
//! A benchmark may have run in the checkout, and must not be able to redirect the action to another folder or repository.
//! So links to the folder are not followed and nested repositories not entered.

use std::env;
use std::path::{Component, Path, PathBuf};

use anyhow::Context;
use perf_cli::{Failure, term};

/// The suite's folder.
#[derive(Debug, PartialEq, Eq)]
pub struct SuiteFolder {
    /// The absolute path.
    pub folder: PathBuf,
    /// The absolute path of the checkout, if there is one.
    pub checkout: Option<PathBuf>,
}

/// True if a path is absolute on Unix or Windows.
pub fn is_absolute(path: &str) -> bool {
    let has_drive = path.split_once(':').is_some_and(
        |(drive, _)| matches!(drive.as_bytes(), [letter] if letter.is_ascii_alphabetic()),
    );
    has_drive || Path::new(path).has_root()
}

/// Resolves `.` and `..` without reading the disk. `None` if the path is absolute or escapes its starting folder.
fn normalize(path: &Path) -> Option<String> {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::ParentDir => drop(parts.pop()?),
            Component::Prefix(_) | Component::RootDir => return None,
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
    pub fn find(workspace: &Path, directory: &str) -> Result<Self, Failure> {
        let named = Path::new(directory);
        let Some(inside) = normalize(named.strip_prefix(workspace).unwrap_or(named)) else {
            let message = format!("invalid `working-directory`: `{directory}`");
            return Err(
                Failure::new(message).hint("it is the path of a folder below the workspace")
            );
        };
        let mut folder = workspace.to_owned();
        let mut checkout = None;
        let mut parts = inside.split('/').filter(|part| !part.is_empty());
        loop {
            if folder.join(".git").exists() {
                if checkout.is_some() {
                    let message = format!(
                        "`{directory}` is in a submodule, or in a repository inside the workspace's repository"
                    );
                    return Err(Failure::new(message)
                        .hint("the action compares with commits of the outer repository"));
                }
                checkout = Some(folder.clone());
            }
            let Some(part) = parts.next() else { break };
            folder.push(part);
            if folder.is_symlink() {
                return Err(Failure::new(format!("`{directory}` leads through a link"))
                    .hint("use the folder's real path in the repository"));
            }
        }
        if folder.is_dir() {
            return Ok(Self { folder, checkout });
        }
        let message = format!("the folder `{directory}` does not exist");
        Err(Failure::new(message).hint("check the input `working-directory`"))
    }

    /// Changes the current folder.
    pub fn enter(folder: &Path) -> anyhow::Result<()> {
        env::set_current_dir(folder).with_context(|| format!("cannot enter `{}`", folder.display()))
    }

    /// Converts a path, absolute or relative to the suite's folder, to one relative to the repository's root. `None` if it
    /// is outside.
    pub fn in_repository(&self, file: &str) -> Option<String> {
        let file = self.folder.join(file);
        let checkout = self.checkout.as_ref().unwrap_or(&self.folder);
        normalize(file.strip_prefix(checkout).ok()?)
    }
}

/// Makes messages show the repository paths of the base's files instead of their paths in the run's folder.
pub fn name_as_repository(folder: &Path) {
    term::name_within(vec![
        folder.join("base"),
        folder.join("head"),
        folder.to_owned(),
    ]);
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn normalized_path_stays_inside() {
        assert_eq!(normalize(Path::new("./a//b/../c")).as_deref(), Some("a/c"));
        assert_eq!(normalize(Path::new("")).as_deref(), Some(""));
        assert_eq!(
            (
                normalize(Path::new("..")),
                normalize(Path::new("a/../../b"))
            ),
            (None, None)
        );
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
        let workspace = folder.path();
        fs::create_dir_all(folder.path().join("repo/.git")).unwrap();
        fs::create_dir_all(folder.path().join("repo/packages/a b")).unwrap();
        let place = SuiteFolder::find(workspace, "./repo/packages/a b/").unwrap();
        assert_eq!(place.checkout, Some(workspace.join("repo")));
        assert_eq!(
            place.in_repository("../x.csv").as_deref(),
            Some("packages/x.csv")
        );
        assert_eq!(place.in_repository("../../../x.csv"), None);
        assert_eq!(
            place
                .in_repository(&format!("{}/repo/y.csv", workspace.display()))
                .as_deref(),
            Some("y.csv")
        );
        assert_eq!(place.in_repository("/etc/passwd"), None);
        assert_eq!(
            SuiteFolder::find(
                workspace,
                &format!("{}/repo/packages/a b", workspace.display())
            )
            .unwrap(),
            place
        );
        fs::create_dir(folder.path().join("repo/packages/.git")).unwrap();
        assert!(
            SuiteFolder::find(workspace, "repo/packages")
                .unwrap_err()
                .to_string()
                .contains("submodule")
        );
        for outside in ["..", "/tmp", "repo/../.."] {
            assert!(SuiteFolder::find(workspace, outside).is_err(), "{outside}");
        }
    }
}
