//! Recognises tool output that no format reads, such as terminal output, and suggests how to get a readable file.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
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

/// All marks, each with its hint's index and the other marks of its list.
static MARKS: LazyLock<Vec<(usize, &[String], &str)>> = LazyLock::new(|| {
    let hints = HINTS.iter().enumerate();
    let lists = hints.flat_map(|(at, hint)| hint.marks.iter().map(move |marks| (at, &**marks)));
    lists
        .flat_map(|(at, marks)| marks.iter().map(move |mark| (at, marks, &**mark)))
        .collect()
});

static SEARCHER: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(MARKS.iter().map(|(.., mark)| mark)).ok());

/// An output, and how to recognise it.
#[derive(Deserialize)]
pub(crate) struct Hint {
    pub what: String,
    /// Alternatives; each is a list of texts.
    marks: Vec<Vec<String>>,
    /// The advice on how to get a file that is read.
    pub advice: String,
    /// The formats whose output may also contain the marks; `*` means all formats.
    #[serde(default)]
    pub also_in: Vec<String>,
}

/// The outputs whose marks are at most `within` bytes apart in a text, most specific first, each with its position.
pub(crate) fn recognise(text: &str, within: usize) -> impl Iterator<Item = (&'static Hint, usize)> {
    let (mut last, mut found) = (HashMap::new(), BTreeMap::new());
    let matches = SEARCHER
        .iter()
        .flat_map(|all| all.find_overlapping_iter(text));
    for place in matches {
        let (hint, marks, mark) = MARKS[place.pattern().as_usize()];
        last.insert(mark, place.end());
        let is_near = |mark: &String| {
            last.get(&**mark)
                .is_some_and(|end| place.end() - end <= within)
        };
        if marks.iter().all(is_near) {
            found.entry(hint).or_insert(place.start());
        }
    }
    found.into_iter().map(|(hint, at)| (&HINTS[hint], at))
}

#[cfg(test)]
mod tests {
    use super::HINTS;

    #[test]
    fn shipped_hints_are_valid() {
        assert!(HINTS.len() > 30);
    }
}
