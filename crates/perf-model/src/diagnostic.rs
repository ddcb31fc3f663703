//! Diagnostics: notes and warnings that do not stop the work.
//!
//! A diagnostic is created when a problem is found, and printed or added to a report at the end. Its texts are
//! raw: the code that shows them escapes them for the output format.

use std::fmt;

/// The severity of a diagnostic, least important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Progress, such as a written file. It is not included in reports and is silenced by `--quiet`.
    Info,
    /// A note for readers of a report. It is silenced by `--quiet`.
    Note,
    /// Something may be wrong.
    Warning,
}

/// A note or a warning, with its occurrences and advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Decides whether the diagnostic is printed and included in reports.
    pub severity: Severity,
    /// The location or subject, such as `a.csv:3`.
    pub place: Option<String>,
    /// The message: a lowercase fragment without a final period.
    pub message: String,
    /// The first few occurrences. A report shows only the message.
    pub examples: Vec<String>,
    /// The number of occurrences, including those that are not in `examples`.
    pub count: u64,
    /// Advice, in one line.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// Creates a diagnostic without a place.
    pub fn new(severity: Severity, message: impl Into<String>) -> Self {
        Self {
            severity,
            place: None,
            message: message.into(),
            examples: Vec::new(),
            count: 1,
            hint: None,
        }
    }

    /// Creates a progress message.
    pub fn info(message: impl Into<String>) -> Self {
        Self::new(Severity::Info, message)
    }

    /// Creates a note for readers of a report.
    pub fn note(message: impl Into<String>) -> Self {
        Self::new(Severity::Note, message)
    }

    /// Creates a warning: something may be wrong.
    pub fn warning(message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, message)
    }

    /// Sets the location or subject.
    #[must_use]
    pub fn at(self, place: impl Into<String>) -> Self {
        Self {
            place: Some(place.into()),
            ..self
        }
    }

    /// Sets the hint, one line of advice.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: Some(hint.into()),
            ..self
        }
    }

    /// Sets the number of occurrences, and keeps the first few as examples. A hostile log could contain millions.
    #[must_use]
    pub fn examples(self, count: u64, examples: impl IntoIterator<Item = String>) -> Self {
        Self {
            count,
            examples: examples.into_iter().take(MOST_EXAMPLES).collect(),
            ..self
        }
    }

    /// Formats the diagnostic as a sentence for readers of a report.
    pub fn sentence(&self) -> String {
        let text = self.to_string();
        let mut characters = text.chars();
        let Some(first) = characters.next() else {
            return ".".to_owned();
        };
        format!("{}{}.", first.to_uppercase(), characters.as_str())
    }
}

/// The maximum number of occurrences that are kept as examples.
const MOST_EXAMPLES: usize = 10;

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)
    }
}

/// Formats a count with its noun: `1 row`, `2 rows`.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{count} {}", plural(count, noun))
}

/// Lists the first `most` names and the number of remaining names: `a, b and 7 more`.
pub fn named(names: &[String], most: usize) -> String {
    let first = names[..names.len().min(most)].join(", ");
    match names.len().saturating_sub(most) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// The plural of a noun, or the noun itself if `count` is one: `rows`, `days`, `launches`, `entries`.
pub fn plural(count: u64, noun: &str) -> String {
    match noun.strip_suffix('y') {
        _ if count == 1 => noun.to_owned(),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if noun.ends_with("ch") => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_comes_before_message() {
        let found = Diagnostic::warning("malformed row")
            .at("a.csv:3")
            .hint("fix it");
        assert_eq!(found.to_string(), "a.csv:3: malformed row");
        assert_eq!(
            Diagnostic::note("2 rows left out").sentence(),
            "2 rows left out."
        );
        assert_eq!(Diagnostic::note("no rows").sentence(), "No rows.");
    }

    #[test]
    fn examples_are_limited() {
        let many = Diagnostic::warning("100 malformed rows")
            .examples(100, (0..100).map(|at| at.to_string()));
        assert_eq!((many.examples.len(), many.count), (10, 100));
    }
}
