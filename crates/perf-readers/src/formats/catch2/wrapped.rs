//! Names that Catch2 has wrapped, as lines of a terminal end after 79 columns and names of a table after fewer.

/// The most characters in a line.
const WIDTH: usize = 79;

/// No column of names is narrower.
const NARROWEST: usize = 24;

/// Behind what a line may end without a space.
const BREAKS: [char; 16] = [
    ']', ')', '}', '>', '.', ',', ':', ';', '*', '+', '-', '=', '&', '/', '\\', '|',
];

/// The test case and its sections, from the lines of a header: a section is indented, and so is what goes on with it.
pub(super) fn unwrapped(lines: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut before: Option<&String> = None;
    for line in lines {
        let (is_indented, name) = (line.starts_with(' '), line.trim());
        let goes_on = before.is_some_and(|before| {
            let first_word = name.split(' ').next().unwrap_or_default();
            let is_full = before.chars().count() + 1 + first_word.chars().count() > WIDTH;
            is_full && (before.starts_with(' ') == is_indented)
        });
        match names
            .last_mut()
            .filter(|_| goes_on || (before.is_some() && !is_indented))
        {
            Some(last) => join(last, name),
            None => names.push(name.to_owned()),
        }
        before = Some(line);
    }
    names
}

/// Puts the next line behind a name.
pub(super) fn join(name: &mut String, next: &str) {
    // A word that is longer than a line is cut, and a hyphen put there.
    let is_cut = name.strip_suffix('-').is_some_and(|word| {
        word.len() >= NARROWEST && !word.contains(' ') && !word.contains(BREAKS)
    });
    if is_cut && !next.is_empty() {
        name.pop();
    }
    let is_part =
        name.ends_with(['/', '\\', '=', '*', '&', '+', '-', '.', '|']) || name.ends_with("::");
    if !name.is_empty() && !next.is_empty() && !is_cut && !is_part {
        name.push(' ');
    }
    name.push_str(next);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_name_are_joined() {
        let joined = |lines: &[&str]| {
            let mut name = String::new();
            for line in lines {
                join(&mut name, line);
            }
            name
        };
        assert_eq!(
            joined(&["sort a list", "of numbers"]),
            "sort a list of numbers"
        );
        assert_eq!(
            joined(&["std::vector<int>::", "push_back"]),
            "std::vector<int>::push_back"
        );
        let word = "a_name_without_a_space_that_is_too_lo";
        assert_eq!(joined(&[&format!("{word}-"), "ng"]), format!("{word}ng"));
        assert_eq!(joined(&["a read-", "only"]), "a read-only");
    }

    #[test]
    fn header_has_a_test_case_and_sections() {
        let lines = |lines: &[&str]| {
            unwrapped(
                &lines
                    .iter()
                    .map(|&line| line.to_owned())
                    .collect::<Vec<_>>(),
            )
        };
        let (long, rest) = (
            "a test case whose name has so many words that it needs a second line in a",
            "terminal",
        );
        assert_eq!(lines(&[long, rest]), [format!("{long} {rest}")]);
        assert_eq!(
            lines(&["walk", "  short", "  long"]),
            ["walk", "short", "long"]
        );
        let section = format!("  {long}");
        assert_eq!(
            lines(&["walk", &section, &format!("  {rest}")]),
            ["walk", &format!("{long} {rest}")]
        );
    }
}
