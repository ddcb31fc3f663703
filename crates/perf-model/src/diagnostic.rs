//! Diagnostics: what people should know although the work goes on.
//!
//! A diagnostic is made where something is found, and printed, or put into a report, at the edge.

use std::fmt;

/// How much a diagnostic matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// What happened; silenced by `--quiet`.
    Note,
    /// Something may be wrong.
    Warning,
}

/// One thing that people should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How much it matters.
    pub severity: Severity,
    /// Where it was found, as `file:line`, or what it is about.
    pub place: Option<String>,
    /// A lowercase fragment, values in backticks, no final period.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A warning without a place.
    pub fn warning(message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, place: None, message: message.into(), hint: None }
    }

    /// A note without a place.
    pub fn note(message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::warning(message) }
    }

    /// The same, found there.
    #[must_use]
    pub fn at(self, place: impl Into<String>) -> Self {
        Self { place: Some(place.into()), ..self }
    }

    /// The same, with one line of advice.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The same as a sentence for readers of a report.
    pub fn sentence(&self) -> String {
        let text = self.to_string();
        let mut characters = text.chars();
        let first = characters.next().map(char::to_uppercase);
        first.into_iter().flatten().chain(characters).chain(Some('.')).collect()
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_comes_before_message() {
        let found = Diagnostic::warning("malformed row").at("a.csv:3").hint("fix it");
        assert_eq!(found.to_string(), "a.csv:3: malformed row");
        assert_eq!(Diagnostic::note("2 rows left out").sentence(), "2 rows left out.");
        assert_eq!(Diagnostic::note("no rows").sentence(), "No rows.");
    }
}
