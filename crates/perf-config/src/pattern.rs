//! Regular expressions that people write for platforms.

use memchr::memmem;
use regex_lite::{Regex, RegexBuilder};

/// The maximum size of a compiled expression, in bytes. Matching takes a step for each state of it and each letter.
const LARGEST: usize = 64 * 1024;

/// The platforms of a scope: those in which a word stands alone, or that an expression matches somewhere. Classes such
/// as `\b` and `\w` are ASCII.
#[derive(Clone, Debug)]
pub struct Pattern(PatternKind);

#[derive(Clone, Debug)]
enum PatternKind {
    Word(String),
    Expression(Regex),
}

impl Pattern {
    /// Compiles `source`.
    ///
    /// # Errors
    /// What is wrong with it, on one line.
    pub fn new(source: &str) -> Result<Self, String> {
        let built = RegexBuilder::new(source).size_limit(LARGEST).build();
        let too_large = || format!("it is too large: compiled it has more than {} KiB", LARGEST / 1024);
        let why = |error: regex_lite::Error| match error.to_string() {
            why if why.contains("size limit") => too_large(),
            why => why,
        };
        built.map(|regex| Self(PatternKind::Expression(regex))).map_err(why)
    }

    /// A pattern for `word` standing alone.
    pub fn word(word: &str) -> Self {
        Self(PatternKind::Word(word.to_owned()))
    }

    /// True if the word or the expression occurs in `text`.
    pub fn matches(&self, text: &str) -> bool {
        match &self.0 {
            PatternKind::Word(word) => has_word(text.as_bytes(), word.as_bytes()),
            PatternKind::Expression(regex) => regex.is_match(text),
        }
    }

    /// The expression, also of a word.
    pub fn source(&self) -> String {
        match &self.0 {
            PatternKind::Word(word) => {
                let edge =
                    |byte: Option<&u8>| if byte.is_some_and(|byte| is_part(*byte)) { r"\b" } else { "" };
                let bytes = word.as_bytes();
                format!("{}{}{}", edge(bytes.first()), regex_lite::escape(word), edge(bytes.last()))
            }
            PatternKind::Expression(regex) => regex.as_str().to_owned(),
        }
    }
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// True if a word stands in a text without going on at either side.
fn has_word(text: &[u8], word: &[u8]) -> bool {
    let goes_on = |edge: Option<&u8>, beside: Option<&u8>| {
        [edge, beside].into_iter().all(|byte| byte.is_some_and(|byte| is_part(*byte)))
    };
    let mut from = 0;
    while let Some(start) = memmem::find(&text[from..], word).map(|at| from + at) {
        let before = start.checked_sub(1).and_then(|at| text.get(at));
        if !goes_on(word.first(), before) && !goes_on(word.last(), text.get(start + word.len())) {
            return true;
        }
        from = start + 1;
    }
    false
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
        assert!(Pattern::word("").matches("anything") && Pattern::word("a-a").matches("xa-a-a"));
        for word in ["Mono", "C++ (fast)", "", "a-a", "_"] {
            let expression = Pattern::new(&Pattern::word(word).source()).unwrap();
            for text in ["Mono", "Mono2x", "C++ (fast)er", "xa-a-a", "xa-ab", "é_", "Monoé", ""] {
                assert_eq!(expression.matches(text), Pattern::word(word).matches(text), "{word} {text}");
            }
        }
    }

    #[test]
    fn expressions_are_limited() {
        let names: Vec<String> = (0..20).map(|at| format!(r"\bWindows Server {at} (x64|arm64)")).collect();
        assert!(Pattern::new(&names.join("|")).unwrap().matches("on Windows Server 7 arm64"));
        for hostile in ["(a{1,100}){1,50}x", r"(\w{100}){100}"] {
            let error = Pattern::new(hostile).unwrap_err();
            assert_eq!(error, "it is too large: compiled it has more than 64 KiB", "{hostile}");
        }
    }

    #[test]
    fn a_bad_expression_is_one_line() {
        assert_eq!(Pattern::new("(open").unwrap_err(), "found open group without closing ')'");
    }
}
