//! The width of a text in a monospaced font, by Prettier's rules.
//!
//! Terminals and fonts disagree about many characters; a table only has to agree with the formatter that checks it. Prettier
//! counts 0 for combining marks, 2 for wide characters, and 1 for everything else, including invisible format characters. An
//! emoji sequence is as wide as one emoji.

use unicode_properties::{GeneralCategory, UnicodeEmoji, UnicodeGeneralCategory};
use unicode_width::UnicodeWidthChar;

/// Selects the colourful, wide form of the character before it.
const EMOJI_STYLE: char = '\u{FE0F}';
const KEYCAP: char = '\u{20E3}';
const JOINER: char = '\u{200D}';

/// The columns that `text` occupies, as Prettier counts them.
pub fn display_width(text: &str) -> usize {
    if text.bytes().all(|b| matches!(b, b' '..=b'~')) {
        return text.len();
    }
    let mut width = 0;
    let mut before = [' ', ' '];
    for c in text.chars() {
        width += added(c, before);
        before = [c, before[0]];
    }
    width
}

/// The columns that `c` adds after the two previous characters, the nearer one first.
fn added(c: char, before: [char; 2]) -> usize {
    match c {
        EMOJI_STYLE if is_narrow_emoji(before[0]) && before[1] != JOINER => 1,
        KEYCAP if before[0] == EMOJI_STYLE => 1,
        JOINER if is_emoji_part(before[0]) => 0,
        '\u{1F3FB}'..='\u{1F3FF}' if is_emoji(before[0]) => 0,
        '\u{E0020}'..='\u{E007F}' if is_emoji(before[0]) || is_tag(before[0]) => 0,
        _ if before[0] == JOINER && is_emoji(c) && is_emoji_part(before[1]) => 0,
        _ => alone(c),
    }
}

/// The width of a character outside a sequence.
fn alone(c: char) -> usize {
    use GeneralCategory::{Control, EnclosingMark, NonspacingMark};
    match c.general_category() {
        Control | NonspacingMark | EnclosingMark => 0,
        _ if is_wide(c) => 2,
        _ => 1,
    }
}

fn is_wide(c: char) -> bool {
    c.width() == Some(2) || is_person(c)
}

/// Emoji that can have a skin tone; Prettier treats them as wide although they are narrow by default.
fn is_person(c: char) -> bool {
    matches!(
        c,
        '\u{261D}'
            | '\u{26F9}'
            | '\u{270C}'
            | '\u{270D}'
            | '\u{1F3CB}'
            | '\u{1F3CC}'
            | '\u{1F574}'
            | '\u{1F575}'
            | '\u{1F590}'
    )
}

fn is_emoji(c: char) -> bool {
    !c.is_ascii() && c.is_emoji_char()
}

fn is_narrow_emoji(c: char) -> bool {
    is_emoji(c) && !is_wide(c)
}

fn is_tag(c: char) -> bool {
    matches!(c, '\u{E0020}'..='\u{E007F}')
}

/// True if an emoji sequence can continue here after a joiner.
fn is_emoji_part(c: char) -> bool {
    c == EMOJI_STYLE || is_emoji(c)
}
