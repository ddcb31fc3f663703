//! Errors in a config: the position, the mistake, and a suggestion.

use std::ops::Range;

use perf_model::suggest::suggest;

use super::glob::BAD_PATH;

/// An error in `perf-gate.toml`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct ConfigError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The message: a lowercase fragment.
    pub message: String,
    /// The hint, if any.
    pub hint: Option<String>,
}

impl ConfigError {
    /// An error at a byte range of the text.
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

    /// Converts an error from `toml` or `serde`; for an unknown name, suggests the nearest valid one.
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

/// Phrases of `serde`, and the same in the words of TOML.
const WORDS: [(&str, &str); 13] = [
    ("unknown field", "unknown key"),
    ("unknown variant", "unknown value"),
    ("missing field", "missing key"),
    ("invalid type: sequence", "invalid type: a list"),
    ("invalid type: map", "invalid type: a table"),
    ("wanted string or table", "invalid type, expected a text"),
    (", expected a boolean", ", expected `true` or `false`"),
    (", expected a string", ", expected a text"),
    (", expected a sequence", ", expected a list"),
    (", expected a map", ", expected a table"),
    (", expected f64", ", expected a number"),
    (", expected u8", ", expected a whole number from 0 to 255"),
    (
        ", expected u32",
        ", expected a whole number from 0 to 4294967295",
    ),
];

/// Rewords a `serde` message for people, with a hint for an unknown name.
fn reworded(message: &str) -> (String, Option<String>) {
    let (problem, expected) = message.rsplit_once(", expected ").unwrap_or((message, ""));
    let mut unknown = ["unknown field `", "unknown variant `"].into_iter();
    let name = unknown.find_map(|kind| problem.strip_prefix(kind));
    let mut message = message.replace('\n', ", ");
    if name.is_some() {
        // The message lists every valid name; the hint suggests one.
        problem.clone_into(&mut message);
    } else if expected.starts_with("struct ") {
        message = format!("{problem}, expected a table");
    }
    for (serde, ours) in WORDS {
        if let Some(at) = message.find(serde) {
            message.replace_range(at..at + serde.len(), ours);
        }
    }
    let Some(name) = name else {
        let hint =
            "paths begin at the root of the repository and are written with `/`: `benches/**`";
        let is_path = message.starts_with(BAD_PATH);
        return (message, is_path.then(|| hint.to_owned()));
    };
    let name = name.trim_end_matches('`');
    // `threshold`, the name from `--regression-threshold`, is accepted but not suggested.
    let valid = expected.split('`').skip(1).step_by(2);
    let valid: Vec<&str> = valid.filter(|name| *name != "threshold").collect();
    // Reports call a limit "fixed limit".
    let hint = if ["fixed", "fixed limit"].contains(&name) && valid.contains(&"limit") {
        Some("did you mean `limit`?".to_owned())
    } else {
        suggest(name, valid)
    };
    (message, hint)
}
