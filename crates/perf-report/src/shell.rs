//! Builds command lines that readers can copy and paste.

use std::path::PathBuf;

/// A command line whose words are quoted for a shell.
#[derive(Default)]
pub struct CommandLine(Vec<String>);

impl CommandLine {
    /// Creates a command line without options.
    pub fn new(command: &str) -> Self {
        Self(vec![command.to_owned()])
    }

    /// Adds a flag if `is_given` is true.
    pub fn flag(&mut self, name: &str, is_given: bool) {
        if is_given {
            self.0.push(name.to_owned());
        }
    }

    /// Adds an option if it has a value. The value follows after `=` if it would otherwise be parsed as another option.
    pub fn option(&mut self, name: &str, value: Option<impl ToString>) {
        let Some(value) = value else {
            return;
        };
        let value = value.to_string();
        let word = quoted(&value);
        if value.starts_with('-') {
            self.0.push(format!("{name}={word}"));
        } else {
            self.0.extend([name.to_owned(), word]);
        }
    }

    /// Adds an option that takes any number of files, unless the list is empty.
    pub fn files<'p>(&mut self, name: &str, files: impl IntoIterator<Item = &'p PathBuf>) {
        for (at, path) in files.into_iter().enumerate() {
            if at == 0 {
                self.0.push(name.to_owned());
            }
            self.0.push(quoted(&path.display().to_string()));
        }
    }

    /// Adds another command after `--`, unless it is empty.
    pub fn command(&mut self, words: &[String]) {
        if !words.is_empty() {
            self.0.push("--".to_owned());
        }
        self.0.extend(words.iter().map(|word| quoted(word)));
    }

    /// Returns the command line as text.
    pub fn text(&self) -> String {
        self.0.join(" ")
    }
}

/// Quotes `text` as one word of a command line. Invisible characters become `?`.
pub fn quoted(text: &str) -> String {
    let text = text.replace(is_hidden, "?");
    let is_plain = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':' | ',' | '+' | '=')
    };
    if !text.is_empty() && text.chars().all(is_plain) {
        return text;
    }
    // The shell joins adjacent quoted words. A workflow runner executes `##[` in any output, so split it.
    format!("'{}'", text.replace('\'', r"'\''").replace("##[", "##''["))
}

/// Replaces line breaks and other hidden characters in a command line by spaces.
pub(crate) fn one_line(command: &str) -> String {
    command.replace(is_hidden, " ")
}

/// True for control characters, line ends, and characters that are invisible or change the text direction.
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
    fn name_stays_one_shell_word() {
        for (text, expected) in [
            ("sort/1e6", "sort/1e6"),
            ("", "''"),
            ("-rf", "-rf"),
            ("a b$(x)`y`", "'a b$(x)`y`'"),
            ("it's", r"'it'\''s'"),
            ("##[error]x", "'##''[error]x'"),
            ("\t##[x", "'?##''[x'"),
            ("a\n```\nb'\\", r"'a?```?b'\''\'"),
            ("a\u{202e}b", "'a?b'"),
        ] {
            assert_eq!(quoted(text), expected, "{text:?}");
        }
        assert_eq!(one_line("a --b\n```"), "a --b ```");
    }

    #[test]
    fn option_value_is_never_parsed_as_another_option() {
        let mut line = CommandLine::new("perf-gate run");
        line.option("--base", Some("main"));
        line.option("--platform", Some("-a b"));
        line.option("--filter", None::<String>);
        line.command(&["sh".to_owned(), "-c".to_owned(), "a | b".to_owned()]);
        let expected = "perf-gate run --base main --platform='-a b' -- sh -c 'a | b'";
        assert_eq!(line.text(), expected);
    }
}
