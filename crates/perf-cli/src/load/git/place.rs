//! A file's location in a repository: `REF:PATH`.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::{Failure, term};

/// A commit in any form that git accepts, and a file's path in it: from the top of the repository, or with leading `./`
/// or `../` from the working directory.
///
/// ```
/// # use perf_cli::load::git::RefPath;
/// let place: RefPath = "origin/main:docs/perf-baseline.csv".parse().unwrap();
/// assert_eq!((place.reference(), place.path()), ("origin/main", "docs/perf-baseline.csv"));
/// assert!("--output=x:y".parse::<RefPath>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefPath {
    reference: String,
    path: String,
}

impl RefPath {
    /// A location from both parts.
    ///
    /// # Errors
    /// Why a part is invalid.
    pub fn new(reference: &str, path: &str) -> Result<Self, String> {
        let path = if cfg!(windows) {
            path.replace('\\', "/")
        } else {
            path.to_owned()
        };
        let shown = term::printable(reference);
        if reference.is_empty() || path.is_empty() || path.contains('\0') {
            return Err(format!(
                "`{shown}:{}` is not REF:PATH, such as `HEAD:perf-baseline.csv`",
                term::printable(&path)
            ));
        }
        if reference.starts_with(['-', '^'])
            || reference.contains("..")
            || reference.contains(char::is_control)
        {
            return Err(format!("`{shown}` does not match exactly one commit"));
        }
        if path.starts_with('/') {
            let relative = term::printable(path.trim_start_matches('/'));
            return Err(format!(
                "`{}` is not a path in a repository; paths begin at its top, such as `{shown}:{relative}`",
                term::printable(&path)
            ));
        }
        Ok(Self {
            reference: reference.to_owned(),
            path,
        })
    }

    /// The commit as given.
    pub fn reference(&self) -> &str {
        &self.reference
    }

    /// The path as given.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The path from the top of the repository. `prefix` is the working directory's path there.
    pub(super) fn path_from_top(&self, prefix: &str) -> anyhow::Result<String> {
        let relative = self.path.starts_with("./") || self.path.starts_with("../");
        let mut parts: Vec<&str> = Vec::new();
        for part in if relative { prefix } else { "" }
            .split('/')
            .chain(self.path.split('/'))
        {
            match part {
                "" | "." => {}
                ".." if parts.pop().is_some() => {}
                ".." => {
                    let path = term::printable(&self.path);
                    return Err(Failure::new(format!("`{path}` is outside the repository")).into());
                }
                part => parts.push(part),
            }
        }
        Ok(parts.join("/"))
    }
}

impl FromStr for RefPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some(colon) = separator(text) else {
            let shown = term::printable(text);
            return Err(if Path::new(text).is_file() {
                format!(
                    "`{shown}` is a file: use `--baseline-csv {shown}`, or `HEAD:{shown}` for the committed one"
                )
            } else {
                format!(
                    "`{shown}` has no `:PATH`; write REF:PATH, such as `{shown}:perf-baseline.csv`"
                )
            });
        };
        Self::new(&text[..colon], &text[colon + 1..])
    }
}

/// The first colon outside braces; `HEAD@{2031-03-04 10:00}` has one inside.
fn separator(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.bytes().position(|byte| {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        byte == b':' && depth == 0
    })
}

impl fmt::Display for RefPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.reference, self.path)
    }
}
