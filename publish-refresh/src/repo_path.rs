//! The path of a file in a repository, as git names it: relative to the top, with `/` on every system.

use std::fmt;
use std::str::FromStr;

/// A path in the repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RepoPath(String);

/// The reason why a text is no path in a repository.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadPath {
    #[error("it names no file")]
    Empty,
    #[error("it begins at the root of the system, not of the repository")]
    Absolute,
    #[error("it leaves its folder with `..`")]
    Leaves,
    #[error("it has a `\\`, which no file of a repository should have: write `/`")]
    Backslash,
    #[error("it has a character that cannot be printed")]
    Control,
    #[error("it is in git's own folder")]
    Git,
}

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
    type Err = BadPath;

    fn from_str(text: &str) -> Result<Self, BadPath> {
        if text.starts_with('/') {
            return Err(BadPath::Absolute);
        }
        let names: Vec<&str> = text.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
        for name in &names {
            match name {
                _ if *name == ".." => return Err(BadPath::Leaves),
                _ if name.contains('\\') => return Err(BadPath::Backslash),
                _ if name.chars().any(char::is_control) => return Err(BadPath::Control),
                _ if name.eq_ignore_ascii_case(".git") => return Err(BadPath::Git),
                _ => {}
            }
        }
        if names.is_empty() || text.ends_with('/') { Err(BadPath::Empty) } else { Ok(Self(names.join("/"))) }
    }
}
