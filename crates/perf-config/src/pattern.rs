//! Regular expressions that people write for platforms.

use regex_lite::{Regex, RegexBuilder};

/// The maximum size of a compiled expression, in bytes. Matching takes a step for each state of it and each letter.
const LARGEST: usize = 64 * 1024;

/// The platforms of a scope: those that an expression matches somewhere. Classes such as `\b` and `\w` are ASCII.
#[derive(Clone, Debug)]
pub struct Pattern(Regex);

impl Pattern {
    /// Compiles `source`.
    pub fn new(source: &str) -> Result<Self, String> {
        let built = RegexBuilder::new(source).size_limit(LARGEST).build();
        let too_large = || {
            format!(
                "it is too large: compiled it has more than {} KiB",
                LARGEST / 1024
            )
        };
        let why = |error: regex_lite::Error| match error.to_string() {
            why if why.contains("size limit") => too_large(),
            why => why,
        };
        built.map(Self).map_err(why)
    }

    /// The expression for a word that stands alone.
    pub(super) fn of_word(word: &str) -> String {
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let edge = |byte: Option<&u8>| byte.filter(is_part).map_or("", |_| r"\b");
        let bytes = word.as_bytes();
        format!(
            "{}{}{}",
            edge(bytes.first()),
            regex_lite::escape(word),
            edge(bytes.last())
        )
    }

    /// True if the expression matches somewhere in `text`.
    pub fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// The expression.
    pub fn source(&self) -> &str {
        self.0.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stands_alone() {
        let is_in =
            |word: &str, text: &str| Pattern::new(&Pattern::of_word(word)).unwrap().matches(text);
        assert!(
            is_in("Mono", "PlayMode Mono x64") && is_in("Mono", "(Mono)") && is_in("Mono", "Monoé")
        );
        assert!(!is_in("Mono", "Monolith") && !is_in("Mono", "Mono2x") && !is_in("Mono", ""));
        assert!(
            is_in("C++ (fast)", "run in C++ (fast) mode") && is_in("C++ (fast)", "C++ (fast)er")
        );
        assert!(is_in("", "anything") && is_in("a-a", "xa-a-a") && !is_in("a-a", "xa-ab"));
        assert!(is_in("_", "_ é") && !is_in("_", "a_"));
    }

    #[test]
    fn expressions_are_limited() {
        let names: Vec<String> = (0..20)
            .map(|at| format!(r"\bWindows Server {at} (x64|arm64)"))
            .collect();
        assert!(
            Pattern::new(&names.join("|"))
                .unwrap()
                .matches("on Windows Server 7 arm64")
        );
        for hostile in ["(a{1,100}){1,50}x", r"(\w{100}){100}"] {
            let error = Pattern::new(hostile).unwrap_err();
            assert_eq!(
                error, "it is too large: compiled it has more than 64 KiB",
                "{hostile}"
            );
        }
    }

    #[test]
    fn a_bad_expression_is_one_line() {
        assert_eq!(
            Pattern::new("(open").unwrap_err(),
            "found open group without closing ')'"
        );
    }
}
