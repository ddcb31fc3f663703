//! What is wrong with a catalogue: where, what, and what was probably meant.

use std::ops::Range;

/// A mistake in `perf-gate.toml`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct CatalogueError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl CatalogueError {
    /// A mistake at a byte range of the text.
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

    pub(super) fn with_hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }

    /// What `toml` and `serde` reported, with the nearest valid name where a name was not known.
    pub(super) fn from_toml(text: &str, error: &toml::de::Error) -> Self {
        let message = error.message().trim_end();
        let mut quoted = message.split('`').skip(1).step_by(2);
        let unknown = quoted.next().filter(|_| message.starts_with("unknown "));
        let hint = unknown.and_then(|name| suggest(name, quoted));
        // Only the first sentence: what follows lists every valid name, which the hint does better.
        let message = match unknown {
            Some(name) => message.split(',').next().unwrap_or(name).replace("unknown field", "unknown key"),
            None => message.replace('\n', ", "),
        };
        Self::at(text, error.span().unwrap_or_default(), message).with_hint(hint)
    }
}

/// "did you mean": the nearest of `valid` when one is near, else all of them.
pub(crate) fn suggest<'a>(name: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let valid: Vec<&str> = valid.into_iter().collect();
    let near = |candidate: &&&str| strsim::jaro_winkler(name, candidate) > 0.8;
    let similarity =
        |a: &&&str, b: &&&str| strsim::jaro_winkler(name, a).total_cmp(&strsim::jaro_winkler(name, b));
    match valid.iter().filter(near).max_by(similarity) {
        Some(nearest) => Some(format!("did you mean `{nearest}`?")),
        None if valid.is_empty() => None,
        None => Some(format!("known here: {}", list(&valid))),
    }
}

fn list(names: &[&str]) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > SHOWN { format!(" and {} more", names.len() - SHOWN) } else { String::new() };
    shown.join(", ") + &more
}
