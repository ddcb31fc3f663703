//! Decides whether a new page differs from the old one by more than noise.

use perf_model::decimal::exceeds;

/// True if `new_body` differs from `old_body` only in commits, layout, bold marks, and numbers in tables that moved by
/// at most the fraction `tolerance`. A tolerance below zero or NaN is treated as zero.
///
/// The texts are compared word by word, including units. The first cell of a row is a name, whose numbers must be
/// equal.
pub fn is_up_to_date(old_body: &str, new_body: &str, tolerance: f64) -> bool {
    let tolerance = tolerance.max(0.0);
    let lines = |body| str::trim_matches(body, ['\n', '\r']).lines();
    let (mut old, mut new) = (lines(old_body), lines(new_body));
    loop {
        match (old.next(), new.next()) {
            (None, None) => return true,
            (Some(old), Some(new)) if same_line(old, new, tolerance) => {}
            _ => return false,
        }
    }
}

fn same_line(old: &str, new: &str, tolerance: f64) -> bool {
    let ((old_name, old_values), (new_name, new_values)) = (split(old), split(new));
    same_words(old_name, new_name, same_text)
        && same_words(old_values, new_values, |old, new| {
            same_value(old, new, tolerance)
        })
}

/// A row's first cell, and its other cells; any other line is treated as a name.
fn split(line: &str) -> (&str, &str) {
    let is_end = |(at, _): &(usize, &str)| *at > 0 && !line[..*at].ends_with('\\');
    let end = line
        .starts_with('|')
        .then(|| line.match_indices('|').find(is_end))
        .flatten();
    line.split_at(end.map_or(line.len(), |(at, _)| at))
}

/// True if two texts have the same words, ignoring the width of a table's columns.
fn same_words(old: &str, new: &str, same: impl Fn(&str, &str) -> bool) -> bool {
    let words = |text: &str| {
        text.replace("**", "")
            .split_whitespace()
            .map(rule)
            .collect::<Vec<_>>()
    };
    let (old, new) = (words(old), words(new));
    old.len() == new.len() && old.iter().zip(&new).all(|(old, new)| same(old, new))
}

/// A table delimiter without its width: `:---:` becomes `:-:`.
fn rule(word: &str) -> String {
    let dashes = word.trim_matches(':');
    let is_rule = !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-');
    if is_rule {
        word.replace(dashes, "-")
    } else {
        word.to_owned()
    }
}

/// True if two words are equal, or both are a commit in a code span.
fn same_text(old: &str, new: &str) -> bool {
    let span = |word: &str| {
        word.strip_prefix('`')?
            .split_once('`')
            .map(|(span, rest)| (is_commit(span), rest.to_owned()))
    };
    old == new
        || span(old)
            .zip(span(new))
            .is_some_and(|(old, new)| old.0 && old == new)
}

/// True if two words are equal, or numbers that differ by at most the tolerance.
fn same_value(old: &str, new: &str, tolerance: f64) -> bool {
    let is_near = |((old, old_unit), (new, new_unit)): ((f64, &str), (f64, &str))| {
        // Only zero is near zero, because zero has no fraction.
        let is_near = if old == 0.0 {
            new == 0.0
        } else {
            !exceeds((new - old).abs() / old.abs(), tolerance)
        };
        is_near && old_unit == new_unit
    };
    same_text(old, new) || number(old).zip(number(new)).is_some_and(is_near)
}

/// The number at the start of a word, such as `-1,234.50`, and the rest. A number followed by letters is part of a
/// name.
fn number(word: &str) -> Option<(f64, &str)> {
    let end = word
        .find(|c: char| !c.is_ascii_digit() && !"+-.,".contains(c))
        .unwrap_or(word.len());
    let digits = word[..end].trim_end_matches(['.', ',']);
    let rest = &word[digits.len()..];
    let number = digits
        .replace(',', "")
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite())?;
    (!rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')).then_some((number, rest))
}

/// True for a whole SHA-1 or SHA-256, or an abbreviated one with a digit, which excludes words such as `defaced`.
fn is_commit(span: &str) -> bool {
    let is_short = (7..64).contains(&span.len()) && span.bytes().any(|byte| byte.is_ascii_digit());
    (is_short || matches!(span.len(), 40 | 64)) && span.bytes().all(|byte| byte.is_ascii_hexdigit())
}
