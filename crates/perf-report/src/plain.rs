//! Plain text for a terminal: harmless, wrapped, shortened.

use crate::markdown::table::display_width;

use crate::shell;

/// Input without what could control a terminal, or be a command where it is printed into a workflow's log.
pub(crate) fn safe(text: &str) -> String {
    let visible = |c| {
        if shell::is_hidden(c) {
            char::REPLACEMENT_CHARACTER
        } else {
            c
        }
    };
    let text: String = text.chars().map(visible).collect();
    let text = text.replace("##[", "## [");
    match text.trim_start().strip_prefix("::") {
        Some(rest) => format!(": :{rest}"),
        None => text,
    }
}

/// Lines of at most `width` columns, broken between words; a word that is longer is shortened.
pub(crate) fn wrapped(text: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let word = &*shortened(word, width);
        match lines.last_mut() {
            Some(line) if display_width(line) + 1 + display_width(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

/// A name of at most `width` columns: both ends, as names differ at either.
pub(crate) fn shortened(text: &str, width: usize) -> String {
    if display_width(text) <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(1);
    let (mut head, mut tail) = (String::new(), Vec::new());
    for c in text.chars() {
        let longer = format!("{head}{c}");
        if display_width(&longer) > room.div_ceil(2) {
            break;
        }
        head = longer;
    }
    let left = room.saturating_sub(display_width(&head));
    for c in text.chars().rev() {
        let longer: String = std::iter::once(c)
            .chain(tail.iter().rev().copied())
            .collect();
        if display_width(&longer) > left {
            break;
        }
        tail.push(c);
    }
    format!("{head}…{}", tail.iter().rev().collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_controls_a_terminal_or_a_workflow() {
        let all = [
            "a\u{1b}[2Jb",
            "::set-output name=a::b",
            " ::x",
            "a::b ##[error]",
        ]
        .map(safe);
        assert_eq!(
            all,
            [
                "a\u{fffd}[2Jb",
                ": :set-output name=a::b",
                ": :x",
                "a::b ## [error]"
            ]
        );
    }

    #[test]
    fn both_ends_of_a_long_name_are_kept() {
        assert_eq!(shortened("crypto::key::derive", 19), "crypto::key::derive");
        assert_eq!(shortened("crypto::key::derive", 11), "crypt…erive");
        assert_eq!(shortened("日本語のベンチマーク", 6), "日…ク");
        assert_eq!(shortened("abc", 0), "…");
    }
}
