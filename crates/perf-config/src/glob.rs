//! Patterns of names, matched in time that grows with the length of the name only.
//!
//! The letters around the wildcards are compared first: they reject most names. Between them, a pattern is cut at its
//! stars into *pieces*, each of which stands where it occurs first behind the one before, so that none is ever tried
//! at a place twice.

use std::collections::BTreeMap;

use memchr::memmem;

/// A pattern of names: `*` stands for any text, `?` for one character, everything else for itself.
#[derive(Clone, Debug)]
pub struct Glob {
    /// Bytes that a name has at least: a `?` is one or more.
    shortest: usize,
    /// The letters at both ends are compared in place: a comparison with an empty `Box`, which points nowhere, takes a
    /// hundred nanoseconds where `memcmp` masks its loads.
    source: Box<str>,
    /// Bytes before the first wildcard.
    first: usize,
    /// Bytes behind the last wildcard.
    last: usize,
    middle: Middle,
}

/// The part of a pattern from its first wildcard to its last.
#[derive(Clone, Debug)]
enum Middle {
    /// No wildcard at all.
    Nothing,
    /// Stars, and the pieces between them.
    Pieces(Vec<Box<str>>),
    /// Some of its characters are `?`. The longest run of letters rejects most names.
    Shape {
        run: Box<str>,
        automaton: Box<Automaton>,
    },
}

impl Glob {
    /// Compiles `source`; every text is a pattern.
    pub fn new(source: &str) -> Self {
        let shortest = source.bytes().filter(|byte| *byte != b'*').count();
        let wildcards = ['*', '?'];
        let start = source.find(wildcards).unwrap_or(source.len());
        let end = source.rfind(wildcards).map_or(source.len(), |at| at + 1);
        let middle = match &source[start..end] {
            "" => Middle::Nothing,
            shape if shape.contains('?') => {
                let run = shape
                    .split(wildcards)
                    .max_by_key(|run| run.len())
                    .unwrap_or_default();
                Middle::Shape {
                    run: run.into(),
                    automaton: Box::new(Automaton::new(shape)),
                }
            }
            between => Middle::Pieces(
                between
                    .split('*')
                    .filter(|piece| !piece.is_empty())
                    .map(Box::from)
                    .collect(),
            ),
        };
        Self {
            shortest,
            source: source.into(),
            first: start,
            last: source.len() - end,
            middle,
        }
    }

    /// The source text.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// True if it covers the whole of `text`.
    pub fn matches(&self, text: &str) -> bool {
        let (source, bytes) = (self.source.as_bytes(), text.as_bytes());
        let (start, end) = (self.first, bytes.len().wrapping_sub(self.last));
        if bytes.len() < self.shortest
            || bytes[..start] != source[..start]
            || bytes[end..] != source[source.len() - self.last..]
        {
            return false;
        }
        match &self.middle {
            Middle::Nothing => start == end,
            Middle::Pieces(pieces) => pieces
                .iter()
                .try_fold(&bytes[start..end], |text, piece| rest_behind(text, piece))
                .is_some(),
            Middle::Shape { run, automaton } => {
                rest_behind(&bytes[start..end], run).is_some()
                    && automaton.matches(&text[start..end])
            }
        }
    }
}

/// The rest of a text behind the first place of a piece.
fn rest_behind<'t>(text: &'t [u8], piece: &str) -> Option<&'t [u8]> {
    const SHORT: usize = 64;
    let piece = piece.as_bytes();
    let Some(first) = piece.first() else {
        return Some(text);
    };
    // Most names are short: trying every place takes less than preparing a search.
    let at = if text.len() <= SHORT {
        (0..text.len()).find(|at| text[*at] == *first && text[*at..].starts_with(piece))
    } else {
        memmem::find(text, piece)
    };
    at.map(|at| &text[at + piece.len()..])
}

/// A reader of letters and wildcards that reads each character of a text once. State `i`, a bit, says that the text up to
/// here can be the first `i` letters with the stars between them.
#[derive(Clone, Debug)]
struct Automaton {
    /// The states that any character keeps, as a star follows their letters.
    stars: Vec<u64>,
    /// The states that any character may lead to, those of a `?`.
    any: Vec<u64>,
    /// The states that a letter may lead to besides, by their word.
    own: BTreeMap<char, Vec<(usize, u64)>>,
    /// The state in which all letters were read.
    last: usize,
}

const BITS: usize = u64::BITS as usize;

impl Automaton {
    fn new(shape: &str) -> Self {
        let last = shape.chars().filter(|letter| *letter != '*').count();
        let (mut stars, mut any) = (vec![0; last / BITS + 1], vec![0; last / BITS + 1]);
        let mut own: BTreeMap<char, Vec<(usize, u64)>> = BTreeMap::new();
        let mut at = 0;
        for letter in shape.chars() {
            at += usize::from(letter != '*');
            let (word, state) = (at / BITS, 1 << (at % BITS));
            match letter {
                '*' => stars[word] |= state,
                '?' => any[word] |= state,
                letter => {
                    let words = own.entry(letter).or_default();
                    match words.last_mut() {
                        Some((last, states)) if *last == word => *states |= state,
                        _ => words.push((word, state)),
                    }
                }
            }
        }
        Self {
            stars,
            any,
            own,
            last,
        }
    }

    fn matches(&self, text: &str) -> bool {
        let mut states = vec![0_u64; self.any.len()];
        states[0] = 1;
        for letter in text.chars() {
            let mut own = self.own.get(&letter).into_iter().flatten().peekable();
            let mut entered = 0;
            for (word, state) in states.iter_mut().enumerate() {
                let own = own
                    .next_if(|(own, _)| *own == word)
                    .map_or(0, |(_, states)| *states);
                let left = *state >> (BITS - 1);
                *state = (*state & self.stars[word])
                    | (((*state << 1) | entered) & (self.any[word] | own));
                entered = left;
            }
        }
        states[self.last / BITS] >> (self.last % BITS) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, by trying everything.
    fn covers(pattern: &[char], text: &[char]) -> bool {
        match (pattern, text) {
            ([], text) => text.is_empty(),
            (['*', rest @ ..], text) => (0..=text.len()).any(|at| covers(rest, &text[at..])),
            ([letter, rest @ ..], [other, text @ ..]) => {
                (*letter == '?' || letter == other) && covers(rest, text)
            }
            (_, []) => false,
        }
    }

    proptest! {
        #[test]
        fn a_pattern_covers_what_it_says(pattern in "[ab?*é]{0,9}", text in "[abé?*]{0,10}") {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            let expected = covers(&letters(&pattern), &letters(&text));
            prop_assert_eq!(Glob::new(&pattern).matches(&text), expected);
        }

        #[test]
        fn long_pieces_are_found(
            before in "[ab]{0,80}", piece in "[ab]{60,140}", question in 0_usize..60, other in 0_usize..60,
        ) {
            let (mut shape, mut text) = (piece.clone(), before + &piece + "b");
            shape.replace_range(question..=question, "?");
            let glob = Glob::new(&format!("*{shape}*"));
            prop_assert!(glob.matches(&text));
            let from = text.len() - 1 - piece.len();
            text.replace_range(from + other..=from + other, "c");
            let is_place = |place: &[u8]| place.iter().zip(shape.bytes()).all(|(one, other)| other == b'?' || *one == other);
            let expected = text.as_bytes().windows(shape.len()).any(is_place);
            prop_assert_eq!(glob.matches(&text), expected);
        }
    }

    #[test]
    fn only_star_and_question_mark_are_wildcards() {
        for key in ["a[0]", "{a,b}", r"a\b", "a.b", "!a", "a/b"] {
            assert!(
                Glob::new(key).matches(key) && !Glob::new(key).matches("a"),
                "{key}"
            );
        }
        assert!(
            Glob::new("*").matches("a/b\n")
                && Glob::new("*").matches("")
                && Glob::new("").matches("")
        );
        assert!(
            !Glob::new("").matches("a")
                && !Glob::new("?").matches("")
                && Glob::new("?").matches("é")
        );
    }

    #[test]
    fn globs_cover_the_whole_key() {
        let glob = Glob::new("decode_*?.v1");
        assert!(glob.matches("decode_small.v1") && glob.matches("decode_é.v1"));
        assert!(
            !glob.matches("decode_.v1")
                && !glob.matches("decode_small_v1")
                && !glob.matches("xdecode_a.v1")
        );
    }

    #[test]
    fn hostile_patterns_take_no_longer_than_others() {
        let names = [
            "a".repeat(1_000),
            "ab".repeat(500),
            format!("{}b", "a".repeat(999)),
        ];
        let time = std::time::Instant::now();
        for length in (0..3_000).map(|at| 1 + at % 480) {
            let (plain, shape) = ("a".repeat(length), format!("{}?", "ab".repeat(length / 2)));
            for pattern in [
                format!("*a*{plain}*b"),
                format!("*{plain}c{plain}*"),
                format!("*{shape}c{shape}*b*"),
            ] {
                let glob = Glob::new(&pattern);
                assert!(names.iter().filter(|name| glob.matches(name)).count() < 3);
            }
        }
        // Some seconds in a build without optimisation, minutes if a piece is tried at a place twice.
        assert!(time.elapsed().as_secs() < 30, "{:?}", time.elapsed());
    }
}
