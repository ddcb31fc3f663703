//! Words of a command line that a reader can paste.

/// `text` as one word of a command line. Invisible characters are escaped as in bash's `$'…'`.
pub fn quoted(text: &str) -> String {
    if text.chars().any(is_hidden) {
        let escaped = text.chars().map(escaped).collect::<String>();
        return format!("$'{}'", escaped.replace("##[", "##\\x5b"));
    }
    let is_plain = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':' | ',' | '+' | '=')
    };
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        return text.to_owned();
    }
    // Two words beside each other are one: the runner of a workflow takes `##[` for a command wherever it is printed.
    format!("'{}'", text.replace('\'', r"'\''").replace("##[", "##''["))
}

/// A command line without anything that ends a line.
pub(crate) fn one_line(command: &str) -> String {
    command
        .chars()
        .map(|c| if is_hidden(c) { ' ' } else { c })
        .collect()
}

fn escaped(c: char) -> String {
    match c {
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '\'' => "\\'".to_owned(),
        '\\' => "\\\\".to_owned(),
        c if is_hidden(c) && u32::from(c) <= 0xFFFF => format!("\\u{:04x}", u32::from(c)),
        c if is_hidden(c) => format!("\\U{:08x}", u32::from(c)),
        c => c.to_string(),
    }
}

/// Controls, line ends, and what has no shape or turns the direction of text.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{AD}'
                | '\u{61C}'
                | '\u{180E}'
                | '\u{200B}'..='\u{200F}'
                | '\u{2028}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}'
                | '\u{FEFF}'
                | '\u{FFF9}'..='\u{FFFB}'
                | '\u{E0000}'..='\u{E007F}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_word_whatever_it_holds() {
        for (text, expected) in [
            ("sort/1e6", "sort/1e6"),
            ("", "''"),
            ("-rf", "'-rf'"),
            ("a b$(x)`y`", "'a b$(x)`y`'"),
            ("it's", r"'it'\''s'"),
            ("##[error]x", "'##''[error]x'"),
            ("\t##[x", r"$'\t##\x5bx'"),
            ("a\n```\nb'\\", r"$'a\n```\nb\'\\'"),
            ("a\u{202e}b", r"$'a\u202eb'"),
        ] {
            assert_eq!(quoted(text), expected, "{text:?}");
        }
        assert_eq!(one_line("a --b\n```"), "a --b ```");
    }
}
