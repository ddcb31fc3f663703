//! Name and path patterns.

use std::str::FromStr;

use regex_lite::Regex;
use serde::{Deserialize, Serialize};

/// A name pattern: `*` matches any text, `?` matches one character, and every other character matches itself.
#[derive(Clone, Debug)]
pub struct Glob(Box<str>);

impl Glob {
    /// Creates a pattern. Any text is valid.
    pub fn new(source: &str) -> Self {
        Self(source.into())
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the pattern matches the whole `text`.
    pub fn matches(&self, text: &str) -> bool {
        matches(&self.0, text)
    }
}

/// Whether any part of `text` matches a regular expression.
pub(super) fn is_match(pattern: &str, text: &str) -> bool {
    Regex::new(pattern).is_ok_and(|regex| regex.is_match(text))
}

pub(super) fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// Whether `text` as a whole matches a pattern with `*` and `?`.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let fits = |wanted, letter| wanted == '?' || wanted == letter;
    matches_all(pattern.chars(), text.chars(), '*', fits)
}

/// Whether the items of `text` match the items of `pattern`, in which `star` matches any number of items.
fn matches_all<T: Copy + PartialEq>(
    mut pattern: impl Iterator<Item = T> + Clone,
    mut text: impl Iterator<Item = T> + Clone,
    star: T,
    fits: impl Fn(T, T) -> bool,
) -> bool {
    // The pattern after the last star, and the text against which it was last tried.
    let mut retry = None;
    loop {
        let rest = text.clone();
        match (pattern.next(), text.next()) {
            (Some(wanted), _) if wanted == star => {
                retry = Some((pattern.clone(), rest.clone()));
                text = rest;
                continue;
            }
            (Some(wanted), Some(item)) if fits(wanted, item) => continue,
            (None, None) => return true,
            _ => {}
        }
        // Let the last star match one more item. Earlier stars need no retry, because they match as little as possible.
        let Some((after_star, mut from)) = retry else {
            return false;
        };
        if from.next().is_none() {
            return false;
        }
        (pattern, text) = (after_star.clone(), from.clone());
        retry = Some((after_star, from));
    }
}

/// A path pattern, relative to the root of the repository. `*` matches any part of a name, `?` one character, and `**` any
/// number of folders. If the last name contains no wildcard, the pattern matches a file of that name, or everything in a
/// folder of that name.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct PathPattern {
    source: String,
    /// A pattern for each name in the path. `**` matches any number of folders.
    parts: Vec<String>,
}

/// The part of a path pattern that matches any number of folders.
const FOLDERS: &str = "**";

impl PathPattern {
    /// Parses a pattern. Fails if it does not start at the root of the repository, or uses `gitignore` syntax that patterns
    /// do not support.
    pub fn new(source: &str) -> Result<Self, String> {
        let names = source.strip_suffix('/').unwrap_or(source).split('/');
        let mut parts = Vec::new();
        for name in names {
            refuse(name, source)?;
            parts.push(name.to_owned());
        }
        match parts.last().map(String::as_str) {
            // `benches/**` matches files in the folder, not the folder itself.
            Some(FOLDERS) => parts.push("*".to_owned()),
            Some(name) if !is_pattern(name) => parts.push(FOLDERS.to_owned()),
            _ => {}
        }
        let source = source.to_owned();
        Ok(Self { source, parts })
    }

    /// Whether the pattern matches a path written with `/`.
    pub fn matches(&self, path: &str) -> bool {
        let parts = self.parts.iter().map(String::as_str);
        matches_all(parts, path.split('/'), FOLDERS, matches)
    }

    /// The pattern as written in the config.
    pub fn as_str(&self) -> &str {
        &self.source
    }
}

/// The start of the error message for a path pattern in the config.
pub(super) const BAD_PATH: &str = "bad path ";

/// Rejects names that no repository path contains, and `gitignore` syntax that patterns do not support.
fn refuse(name: &str, source: &str) -> Result<(), String> {
    let why = match name {
        "" if source.is_empty() => "it is empty",
        _ if source.starts_with('!') => "it begins with `!`: a pattern cannot exclude files",
        "" if source.starts_with('/') => "it begins with `/`",
        "" => "it contains `//`",
        "." | ".." => "it contains a folder `.` or `..`",
        _ if name.contains('\\') => "it contains `\\`",
        _ if name.ends_with(':') && name.len() == 2 => "it contains a drive",
        _ if name != FOLDERS && name.contains(FOLDERS) => "`**` stands for whole folders",
        _ => return Ok(()),
    };
    Err(why.to_owned())
}

impl FromStr for PathPattern {
    type Err = String;

    fn from_str(source: &str) -> Result<Self, String> {
        Self::new(source)
    }
}

impl TryFrom<String> for PathPattern {
    type Error = String;

    fn try_from(source: String) -> Result<Self, String> {
        Self::new(&source).map_err(|why| format!("{BAD_PATH}`{source}`: {why}"))
    }
}

impl From<PathPattern> for String {
    fn from(pattern: PathPattern) -> Self {
        pattern.source
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A reference implementation that tries everything.
    fn covers(pattern: &[char], text: &[char]) -> bool {
        match (pattern, text) {
            ([], text) => text.is_empty(),
            (['*', rest @ ..], text) => (0..=text.len()).any(|at| covers(rest, &text[at..])),
            ([letter, rest @ ..], [other, text @ ..]) => {
                (*letter == '?' || letter == other) && covers(rest, text)
            }
            (_, []) => false,
        }
    }

    proptest! {
        #[test]
        fn glob_agrees_with_the_reference_implementation(pattern in "[ab?*é]{0,9}", text in "[abé?*]{0,10}") {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            let expected = covers(&letters(&pattern), &letters(&text));
            prop_assert_eq!(Glob::new(&pattern).matches(&text), expected);
        }
    }

    #[test]
    fn only_star_and_question_mark_are_wildcards() {
        for key in ["a[0]", "{a,b}", r"a\b", "a.b", "!a", "a/b"] {
            assert!(
                Glob::new(key).matches(key) && !Glob::new(key).matches("a"),
                "{key}"
            );
        }
        assert!(
            Glob::new("*").matches("a/b\n")
                && Glob::new("*").matches("")
                && Glob::new("").matches("")
        );
        assert!(
            !Glob::new("").matches("a")
                && !Glob::new("?").matches("")
                && Glob::new("?").matches("é")
        );
    }

    #[test]
    fn globs_match_the_whole_key() {
        let glob = Glob::new("decode_*?.v1");
        assert!(glob.matches("decode_small.v1") && glob.matches("decode_é.v1"));
        assert!(
            !glob.matches("decode_.v1")
                && !glob.matches("decode_small_v1")
                && !glob.matches("xdecode_a.v1")
        );
    }

    #[test]
    fn hostile_patterns_take_quadratic_time() {
        let names = [
            "a".repeat(1_000),
            "ab".repeat(500),
            format!("{}b", "a".repeat(999)),
        ];
        let time = std::time::Instant::now();
        for length in (0..12).map(|at| 1 + 40 * at) {
            let (plain, shape) = ("a".repeat(length), format!("{}?", "ab".repeat(length / 2)));
            for pattern in [
                format!("*a*{plain}*b"),
                format!("*{plain}c{plain}*"),
                format!("*{shape}c{shape}*b*"),
            ] {
                let glob = Glob::new(&pattern);
                assert!(names.iter().filter(|name| glob.matches(name)).count() < 3);
            }
        }
        // Less than a second without optimisation; years if every star were tried everywhere.
        assert!(time.elapsed().as_secs() < 30, "{:?}", time.elapsed());
    }

    const PATHS: [&str; 8] = [
        "Cargo.lock",
        "sub/Cargo.lock",
        "benches",
        "benches/a.rs",
        "benches/deep/b.rs",
        "benches2/c.rs",
        "benches/deep/er/é.rs",
        "x/benches/a.rs",
    ];

    fn matching(pattern: &str) -> Vec<&'static str> {
        let pattern = PathPattern::new(pattern).unwrap();
        PATHS
            .into_iter()
            .filter(|path| pattern.matches(path))
            .collect()
    }

    #[test]
    fn path_patterns_start_at_the_root() {
        assert_eq!(matching("Cargo.lock"), ["Cargo.lock"]);
        assert_eq!(matching("**/Cargo.lock"), ["Cargo.lock", "sub/Cargo.lock"]);
        assert_eq!(matching("cargo?lock"), [""; 0]);
        assert_eq!(matching("**"), PATHS);
    }

    #[test]
    fn star_stays_within_a_name_and_double_star_does_not() {
        assert_eq!(matching("benches/*"), ["benches/a.rs"]);
        assert_eq!(matching("bench*/?.rs"), ["benches/a.rs", "benches2/c.rs"]);
        let all = ["benches/a.rs", "benches/deep/b.rs", "benches/deep/er/é.rs"];
        assert_eq!(matching("benches/**"), all);
        assert_eq!(matching("benches/**/*.rs"), all);
        assert_eq!(matching("**/er/?.rs"), ["benches/deep/er/é.rs"]);
        assert_eq!(matching("benches?a.rs"), [""; 0]);
    }

    #[test]
    fn folder_pattern_matches_everything_in_it() {
        let all = [
            "benches",
            "benches/a.rs",
            "benches/deep/b.rs",
            "benches/deep/er/é.rs",
        ];
        assert_eq!([matching("benches"), matching("benches/")], [all, all]);
        assert_eq!(
            matching("*/deep"),
            ["benches/deep/b.rs", "benches/deep/er/é.rs"]
        );
    }

    #[test]
    fn impossible_path_patterns_are_errors() {
        let why = |text: &str| PathPattern::new(text).unwrap_err();
        assert_eq!(why(""), "it is empty");
        assert_eq!(
            [why("/"), why("/benches"), why("//")],
            ["it begins with `/`"; 3]
        );
        assert_eq!(
            why("!benches"),
            "it begins with `!`: a pattern cannot exclude files"
        );
        assert_eq!(why("benches//a"), "it contains `//`");
        assert_eq!(
            [why("./benches"), why("../x"), why("a/.."), why("a/../b")],
            ["it contains a folder `.` or `..`"; 4]
        );
        assert_eq!(why("benches\\*"), "it contains `\\`");
        assert_eq!(why("C:/benches"), "it contains a drive");
        assert_eq!(
            [why("a**"), why("**.rs"), why("***")],
            ["`**` stands for whole folders"; 3]
        );
    }

    proptest! {
        #[test]
        fn any_pattern_is_compiled_or_rejected(pattern in any::<String>(), path in any::<String>()) {
            if let Ok(pattern) = PathPattern::new(&pattern) {
                pattern.matches(&path);
            }
        }

        #[test]
        fn path_without_wildcards_matches_itself(path in "[a-z+(é]{1,5}(/[a-z+.]{3,5}){0,3}") {
            prop_assume!(path.split('/').all(|name| !name.trim_matches('.').is_empty()));
            prop_assert!(PathPattern::new(&path).unwrap().matches(&path));
        }
    }
}
