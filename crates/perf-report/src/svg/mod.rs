//! SVG charts, which load and run nothing.

mod line;

pub use line::HistoryLine;

use crate::shell::is_hidden;

/// Text on one line, without characters that are invisible or change the text direction.
pub fn shown(text: &str) -> String {
    let seen = |c: char| match c {
        '\t' | '\n' | '\r' => ' ',
        // Neither is a valid XML character.
        '\u{FFFE}' | '\u{FFFF}' => char::REPLACEMENT_CHARACTER,
        c if is_hidden(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    text.chars().map(seen).collect()
}

/// Escapes [`shown`] text for an element or a quoted attribute in HTML or XML.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in shown(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place in the chart"
)]
fn whole(place: f64) -> u32 {
    place.round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_become_markup() {
        assert_eq!(
            escaped("<script>\"a\" & 'b'</script>"),
            "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;"
        );
        assert_eq!(
            escaped("a\u{202e}b\0c\u{ffff}d\ne"),
            "a\u{fffd}b\u{fffd}c\u{fffd}d e"
        );
    }
}
