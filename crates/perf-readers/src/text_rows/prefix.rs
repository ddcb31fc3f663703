//! Finds the start of a scenario in a log line, which may have any text before it.

use perf_config::Config;
use perf_model::{suite::Definitions, suite::Family};

/// The maximum distance in bytes between the start of a scenario and the end of the text.
const LONGEST: usize = 1024;

/// Returns the scenario at the end of the text before a row's first comma: the longest one that the config lists, or
/// the last word if it lists none.
pub(crate) fn scenario<'t>(field: &'t str, config: &Config) -> &'t str {
    let field = tail(field.trim_end());
    listed(field, config).unwrap_or_else(|| last_word(field))
}

pub(crate) fn is_listed(scenario: &str, config: &Config) -> bool {
    let own = config.family(scenario) == Family::Own;
    if own {
        config.scenarios.contains_key(scenario)
    } else {
        config.lists(scenario)
    }
}

fn listed<'t>(field: &'t str, config: &Config) -> Option<&'t str> {
    if config.scenarios.is_empty() && config.comparison.is_none() {
        return None;
    }
    let within = |c: char| c.is_alphanumeric() || "_-./+".contains(c);
    let boundary = |at: &usize| !field[..*at].ends_with(within) && !field[..*at].ends_with("::");
    let starts = field.char_indices().map(|(at, _)| at).filter(boundary);
    starts
        .map(|at| &field[at..])
        .find(|suffix| is_listed(suffix, config))
}

/// Returns the last word of `field`, without markup, brackets and labels before the word.
pub(crate) fn last_word(field: &str) -> &str {
    let field = without_markup(tail(field.trim_end()));
    let word = field.rsplit(char::is_whitespace).next().unwrap_or(field);
    let name = without_labels(word);
    if name.is_empty() { word } else { name }
}

/// Whether `text` looks like a scenario's name: one word that begins with a letter or `_`.
pub(crate) fn is_name(text: &str) -> bool {
    let first = text.chars().next();
    let odd = |c: char| c.is_whitespace() || "=?\"'{}\\".contains(c);
    first.is_some_and(|c| c.is_alphabetic() || c == '_')
        && !text.contains(odd)
        && !text.contains("//")
}

/// Returns the text after the last markup. A `<` inside a word is part of the word: `Sort<int>`.
fn without_markup(field: &str) -> &str {
    const CDATA: &str = "<![CDATA[";
    if memchr::memchr(b'<', field.as_bytes()).is_none() {
        return field;
    }
    let field = field.rsplit_once(CDATA).map_or(field, |(_, rest)| rest);
    let (mut open, mut rest) = (false, 0);
    for (at, c) in field.char_indices() {
        match c {
            '<' => {
                let starts = at == rest || field[..at].ends_with(char::is_whitespace);
                let next = field[at + 1..].chars().next().unwrap_or(' ');
                open |= next == '/' || (starts && (next.is_alphabetic() || "!?_".contains(next)));
            }
            '>' if open => (open, rest) = (false, at + 1),
            _ => {}
        }
    }
    &field[rest..]
}

/// Removes everything up to the last `label:`, `[label]` or `label|` in a word. Brackets that the word itself opens are
/// part of it (`Load[small]`), and so are double colons.
fn without_labels(word: &str) -> &str {
    let (mut start, mut depth, mut before) = (0, 0_usize, ' ');
    for (at, c) in word.char_indices() {
        let is_part = at > start && (before.is_alphanumeric() || "_>])".contains(before));
        let colons = before == ':' || word[at + c.len_utf8()..].starts_with(':');
        match c {
            '[' | '(' | '<' if is_part || depth > 0 => depth += 1,
            ']' | ')' | '>' if depth > 0 => depth -= 1,
            ']' => start = at + 1,
            '|' if depth == 0 => start = at + 1,
            ':' if depth == 0 && !colons => start = at + 1,
            _ => {}
        }
        before = c;
    }
    &word[start..]
}

/// Returns the end of `text`, so that only a limited part is searched.
fn tail(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(LONGEST))..]
}
