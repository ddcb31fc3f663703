//! Rules out lines that are neither a row nor a header, by their bytes alone: these are most lines of a log, and should
//! cost next to nothing.

use memchr::{memchr_iter, memchr3, memmem, memrchr};
use perf_model::key_column::KeyColumn;

use crate::input::anchors::{FEWEST_COMMAS, WORDS};
use crate::input::blocks;
use crate::text_rows::{log_row::SHORTEST_COMMIT, structured};

/// The number of key columns in a header that are a whole field each; other text may precede the first one.
const KEYS: usize = KeyColumn::LAYOUT.len() - 1;

/// The classification of a line by its bytes alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Looks {
    PossibleRow,
    NoRow,
    /// All of its commas are outside of quotes, too.
    NoRowOrList,
}

/// The fewest numbers among the last fields of a malformed row, by the count of these fields: the metrics of a layout
/// and the run index.
#[derive(Debug, Default)]
pub(super) struct Enough {
    /// By the number of the last fields.
    least: Vec<usize>,
    /// The least of all.
    fewest: usize,
}

impl Enough {
    /// For layouts with this many metrics.
    pub(super) fn of(layouts: impl Iterator<Item = usize>) -> Self {
        let mut least = Vec::new();
        for fields in layouts.map(|metrics| metrics + 1) {
            least.resize(least.len().max(fields), usize::MAX);
            least[fields - 1] = fields / 2 + 1;
        }
        let fewest = least.iter().copied().min().unwrap_or(usize::MAX);
        Self { least, fewest }
    }

    /// Tells whether a line may be a row or nearly one: its last field is a number, or enough others are, or it ends
    /// early.
    pub(super) fn are_in(&self, line: &[u8]) -> Looks {
        match self.without_fields(line) {
            Looks::PossibleRow if !self.are_among_fields(line) => Looks::NoRow,
            looks => looks,
        }
    }

    /// Judges a line by the bytes beside its commas: most logs whose lines are JSON need no other look.
    fn without_fields(&self, line: &[u8]) -> Looks {
        let (mut texts, mut is_cut, mut has_escapes, mut numbers) = (0, false, false, 0);
        // Where the field begins that is ended next, and the one before.
        let (mut start, mut before) = (0, None);
        blocks::each(line, |at, block| {
            let [mut commas, quotes, escapes] = blocks::places(block, *b",\"\\");
            has_escapes |= escapes != 0;
            let inside = if quotes == 0 {
                texts
            } else {
                blocks::enclosed(quotes) ^ texts
            };
            texts = if inside >> (blocks::BLOCK - 1) == 1 {
                u64::MAX
            } else {
                0
            };
            is_cut |= commas & inside != 0;
            while commas != 0 {
                let end = at + commas.trailing_zeros() as usize;
                commas &= commas - 1;
                let is_number = match line[start..end] {
                    [.., before, b'"'] => before == b'"' || is_of_number(before),
                    [first, .., last] if last.is_ascii_graphic() => {
                        is_of_number(first) && is_of_number(last)
                    }
                    // White space, and what needs no closer look.
                    _ => true,
                };
                numbers += usize::from(is_number);
                before = Some(start..end);
                start = end + 1;
            }
        });
        let is_whole = !is_cut && texts == 0;
        let others_are_few =
            || numbers < self.fewest && !before.is_some_and(|before| may_be_number(&line[before]));
        match is_whole && others_are_few() && !may_be_number(&line[start..]) {
            true if has_escapes => Looks::NoRow,
            true => Looks::NoRowOrList,
            false => Looks::PossibleRow,
        }
    }

    fn are_among_fields(&self, line: &[u8]) -> bool {
        let (mut fields, mut numbers) = (FromRight::new(line), 0);
        for (place, least) in self.least.iter().enumerate() {
            let Some(field) = fields.next() else { break };
            // A comma between quotes separates nothing.
            let Some(field) = field else { return true };
            numbers += usize::from(may_be_number(field));
            if numbers >= *least || (numbers > 0 && place == 0) {
                return true;
            }
        }
        may_end_early(line, self.least.len())
    }
}

/// True if a line may be a row that ends within a field: a commit, and numbers up to the last field. A minus shows the
/// run index, which is −1 in an aggregate.
fn may_end_early(line: &[u8], most: usize) -> bool {
    let mut numbers = 0;
    let mut others = 0;
    for field in FromRight::new(line).skip(1) {
        let Some(field) = field else { return true };
        let is_number = others == 0 && may_be_number(field);
        if (is_number && (numbers > most || field.contains(&b'-')))
            || (numbers > 0 && may_be_hash(field))
        {
            return true;
        }
        numbers += usize::from(is_number);
        others += usize::from(!is_number);
        if numbers == 0 || others == 2 {
            return false;
        }
    }
    false
}

/// The fields of a line from its end; `None` for one with half a text in quotes.
struct FromRight<'l> {
    /// The text before the fields that were given; `None` after the first one.
    rest: Option<&'l [u8]>,
    /// The place in the line where the masks begin.
    start: usize,
    commas: u64,
    quotes: u64,
    /// True if the field has an odd number of quotes to the right of the masks.
    is_odd: bool,
}

impl<'l> FromRight<'l> {
    fn new(line: &'l [u8]) -> Self {
        Self {
            rest: Some(line),
            start: line.len(),
            commas: 0,
            quotes: 0,
            is_odd: false,
        }
    }

    /// Goes to the block before.
    fn step_back(&mut self, text: &[u8]) {
        self.is_odd ^= is_odd(self.quotes);
        let before = &text[..self.start];
        let mut filled = [0; blocks::BLOCK];
        let block = before.last_chunk().unwrap_or_else(|| {
            filled[..before.len()].copy_from_slice(before);
            &filled
        });
        [self.commas, self.quotes] = blocks::places(block, *b",\"");
        self.start = self.start.saturating_sub(blocks::BLOCK);
    }
}

impl<'l> Iterator for FromRight<'l> {
    type Item = Option<&'l [u8]>;

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.rest?;
        while self.commas == 0 && self.start > 0 {
            self.step_back(text);
        }
        let place = self.commas.checked_ilog2();
        let behind = place.map_or(u64::MAX, |place| u64::MAX << place);
        let is_half = std::mem::take(&mut self.is_odd) ^ is_odd(self.quotes & behind);
        (self.commas, self.quotes) = (self.commas & !behind, self.quotes & !behind);
        let comma = place.map(|place| self.start + place as usize);
        self.rest = comma.map(|comma| &text[..comma]);
        let field = &text[comma.map_or(0, |comma| comma + 1)..];
        Some((!is_half).then_some(field))
    }
}

fn is_odd(quotes: u64) -> bool {
    quotes != 0 && quotes.count_ones() % 2 == 1
}

/// True if a field is a number or nothing, in quotes or not. Text before the quotes is ignored.
fn may_be_number(field: &[u8]) -> bool {
    let field = field.trim_ascii();
    let inside = field.strip_suffix(b"\"");
    for byte in inside.unwrap_or(field).iter().rev() {
        match byte {
            b'"' if inside.is_some() => break,
            byte if is_of_number(*byte) => {}
            _ => return false,
        }
    }
    true
}

/// True if a byte may be in a number or beside it. What is no visible ASCII may be white space.
fn is_of_number(byte: u8) -> bool {
    const ARE: [bool; 256] = {
        let mut are = [false; 256];
        let mut byte = 0;
        while byte < are.len() {
            #[expect(clippy::cast_possible_truncation, reason = "below 256")]
            let next = byte as u8;
            are[byte] = matches!(next, b'0'..=b'9' | b'.' | b'+' | b'-' | b'e' | b'E')
                || !next.is_ascii_graphic();
            byte += 1;
        }
        are
    };
    ARE[usize::from(byte)]
}

/// True if a field may be a commit: enough hexadecimal digits.
fn may_be_hash(field: &[u8]) -> bool {
    let text = inside_quotes(field.trim_ascii());
    text.len() >= SHORTEST_COMMIT
        && text
            .iter()
            .rev()
            .all(|byte| byte.is_ascii_hexdigit() || !byte.is_ascii_graphic())
}

/// The text between the quotes that a field ends with; text before the opening one goes with it.
fn inside_quotes(field: &[u8]) -> &[u8] {
    let inside = field
        .strip_suffix(b"\"")
        .map(|inside| &inside[memrchr(b'"', inside).map_or(0, |at| at + 1)..]);
    inside.unwrap_or(field)
}

/// True if the fields of a line may be those of a header.
pub(super) fn may_be_header(line: &[u8]) -> bool {
    let is_key = |field: &&[u8]| {
        let name = inside_quotes(field.trim_ascii_end());
        may_begin_key(name)
            && std::str::from_utf8(name).is_ok_and(|name| KeyColumn::of(name).is_some())
    };
    let mut from = 0;
    let ends = memchr_iter(b',', line).chain([line.len()]);
    let fields = ends.map(|end| &line[std::mem::replace(&mut from, end + 1)..end]);
    fields.filter(is_key).nth(KEYS - 1).is_some()
}

/// True if a name begins like that of a key column, or with what may be white space.
fn may_begin_key(name: &[u8]) -> bool {
    let first = name.trim_ascii_start().first();
    first.is_some_and(|first| {
        first.is_ascii_alphabetic() || matches!(first, b'_' | b'-') || !first.is_ascii()
    })
}

/// True if a line has a character that separates columns where it is no comma.
pub(super) fn has_other_separator(line: &[u8]) -> bool {
    memchr3(b';', b'\t', b'|', line).is_some()
}

/// True if the word may be the key of a structured row: a colon follows.
pub(super) fn may_have_key(line: &[u8]) -> bool {
    WORDS.iter().any(|word| {
        let mut ends = memmem::find_iter(line, word).map(|at| at + word.len());
        ends.any(|end| {
            let is_between = |byte: &u8| {
                byte.is_ascii_whitespace() || matches!(byte, b'_' | b'-' | b'"' | b'\'')
            };
            let next = line[end..].iter().find(|byte| !is_between(byte));
            next.is_none_or(|byte| *byte == b':' || !byte.is_ascii())
        })
    })
}

/// True if one of the words of a line, the first of which ends here, may be a key or a column: in prose, something else
/// follows. `word_end` finds the next one.
pub(super) fn may_be_named(
    line: &[u8],
    first: usize,
    word_end: impl Fn(&[u8]) -> Option<usize>,
) -> bool {
    // Each search goes through the rest of the line, and a long line may have thousands of words.
    const MOST_WORDS: usize = 16;
    let mut end = first;
    for _ in 0..MOST_WORDS {
        if !is_prose(&line[end..]) {
            return true;
        }
        match word_end(&line[end..]) {
            Some(next) => end += next,
            None => return has_other_separator(line),
        }
    }
    true
}

/// True if the word is not followed by what follows a key, a column or the end of a text.
fn is_prose(behind: &[u8]) -> bool {
    let next = behind
        .iter()
        .find(|byte| !matches!(byte, b' ' | b'_' | b'-' | b'\''));
    next.is_some_and(|byte| byte.is_ascii_graphic() && !b",:;|\\\"<]".contains(byte))
}

/// True if the text between quotes may be a row: it has enough commas.
pub(super) fn may_hold_list(line: &[u8]) -> bool {
    let (mut open, mut commas, mut is_escaped) = (0, 0, false);
    blocks::each(line, |_, block| {
        let [quotes, all, escapes] = blocks::places(block, *b"\",\\");
        let inside = if quotes == 0 {
            open
        } else {
            blocks::enclosed(quotes) ^ open
        };
        open = if inside >> (blocks::BLOCK - 1) == 1 {
            u64::MAX
        } else {
            0
        };
        if inside & all != 0 {
            commas += (inside & all).count_ones();
        }
        is_escaped |= escapes != 0;
    });
    if is_escaped {
        structured::quoted_texts(line).any(may_be_list)
    } else {
        commas >= FEWEST_COMMAS
    }
}

/// True if a text with escapes may have enough commas for a row.
fn may_be_list(text: &[u8]) -> bool {
    let is_comma = |escape: &[u8]| memmem::find(text, escape).is_some();
    let is_many = memchr_iter(b',', text)
        .nth(FEWEST_COMMAS as usize - 1)
        .is_some();
    is_many || is_comma(b"\\u002c") || is_comma(b"\\u002C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rows_and_what_is_nearly_one_are_looked_at() {
        let enough = Enough::of([4, 3].into_iter());
        let may_be = |line: &str| enough.are_in(line.as_bytes()) == Looks::PossibleRow;
        for line in [
            "Load,Host x64,abc1234,-1,1.5,0,2",
            "Load,Host x64,abc1234,-1,1.5,0,2 ms",
            "Load,Host x64,abc1234,-1,1,2,x,y",
            "Load,Host x64,abc1234,-1,\"1\",,",
            "Load,Host x64,abc1234,5,x",
            "Load,Host x64,abc1234,5",
            "Load,Host x64,abc1234,5,1.5,x",
            "Load,Host x64,main,-1,1.5,x",
            "a,\"b,c\"",
        ] {
            assert!(may_be(line), "{line}");
        }
        for line in [
            "{\"a\":[1, 2, 3],\"b\":\"c\",\"d\":5}",
            "{\"a\":[1, 2, 3],\"b\":\"12345678\",\"d\":5}",
            "one, two and 3, four, five",
            "talk",
        ] {
            assert!(!may_be(line), "{line}");
        }
    }

    proptest! {
        #[test]
        fn a_look_at_commas_rules_out_no_row(text in "([a1\"\\\\{-]{0,3}|[ -]?[0-9]{1,9}|\"[a1]{0,70}\"|[a\u{1b} é]{0,3},){1,14}", narrow: bool) {
            let text = text.trim();
            let enough = if narrow { Enough::of([1, 3].into_iter()) } else { Enough::of([4, 7].into_iter()) };
            let may_be = enough.are_among_fields(text.as_bytes());
            let looks = enough.without_fields(text.as_bytes());
            prop_assert!(looks == Looks::PossibleRow || !may_be, "{text}");
            prop_assert!(looks != Looks::NoRowOrList || !may_hold_list(text.as_bytes()), "{text}");
        }

        #[test]
        fn fields_from_right_are_those_between_commas(text in "[a1,\"]{0,70}[ab,\"]{0,70}") {
            let expected: Vec<&[u8]> = text.as_bytes().rsplit(|byte| *byte == b',').collect();
            let found: Vec<Option<&[u8]>> = FromRight::new(text.as_bytes()).collect();
            let is_half = |field: &[u8]| memchr_iter(b'"', field).count() % 2 == 1;
            let expected: Vec<Option<&[u8]>> =
                expected.into_iter().map(|field| (!is_half(field)).then_some(field)).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn header_has_most_key_columns_as_fields() {
        for line in [
            "scenario,platform,commit,runIndex,x",
            "[log] scenario,\"Platform\", commit ,Run Index",
        ] {
            assert!(may_be_header(line.as_bytes()), "{line}");
        }
        assert!(!may_be_header(b"the scenario, platform, of 5"));
    }

    #[test]
    fn key_is_followed_by_a_colon() {
        for line in [
            "{scenario:\"A\"}",
            "{ \"Scenario\" : 1}",
            "{'SCENARIO':1}",
            "a scenario and {scenario :1}",
        ] {
            assert!(may_have_key(line.as_bytes()), "{line}");
        }
        assert!(!may_have_key(b"{\"message\":\"scenario reloaded\"}"));
    }

    #[test]
    fn word_in_prose_is_no_name() {
        let may_be = |line: &str| {
            let end = |text: &[u8]| memmem::find(text, b"cenario").map(|at| at + 7);
            may_be_named(line.as_bytes(), end(line.as_bytes()).unwrap(), end)
        };
        for line in [
            "a scenario, platform",
            "{scenario :1}",
            "{'scenario':1}",
            "a scenario and \"scenario\"",
            "commit,scenario",
            "<i>commit,scenario</i>",
            "scenario\tplatform",
            "a scenario; commit",
            "the scenario in x;platform;commit",
            "scenario\\nplatform",
            "scenario\u{1b}[0m,platform",
            "scenario\u{a0},platform",
        ] {
            assert!(may_be(line), "{line}");
        }
        for line in [
            "a scenario is here, and there",
            "{\"message\":\"scenario reloaded (scenario 5)\"}",
        ] {
            assert!(!may_be(line), "{line}");
        }
    }

    #[test]
    fn list_in_quotes_is_found() {
        let padding = "x".repeat(60);
        for before in ["", padding.as_str()] {
            for list in [
                "{\"a\":\"b,c,d,1\"}",
                "\"a\\\",b,c,d\"",
                "\"a\\u002cb\"",
                "open \"a,b,c,d",
            ] {
                assert!(
                    may_hold_list(format!("{before}{list}").as_bytes()),
                    "{list}"
                );
            }
            for other in [
                "{\"a\":[1,2,3,4],\"b\":\"c,d\"}",
                "a,b,c,d",
                "{\"a\":\"b\\n,c\",\"d\":[1,2,3]}",
            ] {
                assert!(
                    !may_hold_list(format!("{before}{other}").as_bytes()),
                    "{other}"
                );
            }
        }
    }
}
