//! Decides whether a new page differs from the old page by more than noise.

use perf_model::decimal::exceeds;

/// True if `new_body` differs from `old_body` only in commits, layout, bold marks, and numbers in tables that changed by at
/// most the fraction `tolerance`. A tolerance that is negative or NaN is treated as zero.
///
/// The texts are compared word by word, including units. The first cell of a row is a name, so numbers in this cell must be
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
    let [(old_name, old_values), (new_name, new_values)] = [old, new].map(split);
    same_words(old_name, new_name, None) && same_words(old_values, new_values, Some(tolerance))
}

/// Splits a row into its first cell and its other cells. Any other line is treated as a name.
fn split(line: &str) -> (&str, &str) {
    let mut end = line.len();
    if line.starts_with('|') {
        let is_end = |at: &usize| *at > 0 && !line[..*at].ends_with('\\');
        let mut bars = line.match_indices('|').map(|(at, _)| at);
        end = bars.find(is_end).unwrap_or(end);
    }
    line.split_at(end)
}

/// True if two texts have the same words, ignoring white space, bold marks, and changes of numbers within the tolerance.
fn same_words(old: &str, new: &str, tolerance: Option<f64>) -> bool {
    let [old, new] = [old, new].map(|text| text.replace("**", ""));
    let (mut old, mut new) = (old.split_whitespace(), new.split_whitespace());
    loop {
        match (old.next(), new.next()) {
            (None, None) => return true,
            (Some(old), Some(new)) if same_word(old, new, tolerance) => {}
            _ => return false,
        }
    }
}

/// True if two words are equal, both are the same kind of table delimiter, both are commits, or both are numbers with the
/// same unit within the tolerance.
fn same_word(old: &str, new: &str, tolerance: Option<f64>) -> bool {
    if old == new || (delimiter(old).is_some() && delimiter(old) == delimiter(new)) {
        return true;
    }
    if let (Some(old), Some(new)) = (commit_end(old), commit_end(new)) {
        return old == new;
    }
    match (number(old), number(new), tolerance) {
        (Some((old, old_unit)), Some((new, new_unit)), Some(tolerance)) => {
            // A change from zero is never within the tolerance, because it is not a fraction of zero.
            let is_near = if old == 0.0 {
                new == 0.0
            } else {
                !exceeds((new - old).abs() / old.abs(), tolerance)
            };
            is_near && old_unit == new_unit
        }
        _ => false,
    }
}

/// Returns whether a table delimiter has a colon at each end: `:---:` has two. The width is ignored.
fn delimiter(word: &str) -> Option<[bool; 2]> {
    let dashes = word.trim_matches(':');
    let is_delimiter = !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-');
    is_delimiter.then(|| [word.starts_with(':'), word.ends_with(':')])
}

/// Returns the text after a commit in a code span.
fn commit_end(word: &str) -> Option<&str> {
    let (span, end) = word.strip_prefix('`')?.split_once('`')?;
    is_commit(span).then_some(end)
}

/// Parses the number at the start of a word, such as `-1,234.50`. Also returns the rest of the word. A number followed by
/// letters is part of a name.
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

/// True for a full SHA-1 or SHA-256 hash, or an abbreviated hash with a digit, which excludes words such as `defaced`.
fn is_commit(span: &str) -> bool {
    let is_short = (7..64).contains(&span.len()) && span.bytes().any(|byte| byte.is_ascii_digit());
    (is_short || matches!(span.len(), 40 | 64)) && span.bytes().all(|byte| byte.is_ascii_hexdigit())
}
