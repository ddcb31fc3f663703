//! Name and path patterns. Matching takes linear time in the length of the name.
//!
//! The text before the first and after the last wildcard is compared first, which rejects most names. The text
//! between is split at the stars into *pieces*. Each piece matches at its first occurrence after the previous piece,
//! so no position is tried twice.

use std::collections::BTreeMap;
use std::str::FromStr;

use memchr::memmem;
use serde::{Deserialize, Serialize};

/// A name pattern: `*` matches any text, `?` one character, everything else itself.
#[derive(Clone, Debug)]
pub struct Glob {
    /// The fewest bytes in a matching name; `?` is one byte or more.
    shortest: usize,
    /// Prefix and suffix are compared in place instead of being stored: comparing with an empty `Box`, which points
    /// nowhere, takes a hundred nanoseconds on processors whose `memcmp` uses masked loads.
    source: Box<str>,
    /// Bytes before the first wildcard.
    first: usize,
    /// Bytes after the last wildcard.
    last: usize,
    middle: Middle,
}

/// The part of a pattern from its first wildcard to its last.
#[derive(Clone, Debug)]
enum Middle {
    /// The pattern contains no wildcard.
    Nothing,
    /// Stars, and the pieces between them.
    Pieces(Vec<Box<str>>),
    /// It contains `?`. The longest literal run (`run`) rejects most names.
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

    /// Whether the pattern matches the whole `text`.
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
                .try_fold(&bytes[start..end], |text, piece| rest_after(text, piece))
                .is_some(),
            Middle::Shape { run, automaton } => {
                rest_after(&bytes[start..end], run).is_some()
                    && automaton.matches(&text[start..end])
            }
        }
    }
}

/// The text after the first occurrence of a piece.
fn rest_after<'t>(text: &'t [u8], piece: &str) -> Option<&'t [u8]> {
    const SHORT: usize = 64;
    let piece = piece.as_bytes();
    let Some(first) = piece.first() else {
        return Some(text);
    };
    // Most names are short, so trying every position is faster than preparing a search.
    let at = if text.len() <= SHORT {
        (0..text.len()).find(|at| text[*at] == *first && text[*at..].starts_with(piece))
    } else {
        memmem::find(text, piece)
    };
    at.map(|at| &text[at + piece.len()..])
}

/// A nondeterministic automaton that reads each character once. State `i`, one bit, means that the text so far
/// matches the first `i` letters of the pattern, including the stars between them.
#[derive(Clone, Debug)]
struct Automaton {
    /// The states that stay active on any character, because a star follows.
    stars: Vec<u64>,
    /// The states that any character leads to, because a `?` follows.
    any: Vec<u64>,
    /// The states that one letter leads to, as pairs of word index and bits.
    own: BTreeMap<char, Vec<(usize, u64)>>,
    /// The accepting state.
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

/// A path pattern: `*` matches any part of a name, `?` one character, `**` any number of folders. It starts at the
/// root of the repository. If its last name contains no wildcard, it matches a file, or everything in a folder.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct PathPattern {
    source: String,
    parts: Vec<PatternPart>,
    /// Whether everything below a matching path also matches.
    is_folder: bool,
}

#[derive(Clone, Debug)]
enum PatternPart {
    Name(Glob),
    Folders,
}

impl PathPattern {
    /// Compiles `source`.
    pub fn new(source: &str) -> Result<Self, String> {
        let names: Vec<&str> = source
            .strip_suffix('/')
            .unwrap_or(source)
            .split('/')
            .collect();
        names.iter().try_for_each(|name| refuse(name, source))?;
        let part = |name: &&str| {
            if *name == "**" {
                PatternPart::Folders
            } else {
                PatternPart::Name(Glob::new(name))
            }
        };
        let mut parts: Vec<PatternPart> = names.iter().map(part).collect();
        if let Some(PatternPart::Folders) = parts.last() {
            parts.push(PatternPart::Name(Glob::new("*")));
        }
        let is_folder = names.last().is_some_and(|name| !name.contains(['*', '?']));
        Ok(Self {
            source: source.to_owned(),
            parts,
            is_folder,
        })
    }

    /// Whether the pattern matches a path written with `/`.
    pub fn matches(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('/').collect();
        let (mut part, mut name) = (0, 0);
        // The position to continue at if the names after the last `**` do not match. The fewest folders are tried
        // first, and no earlier `**` is tried again.
        let mut retry = None;
        loop {
            match self.parts.get(part) {
                None if self.is_folder || name == names.len() => return true,
                Some(PatternPart::Folders) => {
                    part += 1;
                    retry = Some((part, name));
                    continue;
                }
                Some(PatternPart::Name(glob))
                    if names.get(name).is_some_and(|name| glob.matches(name)) =>
                {
                    (part, name) = (part + 1, name + 1);
                    continue;
                }
                _ => {}
            }
            let Some((parts, names_before)) = retry.filter(|(_, before)| *before < names.len())
            else {
                return false;
            };
            (part, name) = (parts, names_before + 1);
            retry = Some((part, name));
        }
    }

    /// The source text.
    pub fn as_str(&self) -> &str {
        &self.source
    }
}

/// The start of the error message for a path pattern in the config.
pub(super) const BAD_PATH: &str = "bad path ";

/// Fails for a name that cannot occur in a repository path.
fn refuse(name: &str, source: &str) -> Result<(), String> {
    let why = match name {
        "" if source.is_empty() => "it is empty",
        _ if source.starts_with('!') => "it begins with `!`: a pattern cannot exclude files",
        "" if source.starts_with('/') => "it begins with `/`",
        "" => "it contains `//`",
        "." | ".." => "it contains a folder `.` or `..`",
        _ if name.contains('\\') => "it contains `\\`",
        _ if name.ends_with(':') && name.len() == 2 => "it begins with a drive",
        _ if name != "**" && name.contains("**") => "`**` stands for whole folders",
        _ => return Ok(()),
    };
    Err(why.to_owned())
}

impl FromStr for PathPattern {
    type Err = String;

    fn from_str(source: &str) -> Result<Self, String> {
        Self::new(source)
    }
}

impl TryFrom<String> for PathPattern {
    type Error = String;

    fn try_from(source: String) -> Result<Self, String> {
        Self::new(&source).map_err(|why| format!("{BAD_PATH}`{source}`: {why}"))
    }
}

impl From<PathPattern> for String {
    fn from(pattern: PathPattern) -> Self {
        pattern.source
    }
}

impl PartialEq for PathPattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for PathPattern {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A reference implementation that tries everything.
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
        fn glob_agrees_with_the_reference_implementation(pattern in "[ab?*é]{0,9}", text in "[abé?*]{0,10}") {
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
    fn globs_match_the_whole_key() {
        let glob = Glob::new("decode_*?.v1");
        assert!(glob.matches("decode_small.v1") && glob.matches("decode_é.v1"));
        assert!(
            !glob.matches("decode_.v1")
                && !glob.matches("decode_small_v1")
                && !glob.matches("xdecode_a.v1")
        );
    }

    #[test]
    fn hostile_patterns_are_no_slower_than_others() {
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
        // Takes some seconds without optimisation; minutes if a piece were tried twice at one position.
        assert!(time.elapsed().as_secs() < 30, "{:?}", time.elapsed());
    }

    const PATHS: [&str; 8] = [
        "Cargo.lock",
        "sub/Cargo.lock",
        "benches",
        "benches/a.rs",
        "benches/deep/b.rs",
        "benches2/c.rs",
        "benches/deep/er/é.rs",
        "x/benches/a.rs",
    ];

    fn matching(pattern: &str) -> Vec<&'static str> {
        let pattern = PathPattern::new(pattern).unwrap();
        PATHS
            .into_iter()
            .filter(|path| pattern.matches(path))
            .collect()
    }

    #[test]
    fn path_patterns_start_at_the_root() {
        assert_eq!(matching("Cargo.lock"), ["Cargo.lock"]);
        assert_eq!(matching("**/Cargo.lock"), ["Cargo.lock", "sub/Cargo.lock"]);
        assert_eq!(matching("cargo?lock"), [""; 0]);
        assert_eq!(matching("**"), PATHS);
    }

    #[test]
    fn star_stays_within_a_name_and_double_star_does_not() {
        assert_eq!(matching("benches/*"), ["benches/a.rs"]);
        assert_eq!(matching("bench*/?.rs"), ["benches/a.rs", "benches2/c.rs"]);
        let all = ["benches/a.rs", "benches/deep/b.rs", "benches/deep/er/é.rs"];
        assert_eq!(matching("benches/**"), all);
        assert_eq!(matching("benches/**/*.rs"), all);
        assert_eq!(matching("**/er/?.rs"), ["benches/deep/er/é.rs"]);
        assert_eq!(matching("benches?a.rs"), [""; 0]);
    }

    #[test]
    fn folder_pattern_matches_everything_in_it() {
        let all = [
            "benches",
            "benches/a.rs",
            "benches/deep/b.rs",
            "benches/deep/er/é.rs",
        ];
        assert_eq!([matching("benches"), matching("benches/")], [all, all]);
        assert_eq!(
            matching("*/deep"),
            ["benches/deep/b.rs", "benches/deep/er/é.rs"]
        );
    }

    #[test]
    fn impossible_path_patterns_are_errors() {
        let why = |text: &str| PathPattern::new(text).unwrap_err();
        assert_eq!(why(""), "it is empty");
        assert_eq!(
            [why("/"), why("/benches"), why("//")],
            ["it begins with `/`"; 3]
        );
        assert_eq!(
            why("!benches"),
            "it begins with `!`: a pattern cannot exclude files"
        );
        assert_eq!(why("benches//a"), "it contains `//`");
        assert_eq!(
            [why("./benches"), why("../x"), why("a/.."), why("a/../b")],
            ["it contains a folder `.` or `..`"; 4]
        );
        assert_eq!(why("benches\\*"), "it contains `\\`");
        assert_eq!(why("C:/benches"), "it begins with a drive");
        assert_eq!(
            [why("a**"), why("**.rs"), why("***")],
            ["`**` stands for whole folders"; 3]
        );
    }

    proptest! {
        #[test]
        fn any_pattern_is_compiled_or_rejected(pattern in any::<String>(), path in any::<String>()) {
            if let Ok(pattern) = PathPattern::new(&pattern) {
                pattern.matches(&path);
            }
        }

        #[test]
        fn path_without_wildcards_matches_itself(path in "[a-z+(é]{1,5}(/[a-z+.]{3,5}){0,3}") {
            prop_assume!(path.split('/').all(|name| !name.trim_matches('.').is_empty()));
            prop_assert!(PathPattern::new(&path).unwrap().matches(&path));
        }
    }
}
