//! Makes plain text safe for a terminal, and wraps it.

use crate::markdown::table::display_width;
use crate::names::shortened;
use crate::shell;

/// Replaces terminal control characters in input text, and breaks up workflow commands.
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

/// Wraps text into lines of at most `width` columns. Lines break between words, and a word that is too long is shortened.
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
}
