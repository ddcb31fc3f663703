//! Characters that a page should not show as they came: line breaks, controls, and what cannot be seen.

use std::borrow::Cow;

/// The replacement for a character that must not reach the page.
const REPLACED: char = '\u{FFFD}';

/// `text` on one line: runs of white space are one space and none at the ends, controls are U+FFFD, invisible characters are gone.
pub(super) fn cleaned(text: &str) -> Cow<'_, str> {
    let outer = text.starts_with(' ') || text.ends_with(' ');
    if !outer && !text.contains("  ") && text.bytes().all(|b| matches!(b, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            _ if is_space(c) => {
                if !out.is_empty() && !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            _ if is_invisible(c) => {}
            _ if c.is_control() || reorders(c) => out.push(REPLACED),
            _ => out.push(c),
        }
    }
    out.truncate(out.trim_end_matches(' ').len());
    Cow::Owned(out)
}

/// Space, tab and everything that ends a line or page; other spaces have a width that is meant.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Embeddings, overrides and isolates, with which a text can be made to read as another.
fn reorders(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Characters without any shape, in which other text could hide.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{AD}'
            | '\u{61C}'
            | '\u{180E}'
            | '\u{200B}'..='\u{200F}'
            | '\u{2060}'..='\u{2065}'
            | '\u{206A}'..='\u{206F}'
            | '\u{FEFF}'
            | '\u{FFF9}'..='\u{FFFB}'
            | '\u{E0000}'..='\u{E007F}'
    )
}
