//! What a line must have to be a row or a header, recognised by its bytes alone: most lines of a log have none of it, and
//! should cost next to nothing.

use memchr::{memchr_iter, memchr3, memmem, memrchr};
use perf_model::key_column::KeyColumn;

use crate::input::lines::WORDS;

/// How many key columns a header has that are a field each; before the first one something else may stand.
const KEYS: usize = KeyColumn::LAYOUT.len() - 1;

/// Whether a line may be a row, or nearly one, of layouts with so many metrics: enough of its last fields are numbers.
/// The last field or the one before it is one, or as many of the metrics as a malformed row has at least.
pub(super) fn may_be_row(line: &[u8], layouts: &(impl Iterator<Item = usize> + Clone)) -> bool {
    let most = layouts.clone().max().unwrap_or(0).max(2);
    let (mut end, mut numbers) = (line.len(), 0);
    for place in 1..=most {
        let comma = memrchr(b',', &line[..end]);
        let field = &line[comma.map_or(0, |at| at + 1)..end];
        // A comma between quotes separates nothing.
        if !memchr_iter(b'"', field).count().is_multiple_of(2) {
            return true;
        }
        numbers += usize::from(may_be_number(field));
        let is_enough = |metrics: usize| metrics == place && numbers >= metrics.div_ceil(2);
        if (numbers > 0 && place <= 2) || layouts.clone().any(is_enough) {
            return true;
        }
        let Some(comma) = comma else { return false };
        end = comma;
    }
    false
}

/// Whether a field is a number or nothing, in quotes or not.
fn may_be_number(field: &[u8]) -> bool {
    let text = inside_quotes(field.trim_ascii()).trim_ascii();
    let is_of_number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'+' | b'-' | b'e' | b'E');
    // What is no ASCII may be white space.
    text.iter().all(is_of_number) || text.iter().any(|byte| !byte.is_ascii())
}

/// The text between the quotes that a field ends with; text before the opening one goes with it.
fn inside_quotes(field: &[u8]) -> &[u8] {
    let inside =
        field.strip_suffix(b"\"").map(|inside| &inside[memrchr(b'"', inside).map_or(0, |at| at + 1)..]);
    inside.unwrap_or(field)
}

/// Whether the fields of a line may be those of a header.
pub(super) fn may_be_header(line: &[u8]) -> bool {
    let is_key = |field: &&[u8]| {
        let name = inside_quotes(field.trim_ascii_end());
        std::str::from_utf8(name).is_ok_and(|name| KeyColumn::of(name).is_some())
    };
    let mut from = 0;
    let ends = memchr_iter(b',', line).chain([line.len()]);
    let fields = ends.map(|end| &line[std::mem::replace(&mut from, end + 1)..end]);
    fields.filter(is_key).nth(KEYS - 1).is_some()
}

/// Whether a line has a character that separates columns where it is no comma.
pub(super) fn has_other_separator(line: &[u8]) -> bool {
    memchr3(b';', b'\t', b'|', line).is_some()
}

/// Whether the word may be the key of a structured row: a colon follows.
pub(super) fn may_have_key(line: &[u8]) -> bool {
    WORDS.iter().any(|word| {
        let mut ends = memmem::find_iter(line, word).map(|at| at + word.len());
        ends.any(|end| {
            let is_between =
                |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'_' | b'-' | b'"' | b'\'');
            let next = line[end..].iter().find(|byte| !is_between(byte));
            next.is_none_or(|byte| *byte == b':' || !byte.is_ascii())
        })
    })
}

/// Whether a text in quotes has what marks a row: a number before a comma.
pub(super) fn has_number(text: &[u8]) -> bool {
    memchr_iter(b',', text).any(|comma| {
        let before = text[..comma].strip_suffix(b"\"").unwrap_or(&text[..comma]);
        before.last().is_some_and(u8::is_ascii_digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_what_is_nearly_one_are_looked_at() {
        let may_be = |line: &str| may_be_row(line.as_bytes(), &[4, 3].into_iter());
        for line in [
            "Load,Host x64,abc1234,-1,1.5,0,2",
            "Load,Host x64,abc1234,-1,1.5,0,2 ms",
            "Load,Host x64,abc1234,-1,1,2,x,y",
            "Load,Host x64,abc1234,-1,\"1\",,",
            "Load,Host x64,abc1234,5,x",
            "Load,Host x64,abc1234,5",
            "a,\"b,c\"",
        ] {
            assert!(may_be(line), "{line}");
        }
        for line in ["{\"a\":[1, 2, 3],\"b\":\"c\",\"d\":5}", "one, two and 3, four, five", "talk"] {
            assert!(!may_be(line), "{line}");
        }
    }

    #[test]
    fn header_has_most_key_columns_as_fields() {
        for line in ["scenario,platform,commit,runIndex,x", "[log] scenario,\"Platform\", commit ,Run Index"]
        {
            assert!(may_be_header(line.as_bytes()), "{line}");
        }
        assert!(!may_be_header(b"the scenario, platform, of 5"));
    }

    #[test]
    fn key_is_followed_by_a_colon() {
        for line in
            ["{scenario:\"A\"}", "{ \"Scenario\" : 1}", "{'SCENARIO':1}", "a scenario and {scenario :1}"]
        {
            assert!(may_have_key(line.as_bytes()), "{line}");
        }
        assert!(!may_have_key(b"{\"message\":\"scenario reloaded\"}"));
    }
}
