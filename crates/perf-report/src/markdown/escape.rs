//! Escapes input text according to its place in a Markdown page.
//!
//! The input may come from anybody's pull request, and the project displays it. So it must never be interpreted as
//! markup, HTML or links, and must never notify anybody. Text without special characters stays unchanged, because
//! people also read the source of a page.
//!
//! GitHub searches for mentions, issue references and bare links *after* rendering Markdown, so neither a backslash nor an
//! entity hides them. An invisible [`BREAK`] inside the text does.

mod live;

use std::borrow::Cow;

use crate::shell::is_hidden;

/// The zero-width space that keeps GitHub from turning text into a mention, a reference or a link.
pub const BREAK: char = '\u{200B}';

/// Escapes `text` for a paragraph or a table cell. The result is one line that shows the text literally.
///
/// White space and line breaks become single spaces, and are trimmed at both ends. Control characters and invisible
/// characters become U+FFFD.
pub fn inline(text: &str) -> String {
    let text = cleaned(text);
    if is_plain(&text) {
        return text.into_owned();
    }
    let mut out = String::new();
    let mut before = None;
    let mut delimits = false;
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        if before != Some(c) {
            delimits = can_delimit(c, before, rest);
        }
        push_escaped(&mut out, c, before, rest, delimits);
        if live::breaks_after(&text[..at], c, rest) {
            out.push(BREAK);
        }
        before = Some(c);
    }
    out
}

/// Like [`inline`], but for the start of a line, where `text` must not begin a heading, list, quote or rule.
pub fn line_start(text: &str) -> String {
    let text = inline(text);
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = &text[..text.len() - rest.len()];
    let is_marker = match digits {
        "" => rest.starts_with(['>', '#', '-', '+', ':', '=']),
        _ => rest.starts_with(['.', ')']),
    };
    // A backslash before punctuation is not displayed.
    if is_marker {
        format!("{digits}\\{rest}")
    } else {
        text
    }
}

/// Like [`inline`], but for messages: text between two backticks, such as a name or a path, becomes a code span.
///
/// The result may be used in a paragraph, but not in a table.
pub fn message(text: &str) -> String {
    let text = cleaned(text);
    let pieces: Vec<&str> = text.split('`').collect();
    let is_span =
        |piece: &&str| piece.trim() == *piece && !piece.is_empty() && !piece.contains('|');
    let [_, between @ .., _] = &pieces[..] else {
        return inline(&text);
    };
    // If the number of backticks is odd, some name contains a backtick.
    if pieces.len().is_multiple_of(2)
        || !between.iter().step_by(2).all(is_span)
        || between.contains(&"")
    {
        return inline(&text);
    }
    let mut out = String::new();
    for (at, piece) in pieces.iter().enumerate() {
        if at % 2 == 1 {
            out += &code(piece);
            continue;
        }
        // Keep the space next to a code span, which `inline` would trim.
        if piece.starts_with(' ') {
            out.push(' ');
        }
        out += &inline(piece);
        if piece.ends_with(' ') && *piece != " " {
            out.push(' ');
        }
    }
    out
}

/// Formats `text` as a code span for a table cell: pipes are escaped, and line breaks become spaces.
///
/// The result is only correct in tables. Elsewhere, the backslash before a `|` would be visible.
pub fn code(text: &str) -> String {
    let text = cleaned(text);
    if text.contains("\\|") || text.contains("##[") {
        // In a table, a backslash before a pipe always escapes it, so a code span cannot contain both. And a workflow
        // runner executes `##[…]` as a command if a page is printed into a log.
        return format!("<code>{}</code>", inline(&text));
    }
    let fence = fence(&text);
    let text = text.replace('|', "\\|");
    let pad = if text.is_empty() || text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Escapes `text` for HTML such as `<summary>`, in which backslashes have no effect.
pub fn html(text: &str) -> String {
    let text = cleaned(text);
    let mut out = String::new();
    for (at, c) in text.char_indices() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // GitHub also reads `$…$` as mathematics here.
            '$' => out.push_str("&#36;"),
            // A workflow runner executes `##[…]` as a command.
            '[' if text[..at].ends_with("##") => out.push_str("&#91;"),
            c => out.push(c),
        }
        if live::breaks_after(&text[..at], c, &text[at + c.len_utf8()..]) {
            out.push(BREAK);
        }
    }
    out
}

/// True if nothing in `text` can be markup. This is true of most keys, which consist of letters, digits, and
/// underscores between them.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_word = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let between = |at: usize| at > 0 && is_word(at - 1) && is_word(at + 1);
    !live::may_have_hash(text)
        && (0..bytes.len()).all(|at| is_word(at) || (bytes[at] == b'_' && between(at)))
}

/// Pushes the character `c`, which is between `before` and `rest`, escaped if Markdown could interpret it.
fn push_escaped(out: &mut String, c: char, before: Option<char>, rest: &str, delimits: bool) {
    match c {
        '<' => return out.push_str("&lt;"),
        '&' if begins_entity(rest) => return out.push_str("&amp;"),
        // GitHub parses `$…$` as mathematics before backslashes.
        '$' if !before.is_some_and(char::is_alphanumeric) => return out.push_str("&#36;"),
        '\\' | '`' | '|' | '[' | ']' => out.push('\\'),
        _ if delimits => out.push('\\'),
        _ => {}
    }
    out.push(c);
}

/// True if the run of `c` that begins between `before` and `rest` could open or close emphasis or strikethrough.
///
/// At either end of the text, the neighbouring character is unknown, so the answer is true.
fn can_delimit(c: char, before: Option<char>, rest: &str) -> bool {
    if !matches!(c, '*' | '_' | '~') {
        return false;
    }
    match (before, rest.trim_start_matches(c).chars().next()) {
        (Some(' '), Some(' ')) => false,
        (Some(before), Some(after)) if c == '_' => {
            !(before.is_alphanumeric() && after.is_alphanumeric())
        }
        _ => true,
    }
}

/// True if `rest`, the text after an ampersand, completes an entity.
fn begins_entity(rest: &str) -> bool {
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '#');
    end.is_some_and(|end| end > 0 && rest[end..].starts_with(';'))
}

/// Returns the shortest fence for a code span with this text: a run of backticks of a length that the text does not
/// contain.
fn fence(text: &str) -> String {
    let mut runs: Vec<usize> = text.split(|c| c != '`').map(str::len).collect();
    runs.sort_unstable();
    let mut length = 1;
    for run in runs {
        length += usize::from(run == length);
    }
    "`".repeat(length)
}

/// Puts `text` on one line: white space becomes single spaces and is trimmed, and hidden characters become U+FFFD.
fn cleaned(text: &str) -> Cow<'_, str> {
    let outer = text.starts_with(' ') || text.ends_with(' ');
    if !outer && !text.contains("  ") && text.bytes().all(|b| matches!(b, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    for c in text.chars() {
        match c {
            // Space, tab, line breaks and page breaks. Other spaces have an intended width.
            ' ' | '\t'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                if !out.is_empty() && !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            c if is_hidden(c) => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out.truncate(out.trim_end_matches(' ').len());
    Cow::Owned(out)
}
