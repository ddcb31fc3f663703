//! Patterns that people write: regular expressions for platforms, globs for scenarios.

use regex_lite::{Regex, RegexBuilder};
use wildmatch::WildMatch;

/// A regular expression on a platform. Classes such as `\b` and `\w` are ASCII.
#[derive(Clone, Debug)]
pub struct Pattern(Regex);

impl Pattern {
    /// Compiles `source`.
    ///
    /// # Errors
    /// What is wrong with it, on one line.
    pub fn new(source: &str) -> Result<Self, String> {
        let built = RegexBuilder::new(source).size_limit(1 << 20).build();
        built.map(Self).map_err(|error| error.to_string())
    }

    /// A pattern for `word` standing alone.
    pub fn word(word: &str) -> Self {
        let edge = |byte: Option<&u8>| {
            if byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') { r"\b" } else { "" }
        };
        let bytes = word.as_bytes();
        let source = format!("{}{}{}", edge(bytes.first()), regex_lite::escape(word), edge(bytes.last()));
        Self::new(&source).unwrap_or_else(|_| Self(never()))
    }

    /// Whether it occurs in `text`.
    pub fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// The source text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// Only a name of about a megabyte gets here; it is in no platform.
fn never() -> Regex {
    Regex::new("a^").unwrap_or_else(|_| unreachable!("a constant that compiles"))
}

/// A scenario pattern: `*` stands for any text, `?` for one character, everything else for itself.
#[derive(Clone, Debug)]
pub struct Glob(WildMatch);

impl Glob {
    /// The pattern that `source` is.
    pub fn new(source: &str) -> Self {
        Self(WildMatch::new(source))
    }

    /// Whether it covers the whole of `text`.
    pub fn matches(&self, text: &str) -> bool {
        self.0.matches(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stands_alone() {
        let mono = Pattern::word("Mono");
        assert!(mono.matches("PlayMode Mono x64") && mono.matches("(Mono)"));
        assert!(!mono.matches("Monolith") && !mono.matches("Mono2x"));
        assert!(Pattern::word("C++ (fast)").matches("run in C++ (fast) mode"));
        assert!(Pattern::word("").matches("anything"));
    }

    #[test]
    fn a_bad_expression_is_one_line() {
        assert_eq!(Pattern::new("(open").unwrap_err(), "found open group without closing ')'");
    }

    #[test]
    fn only_star_and_question_mark_are_wildcards() {
        for key in ["a[0]", "{a,b}", r"a\b", "a.b", "!a", "a/b"] {
            assert!(Glob::new(key).matches(key) && !Glob::new(key).matches("a"), "{key}");
        }
        assert!(Glob::new("*").matches("a/b\n") && Glob::new("*").matches("") && Glob::new("").matches(""));
        assert!(!Glob::new("").matches("a") && !Glob::new("?").matches("") && Glob::new("?").matches("é"));
    }

    #[test]
    fn globs_cover_the_whole_key() {
        let glob = Glob::new("decode_*?.v1");
        assert!(glob.matches("decode_small.v1") && glob.matches("decode_é.v1"));
        assert!(
            !glob.matches("decode_.v1") && !glob.matches("decode_small_v1") && !glob.matches("xdecode_a.v1")
        );
    }
}
