//! Patterns of names, matched in time that grows with the length of the name only.
//!
//! A pattern is cut at its stars into *pieces*. The first stands at the start of a name, the last at its end, and each
//! of the others where it occurs first behind the one before: no piece is ever tried at a place twice.

use std::collections::BTreeMap;

use memchr::memmem;

/// A pattern of names: `*` stands for any text, `?` for one character, everything else for itself.
#[derive(Clone, Debug)]
pub struct Glob {
    /// Bytes that a name has at least.
    shortest: usize,
    first: Piece,
    rest: Option<Rest>,
}

/// What follows the first star.
#[derive(Clone, Debug)]
struct Rest {
    middle: Vec<Piece>,
    last: Piece,
}

impl Glob {
    /// Compiles `source`; every text is a pattern.
    pub fn new(source: &str) -> Self {
        let shortest = source.bytes().filter(|byte| *byte != b'*').count();
        let source = questions_first(source);
        let (first, rest) =
            source.split_once('*').map_or((&*source, None), |(first, rest)| (first, Some(rest)));
        let rest = rest.map(|rest| {
            let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
            let middle = middle.split('*').filter(|piece| !piece.is_empty());
            Rest { middle: middle.map(Piece::new).collect(), last: Piece::new(last) }
        });
        // A `?` is one byte or more, like any letter of its pattern.
        Self { shortest, first: Piece::new(first), rest }
    }

    /// Whether it covers the whole of `text`.
    pub fn matches(&self, text: &str) -> bool {
        if text.len() < self.shortest {
            return false;
        }
        let Some(text) = self.first.after_start(text) else { return false };
        let Some(rest) = &self.rest else { return text.is_empty() };
        let Some(text) = rest.last.before_end(text) else { return false };
        let behind = |text, piece: &Piece| piece.after_first(text);
        rest.middle.iter().try_fold(text, behind).is_some()
    }
}

/// The same pattern with each `?` before the stars beside it, so that fewer pieces have one.
fn questions_first(source: &str) -> String {
    let mut sorted = String::with_capacity(source.len());
    let mut has_star = false;
    for letter in source.chars() {
        match letter {
            '*' => has_star = true,
            '?' => sorted.push('?'),
            letter => {
                sorted.extend(has_star.then_some('*'));
                has_star = false;
                sorted.push(letter);
            }
        }
    }
    sorted.extend(has_star.then_some('*'));
    sorted
}

/// A part of a pattern without stars.
#[derive(Clone, Debug)]
enum Piece {
    Literal(Box<str>),
    /// Some of its characters are `?`.
    Shape {
        letters: Vec<char>,
        automaton: Box<Automaton>,
    },
}

impl Piece {
    fn new(text: &str) -> Self {
        if !text.contains('?') {
            return Self::Literal(text.into());
        }
        let letters: Vec<char> = text.chars().collect();
        Self::Shape { automaton: Box::new(Automaton::new(&letters)), letters }
    }

    /// The rest of a text that begins with the piece.
    fn after_start<'t>(&self, text: &'t str) -> Option<&'t str> {
        match self {
            Self::Literal(literal) => text.strip_prefix(&**literal),
            Self::Shape { letters, .. } => {
                let mut rest = text.chars();
                letters
                    .iter()
                    .all(|letter| rest.next().is_some_and(|other| is_alike(*letter, other)))
                    .then_some(rest.as_str())
            }
        }
    }

    /// The rest of a text that ends with the piece.
    fn before_end<'t>(&self, text: &'t str) -> Option<&'t str> {
        match self {
            Self::Literal(literal) => text.strip_suffix(&**literal),
            Self::Shape { letters, .. } => {
                let mut rest = text.chars();
                let is_end = |letter: &char| rest.next_back().is_some_and(|other| is_alike(*letter, other));
                letters.iter().rev().all(is_end).then_some(rest.as_str())
            }
        }
    }

    /// The rest of a text behind the first place of the piece.
    fn after_first<'t>(&self, text: &'t str) -> Option<&'t str> {
        let end = match self {
            Self::Literal(literal) => place(literal.as_bytes(), text.as_bytes())? + literal.len(),
            Self::Shape { automaton, .. } => automaton.first_end(text)?,
        };
        Some(&text[end..])
    }
}

/// The first place of a literal, which is not empty.
fn place(literal: &[u8], text: &[u8]) -> Option<usize> {
    const SHORT: usize = 64;
    // Most names are short: trying every place takes less than preparing a search.
    if text.len() <= SHORT {
        let first = literal.first()?;
        return (0..text.len()).find(|at| text[*at] == *first && text[*at..].starts_with(literal));
    }
    // Comparing takes less than searching.
    if text.starts_with(literal) { Some(0) } else { memmem::find(text, literal) }
}

fn is_alike(letter: char, other: char) -> bool {
    letter == '?' || letter == other
}

/// A search for letters and `?` that reads each character of a text once. State `i`, a bit, says that the text up to
/// here ends with the first `i + 1` letters.
#[derive(Clone, Debug)]
struct Automaton {
    /// The states that any character may lead to, those of a `?`.
    any: Vec<u64>,
    /// The states that a letter may lead to besides, by their word.
    own: BTreeMap<char, Vec<(usize, u64)>>,
    /// The state in which all letters were read.
    last: usize,
}

const BITS: usize = u64::BITS as usize;

impl Automaton {
    fn new(letters: &[char]) -> Self {
        let mut any = vec![0; letters.len().div_ceil(BITS)];
        let mut own: BTreeMap<char, Vec<(usize, u64)>> = BTreeMap::new();
        for (at, letter) in letters.iter().enumerate() {
            let (word, state) = (at / BITS, 1 << (at % BITS));
            if *letter == '?' {
                any[word] |= state;
                continue;
            }
            let words = own.entry(*letter).or_default();
            match words.last_mut() {
                Some((last, states)) if *last == word => *states |= state,
                _ => words.push((word, state)),
            }
        }
        Self { any, own, last: letters.len().saturating_sub(1) }
    }

    /// Where the first place of the letters ends.
    fn first_end(&self, text: &str) -> Option<usize> {
        let mut states = vec![0_u64; self.any.len()];
        for (at, letter) in text.char_indices() {
            let mut own = self.own.get(&letter).into_iter().flatten().peekable();
            let mut entered = 1;
            for (word, (state, any)) in states.iter_mut().zip(&self.any).enumerate() {
                let own = own.next_if(|(own, _)| *own == word).map_or(0, |(_, states)| *states);
                let left = *state >> (BITS - 1);
                *state = ((*state << 1) | entered) & (any | own);
                entered = left;
            }
            if states[self.last / BITS] >> (self.last % BITS) & 1 == 1 {
                return Some(at + letter.len_utf8());
            }
        }
        None
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
            ([letter, rest @ ..], [other, text @ ..]) => is_alike(*letter, *other) && covers(rest, text),
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
            let is_place = |place: &[u8]| place.iter().zip(shape.bytes()).all(|(one, other)| is_alike(other.into(), (*one).into()));
            let expected = text.as_bytes().windows(shape.len()).any(is_place);
            prop_assert_eq!(glob.matches(&text), expected);
        }
    }

    #[test]
    fn only_star_and_question_mark_are_wildcards() {
        for key in ["a[0]", "{a,b}", r"a\b", "a.b", "!a", "a/b"] {
            assert!(Glob::new(key).matches(key) && !Glob::new(key).matches("a"), "{key}");
        }
        assert!(Glob::new("*").matches("a/b\n") && Glob::new("*").matches("") && Glob::new("").matches(""));
        assert!(!Glob::new("").matches("a") && !Glob::new("?").matches("") && Glob::new("?").matches("é"));
    }

    #[test]
    fn globs_cover_the_whole_key() {
        let glob = Glob::new("decode_*?.v1");
        assert!(glob.matches("decode_small.v1") && glob.matches("decode_é.v1"));
        assert!(
            !glob.matches("decode_.v1") && !glob.matches("decode_small_v1") && !glob.matches("xdecode_a.v1")
        );
    }

    #[test]
    fn hostile_patterns_take_no_longer_than_others() {
        let names = ["a".repeat(1_000), "ab".repeat(500), format!("{}b", "a".repeat(999))];
        let time = std::time::Instant::now();
        for length in (0..3_000).map(|at| 1 + at % 480) {
            let (plain, shape) = ("a".repeat(length), format!("{}?", "ab".repeat(length / 2)));
            for pattern in
                [format!("*a*{plain}*b"), format!("*{plain}c{plain}*"), format!("*{shape}c{shape}*b*")]
            {
                let glob = Glob::new(&pattern);
                assert!(names.iter().filter(|name| glob.matches(name)).count() < 3);
            }
        }
        // Some seconds in a build without optimisation, minutes if a piece is tried at a place twice.
        assert!(time.elapsed().as_secs() < 30, "{:?}", time.elapsed());
    }
}
