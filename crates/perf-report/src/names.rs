//! Fits benchmark names into little space: common prefixes and suffixes, places for line breaks, and shortened middles.

use crate::markdown::escape::{code, inline};
use crate::markdown::table::display_width;

/// The maximum length of an identifier that does not widen a table.
const LONG: usize = 28;

/// The minimum length of a common prefix or suffix that is moved from the rows to the title. A shorter one saves too
/// little.
const SHORTEST_END: usize = 12;

/// The minimum length of the part before a line break.
const SHORTEST_PART: usize = 12;

/// The common prefix and suffix of a table's identifiers.
#[derive(Clone, Copy, Debug, Default)]
pub struct SharedEnds<'n> {
    /// The common prefix, which ends at a word boundary; empty if it is too short to save space.
    pub begin: &'n str,
    /// The common suffix, which begins at a word boundary; empty if it is too short to save space.
    pub end: &'n str,
    /// True if a name is long enough to widen a table even without the prefix and the suffix.
    pub is_long: bool,
}

impl<'n> SharedEnds<'n> {
    /// Finds the common prefix and suffix of these identifiers. If no name is long, both are empty.
    pub fn of(names: &[&'n str]) -> Self {
        let Some((first, others)) = names.split_first() else {
            return Self::default();
        };
        let is_one = others.iter().all(|name| name == first);
        if is_one || !names.iter().any(|name| is_long(name)) {
            return Self::none(names);
        }
        let mut most = first.len();
        for name in others {
            most = same_bytes(first.bytes(), name.bytes()).min(most);
        }
        let mut begin = "";
        for at in boundaries(first) {
            if at <= most && first[..at].ends_with(['/', ':', '.']) {
                begin = &first[..at];
            }
        }
        if begin.chars().count() < SHORTEST_END {
            begin = "";
        }
        // The two ends must not overlap in any name.
        let mut most = first.len() - begin.len();
        for name in others {
            let [one, other] = [first, name].map(|name| name[begin.len()..].bytes().rev());
            most = same_bytes(one, other).min(most);
        }
        let mut end = "";
        for at in boundaries(first) {
            let is_shared = at + most >= first.len();
            if is_shared && first[at..].starts_with([',', ';', '&', '/', '(', '[', '-', '_']) {
                end = &first[at..];
                break;
            }
        }
        if end.chars().count() < SHORTEST_END {
            end = "";
        }
        let is_long = names
            .iter()
            .any(|name| is_long(&name[begin.len()..name.len() - end.len()]));
        Self {
            begin,
            end,
            is_long,
        }
    }

    /// Returns an empty prefix and suffix, for lists that contain labels in words.
    pub(crate) fn none(names: &[&str]) -> Self {
        Self {
            is_long: names.iter().any(|name| is_long(name)),
            ..Self::default()
        }
    }

    /// Joins prefix and suffix for a title: `octocorp.quill.…,threads=8)`.
    pub(crate) fn title(&self) -> String {
        if self.end.is_empty() {
            self.begin.to_owned()
        } else {
            format!("{}…{}", self.begin, self.end)
        }
    }
}

fn same_bytes(one: impl Iterator<Item = u8>, other: impl Iterator<Item = u8>) -> usize {
    one.zip(other)
        .take_while(|(one, other)| one == other)
        .count()
}

fn is_long(name: &str) -> bool {
    name.chars().count() > LONG
}

/// Returns the byte offsets at which a word of the name ends or begins: next to separators and between lowercase and
/// uppercase letters, but never within a number.
fn boundaries(name: &str) -> impl Iterator<Item = usize> {
    let chars: Vec<(usize, char)> = name.char_indices().collect();
    (1..chars.len()).filter_map(move |at| {
        let char_at = |at: usize| chars.get(at).map_or(' ', |(_, c)| *c);
        let (before, after) = (char_at(at - 1), char_at(at));
        // `point` is the index of a character that may be a decimal point, a thousands separator or a sign: `1.5`, `1,024`,
        // `1e-5`.
        let is_in_number = |point: usize| {
            let around = (char_at(point.wrapping_sub(1)), char_at(point + 1));
            let is_number = around.0.is_ascii_digit() || matches!(around.0, 'e' | 'E');
            matches!(char_at(point), '.' | ',' | '-' | '+')
                && is_number
                && around.1.is_ascii_digit()
        };
        let is_hump = before.is_lowercase() && after.is_uppercase();
        let is_end = before.is_alphanumeric() != after.is_alphanumeric();
        let is_boundary = (is_end || is_hump) && !is_in_number(at - 1) && !is_in_number(at);
        is_boundary.then_some(chars[at].0)
    })
}

/// Splits a long identifier into parts between which a line may break. Each part is long enough for a narrow screen, except
/// perhaps the last.
pub fn parts(label: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for at in boundaries(label) {
        let is_separator = |c: char| !c.is_alphanumeric();
        let part = &label[start..at];
        if part.chars().count() >= SHORTEST_PART && !label[at..].starts_with(is_separator) {
            parts.push(part);
            start = at;
        }
    }
    parts.push(&label[start..]);
    parts
}

/// Formats text as Markdown that may break between its [`parts`].
pub(crate) fn breakable(label: &str) -> String {
    let parts: Vec<String> = parts(label).into_iter().map(inline).collect();
    parts.join("<wbr>")
}

/// Shortens a name to `width` columns by removing its middle. The cuts are between words if enough of the name remains, or
/// otherwise within a word, but not within a number.
pub(crate) fn shortened(text: &str, width: usize) -> String {
    if display_width(text) <= width {
        return text.to_owned();
    }
    let words: Vec<usize> = boundaries(text).collect();
    let between_words = cut_at(text, width, &words);
    if 3 * display_width(&between_words) >= 2 * width {
        return between_words;
    }
    let is_digit = |c: char| c.is_ascii_digit();
    let mut letters = Vec::new();
    for (at, c) in text.char_indices() {
        if !(is_digit(c) && text[..at].ends_with(is_digit)) {
            letters.push(at);
        }
    }
    cut_at(text, width, &letters)
}

/// Cuts the middle out of `text`, between two of these byte offsets. The end gets up to half of the room, and the beginning
/// the rest.
fn cut_at(text: &str, width: usize, places: &[usize]) -> String {
    let room = width.saturating_sub(1);
    let fits = |part: &str, room: usize| display_width(part) <= room;
    let half = places.iter().find(|at| fits(&text[**at..], room / 2));
    let end = half.map_or(text.len(), |at| *at);
    let left = room - display_width(&text[end..]);
    let begin = places.iter().rev().find(|at| fits(&text[..**at], left));
    let begin = begin.map_or(0, |at| *at);
    // If the beginning is short, there is room for more of the end.
    let left = room - display_width(&text[..begin]);
    let end = places
        .iter()
        .find(|at| **at >= begin && fits(&text[**at..], left))
        .map_or(end, |at| *at);
    format!("{}…{}", &text[..begin], &text[end..])
}

/// A benchmark's name, with its scope if there are several.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct BenchmarkName {
    label: String,
    /// True if the label is the benchmark's key: an identifier, not words.
    is_key: bool,
    scope: Option<String>,
}

impl BenchmarkName {
    pub(crate) fn new(key: &str, label: &str, scope: Option<String>) -> Self {
        let is_key =
            label == key && !label.contains(|c: char| c.is_whitespace() || "|`".contains(c));
        Self {
            label: label.to_owned(),
            is_key,
            scope,
        }
    }

    /// Returns the identifier, or `None` for a label in words.
    pub(crate) fn key(&self) -> Option<&str> {
        self.is_key.then_some(&*self.label)
    }

    /// Shortens the name for a table whose title shows the shared prefix and suffix.
    pub(crate) fn within(&self, shared: SharedEnds<'_>) -> Self {
        let inner = self.label.strip_prefix(shared.begin);
        let Some(inner) = inner.and_then(|rest| rest.strip_suffix(shared.end)) else {
            return self.clone();
        };
        let mark = |end: &str| if end.is_empty() { "" } else { "…" };
        Self {
            label: format!("{}{inner}{}", mark(shared.begin), mark(shared.end)),
            ..self.clone()
        }
    }

    pub(crate) fn plain(&self) -> String {
        self.with_scope(self.label.clone(), str::to_owned)
    }

    /// Formats the name for a message. Identifiers are quoted with backticks.
    pub(crate) fn quoted(&self) -> String {
        let label = if self.is_key {
            format!("`{}`", self.label)
        } else {
            self.label.clone()
        };
        self.with_scope(label, str::to_owned)
    }

    /// Formats the name as Markdown. An identifier is a code span, in which GitHub finds no emoji, mention or link. If
    /// `is_breakable` is set, it is text with possible line breaks instead, because a long code span would widen a table.
    pub(crate) fn markdown(&self, is_strong: bool, is_breakable: bool) -> String {
        let label = match (self.is_key, is_breakable) {
            (true, true) => breakable(&self.label),
            (true, false) => code(&self.label),
            (false, _) => inline(&self.label),
        };
        let label = if is_strong {
            format!("**{label}**")
        } else {
            label
        };
        self.with_scope(label, inline)
    }

    fn with_scope(&self, label: String, escape: fn(&str) -> String) -> String {
        match &self.scope {
            Some(scope) => format!("{label} ({})", escape(scope)),
            None => label,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_shows_both_shared_ends() {
        let ends = |names: &[&'static str]| {
            let ends = SharedEnds::of(names);
            [ends.begin, ends.end]
        };
        let names = [
            "octocorp.quill.Read.all(size=1,thread=8)",
            "octocorp.quill.Write.one(size=2,thread=8)",
        ];
        assert_eq!(ends(&names), ["octocorp.quill.", ""]);
        let names = [
            "octocorp.quill.ReadRecords(a=1,compression=ü)",
            "octocorp.quill.ReadRecords(a=12,compression=ü)",
        ];
        assert_eq!(ends(&names), ["octocorp.quill.", ",compression=ü)"]);
        assert_eq!(
            SharedEnds::of(&names).title(),
            "octocorp.quill.…,compression=ü)"
        );
        assert_eq!(
            ends(&["a_short_name(threads=18)", "other_name(threads=18)"]),
            ["", ""]
        );
        assert_eq!(
            ends(&["one_name_alone_has_no_shared_end(threads=18)"]),
            ["", ""]
        );
        assert_eq!(ends(&[]), ["", ""]);
    }

    #[test]
    fn shared_ends_never_split_a_number() {
        let names = [
            "decompress_with_level_of_1.5/large",
            "decompress_with_level_of_1.7/large",
        ];
        let ends = SharedEnds::of(&names);
        assert_eq!([ends.begin, ends.end], ["", ""]);
    }

    #[test]
    fn long_names_are_cut_between_words() {
        assert_eq!(shortened("crypto::key::derive", 19), "crypto::key::derive");
        assert_eq!(shortened("crypto::key::derive", 14), "crypto…derive");
        let name = "codec/decode/size=1024/parallel-1";
        assert_eq!(shortened(name, 24), "codec/decode…/parallel-1");
        assert_eq!(shortened(name, 30), "codec/decode/size=…/parallel-1");
        assert_eq!(shortened("日本語のベンチマーク", 6), "日…ク");
        assert_eq!(shortened("abc", 0), "…");
    }

    #[test]
    fn shortened_names_fit() {
        for name in [
            "a/size=100000000000/b",
            "aaaaaaaaaaaaaaaaaaaa0001",
            "日本語0.5のベンチ/x",
        ] {
            for width in 1..25 {
                let text = shortened(name, width);
                assert!(display_width(&text) <= width, "{text} {width}");
            }
        }
    }
}
