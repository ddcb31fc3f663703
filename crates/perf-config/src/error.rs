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
    pub(super) fn at(text: &str, span: Range<usize>, message: impl Into<String>) -> Self {
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
        let (mut message, hint) = plain_message(error.message().trim_end());
        if message.starts_with("missing key") {
            let entry = error
                .span()
                .and_then(|span| text.get(span.start..))
                .unwrap_or_default();
            message = all_missing(entry).unwrap_or(message);
        }
        let mut span = error.span().unwrap_or_default();
        // For an invalid path in a list, point at the path.
        if let Some(at) = text
            .get(span.clone())
            .and_then(|list| bad_path(list, &message))
        {
            span.start += at;
        }
        Self::at(text, span, message).with_hint(hint)
    }
}

/// The offset in a list of the path that the message quotes.
fn bad_path(list: &str, message: &str) -> Option<usize> {
    let (path, _) = message
        .strip_prefix(BAD_PATH)?
        .strip_prefix('`')?
        .split_once('`')?;
    ['\'', '"']
        .iter()
        .find_map(|quote| list.find(&format!("{quote}{path}{quote}")))
}

/// Reports all missing keys of a waiver or a comparison, because `serde` reports only one.
fn all_missing(entry: &str) -> Option<String> {
    const KEYS: [(&str, &[&str]); 2] = [
        ("[[waivers]]", &["scenario", "reason", "by", "until"]),
        ("[comparison]", &["subject", "technologies", "scenarios"]),
    ];
    let (head, keys) = KEYS.into_iter().find(|(head, _)| entry.starts_with(head))?;
    let entry = entry[head.len()..].split("\n[").next()?;
    let table: toml::Table = toml::from_str(entry).ok()?;
    let missing: Vec<String> = keys
        .iter()
        .filter(|key| !table.contains_key(**key))
        .map(|key| format!("`{key}`"))
        .collect();
    (missing.len() > 1).then(|| format!("missing keys {}", missing.join(", ")))
}

/// Rewords a `serde` message for people, with a hint for an unknown name.
fn plain_message(message: &str) -> (String, Option<String>) {
    if message.starts_with(BAD_PATH) {
        let hint =
            "paths begin at the root of the repository and are written with `/`: `benches/**`";
        return (message.to_owned(), Some(hint.to_owned()));
    }
    let (problem, expected) = match message.rsplit_once(", expected ") {
        Some((problem, expected)) => (problem, Some(expected)),
        None => (message, None),
    };
    for (kind, ours) in [
        ("unknown field", "unknown key"),
        ("unknown variant", "unknown value"),
    ] {
        let Some(rest) = problem.strip_prefix(kind) else {
            continue;
        };
        let name = rest.trim_start_matches(" `").trim_end_matches('`');
        // The message lists every valid name; the hint suggests one.
        let valid = expected.unwrap_or_default().split('`').skip(1).step_by(2);
        // `threshold`, the name from `--regression-threshold`, is accepted but not suggested.
        let valid: Vec<&str> = valid.filter(|name| *name != "threshold").collect();
        // Reports call a limit "fixed limit".
        let config_word = ["fixed", "fixed limit"].contains(&name).then_some("limit");
        let hint = config_word
            .filter(|config_word| valid.contains(config_word))
            .map(|config_word| format!("did you mean `{config_word}`?"));
        return (
            format!("{ours}{rest}"),
            hint.or_else(|| suggest(name, valid)),
        );
    }
    let problem = match problem {
        "invalid type: sequence" => "invalid type: a list".to_owned(),
        "invalid type: map" => "invalid type: a table".to_owned(),
        "wanted string or table" => "invalid type, expected a text".to_owned(),
        _ => problem
            .replacen("missing field", "missing key", 1)
            .replace('\n', ", "),
    };
    let expected = expected.map(|expected| format!(", expected {}", plain_type(expected)));
    (problem + &expected.unwrap_or_default(), None)
}

/// A Rust type in the words of TOML.
fn plain_type(expected: &str) -> String {
    match expected {
        "u8" => "a whole number from 0 to 255",
        "u32" => "a whole number from 0 to 4294967295",
        "f64" => "a number",
        "a boolean" => "`true` or `false`",
        "a string" => "a text",
        "a sequence" => "a list",
        "a map" => "a table",
        _ if expected.starts_with("struct ") => "a table",
        _ => return expected.replace('\n', ", "),
    }
    .to_owned()
}
