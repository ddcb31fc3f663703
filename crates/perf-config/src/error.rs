//! Errors in a config: the position, the mistake, and a suggestion.

use std::ops::Range;

use perf_model::suggest::suggest;

use super::glob::BAD_PATH;

/// An error in `perf-gate.toml`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct ConfigError {
    /// The line number, starting at 1.
    pub line: usize,
    /// The column in characters, starting at 1.
    pub column: usize,
    /// The message: a lowercase fragment.
    pub message: String,
    /// The hint, if any.
    pub hint: Option<String>,
}

impl ConfigError {
    /// Creates an error at the start of a byte range in the text.
    pub(super) fn at(
        text: &str,
        span: impl Into<Range<usize>>,
        message: impl Into<String>,
    ) -> Self {
        let span = span.into();
        let start = text.floor_char_boundary(span.start.min(text.len()));
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: message.into(),
            hint: None,
        }
    }

    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        self.with_hint(Some(hint.into()))
    }

    pub(super) fn with_hint(self, hint: Option<String>) -> Self {
        Self { hint, ..self }
    }

    /// Converts an error from `toml` or `serde`. For an unknown name, the hint suggests the nearest valid name.
    pub(super) fn from_toml(text: &str, error: &toml::de::Error) -> Self {
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            if line.starts_with("<<<<<<< ") {
                return Self::at(text, at..at, "unresolved merge conflict");
            }
            at += line.len();
        }
        let (message, hint) = reworded(error.message().trim_end());
        Self::at(text, error.span().unwrap_or_default(), message).with_hint(hint)
    }
}

/// Phrases in `serde` messages, and the phrases that replace them.
const WORDS: [(&str, &str); 12] = [
    ("unknown field", "unknown key"),
    ("unknown variant", "unknown value"),
    ("missing field", "missing key"),
    ("invalid type: sequence", "invalid type: a list"),
    ("invalid type: map", "invalid type: a table"),
    ("wanted string or table", "invalid type, expected a string"),
    (", expected a boolean", ", expected `true` or `false`"),
    (", expected a sequence", ", expected a list"),
    (", expected a map", ", expected a table"),
    (", expected f64", ", expected a number"),
    (", expected u8", ", expected a whole number from 0 to 255"),
    (
        ", expected u32",
        ", expected a whole number from 0 to 4294967295",
    ),
];

/// Rewords a `serde` message for people, with a hint for an unknown name or a bad path.
fn reworded(message: &str) -> (String, Option<String>) {
    let (problem, expected) = message.rsplit_once(", expected ").unwrap_or((message, ""));
    for kind in ["unknown field `", "unknown variant `"] {
        if let Some(name) = problem.strip_prefix(kind) {
            // The message lists every valid name; the hint suggests one.
            let hint = suggest_valid(name.trim_end_matches('`'), expected);
            return (in_our_words(problem.to_owned()), hint);
        }
    }
    if expected.starts_with("struct ") {
        return (in_our_words(format!("{problem}, expected a table")), None);
    }
    let message = in_our_words(message.replace('\n', ", "));
    let hint = "paths begin at the root of the repository and are written with `/`: `benches/**`";
    let is_path = message.starts_with(BAD_PATH);
    (message, is_path.then(|| hint.to_owned()))
}

fn in_our_words(mut message: String) -> String {
    for (serde, ours) in WORDS {
        message = message.replacen(serde, ours, 1);
    }
    message
}

/// Suggests the valid name that is most like `name`. `expected` lists the valid names in backticks.
fn suggest_valid(name: &str, expected: &str) -> Option<String> {
    let valid = expected.split('`').skip(1).step_by(2);
    // `threshold` (as in `--regression-threshold`) is an accepted alias of `limit`, but is not suggested.
    let valid: Vec<&str> = valid.filter(|name| *name != "threshold").collect();
    // Reports call a limit "fixed limit", so users may write that as a key.
    if ["fixed", "fixed limit"].contains(&name) && valid.contains(&"limit") {
        return Some("did you mean `limit`?".to_owned());
    }
    suggest(name, valid)
}
