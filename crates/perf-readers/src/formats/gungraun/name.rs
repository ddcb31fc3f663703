//! The line that names a benchmark: `file::group::function id:arguments`. Arguments are as the code has them, so they
//! may go over several lines.

/// The most bytes of a name.
const LONGEST: usize = 1024;

/// A name that may go on.
pub(super) struct Name {
    line: u64,
    first: String,
    /// The lines behind the first.
    more: String,
    /// True if a bracket or a quote is open.
    is_open: bool,
}

/// True if a line is a name: a path of at least three parts, and nothing behind it, or a space. `pending` is a name
/// without counts so far: what a benchmark prints may look like a name, but of another file.
pub(super) fn is_name(line: &str, pending: Option<&str>) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_:#".contains(c);
    let path = &line[..line.find(|c| !is_part(c)).unwrap_or(line.len())];
    let parts: Vec<&str> = path.split("::").collect();
    let is_path = parts.len() > 2
        && parts
            .iter()
            .all(|part| !part.is_empty() && !part.contains(':'));
    let starts = line.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let ends = line.len() == path.len() || line[path.len()..].starts_with(' ');
    let is_of_file =
        pending.is_none_or(|pending| pending.split("::").next() == parts.first().copied());
    starts && is_path && ends && is_of_file
}

impl Name {
    pub(super) fn first(&self) -> &str {
        &self.first
    }

    pub(super) fn new(line: u64, text: &str) -> Self {
        let mut first = text.trim_end().to_owned();
        first.truncate(first.floor_char_boundary(LONGEST));
        let is_open = is_open(&first);
        Self {
            line,
            first,
            more: String::new(),
            is_open,
        }
    }

    /// Takes a line behind it, if an argument goes on there.
    pub(super) fn go_on(&mut self, text: &str) {
        if self.is_open && self.first.len() + self.more.len() + text.len() < LONGEST {
            self.more.push(' ');
            self.more.push_str(text.trim());
            self.is_open = is_open(&format!("{}{}", self.first, self.more));
        }
    }

    /// Its line, and the whole of it; what never ends is left out.
    pub(super) fn whole(&self) -> (u64, String) {
        let more = if self.is_open { "" } else { &*self.more };
        let words: Vec<&str> = self
            .first
            .split_whitespace()
            .chain(more.split_whitespace())
            .collect();
        (self.line, words.join(" "))
    }
}

/// True if the text has a bracket or a quote that nothing closes. A text that the tool has shortened is complete.
fn is_open(text: &str) -> bool {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    (quoted || depth > 0) && !text.ends_with("...")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_paths_of_one_file() {
        for (line, is) in [
            ("parse::group::short", true),
            ("parse::group::short id:vec! [1]", true),
            ("parse::group::short: benchmark", false),
            ("parse::short", false),
            ("std::io::Error happened", false),
            ("  parse::group::short", false),
            ("parse::::short", false),
        ] {
            assert_eq!(is_name(line, Some("parse::group::short")), is, "{line}");
        }
        assert!(is_name("std::io::Error happened", None));
    }

    #[test]
    fn name_goes_on_while_an_argument_is_open() {
        let whole = |lines: &[&str]| {
            let mut name = Name::new(1, lines[0]);
            for line in &lines[1..] {
                name.go_on(line);
            }
            name.whole().1
        };
        assert_eq!(
            whole(&["a::b::c id:vec! [1,", "  2,", "3]", "printed"]),
            "a::b::c id:vec! [1, 2, 3]"
        );
        assert_eq!(
            whole(&["a::b::c id:\"x y", "printed", "more"]),
            "a::b::c id:\"x y"
        );
        assert_eq!(
            whole(&["a::b::c id:\"x y...", "printed\""]),
            "a::b::c id:\"x y..."
        );
        assert_eq!(whole(&["a::b::c", "printed"]), "a::b::c");
    }
}
