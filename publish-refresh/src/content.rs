//! Computes the changes that a refresh makes to the published files.

use std::fmt;
use std::str::FromStr;

/// A published file and its content, `None` if it does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublishedFile {
    pub(crate) path: RepoPath,
    pub(crate) content: Option<Vec<u8>>,
}

/// The contents that turn the branch's files into the rendered files, by path and with the branch's line endings.
///
/// Both arguments contain the same files in the same order. A file that was not rendered stays unchanged.
pub(crate) fn changes(
    rendered: &[PublishedFile],
    branch: &[PublishedFile],
) -> Vec<(String, Vec<u8>)> {
    let mut changes = Vec::new();
    for (rendered, branch) in rendered.iter().zip(branch) {
        let Some(content) = &rendered.content else {
            continue;
        };
        let before = branch.content.as_deref();
        let after = with_line_ends_of(before.unwrap_or_default(), content);
        if before != Some(&*after) {
            changes.push((rendered.path.to_string(), after));
        }
    }
    changes
}

/// Converts the rendered file to the branch's line endings, because different line endings are not a change: a checkout
/// may convert them (`core.autocrlf` on Windows), and a renderer may write its own. Returns the file unchanged if the
/// branch's line endings are mixed, or if a file is not UTF-8.
fn with_line_ends_of(branch: &[u8], rendered: &[u8]) -> Vec<u8> {
    let (Ok(before), Ok(after)) = (str::from_utf8(branch), str::from_utf8(rendered)) else {
        return rendered.to_vec();
    };
    let [old, new] = [before, after].map(|text| text.replace("\r\n", "\n"));
    if !old.contains('\n') || new.contains('\r') {
        return rendered.to_vec();
    }
    if old == before {
        return new.into();
    }
    if old.replace('\n', "\r\n") == before {
        return new.replace('\n', "\r\n").into();
    }
    rendered.to_vec()
}

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
    /// The reason why a text is not a repository path.
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        if text.starts_with('/') {
            return Err("it begins at the root of the system, not of the repository");
        }
        let mut names = text.split('/').collect::<Vec<_>>();
        names.retain(|name| !matches!(*name, "" | "."));
        for name in &names {
            if *name == ".." {
                return Err("it leaves its folder with `..`");
            }
            if name.contains('\\') {
                return Err("it contains a `\\`: write `/`");
            }
            if name.chars().any(char::is_control) {
                return Err("it contains an unprintable character");
            }
            if name.eq_ignore_ascii_case(".git") {
                return Err("it is in git's own folder");
            }
        }
        if names.is_empty() || text.ends_with('/') {
            Err("it is not a file")
        } else {
            Ok(Self(names.join("/")))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn version(path: &str, content: Option<&str>) -> PublishedFile {
        PublishedFile {
            path: path.parse().unwrap(),
            content: content.map(|text| text.as_bytes().to_vec()),
        }
    }

    fn after(branch: Option<&str>, rendered: &str) -> Option<String> {
        let changes = changes(&[version("a", Some(rendered))], &[version("a", branch)]);
        changes
            .into_iter()
            .next()
            .map(|(_, content)| String::from_utf8(content).unwrap())
    }

    #[test]
    fn only_changed_files_are_published() {
        let rendered = [
            version("a", Some("1\n")),
            version("b", Some("2\n")),
            version("c", Some("3\n")),
        ];
        let branch = [
            version("a", Some("1\n")),
            version("b", Some("1\n")),
            version("c", None),
        ];
        let changes = changes(&rendered, &branch);
        let paths: Vec<_> = changes.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["b", "c"]);
    }

    #[test]
    fn empty_file_differs_from_missing_file() {
        assert_eq!(after(None, ""), Some(String::new()));
        assert_eq!(after(Some(""), ""), None);
    }

    #[test]
    fn unrendered_file_is_unchanged() {
        assert_eq!(
            changes(&[version("a", None)], &[version("a", Some("1"))]),
            []
        );
    }

    #[test]
    fn line_ends_follow_the_branch() {
        assert_eq!(after(Some("1\n2\n"), "1\r\n2\r\n"), None);
        assert_eq!(after(Some("1\r\n2\r\n"), "1\n2\n"), None);
        assert_eq!(
            after(Some("1\n2\n"), "1\r\n3\r\n").as_deref(),
            Some("1\n3\n")
        );
        assert_eq!(after(Some("1\r\n"), "3\n4").as_deref(), Some("3\r\n4"));
        assert_eq!(after(Some("1\n"), "1\r\n2\n").as_deref(), Some("1\n2\n"));
        let (branch, png) = (b"1\n", b"\x89PNG\r\n\x1a\n");
        assert_eq!(with_line_ends_of(branch, png), png);
    }

    #[test]
    fn mixed_or_missing_line_ends_are_not_converted() {
        for (branch, rendered) in [("1\n2\r\n", "1\r\n"), ("", "1\r\n"), ("1\n", "\r\r\n")] {
            assert_eq!(after(Some(branch), rendered).as_deref(), Some(rendered));
        }
        assert_eq!(after(None, "1\r\n").as_deref(), Some("1\r\n"));
    }

    proptest! {
        #[test]
        fn published_file_is_unchanged_next_time(
            branch in "[a\0\r\n]{0,12}", rendered in "[a\0\r\n]{0,12}",
        ) {
            if let Some(published) = after(Some(&branch), &rendered) {
                prop_assert_eq!(after(Some(&published), &rendered), None);
            }
        }
    }
}
