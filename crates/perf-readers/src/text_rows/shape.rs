//! What a line must have to be a row or a header, told by its bytes alone: most lines of a log have none of it, and
//! should cost next to nothing.

use memchr::{memchr_iter, memchr3, memmem, memrchr};
use perf_model::key_column::KeyColumn;

use crate::input::lines::WORDS;

/// How many key columns a header has that are a field each; before the first one something else may stand.
const KEYS: usize = KeyColumn::LAYOUT.len() - 1;

/// Whether a line may be a row, or nearly one, of a layout: a field other than the last is a number, as a run index is;
/// or the last one is, or has nothing.
pub(super) fn may_be_row(line: &[u8]) -> bool {
    let ends = memchr_iter(b',', line).chain([line.len()]);
    ends.into_iter().any(|end| ends_with_number(&line[..end])) || line.last() == Some(&b',')
}

/// Whether the last field of a text is a number, in quotes or not.
fn ends_with_number(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    let (text, is_quoted) =
        text.strip_suffix(b"\"").map_or((text, false), |text| (text.trim_ascii_end(), true));
    let is_of_number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'+' | b'-' | b'e' | b'E');
    let length = text.iter().rev().take_while(|byte| is_of_number(byte)).count();
    let before = text[..text.len() - length].trim_ascii_end().last();
    // What is no ASCII may be white space.
    let is_whole = before.is_none_or(|byte| matches!(byte, b',' | b'"') || !byte.is_ascii());
    is_whole && (length > 0 || is_quoted || !text.last().is_none_or(u8::is_ascii))
}

/// Whether fields may be those of a header.
pub(super) fn may_be_header<'l>(fields: impl Iterator<Item = &'l [u8]>) -> bool {
    let is_key = |field: &&[u8]| {
        let field = field.trim_ascii_end();
        let inside = field
            .strip_suffix(b"\"")
            .map(|inside| memrchr(b'"', inside).map_or(inside, |at| &inside[at + 1..]));
        std::str::from_utf8(inside.unwrap_or(field)).is_ok_and(|name| KeyColumn::of(name).is_some())
    };
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
