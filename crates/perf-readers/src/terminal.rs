//! Recognises tool output that no format reads, such as terminal output, and suggests how to get a readable file.

use std::sync::LazyLock;

use memchr::memmem;
use serde::Deserialize;

use crate::format::Groups;

/// The hints, most specific first.
static HINTS: LazyLock<Vec<Hint>> = LazyLock::new(|| {
    #[derive(Default, Deserialize)]
    struct File {
        hints: Vec<Hint>,
    }
    let file: File = toml::from_str(include_str!("hints.toml")).unwrap_or_default();
    file.hints
});

/// A kind of tool output that no format reads, and how to recognise it.
#[derive(Deserialize)]
pub(crate) struct Hint {
    pub what: String,
    /// Lists of strings. Output that contains all strings of one list is recognised.
    marks: Vec<Vec<String>>,
    /// The advice on how to get a file that is read.
    pub advice: String,
    /// The formats whose output may also contain the marks; `*` means all formats.
    #[serde(default)]
    pub also_in: Vec<String>,
}

/// Returns the outputs whose marks are at most `within` bytes apart in `text`, most specific first, each with its
/// position.
pub(crate) fn recognise(text: &str, within: usize) -> impl Iterator<Item = (&'static Hint, usize)> {
    let marks = HINTS.iter().flat_map(|hint| &hint.marks).flatten();
    let groups = Groups::of(marks.map(String::as_str), text);
    HINTS.iter().filter_map(move |hint| {
        let lists = hint.marks.iter();
        let lists = lists.filter(|marks| marks.iter().all(|mark| groups.may_contain(mark)));
        let at = lists.filter_map(|marks| place(marks, text, within)).min()?;
        Some((hint, at))
    })
}

/// Returns the first position at which all marks are at most `within` bytes apart.
fn place(marks: &[String], text: &str, within: usize) -> Option<usize> {
    let mut start = 0;
    loop {
        let (mut first, mut last) = (usize::MAX, 0);
        for mark in marks {
            let at = start + memmem::find(&text.as_bytes()[start..], mark.as_bytes())?;
            (first, last) = (first.min(at), last.max(at));
        }
        if last - first <= within {
            return Some(first);
        }
        // The mark at `last` does not occur earlier, so a match cannot begin before this position.
        start = last - within;
    }
}

#[cfg(test)]
mod tests {
    use super::HINTS;

    #[test]
    fn shipped_hints_are_valid() {
        assert!(HINTS.len() > 30);
    }
}
