//! Patterns of paths, as people know them from `.gitignore`.
//!
//! `*` is any part of a name, `**` any number of folders, `?` one character; everything else is itself. A
//! pattern without a `/` is a name in any folder, one with a `/` begins at the top of the repository. What
//! matches a folder matches everything in it.

use std::str::FromStr;

use regex::{Regex, RegexBuilder};

/// What a compiled pattern may need, in bytes: enough for any that people write.
const MAX_COMPILED: usize = 1024 * 1024;

/// A pattern of paths, written with `/`.
#[derive(Clone, Debug)]
pub(crate) struct PathGlob(Regex);

/// Why a text is no pattern.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadGlob {
    /// It would match everything or nothing.
    #[error("it is empty")]
    Empty,
    /// Paths of a repository have none.
    #[error("it has a `\\`: paths are written with `/` on every system")]
    Backslash,
    /// There is no such thing.
    #[error("it begins with `!`: a pattern cannot take anything back")]
    Negated,
    /// Nobody writes such a pattern.
    #[error("it is too long")]
    TooLong,
}

impl PathGlob {
    /// Whether it matches a path, or a folder that the path is in.
    pub(crate) fn matches(&self, path: &str) -> bool {
        self.0.is_match(path)
    }
}

impl FromStr for PathGlob {
    type Err = BadGlob;

    fn from_str(text: &str) -> Result<Self, BadGlob> {
        let pattern = text.trim_start_matches("./").trim_end_matches('/');
        if pattern.contains('\\') {
            return Err(BadGlob::Backslash);
        }
        if pattern.starts_with('!') {
            return Err(BadGlob::Negated);
        }
        let rooted = pattern.trim_start_matches('/');
        if rooted.is_empty() {
            return Err(BadGlob::Empty);
        }
        let anywhere = if pattern.contains('/') { "" } else { "(?:.*/)?" };
        let regex = format!("^{anywhere}{}(?:/.*)?$", translated(rooted));
        let built = RegexBuilder::new(&regex).dot_matches_new_line(true).size_limit(MAX_COMPILED).build();
        built.map(Self).map_err(|_| BadGlob::TooLong)
    }
}

fn translated(pattern: &str) -> String {
    let mut regex = String::new();
    let mut rest = pattern;
    while let Some(character) = rest.chars().next() {
        let (taken, meaning) = match character {
            '*' if rest.starts_with("**/") => (3, "(?:.*/)?".to_owned()),
            '*' if rest.starts_with("**") => (2, ".*".to_owned()),
            '*' => (1, "[^/]*".to_owned()),
            '?' => (1, "[^/]".to_owned()),
            _ => (character.len_utf8(), regex::escape(&rest[..character.len_utf8()])),
        };
        regex.push_str(&meaning);
        rest = &rest[taken..];
    }
    regex
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matching<'p>(pattern: &str, paths: &[&'p str]) -> Vec<&'p str> {
        let glob: PathGlob = pattern.parse().unwrap();
        paths.iter().copied().filter(|path| glob.matches(path)).collect()
    }

    #[test]
    fn a_name_is_found_in_any_folder_and_a_path_at_the_top_only() {
        let paths = ["README.md", "docs/a.md", "docs/deep/b.md", "a.mdx", "a.md/src.rs"];
        assert_eq!(matching("*.md", &paths), ["README.md", "docs/a.md", "docs/deep/b.md", "a.md/src.rs"]);
        assert_eq!(matching("docs/*.md", &paths), ["docs/a.md"]);
        assert_eq!(matching("/*.md", &paths), ["README.md", "a.md/src.rs"]);
        assert_eq!(matching("docs/**/*.md", &paths), ["docs/a.md", "docs/deep/b.md"]);
    }

    #[test]
    fn a_folder_is_everything_in_it() {
        let paths = ["docs", "docs/a", "docs/deep/b", "docs2/c", "x/docs/d"];
        assert_eq!(matching("docs/", &paths), ["docs", "docs/a", "docs/deep/b", "x/docs/d"]);
        assert_eq!(matching("/docs", &paths), ["docs", "docs/a", "docs/deep/b"]);
        assert_eq!(matching("./docs/**", &paths), ["docs/a", "docs/deep/b"]);
    }

    #[test]
    fn everything_else_is_itself() {
        assert_eq!(matching("a+(b)[c].{d}", &["a+(b)[c].{d}", "aa(b)c.d"]), ["a+(b)[c].{d}"]);
        assert_eq!(matching("a?c", &["abc", "a/c", "aéc", "ac"]), ["abc", "aéc"]);
        assert_eq!(matching("*.MD", &["a.md"]), [""; 0]);
    }

    #[test]
    fn what_is_no_pattern_says_why() {
        let why = |text: &str| text.parse::<PathGlob>().unwrap_err().to_string();
        assert_eq!([why(""), why("/"), why("./")], ["it is empty"; 3]);
        assert_eq!(why("docs\\*"), "it has a `\\`: paths are written with `/` on every system");
        assert_eq!(why("!src"), "it begins with `!`: a pattern cannot take anything back");
        assert_eq!(why(&"*a".repeat(100_000)), "it is too long");
    }

    proptest! {
        #[test]
        fn any_pattern_is_understood_or_refused(pattern in any::<String>(), path in any::<String>()) {
            if let Ok(glob) = pattern.parse::<PathGlob>() {
                glob.matches(&path);
            }
        }

        #[test]
        fn a_path_without_wildcards_matches_itself(path in "[a-z.+]{1,5}(/[a-z.+]{1,5}){0,3}") {
            prop_assume!(!path.starts_with("./"));
            prop_assert!(path.parse::<PathGlob>().unwrap().matches(&path));
        }
    }
}
