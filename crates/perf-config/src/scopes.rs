//! Scopes and backends: where rows ran, by platform.

use std::collections::HashSet;

use super::Pattern;
use super::build::{Built, ConfigBuilder};
use super::file::{BackendEntry, ScopeEntry};
use crate::spanned::Spanned;
use perf_model::row::Name;

/// A scope: a name for the platforms that a pattern matches, whose rows are compared with each other.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The name.
    pub name: Name,
    pub(super) pattern: Pattern,
    pub(super) backend: Option<String>,
    precedence: Option<u32>,
}

impl Scope {
    /// The lowest wins among the scopes that match a platform: every given precedence before those that are
    /// not given.
    pub(super) fn rank(&self) -> u64 {
        self.precedence.map_or(u64::MAX, u64::from)
    }
}

impl ConfigBuilder<'_> {
    pub(super) fn scopes(&self, entries: &[ScopeEntry]) -> Built<Vec<Scope>> {
        let mut seen = HashSet::new();
        let scope = |entry: &ScopeEntry| {
            let name = self.name(&entry.name, "scope")?;
            if !seen.insert(name.to_owned()) {
                return Err(self.error(
                    entry.name.span(),
                    format!("a second scope is called `{name}`"),
                ));
            }
            let pattern = self.word_or_pattern(&entry.name, entry.platform.as_ref())?;
            Ok(Scope {
                name: name.into(),
                pattern,
                backend: entry.backend.clone(),
                precedence: entry.precedence,
            })
        };
        entries.iter().map(scope).collect()
    }

    pub(super) fn backends(&self, entries: &[BackendEntry]) -> Built<Vec<(String, Pattern)>> {
        let mut seen = HashSet::new();
        let backend = |entry: &BackendEntry| {
            let name = self.name(&entry.name, "backend")?;
            if !seen.insert(name.to_owned()) {
                let message = format!("a second backend is called `{name}`");
                return self.refuse(
                    entry.name.span(),
                    message,
                    "one `platform` can match several: `a|b`",
                );
            }
            Ok((
                name.to_owned(),
                self.word_or_pattern(&entry.name, entry.platform.as_ref())?,
            ))
        };
        entries.iter().map(backend).collect()
    }

    /// The expression of an entry, else one for its name as a word.
    fn word_or_pattern(
        &self,
        name: &Spanned<String>,
        pattern: Option<&Spanned<String>>,
    ) -> Built<Pattern> {
        let source = pattern.map_or_else(
            || Pattern::of_word(name.get_ref()),
            |source| source.get_ref().clone(),
        );
        let bad = |why| {
            self.error(
                pattern.unwrap_or(name).span(),
                format!("bad pattern `{source}`: {why}"),
            )
        };
        Pattern::new(&source).map_err(bad)
    }
}
