//! Patterns that people write: regular expressions for platforms, globs for scenarios.

use regex::bytes::{Regex, RegexBuilder};

/// A regular expression on a platform. Classes such as `\b` and `\w` are ASCII, which keeps the tables small
/// and the start of a program fast.
#[derive(Clone, Debug)]
pub struct Pattern(Regex);

impl Pattern {
    /// Compiles `source`.
    ///
    /// # Errors
    /// What is wrong with it, on one line.
    pub fn new(source: &str) -> Result<Self, String> {
        let built = RegexBuilder::new(source).unicode(false).size_limit(1 << 20).build();
        built.map(Self).map_err(|error| {
            let text = error.to_string();
            text.lines().rev().find_map(|line| line.strip_prefix("error: ")).unwrap_or(&text).to_owned()
        })
    }

    /// A pattern for `word` standing alone.
    pub fn word(word: &str) -> Self {
        let edge = |byte: Option<&u8>| {
            if byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') { r"\b" } else { "" }
        };
        let bytes = word.as_bytes();
        let source = format!("{}{}{}", edge(bytes.first()), regex::escape(word), edge(bytes.last()));
        Self::new(&source).unwrap_or_else(|_| Self(never()))
    }

    /// Whether it occurs in `text`.
    pub fn matches(&self, text: &str) -> bool {
        self.0.is_match(text.as_bytes())
    }

    /// The source text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// Only a name of about a megabyte gets here; it is in no platform.
fn never() -> Regex {
    Regex::new(r"[^\x00-\xFF]").unwrap_or_else(|_| unreachable!("a constant that compiles"))
}

/// A scenario pattern: `*` stands for any text, `?` for one character, everything else for itself.
#[derive(Clone, Debug)]
pub struct Glob(Regex);

impl Glob {
    /// Compiles `source`.
    ///
    /// # Errors
    /// What is wrong with it: only its size can be.
    pub fn new(source: &str) -> Result<Self, String> {
        let literal = regex::escape(source)
            .replace(r"\*", ".*")
            .replace(r"\?", r"(?:[\x00-\x7F]|[\xC0-\xFF][\x80-\xBF]*)");
        Pattern::new(&format!("(?s)^(?:{literal})$")).map(|pattern| Self(pattern.0))
    }

    /// Whether it covers the whole of `text`.
    pub fn matches(&self, text: &str) -> bool {
        self.0.is_match(text.as_bytes())
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
    fn a_bad_expression_is_told_in_one_line() {
        assert_eq!(Pattern::new("(open").unwrap_err(), "unclosed group");
    }

    #[test]
    fn globs_cover_the_whole_key() {
        let glob = Glob::new("decode_*?.v1").unwrap();
        assert!(glob.matches("decode_small.v1") && glob.matches("decode_é.v1"));
        assert!(
            !glob.matches("decode_.v1") && !glob.matches("decode_small_v1") && !glob.matches("xdecode_a.v1")
        );
    }
}
