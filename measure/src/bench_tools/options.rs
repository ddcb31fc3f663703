//! Finds, reads and removes options in a list of words.

use std::ffi::{OsStr, OsString};

/// Returns the word at an index, or an empty string if the list is shorter.
pub fn word_at(words: &[OsString], at: usize) -> &str {
    let word = words.get(at).and_then(|word| word.to_str());
    word.unwrap_or_default()
}

/// Returns the text after this option's name, or `None` if the word is not the option. A long name with one dash also
/// matches two, as in Go.
fn after_name<'w>(word: &'w OsStr, name: &str) -> Option<&'w str> {
    let word = word.to_str()?;
    let is_letter = name.len() == 2 && !name.starts_with("--");
    let rest = match word.strip_prefix(name) {
        None if !is_letter => word.strip_prefix('-')?.strip_prefix(name)?,
        rest => rest?,
    };
    let is_whole = rest.is_empty() || rest.starts_with('=');
    (is_whole || is_letter && !rest.starts_with('-')).then_some(rest)
}

fn after_names<'w>(word: &'w OsStr, names: &[&str]) -> Option<&'w str> {
    names.iter().find_map(|name| after_name(word, name))
}

/// Returns the first word that is one of these options.
pub fn find<'w>(words: &'w [OsString], names: &[&str]) -> Option<&'w OsString> {
    words.iter().find(|word| after_names(word, names).is_some())
}

/// Returns the values of these options, in the order of the words.
pub fn values<'w>(words: &'w [OsString], names: &'w [&str]) -> impl Iterator<Item = String> + 'w {
    words.iter().enumerate().filter_map(move |(at, word)| {
        let value = match after_names(word, names)? {
            "" => words.get(at + 1)?.to_str()?,
            rest => rest.strip_prefix('=').unwrap_or(rest),
        };
        Some(value.to_owned())
    })
}

/// Removes these options and their values.
pub fn without(words: &[OsString], names: &[&str]) -> Vec<OsString> {
    let (mut others, mut is_value) = (Vec::new(), false);
    for word in words {
        if std::mem::take(&mut is_value) {
            continue;
        }
        match after_names(word, names) {
            Some(rest) => is_value = rest.is_empty(),
            None => others.push(word.clone()),
        }
    }
    others
}

/// Returns the indices of words that are neither options nor values of options. All options except `flags` take a value.
pub fn positional(words: &[OsString], flags: &[&str]) -> Vec<usize> {
    let (mut positional, mut is_value) = (Vec::new(), false);
    for (at, word) in words.iter().enumerate() {
        let bytes = word.as_encoded_bytes();
        let is_option = bytes.starts_with(b"-") && bytes.len() > 1;
        if !is_option && !is_value {
            positional.push(at);
        }
        let is_alone =
            bytes == b"--" || bytes.contains(&b'=') || flags.iter().any(|flag| word == flag);
        is_value = is_option && !is_alone;
    }
    positional
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn option_values_may_be_joined_or_separate() {
        let line = words("-count=3 --runs 5 -r7 -runner");
        let value = |names| values(&line, names).collect::<Vec<_>>();
        assert_eq!(value(&["-count"]), ["3"]);
        assert_eq!(value(&["--runs"]), ["5"]);
        assert_eq!(
            value(&["-r"]),
            ["7", "unner"],
            "a value may directly follow a single letter"
        );
        assert!(find(&line, &["--run", "-cou"]).is_none());
    }

    #[test]
    fn options_are_removed_with_their_values() {
        let line = words("-bench . -bench=x -benchmem ./...");
        assert_eq!(without(&line, &["-bench"]), words("-benchmem ./..."));
        assert_eq!(without(&words("a -bench"), &["-bench"]), words("a"));
    }

    #[test]
    fn values_are_not_positional() {
        let line = words("--sample-size 20 --noplot parse --x=1 other");
        assert_eq!(positional(&line, &["--noplot"]), [3, 5]);
    }
}
