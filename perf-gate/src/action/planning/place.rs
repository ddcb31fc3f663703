//! The folder of the suite, and the checkout that it belongs to.
//!
//! The benchmark may have run in the checkout. It must not be able to make another folder of the suite's, or another
//! repository's: so no link is followed and no other repository entered on the way.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::env;
use std::path::{Path, PathBuf};

use anyhow::Context;
use perf_cli::{Failure, term};

use crate::action::environment::variable;

/// The folder of the suite.
#[derive(Debug, PartialEq, Eq)]
pub struct SuiteFolder {
    /// Its absolute path.
    pub folder: PathBuf,
    /// The checkout with its absolute path, if there is one.
    pub checkout: Option<String>,
    /// The path of the folder in the checkout: `/` and a name for each folder.
    suite: String,
    /// The answers of git about commits of the checkout, which do not change: each costs a process.
    pub answers: RefCell<HashMap<Vec<String>, String>>,
    /// The repositories of this job that got what the checkout lacks.
    pub fetched: RefCell<HashSet<PathBuf>>,
}

/// A path with `/` on Windows, too, where both are understood.
pub fn slashes(path: &str) -> String {
    if cfg!(windows) {
        path.replace('\\', "/")
    } else {
        path.to_owned()
    }
}

/// True for a path that begins at a root, on any system.
pub fn is_absolute(path: &str) -> bool {
    let drive = || {
        path.split_once(':')
            .is_some_and(|(drive, _)| matches!(drive.as_bytes(), [b'A'..=b'Z' | b'a'..=b'z']))
    };
    path.starts_with('/') || drive()
}

/// A path without `.`, `..` and empty parts, whatever is on the disk; `None` for one that leads out of where it begins.
pub fn plain(path: &str) -> Option<String> {
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

/// A path that no subcommand takes for an option, or for standard input.
pub fn path(path: &str) -> String {
    if path.starts_with('-') {
        format!("./{path}")
    } else {
        path.to_owned()
    }
}

impl SuiteFolder {
    /// Finds the folder that `working-directory` names, below the workspace.
    ///
    /// # Errors
    /// A folder that is outside, behind a link, in another repository, or not there.
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
        let inside = plain(named)
            .filter(|_| !is_absolute(named))
            .ok_or_else(|| {
                Failure::new(format!("invalid `working-directory`: `{directory}`"))
                    .hint("it is the path of a folder below the workspace")
            })?;
        let mut place = Self {
            folder: workspace.into(),
            checkout: None,
            suite: String::new(),
            answers: RefCell::default(),
            fetched: RefCell::default(),
        };
        place.look(directory)?;
        for part in inside.split('/').filter(|part| !part.is_empty()) {
            place.folder.push(part);
            if place.folder.is_symlink() {
                return Err(Failure::new(format!("`{directory}` leads through a link"))
                    .hint("give the path that the folder has in the repository itself"));
            }
            if place.checkout.is_some() {
                place.suite = format!("{}/{part}", place.suite);
            }
            place.look(directory)?;
        }
        place.there(directory)
    }

    /// Looks whether a repository begins here.
    fn look(&mut self, directory: &str) -> Result<(), Failure> {
        if !self.folder.join(".git").exists() {
            return Ok(());
        }
        if let Some(checkout) = &self.checkout {
            let name = checkout.rsplit('/').next().unwrap_or_default();
            let message = format!(
                "`{directory}` is in a submodule, or in another repository than that of the workspace"
            );
            let hint = format!("the action compares with commits of the checkout in `{name}`");
            return Err(Failure::new(message).hint(hint));
        }
        self.checkout = Some(slashes(&self.folder.to_string_lossy()));
        Ok(())
    }

    fn there(self, directory: &str) -> Result<Self, Failure> {
        if self.folder.is_dir() {
            return Ok(self);
        }
        Err(Failure::new(format!("there is no folder `{directory}`"))
            .hint("see the input `working-directory`"))
    }

    /// Goes to the folder.
    pub fn enter(folder: &Path) -> anyhow::Result<()> {
        env::set_current_dir(folder).with_context(|| format!("cannot enter `{}`", folder.display()))
    }

    /// The path in the repository of a file that is named from the folder of the suite; `None` for one outside.
    pub fn in_repository(&self, file: &str) -> Option<String> {
        let file = slashes(file);
        if is_absolute(&file) {
            return plain(
                file.strip_prefix(self.checkout.as_ref()?)?
                    .strip_prefix('/')?,
            );
        }
        plain(&format!("{}/{file}", self.suite))
    }
}

/// Lets messages name the files of the base as the repository does, and not by where this job has them.
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
    fn a_path_never_leads_out() {
        assert_eq!(plain("./a//b/../c").as_deref(), Some("a/c"));
        assert_eq!(plain("").as_deref(), Some(""));
        assert_eq!((plain(".."), plain("a/../../b")), (None, None));
        assert!(
            is_absolute("/a")
                && is_absolute("C:\\a")
                && !is_absolute("ab:c")
                && !is_absolute("a/b:c")
        );
    }

    #[test]
    fn the_checkout_is_the_outermost_repository() {
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
