//! Comparing one line of a body with the line that is to replace it.

use super::is_table;

/// Which row of its table a line is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Row {
    Title,
    Delimiter,
    Data,
}

impl Row {
    /// The kind of row below this one.
    pub(super) fn next(self) -> Self {
        match self {
            Self::Title => Self::Delimiter,
            Self::Delimiter | Self::Data => Self::Data,
        }
    }

    /// Whether two lines of this kind say the same, of which at least one is a table's.
    pub(super) fn same(self, old: &str, new: &str, tolerance: f64) -> bool {
        let (old_cells, new_cells) = (cells(old), cells(new));
        is_table(old)
            && is_table(new)
            && old_cells.len() == new_cells.len()
            && old_cells.iter().zip(&new_cells).enumerate().all(|(column, (old, new))| match self {
                Self::Delimiter if is_delimiter(old) && is_delimiter(new) => {
                    old.starts_with(':') == new.starts_with(':') && old.ends_with(':') == new.ends_with(':')
                }
                Self::Data if column > 0 => same_value(&plain(old), &plain(new), tolerance),
                _ => plain(old) == plain(new),
            })
    }
}

/// The cells of a table line, without their padding; an escaped pipe belongs to its cell.
fn cells(line: &str) -> Vec<&str> {
    let line = line.trim_end();
    let line = line.strip_prefix('|').unwrap_or(line);
    let mut cells = Vec::new();
    let mut start = 0;
    let mut escaped = false;
    for (at, byte) in line.bytes().enumerate() {
        if byte == b'|' && !escaped {
            cells.push(line[start..at].trim());
            start = at + 1;
        }
        escaped = byte == b'\\' && !escaped;
    }
    let rest = line[start..].trim();
    if !rest.is_empty() {
        cells.push(rest);
    }
    cells
}

/// A cell without the marks of the winner.
fn plain(cell: &str) -> String {
    cell.replace("**", "")
}

fn is_delimiter(cell: &str) -> bool {
    let dashes = cell.strip_prefix(':').unwrap_or(cell);
    let dashes = dashes.strip_suffix(':').unwrap_or(dashes);
    !dashes.is_empty() && dashes.bytes().all(|b| b == b'-')
}

/// Whether two cells hold the same text around numbers that moved by at most `tolerance`.
fn same_value(old: &str, new: &str, tolerance: f64) -> bool {
    old == new
        || same_words(old, new, |old, new| same_number(old, new, tolerance))
        || same_quantity(old, new, tolerance)
}

/// Whether two cells hold quantities of one kind that moved by at most `tolerance`, each in the unit that was
/// best for its column: `999.90 K/s` and `1.00 M/s` are near each other.
fn same_quantity(old: &str, new: &str, tolerance: f64) -> bool {
    match (quantity(old), quantity(new)) {
        (Some((old_kind, old)), Some((new_kind, new))) => {
            old_kind == new_kind && is_within(old, new, tolerance)
        }
        _ => false,
    }
}

/// What a cell with a unit of this tool amounts to: its finest unit, and how many of those.
fn quantity(cell: &str) -> Option<(&'static str, f64)> {
    let digits = cell.find(|c: char| !c.is_ascii_digit() && !matches!(c, ',' | '.' | '-' | '+'))?;
    let (amount, rest) = (number(&cell[..digits])?, &cell[digits..]);
    let unit = rest.strip_prefix(' ').or_else(|| rest.starts_with('/').then_some(rest))?;
    let (_, finest, factor) = UNITS.iter().find(|(name, ..)| *name == unit)?;
    Some((finest, amount * factor))
}

/// Unit, the finest of its kind, and how many of those it has.
const UNITS: [(&str, &str, f64); 19] = [
    ("ns", "ns", 1.0),
    ("µs", "ns", 1e3),
    ("ms", "ns", 1e6),
    ("s", "ns", 1e9),
    ("B", "B", 1.0),
    ("KiB", "B", 1024.0),
    ("MiB", "B", 1_048_576.0),
    ("GiB", "B", 1_073_741_824.0),
    ("B/s", "B/s", 1.0),
    ("KiB/s", "B/s", 1024.0),
    ("MiB/s", "B/s", 1_048_576.0),
    ("GiB/s", "B/s", 1_073_741_824.0),
    ("/s", "/s", 1.0),
    ("K/s", "/s", 1e3),
    ("M/s", "/s", 1e6),
    ("G/s", "/s", 1e9),
    ("K", "", 1e3),
    ("M", "", 1e6),
    ("G", "", 1e9),
];

/// Whether two lines of prose differ by nothing but commits, which stand in code spans.
pub(super) fn same_prose(old: &str, new: &str) -> bool {
    let spans = |line: &'_ str| line.split('`').map(str::to_owned).collect::<Vec<_>>();
    let (old, new) = (spans(old), spans(new));
    let same = |(at, (old, new)): (usize, (&String, &String))| {
        old == new || (at % 2 == 1 && is_commit(old) && is_commit(new))
    };
    old.len() == new.len() && old.iter().zip(&new).enumerate().all(same)
}

/// Whether two texts are the same between their words, and `same` in each pair of words.
fn same_words(old: &str, new: &str, same: impl Fn(&str, &str) -> bool) -> bool {
    let (mut old, mut new) = (old, new);
    loop {
        let (old_word, old_rest) = split_at_first(old, |c| !in_number(c));
        let (new_word, new_rest) = split_at_first(new, |c| !in_number(c));
        let (old_gap, old_next) = split_at_first(old_rest, in_number);
        let (new_gap, new_next) = split_at_first(new_rest, in_number);
        if old_gap != new_gap || !same(old_word, new_word) {
            return false;
        }
        if old_next.is_empty() && new_next.is_empty() {
            return true;
        }
        (old, new) = (old_next, new_next);
    }
}

fn split_at_first(text: &str, stop: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(stop).unwrap_or(text.len()))
}

/// What a number can be glued to, which makes it part of a name or version.
fn in_number(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | ',' | '+' | '-')
}

fn same_number(old: &str, new: &str, tolerance: f64) -> bool {
    let (old_number, old_end) = split_end(old);
    let (new_number, new_end) = split_end(new);
    match (number(old_number), number(new_number)) {
        (Some(old), Some(new)) if old_end == new_end => is_within(old, new, tolerance),
        _ => old == new,
    }
}

/// Cuts off the stops and commas that end a phrase and belong to no number.
fn split_end(word: &str) -> (&str, &str) {
    word.split_at(word.trim_end_matches(['.', ',']).len())
}

fn is_within(old: f64, new: f64, tolerance: f64) -> bool {
    // Zero has no fraction to move by, so only zero is near it.
    if old == 0.0 { new == 0.0 } else { (new - old).abs() / old.abs() <= tolerance }
}

/// The value of a word that is a number through and through, such as `1,234.50` or `-1.2`.
fn number(word: &str) -> Option<f64> {
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    let (integer, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    if !is_integer(integer) || !is_digits(fraction) {
        return None;
    }
    word.replace(',', "").parse().ok().filter(|value: &f64| value.is_finite())
}

/// Digits, with a comma before every three of them or with none at all.
fn is_integer(text: &str) -> bool {
    let mut groups = text.split(',');
    let first = groups.next().unwrap_or_default();
    let mut rest = groups.peekable();
    is_digits(first)
        && (rest.peek().is_none() || first.len() <= 3)
        && rest.all(|group| group.len() == 3 && is_digits(group))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a code span holds a commit: a whole SHA-1 or SHA-256, or the beginning of one, in which a digit tells it
/// from a word such as `defaced`.
fn is_commit(span: &str) -> bool {
    let whole = matches!(span.len(), 40 | 64);
    let shortened = (7..64).contains(&span.len()) && span.bytes().any(|b| b.is_ascii_digit());
    (whole || shortened) && span.bytes().all(|b| b.is_ascii_hexdigit())
}
