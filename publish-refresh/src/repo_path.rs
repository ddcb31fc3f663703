//! The path of a file in a repository, as git names it: relative to the top, with `/` on every system.

use std::fmt;
use std::str::FromStr;

/// A path in the repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RepoPath(String);

impl RepoPath {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl FromStr for RepoPath {
    /// The reason why it is no path in a repository.
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        if text.starts_with('/') {
            return Err("it begins at the root of the system, not of the repository");
        }
        let names: Vec<&str> = text
            .split('/')
            .filter(|name| !matches!(*name, "" | "."))
            .collect();
        for name in &names {
            match name {
                _ if *name == ".." => return Err("it leaves its folder with `..`"),
                _ if name.contains('\\') => {
                    return Err(
                        "it has a `\\`, which no file of a repository should have: write `/`",
                    );
                }
                _ if name.chars().any(char::is_control) => {
                    return Err("it has a character that cannot be printed");
                }
                _ if name.eq_ignore_ascii_case(".git") => return Err("it is in git's own folder"),
                _ => {}
            }
        }
        if names.is_empty() || text.ends_with('/') {
            Err("it names no file")
        } else {
            Ok(Self(names.join("/")))
        }
    }
}
