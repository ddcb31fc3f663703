//! Recognises tool output that no format reads, such as terminal output, and suggests how to get a readable file.

use std::sync::LazyLock;

use memchr::memmem;
use serde::Deserialize;

/// The tools, most specific first.
static HINTS: LazyLock<Vec<Hint>> = LazyLock::new(|| {
    #[derive(Default, Deserialize)]
    struct File {
        hints: Vec<Hint>,
    }
    let file: File = toml::from_str(include_str!("hints.toml")).unwrap_or_default();
    file.hints
});

/// An output, and how to recognise it.
#[derive(Deserialize)]
struct Hint {
    what: String,
    /// Alternatives; each is a list of texts.
    marks: Vec<Vec<String>>,
    /// The advice on how to get a file that is read.
    advice: String,
}

/// The description of the output, and how to get a readable file.
pub(crate) fn recognise(text: &str) -> Option<(&'static str, &'static str)> {
    let has = |mark: &String| memmem::find(text.as_bytes(), mark.as_bytes()).is_some();
    let is_printed = |hint: &&Hint| hint.marks.iter().any(|texts| texts.iter().all(has));
    let hint = HINTS.iter().find(is_printed)?;
    Some((&hint.what, &hint.advice))
}

#[cfg(test)]
mod tests {
    use super::HINTS;

    #[test]
    fn shipped_hints_are_valid() {
        assert!(HINTS.len() > 30);
    }
}
