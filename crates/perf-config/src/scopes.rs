//! Scopes and backends, selected by regular expressions for platforms.

use perf_model::row::Name;
use regex_lite::{Regex, RegexBuilder};

use super::build::{Built, ConfigBuilder};
use super::file::{BackendEntry, ScopeEntry};
use crate::file::Spanned;

/// A scope: platforms, selected by a pattern, whose rows are compared with each other.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The scope's name in headings and for `--scope`.
    pub name: Name,
    pub(super) pattern: Pattern,
    pub(super) backend: Option<String>,
    /// If a platform matches several scopes, the scope with the lowest rank is used.
    pub(super) rank: u64,
}

impl ConfigBuilder<'_> {
    pub(super) fn scopes(&self, entries: &[ScopeEntry]) -> Built<Vec<Scope>> {
        let mut scopes: Vec<Scope> = Vec::with_capacity(entries.len());
        for entry in entries {
            let name: Name = self.name(&entry.name, "scope")?.into();
            if scopes.iter().any(|other| other.name == name) {
                let message = format!("duplicate scope `{name}`");
                return Err(self.error(&entry.name, message));
            }
            scopes.push(Scope {
                name,
                pattern: self.word_or_pattern(&entry.name, entry.platform.as_ref())?,
                backend: entry.backend.clone(),
                rank: entry.precedence.map_or(u64::MAX, u64::from),
            });
        }
        Ok(scopes)
    }

    pub(super) fn backends(&self, entries: &[BackendEntry]) -> Built<Vec<(String, Pattern)>> {
        let mut backends: Vec<(String, Pattern)> = Vec::with_capacity(entries.len());
        for entry in entries {
            let name = self.name(&entry.name, "backend")?;
            if backends.iter().any(|(other, _)| other == name) {
                let message = format!("duplicate backend `{name}`");
                let hint = "one `platform` can match several: `a|b`";
                return self.refuse(&entry.name, message, hint);
            }
            let pattern = self.word_or_pattern(&entry.name, entry.platform.as_ref())?;
            backends.push((name.to_owned(), pattern));
        }
        Ok(backends)
    }

    /// Returns an entry's pattern. By default, it matches the entry's name as a whole word.
    fn word_or_pattern(
        &self,
        name: &Spanned<String>,
        pattern: Option<&Spanned<String>>,
    ) -> Built<Pattern> {
        let source = pattern.map_or_else(|| Pattern::of_word(name), ToString::to_string);
        Pattern::new(&source).map_err(|why| {
            let message = format!("bad pattern `{source}`: {why}");
            self.error(pattern.unwrap_or(name), message)
        })
    }
}

/// The maximum size of a compiled expression in bytes. It bounds the matching time, because each character takes up to one
/// step per state.
const LARGEST: usize = 64 * 1024;

/// A regular expression that matches anywhere in a platform's name. Classes such as `\b` and `\w` are ASCII.
#[derive(Clone, Debug)]
pub struct Pattern(Regex);

impl Pattern {
    /// Compiles `source`.
    pub fn new(source: &str) -> Result<Self, String> {
        match RegexBuilder::new(source).size_limit(LARGEST).build() {
            Ok(regex) => Ok(Self(regex)),
            Err(error) if error.to_string().contains("size limit") => Err(format!(
                "it is too large: compiled, it takes more than {} KiB",
                LARGEST / 1024
            )),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Returns a regular expression that matches `word` as a whole word.
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

    /// Whether the expression matches anywhere in `text`.
    pub fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// Returns the expression as written.
    pub fn source(&self) -> &str {
        self.0.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_matches_only_as_a_whole_word() {
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
    fn expression_size_is_limited() {
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
                error, "it is too large: compiled, it takes more than 64 KiB",
                "{hostile}"
            );
        }
    }

    #[test]
    fn bad_expression_is_reported_on_one_line() {
        assert_eq!(
            Pattern::new("(open").unwrap_err(),
            "found open group without closing ')'"
        );
    }
}
