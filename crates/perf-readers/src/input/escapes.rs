//! Removes escape sequences, which colour text in a terminal or set a title or a link.

use std::borrow::Cow;

use memchr::memchr;

/// The first byte of an escape sequence.
pub(crate) const ESCAPE: u8 = 0x1b;

pub(crate) fn remove(text: &mut Vec<u8>) {
    let Some(first) = memchr(ESCAPE, text) else {
        return;
    };
    let (mut from, mut kept) = (first, first);
    while from < text.len() {
        from += length(&text[from..]);
        let end = memchr(ESCAPE, &text[from..]).map_or(text.len(), |at| from + at);
        text.copy_within(from..end, kept);
        kept += end - from;
        from = end;
    }
    text.truncate(kept);
}

/// Returns the length of the escape sequence at the start of `text`. A truncated sequence ends before the next line end
/// or the next sequence.
fn length(text: &[u8]) -> usize {
    let mut at = 1;
    // A sequence that selects a character set contains more bytes before its last one.
    while matches!(text.get(at), Some(b' '..=b'/')) {
        at += 1;
    }
    let is_last: fn(u8) -> bool = match text.get(at) {
        None | Some(&(b'\n' | ESCAPE)) => return at,
        Some(b'[') => |byte| (0x40..=0x7e).contains(&byte),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => |byte| byte == 0x07,
        Some(_) => return at + 1,
    };
    for (inside, byte) in text.iter().enumerate().skip(at + 1) {
        if matches!(*byte, b'\n' | ESCAPE) {
            return inside;
        }
        if is_last(*byte) {
            return inside + 1;
        }
    }
    text.len()
}

/// Returns the text without its escape sequences, for documents that quote printed text.
pub(crate) fn without_escapes(text: &str) -> Cow<'_, str> {
    if memchr(ESCAPE, text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    remove(&mut bytes);
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_of_every_kind_are_removed() {
        for (text, plain) in [
            ("\u{1b}[32mfib\u{1b}[39m 5\u{1b}[0K\n", "fib 5\n"),
            (
                "\u{1b}]8;;https://host/\u{1b}\\link\u{1b}]8;;\u{7} x",
                "link x",
            ),
            (
                "\u{1b}_bk;t=1694\u{7}goos\u{1b}(B: linux\u{1b}=",
                "goos: linux",
            ),
            ("a\u{1b}[3\nb\u{1b}]0;title\nc\u{1b}", "a\nb\nc"),
        ] {
            assert_eq!(without_escapes(text), plain);
        }
    }
}
